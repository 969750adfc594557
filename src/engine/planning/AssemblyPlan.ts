/**
 * A turn of the orders' lane from the board to a reviewed plan. Writes nothing to the marketplace; who may let what go stands
 * in the policy.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountName } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Refused from "../decide/intents/Refused.js"
import * as Plans from "../decide/Plan.js"
import * as Review from "../decide/Review.js"
import type * as Summary from "../decide/Summary.js"
import { ChangeLog } from "../door/ChangeLog.js"
import { Journal, type JournalRow } from "../door/Journal.js"
import * as Pasts from "../door/Pasts.js"
import { KillSwitch } from "../door/Stopping.js"
import * as Assembly from "../fulfilment/Assembly.js"
import type { Board, KeptMark, OpenSupply } from "../fulfilment/Board.js"
import * as HandOver from "../fulfilment/HandOver.js"
import * as Passes from "../fulfilment/Passes.js"
import * as Turns from "../fulfilment/Turns.js"
import * as Waves from "../fulfilment/Waves.js"
import type { SourceFailure } from "../gather/FactSource.js"
import type { Change } from "../kinds/Change.js"
import * as OrderInSupply from "../kinds/fulfilment/OrderInSupply.js"
import * as OrderMark from "../kinds/fulfilment/OrderMark.js"
import * as SupplyCreation from "../kinds/fulfilment/SupplyCreation.js"
import * as SupplyDelivery from "../kinds/fulfilment/SupplyDelivery.js"
import * as SupplyRef from "../kinds/fulfilment/SupplyRef.js"
import type { FulfilmentPolicy } from "../language/Fulfilment.js"
import type { RuleSet } from "../language/Policy.js"
import { ApprovalStore } from "./ApprovalStore.js"
import * as Approvals from "./Approvals.js"
import { BoardSource } from "./BoardSource.js"
import * as PassTries from "./PassTries.js"
import * as PutOrders from "./PutOrders.js"
import { RuleMemory } from "./RuleMemory.js"
import * as SupplyWaves from "./SupplyWaves.js"

export interface Options {
  readonly account: AccountName
  readonly currency: string
  /** IANA zone of the seller. */
  readonly zone: string
  /** Ids of the policies that are due, all when absent. */
  readonly due?: ReadonlySet<string>
  /** Why nothing may be applied. */
  readonly observeOnly?: string
  /** True for a person's look: also what is asked for before cut-offs only. */
  readonly isWhole?: true
}

export type Planned =
  | {
      readonly _tag: "Planned"
      readonly reviewed: Review.ReviewedPlan
      /** With what is in the supplies that the turn looked into. */
      readonly board: Board
      /** Which wave a supply was made for, by its name. */
      readonly waveOf: (supplyName: string) => SupplyWaves.SupplyWave | undefined
      readonly left: ReadonlyArray<Assembly.Left>
      /** What keeps supplies back whose wave is packed, or is not known. */
      readonly stops: Turns.Departure["stops"]
      /** What could not be read beside the lists. */
      readonly failures: ReadonlyArray<SourceFailure>
      /** What could not be read of supplies whose late orders are only counted: the plan is whole without it. */
      readonly uncounted: ReadonlyArray<SourceFailure>
      /** False where a supply was not read that may hold late orders. */
      readonly isCounted: boolean
    }
  | { readonly _tag: "Unread"; readonly failure: SourceFailure }

/** Reads the board, decides, reviews, and keeps the plan. */
export const make = (
  rules: RuleSet,
  options: Options
): Effect.Effect<Planned, StoreFailure, BoardSource | ChangeLog | Journal | KillSwitch | RuleMemory> =>
  Effect.gen(function* () {
    const { account } = options
    const policies = rules.fulfilment.filter(({ id }) => options.due === undefined || options.due.has(id))
    const source = yield* BoardSource
    const startedAt = yield* Clock.currentTimeMillis
    const kept = yield* unsentMarks(account)
    const looked = yield* source.look({
      reshipments: options.isWhole === true || policies.some((policy) => Waves.isClosing(policy, startedAt)),
      passes: policies.some(({ passes }) => passes !== undefined),
      statusesOf: kept.map(({ orderId }) => orderId)
    })
    if (looked._tag === "Unread") return looked
    const whole = yield* source.inside(
      options.isWhole === true ? looked.board.supplies.filter(holdsOrders) : []
    )
    const board = withOpened(looked.board, whole.supplies)
    const nowMs = yield* Clock.currentTimeMillis
    const refused = yield* refusedSlots(account, nowMs)
    const waves = yield* SupplyWaves.read(account, rules.fulfilment)
    const known = new Map(board.supplies.map((supply) => [supply.name, waves.of(supply)]))
    const waveOf = (supplyName: string) => known.get(supplyName)
    const { orphans, ours } = answered(rules.fulfilment, board, waveOf)
    const due = ours.filter((one) => policies.includes(one.policy) && Turns.isPacked(one, nowMs))
    const unknown = board.supplies.filter(waves.isUnknown)
    const byHand = board.supplies.filter(
      (one) =>
        waveOf(one.name) === undefined &&
        !unknown.includes(one) &&
        holdsOrders(one) &&
        hasMissed(policies, one, nowMs)
    )
    const isAsked = new Set(whole.supplies.map(({ supplyId }) => supplyId))
    const beside = ours.filter(
      (one) => holdsOrders(one.supply) && !due.includes(one) && !isAsked.has(one.supply.supplyId)
    )
    const [ahead, near] = Arr.partition(
      beside,
      ({ handOverByMs }) => handOverByMs <= nowMs + Waves.nearHandOverMs
    )
    const asked = [...due.map(({ supply }) => supply), ...byHand]
    const opened = yield* source.inside(asked.filter(({ supplyId }) => !isAsked.has(supplyId)))
    // The turn does nothing with them, but their late orders are counted in every turn.
    const counted = yield* source.inside([
      ...near.map(({ supply }) => supply),
      ...(yield* PutOrders.late(account, ahead, nowMs))
    ])
    const read = [...whole.supplies, ...opened.supplies]
    const late = read.filter(
      ({ orders = [], supplyId }) =>
        byHand.some((one) => one.supplyId === supplyId) &&
        orders.some(({ status }) => status?.isFinal !== true)
    )
    const houses = yield* source.warehouses(late)
    const seen = due.flatMap((one) => {
      const supply = read.find(({ supplyId }) => supplyId === one.supply.supplyId)
      return supply === undefined ? [] : [{ ...one, supply }]
    })
    const packed = seen.filter(({ supply }) => (supply.orders?.length ?? 0) > 0)
    const { closings, failures } = yield* source.closing(packed.map(({ supply }) => supply))
    const bySupply = new Map(closings.map((one) => [one.supplyId, one]))
    const departing = packed.flatMap((one) => {
      const closing = bySupply.get(one.supply.supplyId)
      return closing === undefined ? [] : [{ ...one, closing }]
    })
    const strays = Turns.strays({ account, refused }, seen, nowMs)
    const departure = Turns.departure({ account, refused }, departing, board.passes, nowMs)
    const inside = withOpened(board, [...opened.supplies, ...counted.supplies])
    const filling = yield* decided(policies, toFill(inside, packed, departure), { account, refused }, nowMs)
    const marks = yield* marksOf(
      { account, refused },
      { all: rules.fulfilment, due: policies },
      kept,
      board,
      waves,
      nowMs
    )
    const pass = yield* passOf({ account, refused }, policies, board, nowMs)
    const turn: Assembly.Turn = {
      ...filling,
      changes: [...filling.changes, ...marks.changes, ...departure.changes, ...strays, ...pass]
    }
    const draft = draftOf(rules, policies, board, turn, { ...options, nowMs })
    const reviewed = Review.ofAssembly(yield* asBefore(draft), {
      ...(yield* context(rules, options, nowMs)),
      switchedOff: yield* source.switchedOff
    })
    yield* (yield* RuleMemory).savePlan(reviewed.plan)
    return {
      _tag: "Planned",
      reviewed,
      board: inside,
      waveOf,
      isCounted: [...read, ...counted.supplies].every(
        ({ name, orders }) => orders !== undefined || waveOf(name) === undefined
      ),
      uncounted: counted.failures,
      left: turn.left,
      stops: [
        ...departure.stops,
        ...unknown.map((supply) => stopOf(supply, { code: "wave_unknown" })),
        ...orphans
          .filter(
            ({ made, supply }) =>
              rules.fulfilment.length === 0 ||
              nowMs >= made.handOverByMs - Waves.nearHandOverMs ||
              marks.unset.has(SupplyRef.markerOf(supply.name))
          )
          .map(({ made, supply }) => stopOf(supply, { code: "policy_gone", policy: made.policy })),
        ...late
          .filter((supply) =>
            hasMissed(having(policies, houses.bySupply.get(supply.supplyId)), supply, nowMs)
          )
          .map((supply) => stopOf(supply, { code: "wave_unknown" }))
      ],
      failures: [
        ...looked.failures,
        ...whole.failures,
        ...opened.failures,
        ...houses.failures,
        ...failures,
        ...filling.failures
      ]
    } satisfies Planned
  }).pipe(Effect.withSpan("AssemblyPlan.make"))

/** False before the first order: only orders give a supply its company. */
const holdsOrders = ({ b2b, cargo, crossBorder }: OpenSupply): boolean =>
  cargo !== undefined || crossBorder !== undefined || b2b !== undefined

/** Those that send cars to a warehouse; all of them where nobody knows which it is. */
const having = (policies: ReadonlyArray<FulfilmentPolicy>, warehouseId: number | undefined) =>
  policies.filter(({ warehouseIds }) => warehouseId === undefined || warehouseIds.includes(warehouseId))

/** Whether a car has left since a supply was made, or leaves within half an hour: who made it by hand would have handed it over. */
const hasMissed = (
  policies: ReadonlyArray<FulfilmentPolicy>,
  { createdAtMs = 0 }: OpenSupply,
  nowMs: number
): boolean => {
  const untilMs = nowMs + Waves.nearHandOverMs
  const sinceMs = Math.max(createdAtMs, nowMs - 7 * 86_400_000)
  return policies.some(({ waves }) =>
    Waves.trips(waves, sinceMs, untilMs).some(({ handOverByMs }) => handOverByMs <= untilMs)
  )
}

const stopOf = ({ supplyId }: OpenSupply, reason: HandOver.SupplyReason) => ({
  supplyId,
  checked: HandOver.stopped(supplyId, [reason])
})

const withOpened = (board: Board, opened: ReadonlyArray<OpenSupply>): Board => {
  const found = new Map(opened.map((one) => [one.supplyId, one]))
  return { ...board, supplies: board.supplies.map((one) => found.get(one.supplyId) ?? one) }
}

/** As orders are put into supplies: what is moved on waits too, and what is packed by now takes no more. */
const toFill = (board: Board, packed: ReadonlyArray<Turns.Ours>, { movedOn }: Turns.Departure): Board => {
  const full = new Set(packed.map(({ supply }) => supply.supplyId))
  return {
    ...board,
    waiting: [...board.waiting, ...movedOn],
    supplies: board.supplies.filter(({ supplyId }) => !full.has(supplyId)),
    closedNames: new Set([...board.closedNames, ...packed.map(({ supply }) => supply.name)])
  }
}

/** Open supplies that turns made, with what they were made for, by who answers for them now; orphans are those of nobody. */
const answered = (
  policies: ReadonlyArray<FulfilmentPolicy>,
  { supplies }: Board,
  waveOf: (supplyName: string) => SupplyWaves.SupplyWave | undefined
) => {
  const ours: Array<Turns.Ours> = []
  const orphans: Array<{ readonly supply: OpenSupply; readonly made: SupplyWaves.SupplyWave }> = []
  for (const supply of supplies) {
    const made = waveOf(supply.name)
    if (made === undefined) continue
    const policy = SupplyWaves.policyOf(policies, made)
    if (policy === undefined) orphans.push({ supply, made })
    else ours.push({ ...made, supply, policy })
  }
  return { ours, orphans }
}

/** Marks that the seller gave and that never left. */
const unsentMarks = (account: AccountName) =>
  Effect.gen(function* () {
    const kept = yield* (yield* BoardSource).keptMarks
    if (kept.length === 0) return []
    const slots = kept.map((mark) => OrderMark.slot(mark, mark.key))
    const sent = new Set((yield* (yield* ChangeLog).ofSlots(account, slots)).map(({ slot }) => slot))
    return kept.filter((_, at) => !sent.has(slots[at] ?? ""))
  })

/**
 * Marks to set of orders that are in assembly by now. Who answers for an order's supply answers for its marks, and where nobody does
 * none is set; for an order that a person put into a supply of their own, the first. `unset` are the markers of supplies of nobody.
 */
const marksOf = (
  known: Pick<Assembly.Known, "refused"> & { readonly account: AccountName },
  { all, due }: Readonly<Record<"all" | "due", ReadonlyArray<FulfilmentPolicy>>>,
  kept: ReadonlyArray<KeptMark>,
  { statuses, supplies }: Board,
  waves: SupplyWaves.Waves,
  nowMs: number
) =>
  Effect.gen(function* () {
    const assembled = kept.filter(({ orderId }) => statuses.get(orderId)?.supplier === "confirm")
    if (assembled.length === 0) return { changes: [], unset: new Set<string | undefined>() }
    const rows = yield* (yield* ChangeLog).ofSlots(known.account, assembled.map(OrderInSupply.slot))
    const putBy = new Map(rows.map(({ change, slot }) => [slot, change]))
    const answers = new Map(
      assembled.map(({ orderId }) => {
        const put = putBy.get(OrderInSupply.slot({ orderId }))
        const name = put?.kind === OrderInSupply.name ? (put.details.supplyName ?? "") : ""
        const marker = SupplyRef.markerOf(name)
        const supply = supplies.find((one) => SupplyRef.markerOf(one.name) === marker)
        const made =
          (marker === undefined || supply === undefined ? undefined : waves.of(supply)) ??
          (put?.origin.by === "policy" ? { policy: put.origin.name, warehouseId: undefined } : undefined)
        const policy = made === undefined ? due[0] : SupplyWaves.policyOf(all, made)
        return [orderId, { marker, policy }] as const
      })
    )
    const policyOf = (orderId: KeptMark["orderId"]) => due.find((one) => one === answers.get(orderId)?.policy)
    return {
      changes: Turns.marks(known, policyOf, assembled, nowMs),
      unset: new Set(
        [...answers.values()].flatMap(({ marker, policy }) => (policy === undefined ? [marker] : []))
      )
    }
  })

/** The pass whose time has come, if the office takes its form: a refused try blocks the next (field note O24). */
const passOf = (
  known: Pick<Assembly.Known, "refused"> & { readonly account: AccountName },
  policies: ReadonlyArray<FulfilmentPolicy>,
  { passes }: Board,
  nowMs: number
) =>
  Effect.gen(function* () {
    if (passes === undefined) return []
    const plan = Passes.plan(policies, passes, yield* PassTries.of(known.account), nowMs)
    const change = Turns.pass(known, plan, policies, passes, nowMs)
    if (change === undefined || plan.due === undefined) return []
    const offices = yield* (yield* BoardSource).passOffices
    return offices === undefined || Passes.refusals(plan.due.form, offices).length > 0 ? [] : [change]
  })

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

/**
 * A supply that no list shows may have been made all the same: the journal is asked before another one is. And what is in a
 * supply is asked for when something is to go into it.
 */
const decided = (
  policies: ReadonlyArray<FulfilmentPolicy>,
  board: Board,
  { account, refused }: Pick<Assembly.Known, "account" | "refused">,
  nowMs: number
) =>
  Effect.gen(function* () {
    const source = yield* BoardSource
    const made = new Map<string, Assembly.Asked>()
    const asked = new Set<string>()
    const failures: Array<SourceFailure> = []
    let now = board
    for (;;) {
      const turn = Assembly.turn(policies, now, { account, made, refused }, nowMs)
      const names = turn.lookedFor.filter((name) => !asked.has(name))
      const unread = turn.unread.filter(({ supplyId }) => !asked.has(supplyId))
      if (names.length + unread.length === 0) return { ...turn, failures }
      for (const name of names) {
        asked.add(name)
        const known = yield* askedFor(account, name)
        if (known !== undefined) made.set(name, known)
      }
      for (const { supplyId } of unread) asked.add(supplyId)
      const opened = yield* source.inside(unread)
      failures.push(...opened.failures)
      now = withOpened(now, opened.supplies)
    }
  })

/** What became of a supply's creation; undefined where it was never asked for, and may be. */
const askedFor = (account: string, name: string) =>
  Effect.gen(function* () {
    const slot = SupplyCreation.slot({ supply: SupplyRef.ofName(name) })
    const rows = (yield* (yield* ChangeLog).ofSlotsNamed(account, slot)).filter(
      (row) => row.slot === slot && hasLeft.has(row.state)
    )
    const asked = rows.map(Pasts.of).map(({ at, standing }): Assembly.Asked => ({ standing, atMs: at }))
    return asked.find(({ standing }) => standing !== "none") ?? asked[0]
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
/** A car waits for a supply: soon enough for a second and a third try before it leaves. */
const suppliesRefusedForMs = 600_000
const isOfSupply: ReadonlySet<Change["kind"]> = new Set([SupplyCreation.name, SupplyDelivery.name])

const refusedSlots = (account: AccountName, nowMs: number) =>
  Effect.gen(function* () {
    const rows = yield* (yield* ChangeLog).refused(account, nowMs - refusedForMs)
    return new Map(
      rows.filter(rests).map(({ change, reason, slot, updatedAt }): readonly [string, Assembly.Rest] => [
        slot,
        {
          untilMs: updatedAt + (isOfSupply.has(change.kind) ? suppliesRefusedForMs : refusedForMs),
          ...(Refused.isPage(reason) ? { page: true } : {})
        }
      ])
    )
  })

/** What never left for its supply was closed goes into another one at once, and what a token was refused once that is mended. */
const rests = ({ change, reason, state }: JournalRow): boolean =>
  !Refused.saysNothingOfChange(reason) && (state !== "skipped" || change.kind !== OrderInSupply.name)

const draftOf = (
  rules: RuleSet,
  policies: ReadonlyArray<FulfilmentPolicy>,
  board: Board,
  { changes, left }: Assembly.Turn,
  { account, currency, nowMs, observeOnly }: Options & { readonly nowMs: number }
): Summary.Draft => {
  const moved = new Set(changes.map(({ origin, subject }) => `${origin.name} ${subject.orderId ?? ""}`))
  return {
    version: Plans.version,
    account,
    currency,
    createdAt: new Date(nowMs).toISOString(),
    rulesHash: rules.hashes.orders,
    policies: policies.map(({ hash, id, mode, name, warehouseIds }) => {
      const waiting = board.waiting.filter(({ warehouseId = 0 }) => warehouseIds.includes(warehouseId))
      return {
        id,
        name,
        mode,
        hash,
        rowsInScope: waiting.length,
        rowsMatched: waiting.filter(({ orderId }) => moved.has(`${id} ${orderId}`)).length,
        rowsUnknown: left.filter(({ policy, why }) => policy === id && isUnknown(why)).length,
        changes: 0
      }
    }),
    changes,
    held: [],
    unknown: [],
    unchanged: [],
    ...(observeOnly === undefined ? {} : { observeOnly }),
    calls: { perOperation: {} }
  }
}

const isUnknown = ({ code }: Assembly.Why): boolean =>
  code === "status_unread" || code === "created_unknown" || code === "supply_unread"

/**
 * The same plan as one that a person is asked about keeps its date, and so its request: a turn every two minutes must not take
 * a request out of the hands of whoever reads it.
 */
const asBefore = (draft: Summary.Draft) =>
  Effect.gen(function* () {
    const store = yield* Effect.serviceOption(ApprovalStore)
    if (Option.isNone(store) || draft.changes.length === 0) return draft
    const nowMs = Date.parse(draft.createdAt)
    const waiting = (yield* store.value.list(draft.account, 0)).find(
      (request) =>
        Approvals.stateAt(request, nowMs) === "requested" && isSame(request.plan.changes, draft.changes)
    )
    return waiting === undefined ? draft : { ...draft, createdAt: waiting.plan.createdAt }
  })

const isSame = (a: ReadonlyArray<Change>, b: ReadonlyArray<Change>): boolean =>
  a.length === b.length && a.every(({ id }, at) => id === b[at]?.id)
