/** What `optimise` must know of the days before: by the journal when rules had paused campaigns, and what was parked; what was expected. */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Groups from "../../domain/Groups.js"
import type { CampaignId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Gathered as Decided } from "../decide/Decide.js"
import * as HumanEdits from "../decide/limits/HumanEdits.js"
import * as Past from "../decide/optimise/Past.js"
import * as StoodStill from "../decide/optimise/StoodStill.js"
import { ChangeLog } from "../door/ChangeLog.js"
import type { JournalRow } from "../door/Journal.js"
import * as Budgets from "../gather/Budgets.js"
import type { Gathered } from "../gather/Gather.js"
import * as Bids from "../kinds/Bids.js"
import * as ClusterBid from "../kinds/ClusterBid.js"
import type { HumanEdit } from "../kinds/HumanEdit.js"
import * as ItemBid from "../kinds/ItemBid.js"
import * as Kinds from "../kinds/Kinds.js"
import * as MinusPhrase from "../kinds/MinusPhrase.js"
import * as Optimised from "../kinds/Optimised.js"
import type { SlotValue } from "../kinds/SlotHistory.js"
import * as Status from "../kinds/Status.js"
import type { Policy } from "../language/Policy.js"
import * as Bounds from "../optimise/Bounds.js"
import { RuleMemory } from "./RuleMemory.js"

/** How long a parked cluster is remembered: whoever parks it again knows how often it was. */
const rememberedMs = 90 * Days.dayMs

/** How far back it is looked whether predictions hold, days. */
const forecastDays = 60

/** The first day of which it is looked what was expected. */
export const forecastsSince = (nowMs: number): Days.Day => Days.shift(Days.ofMarket(nowMs), -forecastDays)

/** Nothing where no policy optimises. `edits` are what earlier runs found that somebody else had set. */
export const read = (
  account: string,
  policies: ReadonlyArray<Policy>,
  {
    campaignDays,
    charges,
    nowMs,
    table,
    unlisted
  }: Pick<Gathered, "campaignDays" | "charges" | "nowMs" | "table" | "unlisted">,
  edits: ReadonlyArray<HumanEdit>
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
    const sinceMs = nowMs - (Math.max(...lengths) + 2) * Days.dayMs
    const slots = table("campaign").rows.flatMap(({ campaignId }) =>
      campaignId === undefined ? [] : [Status.slot({ campaignId })]
    )
    const statuses = yield* log.ofSlots(account, slots, sinceMs)
    const own = [...new Set(actions.map(({ id }) => id))]
    // Whoever changed a bid or a minus phrase again, an undo too, ended what the policy had made of it.
    const since = Math.min(sinceMs, nowMs - Bounds.turnDays * Days.dayMs)
    const bids = yield* Effect.forEach([ItemBid.prefix, ClusterBid.prefix], (prefix) =>
      log.appliedNamed(account, `${prefix}:`, since)
    ).pipe(Effect.map((rows) => rows.flat()))
    const phrases = yield* log.appliedNamed(account, `${MinusPhrase.prefix}:`, nowMs - rememberedMs)
    const now = { nowMs, table, edits: new Map(edits.map((edit) => [edit.slot, edit])) }
    return {
      pauses: ended(pausesOf(statuses, sinceMs), (campaignId) => Status.slot({ campaignId }), "paused", now),
      moves: movesOf(bids, new Set(own)),
      parkings: ended(parkingsOf(phrases), (slot) => slot, true, now),
      own: ownOf([...bids, ...phrases], new Set(own), sinceMs),
      steps: stepsOf([...bids, ...phrases], sinceMs),
      kept: yield* (yield* RuleMemory).forecasts(account, own, forecastsSince(nowMs)),
      days: campaignDays,
      charges,
      purses: Past.nothing.purses,
      unlisted
    }
  })

/** With what is left to campaigns that may have run out of money. One call for each of them. */
export const withPurses = (past: Past.Past, decided: ReadonlyArray<Decided>, nowMs: number) =>
  Effect.gen(function* () {
    const asked = decided.flatMap((one) => StoodStill.doubtful(one, past.days, nowMs))
    const read = yield* Budgets.read(asked)
    return { ...past, purses: new Map(asked.map((id) => [id, read.get(id)])) }
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

const isOwn = ({ change: { origin } }: JournalRow, own: ReadonlySet<string>): boolean =>
  origin.by === "policy" && own.has(origin.name)

const movesOf = (rows: ReadonlyArray<JournalRow>, own: ReadonlySet<string>): Past.Past["moves"] => {
  const moves = new Map<string, Arr.NonEmptyArray<Past.Moved>>()
  for (const row of rows) {
    const { change, sentAt, slot } = row
    const { after, before } = change
    if (sentAt === undefined || typeof before !== "number" || typeof after !== "number") continue
    const overlay = Bids.overlayOf(change)
    const factor = overlay === undefined ? 1 : after / overlay.baseKopecks
    Groups.add(moves, slot, {
      atMs: sentAt,
      beforeKopecks: before,
      afterKopecks: after,
      isOwn: isOwn(row, own),
      followed: Bids.detailsOf(change).inherited === true,
      ...(overlay !== undefined && factor !== 1 ? { overlay: { policy: overlay.policy, factor } } : {})
    })
  }
  return moves
}

const ownOf = (
  rows: ReadonlyArray<JournalRow>,
  own: ReadonlySet<string>,
  sinceMs: number
): Past.Past["own"] => {
  const found: Array<Past.Own & { untilMs: number; isReplaced: boolean }> = []
  const open = new Map<string, (typeof found)[number]>()
  for (const row of rows) {
    const { change, sentAt, slot } = row
    const { campaignId } = change.subject
    if (sentAt === undefined || sentAt < sinceMs || campaignId === undefined || isReckoned(row)) continue
    const last = open.get(slot)
    const { after, before, origin } = change
    const overlay = Bids.overlayOf(change)
    if (last !== undefined) {
      last.untilMs = sentAt
      last.isReplaced = origin.name !== last.policy && (overlay?.baseKopecks ?? after) !== last.before
    }
    open.delete(slot)
    if (!isOwn(row, own)) continue
    const one = {
      policy: origin.name,
      campaignId,
      slot,
      atMs: sentAt,
      untilMs: Number.POSITIVE_INFINITY,
      isReplaced: false,
      before: overlay?.baseBeforeKopecks ?? before
    }
    found.push(one)
    open.set(slot, one)
  }
  return found
}

/** What takes a change back has the details of that, and does the opposite. */
const stepsOf = (rows: ReadonlyArray<JournalRow>, sinceMs: number): Past.Past["steps"] => {
  const steps = new Map<CampaignId, Arr.NonEmptyArray<Past.Step>>()
  for (const { change, sentAt } of rows) {
    const { campaignId } = change.subject
    const made = Optimised.of(change)
    if (made === undefined || campaignId === undefined || sentAt === undefined || sentAt < sinceMs) continue
    const kopecks = Math.abs(made.after.spendKopecks - made.before.spendKopecks)
    const moreKopecks = Kinds.of(change).isDearer(change) ? kopecks : 0 - kopecks
    Groups.add(steps, campaignId, { atMs: sentAt, moreKopecks })
  }
  return steps
}

/** An overlay came or went above a base that stays, which a forecast holds. What one below it saves no forecast holds. */
const isReckoned = ({ change }: JournalRow): boolean => {
  const { baseBeforeKopecks, baseKopecks } = Bids.overlayOf(change) ?? {}
  return (
    Bids.isEdge(change) &&
    baseKopecks !== undefined &&
    baseBeforeKopecks === baseKopecks &&
    Math.max(Number(change.before), Number(change.after)) > baseKopecks
  )
}

/** Of changes seen in place. What takes a change back has the details of that, and what takes back that a cluster was let back parks it. */
const parkingsOf = (rows: ReadonlyArray<JournalRow>): Past.Past["parkings"] => {
  const spans = new Map<string, Array<Past.Span>>()
  for (const { change, sentAt, slot } of rows) {
    if (change.kind !== MinusPhrase.name || sentAt === undefined) continue
    const { verb } = change.details.optimised ?? {}
    const known = spans.get(slot) ?? []
    spans.set(slot, known)
    if (change.after !== true) turn(known, false, sentAt, sentAt)
    else if (verb === "park" || verb === "unpark") turn(known, true, sentAt, sentAt)
  }
  return new Map([...spans].filter(([, own]) => own.length > 0))
}

/**
 * A span that goes on by the journal and not by what was read was ended by somebody else: when a run first saw it, at the latest now. Else
 * days would count as hidden on which views were paid for.
 */
const ended = <K>(
  spans: ReadonlyMap<K, ReadonlyArray<Past.Span>>,
  slotOf: (key: K) => string,
  value: SlotValue,
  {
    edits,
    nowMs,
    table
  }: Pick<Gathered, "nowMs" | "table"> & {
    readonly edits: ReadonlyMap<string, HumanEdit>
  }
): ReadonlyMap<K, ReadonlyArray<Past.Span>> =>
  new Map(
    [...spans].map(([key, own]) => {
      const last = own.at(-1)
      if (last?.toMs !== Number.POSITIVE_INFINITY) return [key, own]
      const slot = slotOf(key)
      const live = HumanEdits.liveOf(slot, table)
      if (live === undefined || live === value) return [key, own]
      const seenAt = edits.get(slot)?.firstSeenAt ?? nowMs
      return [key, [...own.slice(0, -1), { ...last, toMs: seenAt > last.fromMs ? seenAt : nowMs }]]
    })
  )

/** Begins or ends a span; one that ends without having begun began at `earliestMs`. */
const turn = (spans: Array<Past.Span>, begins: boolean, atMs: number, earliestMs: number): void => {
  const last = spans.at(-1)
  const isOpen = last?.toMs === Number.POSITIVE_INFINITY
  if (begins && !isOpen) spans.push({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY })
  if (begins) return
  if (last !== undefined && isOpen) spans[spans.length - 1] = { fromMs: last.fromMs, toMs: atMs }
  else if (last === undefined && earliestMs < atMs) spans.push({ fromMs: earliestMs, toMs: atMs })
}
