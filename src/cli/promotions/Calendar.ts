/** Promotions of the next weeks: when, how many items take part, and what the next tier of the boost asks for. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TextOrder from "../../domain/TextOrder.js"
import * as PromotionFacts from "../../marketplace/facts/PromotionFacts.js"
import { clean } from "../../reporting/Clean.js"
import * as Plural from "../../reporting/Plural.js"
import * as Promo from "../../services/areas/promotions/Promo.js"
import type { PromotionDetails } from "../../services/endpoints/Promo.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

type Details = typeof PromotionDetails.Type

/** Asks for the list, and for the details a hundred promotions at a time. */
export const show = (flags: Flags.Session) =>
  Effect.gen(function* () {
    const chosen = yield* Account.choose(flags)
    const read = Effect.gen(function* () {
      const promo = Promo.make(yield* MarketplaceClient)
      const nowMs = yield* Clock.currentTimeMillis
      const listed = yield* Stream.runCollect(promo.list({ ...PromotionFacts.ahead(nowMs), all: true })).pipe(
        Effect.mapError(({ message }) => stop(1, message))
      )
      const ids = [...listed].flatMap(({ id }) => id ?? [])
      const { failures, values } = yield* promo.details(ids)
      for (const { error, keys } of failures)
        yield* Output.note(`${Plural.of(keys.length, "promotion")} could not be read: ${error.message}`)
      const promotions = values.toSorted(TextOrder.by((one) => text(one.startDateTime)))
      if (flags.json)
        return yield* Output.json("promos", {
          account: chosen.name,
          promotions: promotions.map(plain),
          unread: failures.reduce((sum, { keys }) => sum + keys.length, 0)
        })
      if (promotions.length === 0)
        return yield* Output.text(
          `No promotion is announced for the next ${PromotionFacts.aheadDays} days. The marketplace shows them about a month ahead.`
        )
      yield* Output.text(promotions.map(line).join("\n"))
      yield* Output.note("Which items your rules would enrol: bidhelm plan --lane promotions")
    })
    yield* Account.during(chosen, Effect.provide(read, Account.layer(chosen)))
  })

const text = (value: string | undefined): string => value ?? ""

const plain = (one: Details) => {
  const tier = PromotionFacts.tierOf(one)
  return {
    id: one.id ?? null,
    name: one.name ?? null,
    type: one.type ?? null,
    startsAt: one.startDateTime ?? null,
    endsAt: one.endDateTime ?? null,
    itemsIn: one.inPromoActionTotal ?? null,
    itemsOut: one.notInPromoActionTotal ?? null,
    participationPercent: one.participationPercentage ?? null,
    boostPercent: tier?.boost ?? null,
    next: tier?.next ?? null
  }
}

/** `1005  2026-09-05 to 2026-09-14  regular  3 of 12 items, boost 20%; 3 more items reach 30%  "…"`. */
const line = (one: Details): string => {
  const { endDateTime, id, inPromoActionTotal, name, notInPromoActionTotal, startDateTime, type } = one
  const total =
    inPromoActionTotal === undefined || notInPromoActionTotal === undefined
      ? "items unknown"
      : `${inPromoActionTotal} of ${Plural.of(inPromoActionTotal + notInPromoActionTotal, "item")}`
  const days = `${text(startDateTime).slice(0, 10)} to ${text(endDateTime).slice(0, 10)}`
  const kind = type === "auto" ? "auto (the marketplace fills it)" : (type ?? "type unknown")
  return clean(`${id ?? "no number"}  ${days}  ${kind}  ${total}, ${boost(one)}  "${text(name)}"`)
}

const boost = (one: Details): string => {
  const tier = PromotionFacts.tierOf(one)
  if (tier === undefined) return "boost unknown"
  const { next } = tier
  return next === undefined
    ? `boost ${tier.boost}%, the highest`
    : `boost ${tier.boost}%; ${Plural.of(next.items, "more item")} ${Plural.choose(next.items, "reaches", "reach")} ${next.boost}%`
}
