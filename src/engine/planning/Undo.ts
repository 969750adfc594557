/**
 * `bidhelm undo`: an ordinary plan of inverse changes, made from the journal and from what the marketplace shows now.
 * Only slots that still hold what we wrote are in it; everything else is listed with the reason. It is reviewed,
 * approved and applied like every plan, and its run can be undone in turn.
 */

import * as Arr from "effect/Array"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type { AccountName } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Target from "../../domain/Target.js"
import * as Inverse from "../decide/Inverse.js"
import * as StartNeeds from "../decide/limits/StartNeeds.js"
import * as Plans from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import * as Summary from "../decide/Summary.js"
import { ChangeLog } from "../door/ChangeLog.js"
import { Journal, type JournalRow } from "../door/Journal.js"
import * as Pasts from "../door/Pasts.js"
import { KillSwitch } from "../door/Stopping.js"
import { Writer } from "../door/Writer.js"
import * as Sources from "../facts/Sources.js"
import * as Budgets from "../gather/Budgets.js"
import { FactSource } from "../gather/FactSource.js"
import * as Gather from "../gather/Gather.js"
import * as Bids from "../kinds/Bids.js"
import type { Change } from "../kinds/Change.js"
import * as SupplyDelivery from "../kinds/fulfilment/SupplyDelivery.js"
import * as Kinds from "../kinds/Kinds.js"
import * as OperatorHold from "../kinds/OperatorHold.js"
import * as Seen from "../kinds/Seen.js"
import type { RuleSet } from "../language/Policy.js"
import * as Cycle from "./Cycle.js"
import * as DepositsMade from "./DepositsMade.js"
import { RuleMemory } from "./RuleMemory.js"
import * as Stopped from "./Stopped.js"

/** What was named cannot be found, or means several things. */
class UndoUnclear extends Data.TaggedError("UndoUnclear")<{ readonly why: string }> {
  override get message(): string {
    return this.why
  }
}

/** A change that is not taken back. `isOver`: nothing of it is left to take back, so that nobody has to do anything. */
export interface Left {
  readonly runId: string
  readonly change: Change
  readonly because: Inverse.LeftReason
  readonly isOver: boolean
}

export interface Undoing {
  readonly reviewed: Review.ReviewedPlan
  /** In the order asked: latest first. */
  readonly left: ReadonlyArray<Left>
  readonly gathered: Gather.Gathered
}

/** The changes that a run's id, a change's id, or the beginning of one (8 characters or more) stands for. */
export const find = (
  account: string,
  name: string
): Effect.Effect<ReadonlyArray<JournalRow>, StoreFailure | UndoUnclear, Journal | ChangeLog> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const rows = yield* journal.rows(name)
    if (rows.length > 0) {
      const other = rows.find((row) => row.account !== account)?.account
      return other === undefined
        ? rows
        : yield* unclear(`run ${name} is of account ${other}: --account ${other}`)
    }
    if (!/^[0-9a-f]{8,}$/.test(name)) {
      const runs = yield* journal.runs(account, 10_000)
      return yield* unclear(runs.some(({ runId }) => runId === name) ? empty(name) : nothing(name))
    }
    const named = yield* (yield* ChangeLog).named(account, name)
    const ids = new Set(named.map(({ change }) => change.id))
    if (ids.size === 0) return yield* unclear(nothing(name))
    if (ids.size > 1)
      return yield* unclear(`${name} is the beginning of ${ids.size} changes; write more of it`)
    // One id stands for the same change in several runs; what took effect last is meant.
    const took = named.find(({ state }) => Pasts.standings[state] !== "none")
    return [took ?? named[0]!]
  })

const nothing = (name: string): string =>
  `there is no run or change ${name}; bidhelm history lists the runs, bidhelm history RUN its changes`

const empty = (name: string): string =>
  name.startsWith("call-")
    ? `${name} was a call made by hand; only another call takes it back`
    : `run ${name} changed nothing`

const unclear = (why: string) => new UndoUnclear({ why })

/** What the journal alone says of each row, in their order; instants in its changes' reasons are of `zone`. The marketplace is not asked. */
export const verdicts = (
  account: string,
  rows: ReadonlyArray<JournalRow>,
  zone = "UTC"
): Effect.Effect<ReadonlyArray<Inverse.Verdict>, StoreFailure, ChangeLog> =>
  Effect.gen(function* () {
    const slots = [...new Set(rows.map(({ slot }) => slot))].sort()
    const pasts = Pasts.bySlot(yield* (yield* ChangeLog).ofSlots(account, slots))
    const asked: Inverse.Asked = { account, origin: { by: "undo", name: OperatorHold.undoPolicy }, zone }
    return rows.map((row) => Inverse.of(Pasts.of(row), pasts.get(row.slot) ?? [], asked))
  })

/**
 * Plans the way back from journal rows and keeps the plan. Reads campaigns, for the limits, and the live value of every
 * slot; writes nothing to the marketplace.
 */
export const plan = (
  rules: RuleSet,
  rows: ReadonlyArray<JournalRow>,
  options: Gather.GatherOptions
): Effect.Effect<
  Undoing,
  StoreFailure,
  FactSource | Journal | RuleMemory | ChangeLog | Writer | KillSwitch
> =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const latestFirst = rows.toReversed()
    const found = yield* verdicts(account, latestFirst, options.zone)
    const wanted = found.flatMap((verdict) => (verdict._tag === "Possible" ? [verdict.change] : []))
    const live = wanted.length === 0 ? new Map<string, Seen.Live>() : yield* (yield* Writer).readLive(wanted)
    const ours: Array<Change> = []
    const left: Array<Left> = []
    const leave = (at: number, { because, isOver }: Pick<Left, "because" | "isOver">) => {
      const { change, runId } = latestFirst[at]!
      left.push({ runId, change, because, isOver })
    }
    for (const [at, verdict] of found.entries()) {
      if (verdict._tag !== "Possible") {
        leave(at, { because: verdict.because, isOver: verdict._tag === "Done" })
        continue
      }
      const seen = stillOurs(verdict.change, Seen.toWrite(live.get(verdict.change.id)))
      if ("change" in seen) ours.push(seen.change)
      else leave(at, seen)
    }
    const gathered = yield* Gather.run({ ...rules, policies: [] }, options)
    const places = placesOf(found)
    const indexOf = ({ id }: Change) => places.get(id) ?? -1
    const minimum = yield* minimums(ours)
    const budgets = yield* Budgets.read(StartNeeds.startsOf(ours))
    const closed = yield* closedSupplies(ours)
    const possible = ours.filter((change) => {
      const least = minimum(change)
      const at = indexOf(change)
      if (StartNeeds.lacks(change, budgets)) {
        leave(at, { because: { code: "start_needs_budget" }, isOver: false })
        return false
      }
      const supply = Kinds.of(change).into?.(change)
      if (supply !== undefined && closed.has(supply)) {
        leave(at, { because: { code: "into_closed_supply", supply }, isOver: false })
        return false
      }
      if (least === undefined || Number(change.after) >= least) return true
      const bounds = { kind: change.kind, bid: Number(change.after), least }
      leave(at, { because: { code: "below_minimum_bid", ...bounds }, isOver: false })
      return false
    })
    const itemsBid = itemsBids(possible, gathered)
    const changes = possible.flatMap((change) => {
      // Of a campaign that is over no bid is known, and the review says that it is.
      const { campaignId } = change.subject
      if (campaignId !== undefined && !gathered.listed.has(campaignId)) return change
      const made = Bids.following(change, itemsBid(change))
      if (made === undefined) leave(indexOf(change), itemsBidUnread)
      return made ?? []
    })
    const draft = draftOf(account, rules, gathered, changes, left)
    const reviewed = Review.review(draft, yield* contextOf(account, rules, gathered, options.zone))
    yield* (yield* RuleMemory).savePlan(reviewed.plan)
    return { reviewed, left, gathered }
  }).pipe(Effect.withSpan("Undo.plan"))

/** Where the first way back of an id stands among verdicts, by that id. */
export const placesOf = (found: ReadonlyArray<Inverse.Verdict>): ReadonlyMap<string, number> => {
  const places = new Map<string, number>()
  for (const [at, verdict] of found.entries())
    if (verdict._tag === "Possible" && !places.has(verdict.change.id)) places.set(verdict.change.id, at)
  return places
}

/** The inverse with what is there now, if that is still what we wrote. */
const stillOurs = (
  inverse: Change,
  live: Seen.Live | undefined
): { readonly change: Change } | Pick<Left, "because" | "isOver"> => {
  // A cluster that follows its item shows whatever the item's bid is by now.
  if (Bids.detailsOf(inverse).inherited === true && live?._tag === "Value" && live.inherited === true)
    return { change: { ...inverse, before: live.value } }
  if (live?._tag === "Unreadable" && live.isClosed === true)
    return { because: { code: "closed", said: live.why }, isOver: false }
  const seen = Kinds.compare(inverse, live)
  switch (seen._tag) {
    case "Before":
      return isInherited(live) ? { because: { code: "own_bid_removed" }, isOver: false } : { change: inverse }
    case "After":
      return { because: { code: "there_already" }, isOver: true }
    case "Other":
      return {
        because: { code: "shows_other", kind: inverse.kind, seen: seen.reason },
        isOver: false
      }
    case "Silent":
      return { because: { code: "live_value_unread", said: seen.why }, isOver: false }
  }
}

const itemsBidUnread = {
  because: {
    code: "live_value_unread",
    said: "the item's bid in search, which it would follow, is not known"
  },
  isOver: false
} as const

/** Items' bids in search by a change's subject, kopecks: those that the same plan sets, else those of now; undefined where one is not known. */
const itemsBids = (
  beside: ReadonlyArray<Change>,
  { table }: Pick<Gather.Gathered, "table">
): ((change: Change) => number | undefined) => {
  const fact = "campaign_item.bid"
  const set = new Map(
    beside.flatMap((other) => {
      const place = Kinds.placeOf(Kinds.slotOf(other))
      return place?.fact === fact ? [[Target.key(place.target), other.after] as const] : []
    })
  )
  const rows = table("campaign_item")
  return ({ subject }) => {
    const pair = Target.pairOf(subject)
    if (pair === undefined) return undefined
    const row = rows.indexOf(pair)
    const bid = row === undefined ? undefined : rows.get(row, fact)
    const kopecks = set.get(Target.key(pair)) ?? (bid?._tag === "Known" ? bid.value : undefined)
    return typeof kopecks === "number" ? kopecks : undefined
  }
}

const isInherited = (live: Seen.Live | undefined): boolean =>
  live?._tag === "Value" && live.inherited === true

const draftOf = (
  account: AccountName,
  rules: RuleSet,
  { calls, currency, nowMs }: Gather.Gathered,
  changes: ReadonlyArray<Change>,
  left: ReadonlyArray<Left>
): Plans.Plan =>
  Summary.seal({
    version: Plans.version,
    account,
    currency,
    createdAt: new Date(nowMs).toISOString(),
    rulesHash: rules.hashes[Kinds.laneOf(changes) === "orders" ? "orders" : "others"],
    policies: [
      {
        id: OperatorHold.undoPolicy,
        name: "what a person takes back",
        mode: "apply",
        hash: "",
        rowsInScope: changes.length + left.length,
        rowsMatched: changes.length,
        rowsUnknown: 0,
        changes: 0
      }
    ],
    changes: [...changes].sort(bySubject),
    held: [],
    unknown: [],
    unchanged: left
      .map(({ because, change, runId }) => ({
        policy: OperatorHold.undoPolicy,
        subject: change.subject,
        campaignName: change.campaignName,
        because: { code: "undo_leaves" as const, action: change.action, runId, because }
      }))
      .sort(bySubject),
    calls: { perOperation: calls }
  })

const bySubject = (a: Pick<Plans.Unchanged, "subject">, b: Pick<Plans.Unchanged, "subject">): number =>
  Target.compare(a.subject, b.subject)

/** No values set by somebody else are looked for: every slot was compared with what we wrote. */
const contextOf = (account: AccountName, rules: RuleSet, gathered: Gather.Gathered, zone: string) =>
  Effect.gen(function* () {
    const none = { edits: [], over: [], unsettled: new Map<string, number>() }
    return {
      rules,
      zone,
      ...Cycle.accountRead(gathered),
      killSwitch: yield* (yield* KillSwitch).engaged,
      made: yield* DepositsMade.read([], rules, gathered.nowMs, zone),
      stops: yield* Stopped.stops(account, rules.limits, zone, none)
    } satisfies Review.ReviewContext
  })

/** A change of a saved plan that claims to take something back. `unknown`: the journal does not have what it names. */
export interface Stray {
  readonly change: Change
  readonly because: Inverse.LeftReason | { readonly code: "unknown" | "another_way_back" }
}

/**
 * For a saved plan: the first change that claims to take something back and is not what the journal makes of it today;
 * undefined when all are.
 */
export const stray = (
  plan: Plans.Plan
): Effect.Effect<Stray | undefined, StoreFailure, Journal | RuleMemory | ChangeLog> =>
  Effect.gen(function* () {
    const changes = plan.changes.filter((change) => change.undoes !== undefined && Inverse.isByPerson(change))
    const rows = yield* rowsUndone(plan.account, changes)
    const found = yield* verdicts(plan.account, [...rows.values()])
    const byRow = new Map([...rows.keys()].map((key, at) => [key, found[at]] as const))
    for (const change of changes) {
      const verdict = byRow.get(undoneKey(change.undoes))
      if (verdict === undefined) return { change, because: { code: "unknown" } }
      if (verdict._tag !== "Possible") return { change, because: verdict.because }
      if (verdict.change.id !== change.id) return { change, because: { code: "another_way_back" } }
    }
    return undefined
  })

/** What changes take back, by `undoneKey`, as far as it is the account's. Every run is read once. */
const rowsUndone = (
  account: string,
  changes: ReadonlyArray<Change>
): Effect.Effect<ReadonlyMap<string, JournalRow>, StoreFailure, Journal> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const wanted = new Set(changes.map(({ undoes }) => undoneKey(undoes)))
    const found = new Map<string, JournalRow>()
    for (const runId of new Set(changes.flatMap(({ undoes }) => undoes?.runId ?? [])))
      for (const row of yield* journal.rows(runId)) {
        const key = undoneKey({ runId, changeId: row.change.id })
        if (row.account === account && wanted.has(key) && !found.has(key)) found.set(key, row)
      }
    return found
  })

const undoneKey = (undone: Pick<NonNullable<Change["undoes"]>, "runId" | "changeId"> | undefined): string =>
  JSON.stringify([undone?.runId, undone?.changeId])

/** Supplies that orders would go back into and that take none any more. One that cannot be read is found out by the request. */
const closedSupplies = (changes: ReadonlyArray<Change>): Effect.Effect<ReadonlySet<string>, never, Writer> =>
  Effect.gen(function* () {
    const supplies = new Map(
      changes.flatMap((change) => {
        const supply = Kinds.of(change).into?.(change)
        return supply === undefined ? [] : [[supply, SupplyDelivery.asked(change, supply)] as const]
      })
    )
    if (supplies.size === 0) return new Set()
    const live = yield* (yield* Writer).readLive([...supplies.values()])
    const isClosed = (one: Seen.Live | undefined) =>
      one?._tag === "Gone" || (one?._tag === "Value" && one.value === true)
    return new Set([...supplies].flatMap(([supply, { id }]) => (isClosed(live.get(id)) ? [supply] : [])))
  })

/**
 * The marketplace's smallest bid today of a change's slot, kopecks: one below it would have the whole request of its campaign
 * refused (field note M06). Undefined when it could not be read, or when the change does not lower a bid. Campaigns must have been read before; one call per campaign and hundred items.
 */
const minimums = (
  changes: ReadonlyArray<Change>
): Effect.Effect<(change: Change) => number | undefined, never, FactSource> =>
  Effect.gen(function* () {
    const source = yield* FactSource
    const pairs = new Map(
      changes.filter(lowers).flatMap(({ subject }) => {
        const pair = Target.pairOf(subject)
        return pair === undefined ? [] : [[Target.key(pair), pair] as const]
      })
    )
    const found = new Map<string, number>()
    const { batch } = Sources.sources.minimumBids
    const campaigns = Arr.groupBy([...pairs.values()], ({ campaignId }) => `${campaignId}`)
    for (const keys of Object.values(campaigns).flatMap((ofOne) => Arr.chunksOf(ofOne, batch))) {
      const { rows } = yield* source.fetch({ source: "minimumBids", keys })
      for (const { facts, target, values } of rows) {
        if (target === "account") continue
        for (const [at, fact] of facts.entries()) {
          const value = values[at]
          if (typeof value === "number") found.set(`${Target.key(target)} ${fact}`, value)
        }
      }
    }
    return (change) => {
      const pair = Target.pairOf(change.subject)
      if (pair === undefined || !lowers(change)) return undefined
      return found.get(`${Target.key(pair)} ${Kinds.of(change).minimum?.(change)}`)
    }
  })

/** A bid that is removed follows its item's, which is the marketplace's to allow. */
const lowers = (change: Change): boolean =>
  Kinds.of(change).minimum !== undefined &&
  Bids.detailsOf(change).clears !== true &&
  Number(change.after) < Number(change.before)
