/**
 * The plan of one call by hand (`bidhelm call`): what its request changes, from what is there now. It is reviewed,
 * journaled, sent, read back and undone like every plan; only the limits of rules do not bind a person's word.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import type { AccountName } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Target from "../../domain/Target.js"
import * as Inverse from "../decide/Inverse.js"
import * as Plans from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import * as Summary from "../decide/Summary.js"
import { ChangeLog } from "../door/ChangeLog.js"
import { Journal } from "../door/Journal.js"
import { KillSwitch } from "../door/Stopping.js"
import { Writer } from "../door/Writer.js"
import * as Bids from "../kinds/Bids.js"
import type { Change, Part, Value } from "../kinds/Change.js"
import * as Deposit from "../kinds/Deposit.js"
import * as Kinds from "../kinds/Kinds.js"
import * as OperatorHold from "../kinds/OperatorHold.js"
import * as Seen from "../kinds/Seen.js"
import { RuleMemory } from "./RuleMemory.js"

/**
 * What a request asks for in one slot: a value, which may depend on what is there as a budget does, or the value of the
 * slot that it follows from then on.
 */
export type Wanted = Part<"action" | "details" | "kind" | "subject"> & {
  /** What is thought to be there, where the marketplace can only be asked whether it is so: the supply that an order leaves. */
  readonly from?: Value
  /** Where several operations carry one call out, by which this is. */
  readonly operation?: string
} & (
    | { readonly after: (before: Value) => Value }
    | { readonly follows: Part<"details" | "kind" | "subject"> }
  )

/** Whose call, and of what. */
export interface Call {
  readonly account: AccountName
  readonly operation: string
  /** What the account's money is, as the configuration says. */
  readonly currency: string
  /** IANA zone of the seller, for the instants of holds. */
  readonly zone: string
}

export type Planned =
  | {
      readonly _tag: "Plan"
      readonly reviewed: Review.ReviewedPlan
      readonly live: ReadonlyMap<string, Seen.Live>
    }
  /** Everything is as asked for already. */
  | { readonly _tag: "There" }
  /** What is there now cannot be told, so nothing may be sent; one sentence each. */
  | ({ readonly _tag: "Unclear"; readonly why: ReadonlyArray<string> } & Unread)

/** `isLimited`: for want of calls. `isGone`: nothing of what was asked for is there any more. */
interface Unread {
  readonly isLimited?: true
  readonly isGone?: true
}

/** Reads what is there, plans, and keeps the plan. Writes nothing to the marketplace. */
export const make = (
  call: Call,
  wanted: ReadonlyArray<Wanted>
): Effect.Effect<Planned, StoreFailure, ChangeLog | Journal | KillSwitch | RuleMemory | Writer> =>
  Effect.gen(function* () {
    // What a draft wants is asked for by it: whether an order is in a supply, the marketplace says of a supply.
    const drafts = wanted.map((one, nth) => {
      const before = one.from ?? ""
      return {
        ...draftOf({ ...call, operation: one.operation ?? call.operation }, one, `${nth}`),
        before,
        after: "follows" in one ? "" : one.after(before)
      }
    })
    const twice = repeated(drafts)
    if (twice.length > 0) return unclear(twice)
    const parked = yield* parkedOf(call.account, drafts)
    if (parked.length > 0) return unclear(parked)
    const followed = wanted.flatMap((one, nth) =>
      "follows" in one ? [draftOf(call, { ...one.follows, action: one.action }, `after ${nth}`)] : []
    )
    const live = yield* (yield* Writer).readLive([...drafts, ...followed])
    const changes: Array<Change> = []
    const seen = new Map<string, Seen.Live>()
    const why: Array<string> = []
    for (const [nth, draft] of drafts.entries()) {
      const one = wanted[nth]!
      const found = Seen.toWrite(live.get(draft.id))
      const then = "follows" in one ? Seen.toWrite(live.get(`after ${nth}`)) : found
      if (found?._tag !== "Value" || then?._tag !== "Value") {
        why.push(`${Target.key(draft.subject)}: ${unread(draft, found?._tag === "Value" ? then : found)}`)
        continue
      }
      const change = changeOf(call, draft, found, "follows" in one ? then.value : one.after(found.value))
      if (change === undefined) continue
      changes.push(change)
      seen.set(change.id, found)
    }
    const lives = [...live.values()]
    if (why.length > 0)
      return unclear(why, {
        ...(lives.some((one) => one._tag === "Unreadable" && one.isLimited === true)
          ? { isLimited: true }
          : {}),
        ...(lives.every((one) => one._tag === "Gone") ? { isGone: true } : {})
      })
    if (changes.length === 0) return { _tag: "There" } satisfies Planned
    const nowMs = yield* Clock.currentTimeMillis
    const { holds } = yield* (yield* Journal).stops(call.account)
    const killSwitch = yield* (yield* KillSwitch).engaged
    const reviewed = Review.ofCall(planOf(call, changes, nowMs), {
      holds,
      killSwitch,
      nowMs,
      zone: call.zone
    })
    yield* (yield* RuleMemory).savePlan(reviewed.plan)
    return { _tag: "Plan", reviewed, live: seen } satisfies Planned
  }).pipe(Effect.withSpan("CallPlan.make"))

/** Deposits that nobody has settled: until then the same money may have left already (decision 0017). */
const parkedOf = (account: AccountName, drafts: ReadonlyArray<Change>) =>
  Effect.gen(function* () {
    const slots = drafts.filter(Kinds.isPayment).map(Kinds.slotOf)
    if (slots.length === 0) return []
    const rows = yield* (yield* ChangeLog).ofSlots(account, slots)
    return rows
      .filter(({ state }) => state === "parked")
      .map(
        ({ change, runId }) =>
          `${Target.key(change.subject)}: a deposit of ${runId} is parked: nobody knows whether it was paid. Look yourself, then say which it is: ${Deposit.resolveWith(runId, change)}`
      )
  })

const unclear = (why: ReadonlyArray<string>, more: Unread = {}): Planned => ({
  _tag: "Unclear",
  why,
  ...more
})

const draftOf = (
  { operation }: Call,
  { action, details, kind, subject }: Part<"action" | "details" | "kind" | "subject">,
  id: string
): Change => ({
  ...({ action, details, kind, subject } as Part<"action" | "details" | "kind" | "subject">),
  id,
  origin: { by: "call", name: OperatorHold.callPolicy, operation },
  campaignName: "",
  before: "",
  after: "",
  reason: [],
  clamps: [],
  overruled: [],
  reversible: true,
  moneyPerDayKopecks: { unknown: "nobody estimates what a call by hand does to the spend" }
})

/** Undefined when there is nothing to change. */
const changeOf = (
  { account }: Call,
  draft: Change,
  found: Extract<Seen.Live, { readonly _tag: "Value" }>,
  after: Value
): Change | undefined => {
  const set = { ...draft, before: found.value, after }
  if (Kinds.compare(set, found)._tag === "After") return undefined
  const own = found.inherited === true ? Bids.inheriting(set) : set
  const change = found.payment === undefined ? own : Bids.paidAs(own, found.payment)
  const kept = Inverse.keptBy(change)
  const id = { account, slot: Kinds.slotOf(change), action: change.action, before: change.before, after }
  return {
    ...change,
    id: Hash.of(id).slice(0, 32),
    ...(kept === undefined ? {} : { reversible: false, irreversible: kept })
  }
}

const repeated = (drafts: ReadonlyArray<Change>): ReadonlyArray<string> => {
  const slots = drafts.map(Kinds.slotOf)
  const twice = drafts.filter((_, nth) => slots.indexOf(slots[nth]!) !== nth)
  return [...new Set(twice.map(({ subject }) => `${Target.key(subject)} is named twice; name it once`))]
}

const unread = (draft: Change, live: Seen.Live | undefined): string => {
  if (live?._tag === "Gone") return Kinds.seenText(draft, { code: "gone", what: live.what })
  if (live?._tag === "Unreadable" && live.isClosed === true) return live.why
  const seen = Kinds.compare(draft, live)
  switch (seen._tag) {
    case "Other":
      return Kinds.seenText(draft, seen.reason)
    case "Silent":
      return `what is there now could not be read: ${seen.why}`
    default:
      return "what is there now could not be read"
  }
}

/** By the operations that carry it out: `call of setOrderUin`. */
const nameOf = (changes: ReadonlyArray<Change>): string => {
  const operations = changes.flatMap(({ origin }) => (origin.by === "call" ? origin.operation : []))
  const names = [...new Set(operations)]
  return `${Plural.choose(names.length, "call", "calls")} of ${names.join(" and ")}`
}

const planOf = (call: Call, changes: ReadonlyArray<Change>, nowMs: number): Plans.Plan =>
  Summary.seal({
    version: Plans.version,
    account: call.account,
    currency: call.currency,
    createdAt: new Date(nowMs).toISOString(),
    rulesHash: "",
    policies: [
      {
        id: OperatorHold.callPolicy,
        name: nameOf(changes),
        mode: "apply",
        hash: "",
        rowsInScope: changes.length,
        rowsMatched: changes.length,
        rowsUnknown: 0,
        changes: 0
      }
    ],
    changes,
    held: [],
    unknown: [],
    unchanged: [],
    calls: { perOperation: {} }
  })
