/** Items filed for promotions: up to 1,000 of one promotion in a task (seed 001 "Promo calendar", field note P04). */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Groups from "../../domain/Groups.js"
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import type { DearLook, WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { Change, Of } from "../../engine/kinds/Change.js"
import * as Enrolment from "../../engine/kinds/Enrolment.js"
import type { Live } from "../../engine/kinds/Seen.js"
import * as Whole from "../../engine/kinds/Whole.js"
import type * as Promo from "../../services/areas/promotions/Promo.js"
import type { PromotionDetails } from "../../services/endpoints/Promo.js"
import type { CallError } from "../../services/MarketplaceError.js"
import * as PromotionFacts from "../facts/PromotionFacts.js"
import * as Outcomes from "./Outcomes.js"

type Service = ReturnType<typeof Promo.make>
type Enrolling = Of<typeof Enrolment.name>

const isEnrolling = (change: Change): change is Enrolling => change.kind === Enrolment.name

/** One task for each thousand items of a promotion; the same items again are the same task (`alreadyExists`). */
export const batches = (service: Service, changes: ReadonlyArray<Change>): ReadonlyArray<WriteBatch> =>
  byPromotion(changes).flatMap(([promotionId, own]) =>
    Arr.partition(own, ({ details }) => Enrolment.isPricedNow(details)).flatMap((alike, at) => {
      const now = at === 1
      // A task that took a part of a set would move its tier before the rest is filed.
      const sets = Object.values(Arr.groupBy(alike, (change) => Whole.groupOf(change)?.key ?? ""))
      return sets
        .flatMap((some) => Arr.chunksOf(some, Enrolment.mostItems))
        .map((chunk) => {
          const items = itemsOf(chunk)
          return Outcomes.batch(
            "uploadPromotionItems",
            chunk,
            { promotionId, items, now },
            Effect.map(service.upload(promotionId, items, now), ({ failures: [failure], values: [task] }) =>
              Outcomes.forAll(chunk, failure === undefined ? filed(task) : Outcomes.ofError(failure.error))
            )
          )
        })
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

/**
 * With one call an hour (field note P07) a task leaves an hour after the look at its promotion at best; a promotion is looked
 * at right before its own task, and not along with others.
 */
export const dearLook = (change: Change): DearLook | undefined =>
  isEnrolling(change) ? { shows: `promotion ${change.subject.promotionId}`, lastsMs: 90 * 60_000 } : undefined

/**
 * Whether each item is in its promotion, by the promotion's own lists of those that are and of those that may be, and on
 * which terms. One that is in neither was not read.
 */
export const read = (
  service: Service,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyMap<string, Live>> =>
  Effect.gen(function* () {
    const promotions = byPromotion(changes)
    if (promotions.length === 0) return new Map()
    const asked = new Set([
      ...promotions.map(([id]) => id),
      ...promotions.flatMap(([, own]) => own.flatMap(Enrolment.besidesOf))
    ])
    const { failures, values } = yield* service.details([...asked])
    const unread = new Map(failures.flatMap(({ error, keys }) => keys.map((id) => [id, error] as const)))
    const listed = new Map(values.flatMap((one) => (one.id === undefined ? [] : [[one.id, one] as const])))
    const all = yield* Effect.forEach(promotions, ([promotionId, own]) =>
      Effect.gen(function* () {
        const why = unread.get(promotionId)
        if (why !== undefined) return own.map((change) => [change.id, Outcomes.unreadable(why)] as const)
        const dates = datesOf(listed.get(promotionId))
        const isOver = dates !== undefined && (dates.endsAt ?? 1 / 0) <= (yield* Clock.currentTimeMillis)
        if (dates === undefined || isOver) return own.map((change) => [change.id, gone] as const)
        const tier = tierOf(listed.get(promotionId))
        const items = yield* Effect.either(listsOf(service, promotionId, own))
        const atMs = yield* Clock.currentTimeMillis
        return own.map((change): readonly [string, Live] => {
          if (items._tag === "Left") return [change.id, Outcomes.unreadable(items.left)]
          const found = items.right.get(change.subject.itemId)
          if (found === undefined)
            return [change.id, Outcomes.unreadable("the promotion lists the item nowhere")]
          const others = Enrolment.besidesOf(change)
          const unsure = others.map((id) => unread.get(id)).find((one) => one !== undefined)
          // What is in is in, whatever else is at that time.
          if (unsure !== undefined && !found.isIn) return [change.id, Outcomes.unreadable(unsure)]
          const besides = others.flatMap((id) => {
            const details = listed.get(id)
            const days = datesOf(details)
            return days === undefined
              ? []
              : [{ promotionId: id, promotionName: details?.name ?? "", ...days }]
          })
          const offer = { ...pricesOf(found), ...dates, ...tier, besides, atMs }
          return [change.id, { _tag: "Value", value: found.isIn, offer }]
        })
      })
    )
    return new Map(all.flat())
  })

const gone: Live = { _tag: "Gone", what: "promotion" }

/** The items that are in, and where some of the changes' are not among them, those that may be. */
const listsOf = (service: Service, promotionId: PromotionId, changes: ReadonlyArray<Enrolling>) =>
  Effect.gen(function* () {
    const found = new Map<ItemId, Promo.Item & { readonly isIn: boolean }>()
    for (const isIn of [true, false]) {
      if (changes.every(({ subject }) => found.has(subject.itemId))) break
      for (const item of yield* Stream.runCollect(service.items(promotionId, isIn)))
        if (item.itemId !== undefined && !found.has(item.itemId)) found.set(item.itemId, { ...item, isIn })
    }
    return found
  })

/** Undefined for a promotion that is not listed. */
const datesOf = (details: typeof PromotionDetails.Type | undefined) => {
  if (details === undefined) return undefined
  const [startsAt, endsAt] = [details.startDateTime, details.endDateTime].map(PromotionFacts.instant)
  return { ...(startsAt === undefined ? {} : { startsAt }), ...(endsAt === undefined ? {} : { endsAt }) }
}

/** As the facts of a plan tell it. */
const tierOf = (details: typeof PromotionDetails.Type | undefined) => {
  const tier = details === undefined ? undefined : PromotionFacts.tierOf(details)
  if (tier === undefined) return {}
  const { next } = tier
  return {
    tier:
      next === undefined
        ? { items: 0 }
        : { items: next.items, boostBasisPoints: Math.round(next.boost * 100) }
  }
}

const pricesOf = ({ planPriceKopecks, priceKopecks }: Partial<Promo.Item>) => ({
  ...(priceKopecks === undefined ? {} : { priceKopecks }),
  ...(planPriceKopecks === undefined ? {} : { planPriceKopecks })
})

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
    const nowMs = yield* Clock.currentTimeMillis
    const { endsAt, startsAt } = datesOf(values[0]) ?? {}
    // One that runs has no start, as in a plan of rules: what had a start would not be filed once that is over.
    const isAhead = startsAt !== undefined && startsAt > nowMs
    const listed = yield* Effect.forEach([true, false], (enrolled) =>
      Stream.runCollect(service.items(promotionId, enrolled))
    )
    const found = new Map(listed.flatMap((list) => [...list].map((item) => [item.itemId, item] as const)))
    return [...new Set(items)].map((itemId) => {
      const item: Partial<Promo.Item> = found.get(itemId) ?? {}
      const { discountPercent } = item
      return {
        itemId,
        details: {
          promotionName,
          ...pricesOf(item),
          ...(discountPercent === undefined ? {} : { discountPercent }),
          ...(isAhead ? { startsAt } : {}),
          ...(endsAt === undefined ? {} : { endsAt })
        }
      }
    })
  })

const byPromotion = (
  changes: ReadonlyArray<Change>
): ReadonlyArray<readonly [PromotionId, Arr.NonEmptyReadonlyArray<Enrolling>]> =>
  [...Groups.by(changes.filter(isEnrolling), ({ subject }) => subject.promotionId)].sort(([a], [b]) => a - b)

const itemsOf = (changes: ReadonlyArray<Enrolling>): ReadonlyArray<ItemId> =>
  changes.map(({ subject }) => subject.itemId).sort((a, b) => a - b)
