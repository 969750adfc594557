/** Promotions of the next weeks: when, how many items take part, and what the next tier of the boost asks for. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import * as PromotionFacts from "../../marketplace/facts/PromotionFacts.js"
import { clean } from "../../reporting/Clean.js"
import * as Account from "../account/Account.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as CalendarRead from "./CalendarRead.js"

/** Asks for the list, and for the details a hundred promotions at a time. */
export const show = (flags: Flags.Session) =>
  Account.run(flags, (chosen) =>
    Effect.gen(function* () {
      const { promotions, unread } = yield* CalendarRead.ahead
      const nowMs = yield* Clock.currentTimeMillis
      if (flags.json)
        return yield* Output.json("promos", {
          account: chosen.name,
          promotions: promotions.map((one) => plain(one, nowMs)),
          unread
        })
      if (promotions.length === 0 && unread === 0)
        return yield* Output.text(
          `No promotion is announced for the next ${PromotionFacts.aheadDays} days. The marketplace shows them about a month ahead.`
        )
      const zone = chosen.config.timeZone
      yield* Output.text(promotions.map((one) => line(one, nowMs, zone)).join("\n"))
      const automatic = promotions.filter(isAutomatic).length
      if (automatic > 0)
        yield* Output.note(
          `${Plural.of(automatic, "automatic promotion")}: the marketplace fills ${Plural.choose(automatic, "it", "them")} by itself. Which of your items are in ${Plural.choose(automatic, "it", "them")}, and at what price, cannot be read, and no rule can join or leave ${Plural.choose(automatic, "it", "them")}: watch the prices of your items in the cabinet.`
        )
      yield* Output.note(
        "What an item would cost and what joining asks: bidhelm promos preview. Which items your rules would enrol: bidhelm plan --lane promotions"
      )
    })
  )

export const isAutomatic = ({ type }: CalendarRead.Details): boolean => type === "auto"

const plain = (one: CalendarRead.Details, nowMs: number) => {
  const tier = PromotionFacts.tierOf(one)
  const [startsAt, endsAt] = [one.startDateTime, one.endDateTime].map(PromotionFacts.instant)
  return {
    id: one.id,
    name: one.name ?? null,
    type: one.type ?? null,
    startsAt: one.startDateTime ?? null,
    endsAt: one.endDateTime ?? null,
    startsInMs: startsAt === undefined ? null : startsAt - nowMs,
    endsInMs: endsAt === undefined ? null : endsAt - nowMs,
    itemsIn: one.inPromoActionTotal ?? null,
    itemsOut: one.notInPromoActionTotal ?? null,
    participationPercent: one.participationPercentage ?? null,
    boostPercent: tier?.boost ?? null,
    next: tier?.next ?? null,
    itemsReadable: !isAutomatic(one)
  }
}

/** `1005  2026-09-05 to 2026-09-14, starts in 3 days  regular  3 of 12 items, boost 20%; 3 more items reach 30%  "…"`. */
const line = (one: CalendarRead.Details, nowMs: number, zone: string): string => {
  const { endDateTime, id, inPromoActionTotal, name, notInPromoActionTotal, startDateTime } = one
  const total =
    inPromoActionTotal === undefined || notInPromoActionTotal === undefined
      ? "items unknown"
      : `${inPromoActionTotal} of ${Plural.of(inPromoActionTotal + notInPromoActionTotal, "item")}`
  const days = `${day(startDateTime, zone)} to ${day(endDateTime, zone, 1)}, ${CalendarRead.standing(one, nowMs)}`
  return clean(`${id}  ${days}  ${kind(one)}  ${total}, ${boost(one)}  "${name ?? ""}"`)
}

const kind = (one: CalendarRead.Details): string =>
  isAutomatic(one) ? "auto (the marketplace fills it)" : (one.type ?? "type unknown")

/** The calendar tells instants: the day is that of the seller's own zone. What ends as a day begins was there `beforeMs` earlier, the day before. */
const day = (text: string | undefined, zone: string, beforeMs = 0): string => {
  const atMs = PromotionFacts.instant(text)
  return atMs === undefined ? "unknown" : Days.at(atMs - beforeMs, zone)
}

const boost = (one: CalendarRead.Details): string => {
  const tier = PromotionFacts.tierOf(one)
  if (tier === undefined) return "boost unknown"
  const { next } = tier
  return next === undefined
    ? `boost ${tier.boost}%, the highest`
    : `boost ${tier.boost}%; ${Plural.of(next.items, "more item")} ${Plural.choose(next.items, "reaches", "reach")} ${next.boost}%`
}
