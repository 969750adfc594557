/**
 * A turn of the orders' lane from the board to a reviewed plan. Writes nothing to the marketplace; who may let what go stands
 * in the policy.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountName } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Plans from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import * as Summary from "../decide/Summary.js"
import { ChangeLog } from "../door/ChangeLog.js"
import { Journal, type JournalRow } from "../door/Journal.js"
import * as Pasts from "../door/Pasts.js"
import { KillSwitch } from "../door/Stopping.js"
import * as Assembly from "../fulfilment/Assembly.js"
import type { Board } from "../fulfilment/Board.js"
import type { SourceFailure } from "../gather/FactSource.js"
import type { Change } from "../kinds/Change.js"
import * as OrderInSupply from "../kinds/fulfilment/OrderInSupply.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import * as SupplyRef from "../kinds/fulfilment/SupplyRef.js"
import type { Standing } from "../kinds/Past.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import type { RuleSet } from "../language/Policy.js"
import { ApprovalStore } from "./ApprovalStore.js"
import * as Approvals from "./Approvals.js"
import { BoardSource } from "./BoardSource.js"
import { RuleMemory } from "./RuleMemory.js"
import * as Snapshot from "./Snapshot.js"

export interface Options {
  readonly account: AccountName
  readonly currency: string
  /** IANA zone of the seller. */
  readonly zone: string
  /** Ids of the policies that are due, all when absent. */
  readonly due?: ReadonlySet<string>
  /** Why nothing may be applied. */
  readonly observeOnly?: string
}

export type Planned =
  | {
      readonly _tag: "Planned"
      readonly reviewed: Review.ReviewedPlan
      readonly board: Board
      readonly left: ReadonlyArray<Assembly.Left>
      /** What could not be read beside the lists. */
      readonly failures: ReadonlyArray<SourceFailure>
    }
  | { readonly _tag: "Unread"; readonly failure: SourceFailure }

/** Reads the board, decides, reviews, and keeps the plan. */
export const make = (
  rules: RuleSet,
  options: Options
): Effect.Effect<Planned, StoreFailure, BoardSource | ChangeLog | Journal | KillSwitch | RuleMemory> =>
  Effect.gen(function* () {
    const { account, due } = options
    const policies = rules.fulfilment.filter(({ id }) => due === undefined || due.has(id))
    const looked = yield* (yield* BoardSource).look({ reshipments: true, passes: false })
    if (looked._tag === "Unread") return looked
    const { board, failures } = looked
    const nowMs = yield* Clock.currentTimeMillis
    const turn = yield* decided(policies, board, account, nowMs)
    const draft = draftOf(rules, policies, board, turn, { ...options, nowMs })
    const reviewed = Review.ofAssembly(yield* asBefore(draft), yield* context(rules, options, nowMs))
    yield* (yield* RuleMemory).savePlan(reviewed.plan, Snapshot.of(nowMs, []))
    return { _tag: "Planned", reviewed, board, left: turn.left, failures } satisfies Planned
  }).pipe(Effect.withSpan("AssemblyPlan.make"))

/** What the review of a plan of the orders' lane is held against. */
export const context = (
  rules: RuleSet,
  { account, zone }: Pick<Options, "account" | "zone">,
  nowMs: number
) =>
  Effect.gen(function* () {
    const { holds } = yield* (yield* Journal).stops(account)
    const killSwitch = yield* (yield* KillSwitch).engaged
    return { rules, holds, killSwitch, nowMs, zone, rejected: yield* Approvals.rejected(account) }
  })

/** A supply that no list shows may have been made all the same: the journal is asked before another one is. */
const decided = (
  policies: ReadonlyArray<FulfilmentPolicy>,
  board: Board,
  account: AccountName,
  nowMs: number
) =>
  Effect.gen(function* () {
    const made = new Map<string, Standing>()
    const asked = new Set<string>()
    const refused = yield* refusedOrders(account, policies, nowMs)
    for (;;) {
      const turn = Assembly.turn(policies, board, { account, made, refused }, nowMs)
      const fresh = turn.lookedFor.filter((name) => !asked.has(name))
      let isNews = false
      for (const name of fresh) {
        asked.add(name)
        const standing = yield* standingOf(account, name)
        if (standing === undefined) continue
        made.set(name, standing)
        isNews = true
      }
      if (!isNews) return turn
    }
  })

/** What became of a supply's creation; undefined where it was never asked for, and may be. */
const standingOf = (account: AccountName, name: string) =>
  Effect.gen(function* () {
    const slot = SupplyCreation.slot({ supply: SupplyRef.ofName(name) })
    const rows = (yield* (yield* ChangeLog).ofSlotsNamed(account, slot)).filter(
      (row) => row.slot === slot && hasLeft.has(row.state)
    )
    const standings = rows.map((row) => Pasts.of(row).standing)
    return standings.find((one) => one !== "none") ?? standings[0]
  })

/** States of what left: the marketplace may have seen it, whatever was found since. */
const hasLeft: ReadonlySet<JournalRow["state"]> = new Set([
  "dispatching",
  "accepted",
  "unknown",
  "applied",
  "not_applied",
  "conflict",
  "parked"
])

/** A refusal costs ten requests, and the same order is refused again as long as nothing changes. */
const refusedForMs = 3_600_000

const refusedOrders = (account: AccountName, policies: ReadonlyArray<FulfilmentPolicy>, nowMs: number) =>
  Effect.gen(function* () {
    const rows = yield* (yield* ChangeLog).rejected(
      account,
      policies.map(({ id }) => id),
      nowMs - refusedForMs
    )
    return new Map(
      rows.flatMap(({ change, updatedAt }) =>
        change.kind === OrderInSupply.name
          ? [[change.subject.orderId as number, updatedAt + refusedForMs] as const]
          : []
      )
    )
  })

const draftOf = (
  rules: RuleSet,
  policies: ReadonlyArray<FulfilmentPolicy>,
  board: Board,
  { changes, left }: Assembly.Turn,
  { account, currency, nowMs, observeOnly }: Options & { readonly nowMs: number }
): Plans.Plan => {
  const countOf = (id: string) => changes.filter(({ origin }) => origin.name === id).length
  return Summary.seal({
    version: Plans.version,
    account,
    currency,
    createdAt: new Date(nowMs).toISOString(),
    rulesHash: rules.hash,
    policies: policies.map(({ hash, id, mode, name, warehouseIds }) => ({
      id,
      name,
      mode,
      hash,
      rowsInScope: board.waiting.filter(({ warehouseId = 0 }) => warehouseIds.includes(warehouseId)).length,
      rowsMatched: countOf(id),
      rowsUnknown: left.filter(({ policy, why }) => policy === id && isUnknown(why)).length,
      changes: 0
    })),
    changes,
    held: [],
    unknown: [],
    unchanged: [],
    ...(observeOnly === undefined ? {} : { observeOnly }),
    calls: { perOperation: {} }
  })
}

/**
 * The same plan as one that a person is asked about keeps its date, and so its request: a turn every two minutes must not take
 * a request out of the hands of whoever reads it.
 */
const asBefore = (draft: Plans.Plan) =>
  Effect.gen(function* () {
    const store = yield* Effect.serviceOption(ApprovalStore)
    if (Option.isNone(store) || draft.changes.length === 0) return draft
    const nowMs = Date.parse(draft.createdAt)
    const waiting = (yield* store.value.list(draft.account, 0)).find(
      (request) =>
        Approvals.stateAt(request, nowMs) === "requested" && isSame(request.plan.changes, draft.changes)
    )
    if (waiting === undefined) return draft
    const { id: _, seal: __, summary: ___, ...rest } = draft
    return Summary.seal({ ...rest, createdAt: waiting.plan.createdAt })
  })

const isSame = (a: ReadonlyArray<Change>, b: ReadonlyArray<Change>): boolean =>
  a.length === b.length && a.every(({ id }, at) => id === b[at]?.id)
