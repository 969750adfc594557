/**
 * What the people of the account do with Bidhelm beside its timetable: look at a plan, take a run back, answer what
 * waits, hold, stop and let go, tidy the store. Looks, undoes and answers happen in the program that runs, as commands
 * are forwarded to it; holds and tidying are processes of their own on the same store.
 */

import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as CallRequest from "../../../src/cli/call/CallRequest.js"
import type { Lane } from "../../../src/domain/Lane.js"
import * as Review from "../../../src/engine/decide/Review.js"
import { Holdings } from "../../../src/engine/door/HoldStore.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as Lease from "../../../src/engine/door/Lease.js"
import * as Recover from "../../../src/engine/door/Recover.js"
import { KillSwitch } from "../../../src/engine/door/Stopping.js"
import { Writer } from "../../../src/engine/door/Writer.js"
import * as Gather from "../../../src/engine/gather/Gather.js"
import * as Kinds from "../../../src/engine/kinds/Kinds.js"
import * as MaxBid from "../../../src/engine/language/MaxBid.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import { ApprovalStore } from "../../../src/engine/planning/ApprovalStore.js"
import * as Approvals from "../../../src/engine/planning/Approvals.js"
import * as AssemblyPlan from "../../../src/engine/planning/AssemblyPlan.js"
import * as CallPlan from "../../../src/engine/planning/CallPlan.js"
import * as Cycle from "../../../src/engine/planning/Cycle.js"
import * as DepositsMade from "../../../src/engine/planning/DepositsMade.js"
import type { RuleMemory } from "../../../src/engine/planning/RuleMemory.js"
import * as Stopped from "../../../src/engine/planning/Stopped.js"
import * as Undo from "../../../src/engine/planning/Undo.js"
import * as Calls from "../../../src/marketplace/Calls.js"
import * as Catalogue from "../../../src/services/Catalogue.js"
import { MarketplaceClient } from "../../../src/services/MarketplaceClient.js"
import * as DepositMemory from "../../../src/store/accounts/DepositMemory.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import * as Retention from "../../../src/store/retention/Retention.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as Driver from "./Driver.js"
import type { Event } from "./Events.js"
import type * as Humans from "./Humans.js"
import { account, holderOf } from "./Program.js"
import type * as Record from "./Record.js"

type Running = Driver.Running

const options = { zone: Driver.zone }

/** What a forwarded command does to the program; whatever stops it is told to the person. */
export const command = (
  running: Running,
  event: Extract<Event, { _tag: "Look" | "Undo" | "Decide" }>,
  edited: string | undefined
) => {
  const rules = running.rules()
  switch (event._tag) {
    case "Look":
      return look(running, rules)
    case "Undo":
      return undo(running, rules, event.pick, event.ofEdited === true ? edited : undefined)
    case "Decide":
      return decide(running, rules, event)
  }
}

/** Runs a person's turn and notes how it ended. */
const told = <A, E extends { readonly message: string }>(
  running: Running,
  about: Parameters<typeof Driver.noted>[1],
  what: string,
  work: (telling: Context.Context<Journal | RuleMemory>, turn: Record.Cycle) => Effect.Effect<A, E>
): Effect.Effect<void> =>
  Driver.noted(running, about, (telling, turn) => Effect.either(work(telling, turn))).pipe(
    Effect.tap(({ noted, value }) => {
      const how = Either.isRight(value) ? String(value.right) : value.left.message
      running.record.trace.push(`${running.time.now()} ${what}: ${how}`)
      running.record.count(`${about.kind}: ${Either.isRight(value) ? String(value.right) : "refused"}`)
      noted.endedAt = running.time.now()
      return Effect.void
    }),
    Effect.asVoid
  )

/** `bidhelm plan`, twice from the same answers: the plans must be the same. */
const look = (running: Running, rules: RuleSet) =>
  told(running, { kind: "look", rules }, "look", (telling, turn) =>
    Effect.gen(function* () {
      const planned = yield* Cycle.plan(rules, { ...options, currency: "RUB" })
      yield* Driver.again(rules, planned, { ...options, currency: "RUB" }, turn)
      return planned.reviewed.plan.observeOnly === undefined ? "planned" : "watched only"
    }).pipe(Effect.provide(telling), Effect.provide(running.context))
  )

/** What an earlier run of a lane left open is read back first. */
const settled = ({ isAlive, life }: Running, lane: Lane = "ads") =>
  Effect.gen(function* () {
    if ((yield* Recover.open({ account, lane })).length === 0) return
    const { abandoned, holder } = holderOf(life.number, isAlive)
    yield* Effect.scoped(
      Effect.flatMap(Lease.hold({ account, lane }, `${holder}, undo`, abandoned), (lease) =>
        Recover.settle(account, lease)
      )
    )
  })

/** `bidhelm undo RUN` of one of the last runs, unless it is said which. */
const undo = (running: Running, rules: RuleSet, pick: number, named: string | undefined) =>
  Effect.gen(function* () {
    const { runs } = yield* Effect.provide(Journal, running.context)
    const last = yield* Effect.orElseSucceed(runs(account, 12), () => [])
    const runId = named ?? last[pick % Math.max(1, last.length)]?.runId
    if (runId === undefined) return
    const about = { kind: "undo" as const, rules, undid: runId }
    yield* told(running, about, `undo of ${runId}`, (telling) =>
      Effect.gen(function* () {
        const rows = yield* Undo.find(account, runId)
        yield* settled(running, Kinds.laneOf(rows.map(({ change }) => change)))
        const undoing = yield* Undo.plan(rules, rows, options)
        if (undoing.reviewed.appliable.length === 0) return "nothing to take back"
        const by = { approvedBy: "anna", account }
        const report = yield* Cycle.apply(
          undoing.reviewed,
          by,
          holderOf(running.life.number, running.isAlive)
        )
        return report.status
      }).pipe(Effect.provide(telling), Effect.provide(running.context))
    )
  })

/** `bidhelm call … --yes`, as `cli/call/PlannedCall` makes it. */
export const call = (running: Running, { operation, params }: Humans.Wish): Effect.Effect<void> =>
  told(running, { kind: "call", rules: running.rules() }, `call ${operation}`, (telling) =>
    Effect.gen(function* () {
      yield* settled(running)
      const client = yield* MarketplaceClient
      const entry = Catalogue.operations.find(({ id }) => id === operation)
      if (entry === undefined) return yield* Effect.dieMessage(`no operation ${operation}`)
      const request = Either.getOrThrow(CallRequest.read(entry, JSON.stringify(params)))
      const asked = { account, operation, currency: "RUB", ...options }
      const planned = yield* Effect.flatMap(Calls.wanted(client, operation, request), (wanted) =>
        CallPlan.make(asked, wanted)
      )
      if (planned._tag !== "Plan") return planned._tag === "There" ? "as asked already" : "unclear"
      const { live, reviewed } = planned
      if (reviewed.plan.held.length > 0) return "held"
      const whole = { operation, request, changes: reviewed.appliable, live }
      const report = yield* Cycle.apply(
        reviewed,
        { approvedBy: "anna (--yes)", account },
        { ...holderOf(running.life.number, running.isAlive), whole: true }
      ).pipe(
        Effect.provideServiceEffect(
          Writer,
          Effect.flatMap(Writer, (own) => Calls.writer(own, client, whole, {}))
        )
      )
      return report.status
    }).pipe(Effect.provide(telling), Effect.provide(running.context))
  )

/** What a person asked of orders with a command of its own, planned and carried out as `cli/fulfilment/PersonPlan` does. */
export const carried = (
  running: Running,
  operation: string,
  wanted: ReadonlyArray<CallPlan.Wanted>
): Effect.Effect<void> =>
  told(running, { kind: "call", rules: running.rules() }, `${operation} by hand`, (telling) =>
    Effect.gen(function* () {
      yield* settled(running, "orders")
      const planned = yield* CallPlan.make({ account, operation, currency: "RUB", ...options }, wanted)
      if (planned._tag !== "Plan") return planned._tag === "There" ? "as asked already" : "unclear"
      if (planned.reviewed.plan.held.length > 0) return "held"
      const by = { approvedBy: "anna", account }
      const report = yield* Cycle.apply(planned.reviewed, by, holderOf(running.life.number, running.isAlive))
      return report.status
    }).pipe(Effect.provide(telling), Effect.provide(running.context))
  )

/** `bidhelm approve` or `reject` of what waits. */
const decide = (
  running: Running,
  rules: RuleSet,
  { isYes, ofOrders, ofPromotions, pick }: Extract<Event, { _tag: "Decide" }>
) =>
  Effect.gen(function* () {
    const store = yield* Effect.provide(ApprovalStore, running.context)
    const found = yield* Effect.orElseSucceed(store.list(account, 20), () => [])
    const wanted = ofOrders === true ? "orders" : ofPromotions === true ? "promotions" : "ads"
    const open = found.filter(
      ({ plan, state }) => state === "requested" && Kinds.laneOf(plan.changes) === wanted
    )
    const request = open[pick % Math.max(1, open.length)]
    if (request === undefined) return
    if (!isYes) {
      const nowMs = yield* Clock.currentTimeMillis
      const done = yield* Effect.either(
        store.decide(account, request.id, { to: "rejected", by: "anna", nowMs })
      )
      running.record.count(`reject: ${Either.isRight(done) && done.right ? "done" : "refused"}`)
      return
    }
    yield* told(running, { kind: "approve", rules }, `approve ${request.id}`, (telling, turn) =>
      Effect.gen(function* () {
        const reviewed = yield* reloaded(rules, request.plan)
        if (Either.isLeft(reviewed)) return "outdated"
        const nowMs = yield* Clock.currentTimeMillis
        const bound = Approvals.bind(request, reviewed.right, {
          nowMs,
          done: yield* Approvals.standing(request)
        })
        if (Either.isLeft(bound)) return "not bound"
        const ids = bound.right.chosen
        const decision = { to: "approved" as const, by: "anna", nowMs, ids }
        if (!(yield* store.decide(account, request.id, decision))) return "decided meanwhile"
        const changes = reviewed.right.plan.changes.filter(({ id }) => ids.has(id))
        const by = { approvedBy: "anna", account, chosen: ids }
        // A saved plan is applied as it was shown, so it counts as planned when it is read back.
        turn.plan = reviewed.right.plan
        turn.plannedAt = running.time.now()
        turn.requestsPlanned = running.record.requests.length
        const report = yield* Cycle.apply(reviewed.right, by, holderOf(running.life.number, running.isAlive))
        yield* Approvals.carriedOut(request, report.runId, changes)
        return report.status
      }).pipe(Effect.provide(telling), Effect.provide(running.context))
    )
  })

/** As `cli/plan/Planning` reads a saved plan back. */
const reloaded = (written: RuleSet, json: unknown) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const saved = Review.read(json, { rules: written, account, nowMs: now })
    if (Either.isRight(saved) && Kinds.laneOf(saved.right.changes) === "orders")
      return Either.right(
        Review.ofAssembly(
          saved.right,
          yield* AssemblyPlan.context(written, { account, zone: options.zone }, now)
        )
      )
    const rules = MaxBid.added(written)
    const gathered = yield* Gather.run({ ...rules, policies: [] }, options)
    const nowMs = yield* Clock.currentTimeMillis
    const read = Review.read(json, { rules, account, nowMs })
    const changes = Either.isRight(read) ? read.right.changes : []
    return Review.reload(json, {
      rules,
      ...Cycle.accountRead(gathered),
      killSwitch: yield* (yield* KillSwitch).engaged,
      made: yield* DepositsMade.read(changes, rules, nowMs, options.zone),
      stops: yield* Stopped.stops(account, rules.limits, options.zone),
      account,
      nowMs,
      zone: options.zone
    })
  })

/** Whatever a process of its own does on the store; false when the store did not let it. */
const beside = <E>(
  filename: string,
  work: Effect.Effect<unknown, E, Holdings | Layer.Layer.Success<ReturnType<typeof SqliteClient.layer>>>
): Effect.Effect<boolean> =>
  work.pipe(
    Effect.provide(Layer.provideMerge(StopsSql.layer, SqliteClient.layer({ filename, busyTimeoutMs: 0 }))),
    Effect.isSuccess
  )

/** Before the program's first life: a store that meets the account makes no deposit for a day, and most seeds are a day long. */
export const knownForAMonth = (filename: string): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Migrations.migrate
    const nowMs = yield* Clock.currentTimeMillis
    yield* DepositMemory.read(yield* SqlClient.SqlClient, account, nowMs - 30 * 86_400_000)
  }).pipe(Effect.provide(SqliteClient.layer({ filename })), Effect.orDie)

/** `bidhelm hold` or `kill`. */
export const place = (
  filename: string,
  scope: { readonly kind: "account" | "kill" | "policy" | "target"; readonly what: string },
  until: number | undefined
): Effect.Effect<boolean> =>
  beside(
    filename,
    Effect.gen(function* () {
      const since = yield* Clock.currentTimeMillis
      const ends = until === undefined ? {} : { until }
      yield* (yield* Holdings).place({ ...scope, account, since, by: "anna", ...ends })
    })
  )

/** `bidhelm resume`. */
export const lift = (
  filename: string,
  scope: { readonly kind: "account" | "kill" | "policy" | "target"; readonly what: string }
): Effect.Effect<boolean> =>
  beside(
    filename,
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      yield* (yield* Holdings).lift(account, scope, "anna", nowMs)
    })
  )

/** `bidhelm store purge`. */
export const purge = (
  filename: string,
  keep: { readonly plansDays: number; readonly journalDays: number; readonly reportsDays: number }
): Effect.Effect<boolean> =>
  beside(
    filename,
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => Retention.purge(nowMs, keep))
  )
