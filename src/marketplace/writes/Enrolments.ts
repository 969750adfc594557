/** Items filed for promotions: up to 1,000 of one promotion in a task (seed 001 "Promo calendar", field note P04). */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { Change, Of } from "../../engine/kinds/Change.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import type { Live } from "../../engine/kinds/Seen.js"
import type * as Promo from "../../services/areas/promotions/Promo.js"
import type { CallError } from "../../services/MarketplaceError.js"
import * as Outcomes from "./Outcomes.js"

type Service = ReturnType<typeof Promo.make>
type Enrolling = Of<typeof Enrolment.name>

const mostItems = 1000

const isEnrolling = (change: Change): change is Enrolling => change.kind === Enrolment.name

/** One task for each thousand items of a promotion; the same items again are the same task (`alreadyExists`). */
export const batches = (service: Service, changes: ReadonlyArray<Change>): ReadonlyArray<WriteBatch> =>
  byPromotion(changes).flatMap(([promotionId, own]) =>
    Arr.chunksOf(own, mostItems).map((chunk) => {
      const items = itemsOf(chunk)
      return Outcomes.batch(
        "uploadPromotionItems",
        chunk,
        { promotionId, items },
        Effect.map(service.upload(promotionId, items, true), ({ failures: [failure], values: [task] }) =>
          Outcomes.forAll(chunk, failure === undefined ? filed(task) : Outcomes.ofError(failure.error))
        )
      )
    })
  )

const filed = ({ alreadyExists, uploadId }: Partial<Promo.Upload> = {}): WriteOutcome =>
  alreadyExists === undefined && uploadId === undefined
    ? Outcomes.accepted
    : {
        _tag: "Accepted",
        evidence: Enrolment.evidenceOf({
          ...(uploadId === undefined ? {} : { uploadId }),
          ...(alreadyExists === undefined ? {} : { alreadyExists })
        })
      }

/** Whether each item is in its promotion, by the promotion's own list of those that are. */
export const read = (
  service: Service,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyMap<string, Live>> =>
  Effect.map(
    Effect.forEach(byPromotion(changes), ([promotionId, own]) =>
      Stream.runFold(service.items(promotionId, true), new Set<ItemId>(), (found, { itemId }) =>
        found.add(itemId)
      ).pipe(
        Effect.map((found) =>
          own.map((change): readonly [string, Live] => [
            change.id,
            { _tag: "Value", value: found.has(change.subject.itemId) }
          ])
        ),
        Effect.catchAll((error) =>
          Effect.succeed(
            own.map((change): readonly [string, Live] => [
              change.id,
              { _tag: "Unreadable", why: error.message }
            ])
          )
        )
      )
    ),
    (all) => new Map(all.flat())
  )

/** What a promotion asks of some items, for a call by hand; what was not answered stays out. */
export const offers = (
  service: Service,
  promotionId: PromotionId,
  items: ReadonlyArray<ItemId>
): Effect.Effect<
  ReadonlyArray<{ readonly itemId: ItemId; readonly details: Enrolling["details"] }>,
  CallError
> =>
  Effect.gen(function* () {
    const { values } = yield* service.details([promotionId])
    const promotionName = values[0]?.name ?? ""
    const listed = yield* Effect.forEach([true, false], (enrolled) =>
      Stream.runCollect(service.items(promotionId, enrolled))
    )
    const found = new Map(listed.flatMap((list) => [...list].map((item) => [item.itemId, item] as const)))
    return [...new Set(items)].map((itemId) => {
      const { discountPercent, planPriceKopecks, priceKopecks } = found.get(itemId) ?? {}
      return {
        itemId,
        details: {
          promotionName,
          ...(priceKopecks === undefined ? {} : { priceKopecks }),
          ...(planPriceKopecks === undefined ? {} : { planPriceKopecks }),
          ...(discountPercent === undefined ? {} : { discountPercent })
        }
      }
    })
  })

const byPromotion = (
  changes: ReadonlyArray<Change>
): ReadonlyArray<readonly [PromotionId, Arr.NonEmptyReadonlyArray<Enrolling>]> => {
  const groups = new Map<PromotionId, Arr.NonEmptyArray<Enrolling>>()
  for (const change of changes.filter(isEnrolling)) {
    const { promotionId } = change.subject
    const others = groups.get(promotionId)
    if (others === undefined) groups.set(promotionId, [change])
    else others.push(change)
  }
  return [...groups].sort(([a], [b]) => a - b)
}

const itemsOf = (changes: ReadonlyArray<Enrolling>): ReadonlyArray<ItemId> =>
  changes.map(({ subject }) => subject.itemId).sort((a, b) => a - b)
