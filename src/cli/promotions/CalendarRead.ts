/** The calendar as commands ask for it: promotions ahead with their details, and the items of one. Reads only. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { PromotionId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as When from "../../domain/When.js"
import * as PromotionFacts from "../../marketplace/facts/PromotionFacts.js"
import * as Promo from "../../services/areas/promotions/Promo.js"
import type { PromotionDetails } from "../../services/endpoints/Promo.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Output from "../terminal/Output.js"
import { ofCall, stop } from "../terminal/Stop.js"

export type Details = typeof PromotionDetails.Type & { readonly id: PromotionId }

interface Ahead {
  /** By their start. */
  readonly promotions: ReadonlyArray<Details>
  /** How many have no details: of them only what the list says is there. */
  readonly unread: number
}

/** Promotions that run or are announced; what could not be read is said. */
export const ahead = Effect.gen(function* () {
  const promo = Promo.make(yield* MarketplaceClient)
  const nowMs = yield* Clock.currentTimeMillis
  const listed = yield* Stream.runCollect(promo.list({ ...PromotionFacts.ahead(nowMs), all: true })).pipe(
    Effect.mapError((error) => ofCall(error))
  )
  const { failures, values } = yield* promo.details([...listed].flatMap(({ id }) => id ?? []))
  for (const { error, keys } of failures)
    yield* Output.note(
      `${Plural.of(keys.length, "promotion")} ${Plural.choose(keys.length, "is", "are")} shown without what ${Plural.choose(keys.length, "it asks and brings", "they ask and bring")}: ${error.message}`
    )
  const detailed = new Map(values.map((one) => [one.id, one]))
  const promotions = [...listed]
    .flatMap(
      (one): ReadonlyArray<Details> =>
        one.id === undefined
          ? []
          : [{ advantages: [], ranging: [], ...one, ...detailed.get(one.id), id: one.id }]
    )
    .toSorted(TextOrder.by((one) => `${one.startDateTime ?? ""} ${String(one.id).padStart(15, "0")}`))
  return { promotions, unread: failures.reduce((sum, { keys }) => sum + keys.length, 0) } satisfies Ahead
})

/** When promotions start and end, epoch milliseconds. */
export const dates = (promotions: ReadonlyArray<Details>) =>
  new Map(
    promotions.map(({ endDateTime, id, startDateTime }) => {
      const [startsAt, endsAt] = [startDateTime, endDateTime].map(PromotionFacts.instant)
      return [id, { startsAt, endsAt }] as const
    })
  )

/** The items that are in a promotion, or those that may join it; left is why its list could not be read. */
export const items = (promotionId: PromotionId, enrolled: boolean) =>
  Effect.gen(function* () {
    const promo = Promo.make(yield* MarketplaceClient)
    const list = yield* Effect.either(Stream.runCollect(promo.items(promotionId, enrolled)))
    return Either.mapBoth(list, {
      onLeft: (error) => error.message,
      onRight: (found) => [...found].toSorted((a, b) => (a.itemId ?? 0) - (b.itemId ?? 0))
    })
  })

/** The promotion that a person named; what there is instead when it is none. */
export const named = (
  text: string,
  known: ReadonlyArray<{ readonly id: PromotionId; readonly name: string }>
) => {
  const found = known.find(({ id }) => String(id) === text.trim())
  if (found !== undefined) return Effect.succeed(found.id)
  const all = known.map(({ id, name }) => `${id} "${name}"`)
  return stop(
    1,
    all.length === 0
      ? `there is no promotion ${text}, and none is announced`
      : `there is no promotion ${text} in the calendar, and nothing was filed for one. There are ${Plural.named(all, mostNamed)}`
  )
}

const mostNamed = 10

/** `starts in 3 days`, `runs, 5 days left`: where a promotion stands. */
export const standing = ({ endDateTime, startDateTime }: Details, nowMs: number): string => {
  const [startsAt, endsAt] = [startDateTime, endDateTime].map(PromotionFacts.instant)
  if (startsAt === undefined || endsAt === undefined) return "dates unknown"
  if (nowMs >= endsAt) return "over"
  return nowMs < startsAt
    ? `starts in ${When.length(startsAt - nowMs)}`
    : `runs, ${When.length(endsAt - nowMs)} left`
}
