/**
 * An item that joins a promotion of the calendar at its plan price (seed 001 "Promo calendar"). A filed item is not in yet:
 * only the promotion's own list shows it (field note P04), and no operation takes it out again (P06).
 */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { PromotionId } from "../../domain/Ids.js"
import { format, Kopecks } from "../../domain/Money.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import type { PromotionItemTarget } from "../../domain/Target.js"
import type { Change, Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"
import type { TierAhead } from "./Parts.js"
import type * as Seen from "./Seen.js"
import type { SlotHistory } from "./SlotHistory.js"

export const name = "enrolment" as const
export const prefix = "enrolment"

/** What of the slots was filed and is in no list yet. */
export const pending = (slots: ReadonlyMap<string, SlotHistory>): ReadonlyArray<PromotionItemTarget> =>
  [...slots.values()].flatMap(({ pendingSince, slot }) => {
    const rest = slot.startsWith(`${prefix}:`) ? slot.slice(prefix.length + 1) : undefined
    const target = rest === undefined || pendingSince === undefined ? undefined : Keys.promotionItemOf(rest)
    return target ?? []
  })

export const slot = ({ itemId, promotionId }: PromotionItemTarget): string =>
  `${prefix}:${promotionId}/${itemId}`

/** Whether a change has an item join a promotion. */
export const isEnrolment = (change: Change): change is Of<typeof name> => change.kind === name

/** What the marketplace answered to a filed task (field note P04), as the journal keeps it for each item of the task. */
export const Filed = Schema.Struct({
  uploadId: Schema.optionalWith(Schema.Int, { exact: true }),
  alreadyExists: Schema.optionalWith(Schema.Boolean, { exact: true })
})
export type Filed = typeof Filed.Type

const asText = Schema.parseJson(Filed)
export const evidenceOf = Schema.encodeSync(asText)

/** The task of a change, by what the journal keeps of it; undefined where nothing was answered. */
export const filedBy = (evidence: string | undefined): Filed | undefined =>
  evidence === undefined ? undefined : Option.getOrUndefined(Schema.decodeUnknownOption(asText)(evidence))

const forGood = "no operation takes an item out of a promotion; a person leaves it in the seller's cabinet"

export const kind: Kind<Of<typeof name>> = {
  lane: "promotions",
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: Keys.promotionItemOf,
  shownBy: () => ({ each: "promotion_item", fact: "promotion_item.in_action" }),
  live: (facts) => facts("promotion_item.in_action"),
  leaves: ({ after }) => ({ "promotion_item.in_action": after }),
  counts: () => ({ fact: "promotion.items_to_next_tier", by: -1 }),
  order: 20,
  writeClass: "E",
  deadlineMs: deadlines.filing,
  whole: ({ details: { set }, origin, subject: { promotionId } }) =>
    set === undefined ? undefined : { key: `${prefix}:${promotionId} ${origin.name}`, size: set.items },
  // A start may have been moved since the plan.
  filedUntil: ({ details: { startsAt = 0 } }, sentAt, offer) =>
    Math.max(offer?.startsAt ?? startsAt, sentAt + deadlines.filing),
  isOnce: true,
  beside: {
    about: ({ subject }) => `${subject.itemId}`,
    lookedAt: (change, others) => {
      const { details, subject } = change
      if (details.mayOverlap === true) return change
      const filed = new Set(others.map((other) => other.subject.promotionId))
      filed.delete(subject.promotionId)
      return { ...change, details: { ...details, filed: [...filed] } }
    }
  },
  stale: ({ details }, { offer }) => (offer === undefined ? undefined : staleBy(details, offer)),
  operations: () => ["uploadPromotionItems"],
  answered: (evidence) => {
    const { alreadyExists, uploadId } = filedBy(evidence) ?? {}
    if (uploadId === undefined) return undefined
    return `task ${uploadId}${alreadyExists === true ? ", which was known already" : ""}`
  },
  isSteered: false,
  isDearer: () => false,
  unforeseen: "what a promotion sells is not known before",
  risk: "irreversible",
  irreversible: () => forGood,
  inverse: () => forGood,
  backwards: () => "enrol",
  print: (value) => (value === true ? "in the promotion" : "not in the promotion"),
  effect: ({ details }, sign) => {
    const { planPriceKopecks, priceKopecks, promotionName } = details
    const amount = (kopecks: number | undefined) =>
      kopecks === undefined ? "a price that was not read" : format(Kopecks(kopecks), sign)
    return `joins "${promotionName}" at ${amount(planPriceKopecks)}, now ${amount(priceKopecks)}${isPricedNow(details) ? ", and the price falls at once" : ""}`
  }
}

/**
 * Whether the price falls when it is filed: as a person says who files by hand, else where the promotion runs already. Before that it
 * would be sold at for days before the promotion brings anybody.
 */
export const isPricedNow = ({ isPricedNow, startsAt }: Of<typeof name>["details"]): boolean =>
  isPricedNow ?? startsAt === undefined

interface Dates {
  readonly startsAt?: number | undefined
  readonly endsAt?: number | undefined
}

/** Of two promotions. Without a start it runs already; without an end nobody knows how long. */
const areAtOneTime = (a: Dates, b: Dates): boolean =>
  (a.startsAt ?? 0) < (b.endsAt ?? Number.POSITIVE_INFINITY) &&
  (b.startsAt ?? 0) < (a.endsAt ?? Number.POSITIVE_INFINITY)

/** A promotion that the item is in, or may be in, was at another time when this was planned; or the item was filed for it. */
const besides = (planned: Of<typeof name>["details"], now: Seen.Offer): OutcomeReason | undefined => {
  const unlisted = planned.filed?.find((id) => now.besides?.every((other) => other.promotionId !== id))
  if (unlisted !== undefined) return datesUnread(`${unlisted}`)
  const moved = now.besides?.find((other) => areAtOneTime(now, other))
  if (moved === undefined) return undefined
  const { endsAt, promotionId, promotionName, startsAt } = moved
  if (startsAt === undefined || endsAt === undefined)
    return datesUnread(`${promotionId} ${promotionName}`.trim())
  if (planned.filed?.includes(promotionId) === true)
    return { code: "overlap_filed", promotionId, promotionName }
  const isUnread = planned.besidesUnread?.includes(promotionId) === true
  return { code: isUnread ? "overlap_unlooked" : "overlap_moved", promotionId, promotionName }
}

const datesUnread = (promotion: string): OutcomeReason => ({
  code: "live_value_unread",
  said: `the dates of promotion ${promotion} were not answered`
})

/** Promotions whose days count when it is sent: those that the item is in, or may be in, or was filed for. */
export const besidesOf = ({ details }: Of<typeof name>): ReadonlyArray<PromotionId> => [
  ...(details.besides ?? []).map(({ promotionId }) => promotionId),
  ...(details.besidesUnread ?? []),
  ...(details.filed ?? [])
]

/** Items of one task. A larger set goes in several, and those of the first may be in already when the next one is looked at. */
export const mostItems = 1000

/** A set was chosen to reach a tier with so many items. With fewer it does not, and with more some join for nothing. */
const tier = (
  set: Of<typeof name>["details"]["set"],
  now: TierAhead | undefined
): OutcomeReason | undefined => {
  const was = set?.tier
  if (set === undefined || was === undefined) return undefined
  if (now === undefined) return { code: "live_value_unread", said: "the promotion's tiers were not answered" }
  const isSame = now.boostBasisPoints === was.boostBasisPoints
  if (isSame && (now.items === was.items || (set.items > mostItems && now.items < was.items)))
    return undefined
  return { code: "tier_changed", was: was.items, now: isSame ? now.items : 0 }
}

/** Dates that differ by no more are the same: the plan knows them by how far they were from when the calendar was read, milliseconds. */
export const nearMs = 3_600_000

/** Whoever agreed to it agreed to these prices and days. */
const staleBy = (planned: Of<typeof name>["details"], now: Seen.Offer): OutcomeReason | undefined =>
  price("plan_price", planned.planPriceKopecks, now.planPriceKopecks) ??
  price("price", planned.priceKopecks, now.priceKopecks) ??
  (planned.startsAt !== undefined && now.startsAt !== undefined && now.startsAt <= now.atMs
    ? { code: "promotion_started" }
    : undefined) ??
  date("start", planned.startsAt, now.startsAt) ??
  running(planned, now) ??
  date("end", planned.endsAt, now.endsAt) ??
  besides(planned, now) ??
  tier(planned.set, now.tier)

/** Without a start it ran when it was planned, and its price falls with the filing: not where it is yet to begin by now. */
const running = (
  { isPricedNow, startsAt }: Of<typeof name>["details"],
  now: Seen.Offer
): OutcomeReason | undefined => {
  if (startsAt !== undefined || isPricedNow !== undefined) return undefined
  if (now.startsAt === undefined)
    return { code: "live_value_unread", said: "the promotion's dates were not answered" }
  return now.startsAt > now.atMs
    ? { code: "dates_changed", what: "start", now: new Date(now.startsAt).toISOString() }
    : undefined
}

const price = (
  what: "price" | "plan_price",
  was: number | undefined,
  now: number | undefined
): OutcomeReason | undefined => {
  if (was === undefined || was === now) return undefined
  return now === undefined
    ? { code: "live_value_unread", said: "its prices were not answered" }
    : { code: "terms_changed", what, was, now }
}

const date = (
  what: "start" | "end",
  was: number | undefined,
  now: number | undefined
): OutcomeReason | undefined => {
  if (was === undefined) return undefined
  if (now === undefined) return { code: "live_value_unread", said: "the promotion's dates were not answered" }
  return Math.abs(now - was) > nearMs
    ? { code: "dates_changed", what, now: new Date(now).toISOString() }
    : undefined
}
