/** What `optimise` must know of the days before: by the journal when rules had paused campaigns, and what was parked; what was expected. */
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Past from "../decide/optimise/Past.js"
import { ChangeLog } from "../door/ChangeLog.js"
import type { JournalRow } from "../door/Journal.js"
import type { Gathered } from "../gather/Gather.js"
import * as Kinds from "../kinds/Kinds.js"
import * as MinusPhrase from "../kinds/MinusPhrase.js"
import * as Status from "../kinds/Status.js"
import type { Policy } from "../language/Policy.js"
import * as Bounds from "../optimise/Bounds.js"
import { RuleMemory } from "./RuleMemory.js"

const dayMs = 86_400_000

/** How long a parked cluster is remembered: whoever parks it again knows how often it was. */
const rememberedMs = 90 * dayMs

/** How far back it is looked whether predictions hold, days. */
const forecastDays = 60

/** The first day of which it is looked what was expected. */
export const forecastsSince = (nowMs: number): Days.Day => Days.shift(Days.ofMarket(nowMs), -forecastDays)

/** Nothing where no policy optimises. */
export const read = (
  account: string,
  policies: ReadonlyArray<Policy>,
  { campaignDays, charges, nowMs, table }: Pick<Gathered, "campaignDays" | "charges" | "nowMs" | "table">
): Effect.Effect<Past.Past, StoreFailure, ChangeLog | RuleMemory> =>
  Effect.gen(function* () {
    const actions = policies.flatMap(({ id, rules }) =>
      rules.flatMap(({ action }) => (action._tag === "Optimise" ? [{ id, window: action.window }] : []))
    )
    if (actions.length === 0) return Past.nothing
    const log = yield* ChangeLog
    const lengths = actions.map(({ window }) =>
      window._tag === "Last" ? window.days + window.settleDays : 0
    )
    const sinceMs = nowMs - (Math.max(...lengths) + 2) * dayMs
    const slots = table("campaign").rows.flatMap(({ campaignId }) =>
      campaignId === undefined ? [] : [Status.slot({ campaignId })]
    )
    const statuses = yield* log.ofSlots(account, slots, sinceMs)
    const own = [...new Set(actions.map(({ id }) => id))]
    const changes = yield* log.applied(account, own, nowMs - rememberedMs)
    return {
      pauses: pausesOf(statuses, sinceMs),
      moves: movesOf(changes, Math.min(sinceMs, nowMs - Bounds.turnDays * dayMs)),
      parkings: parkingsOf(changes),
      own: ownOf(changes, sinceMs),
      kept: yield* (yield* RuleMemory).forecasts(account, own, forecastsSince(nowMs)),
      days: campaignDays,
      charges
    }
  })

/** A campaign that is started first was paused before; what began or ended it by hand nobody wrote down. */
const pausesOf = (rows: ReadonlyArray<JournalRow>, sinceMs: number): Past.Past["pauses"] => {
  const spans = new Map<CampaignId, Array<Past.Span>>()
  for (const { change, sentAt } of rows) {
    const { campaignId } = change.subject
    if (change.kind !== Status.name || campaignId === undefined || sentAt === undefined) continue
    const known = spans.get(campaignId) ?? []
    spans.set(campaignId, known)
    turn(known, change.after === "paused", sentAt, sinceMs)
  }
  return spans
}

const movesOf = (rows: ReadonlyArray<JournalRow>, sinceMs: number): Past.Past["moves"] => {
  const moves = new Map<string, Array<Past.Moved>>()
  for (const { change, sentAt } of rows) {
    const { after, before } = change
    if (!Kinds.isSteered(change) || sentAt === undefined || sentAt < sinceMs) continue
    if (typeof before !== "number" || typeof after !== "number") continue
    const slot = Kinds.slotOf(change)
    const known = moves.get(slot) ?? []
    known.push({ atMs: sentAt, beforeKopecks: before, afterKopecks: after })
    moves.set(slot, known)
  }
  return moves
}

const ownOf = (rows: ReadonlyArray<JournalRow>, sinceMs: number): Past.Past["own"] =>
  rows.flatMap(({ change, sentAt }) => {
    const { campaignId } = change.subject
    return sentAt === undefined || sentAt < sinceMs || campaignId === undefined
      ? []
      : [
          {
            policy: change.origin.name,
            campaignId,
            slot: Kinds.slotOf(change),
            atMs: sentAt,
            before: change.before
          }
        ]
  })

const parkingsOf = (rows: ReadonlyArray<JournalRow>): Past.Past["parkings"] => {
  const spans = new Map<string, Array<Past.Span>>()
  for (const { change, sentAt } of rows) {
    if (change.kind !== MinusPhrase.name || sentAt === undefined) continue
    const { verb } = change.details.optimised ?? {}
    const slot = Kinds.slotOf(change)
    const known = spans.get(slot) ?? []
    if (verb === "park") turn(known, true, sentAt, sentAt)
    else if (known.length > 0) turn(known, change.after === true, sentAt, sentAt)
    if (known.length > 0) spans.set(slot, known)
  }
  return spans
}

/** Begins or ends a span; one that ends without having begun began at `earliestMs`. */
const turn = (spans: Array<Past.Span>, begins: boolean, atMs: number, earliestMs: number): void => {
  const last = spans.at(-1)
  const isOpen = last?.toMs === Number.POSITIVE_INFINITY
  if (begins && !isOpen) spans.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY })
  if (begins) return
  if (last !== undefined && isOpen) spans[spans.length - 1] = { fromMs: last.fromMs, toMs: atMs }
  else if (last === undefined && earliestMs < atMs) spans.push({ fromMs: earliestMs, toMs: atMs })
}
