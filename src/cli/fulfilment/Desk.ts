/**
 * All orders that somebody has to do something about: those that wait for a supply and those in open ones, each with its
 * deadline, what it lacks, and why it is in no supply. Reads the marketplace; keeps nothing. Needs the layers of `Planning`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { OrderId, SupplyId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type * as Assembly from "../../engine/fulfilment/Assembly.js"
import type { Board, Company, Status } from "../../engine/fulfilment/Board.js"
import * as Deadlines from "../../engine/fulfilment/Deadlines.js"
import * as Verdict from "../../engine/fulfilment/marks/Verdict.js"
import * as OrderInSupply from "../../engine/kinds/fulfilment/OrderInSupply.js"
import type { FulfilmentPolicy } from "../../engine/language/Fulfilment.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as AssemblyPlan from "../../engine/planning/AssemblyPlan.js"
import * as PutOrders from "../../engine/planning/PutOrders.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import * as OrderLook from "../../marketplace/fulfilment/OrderLook.js"
import type * as LabelRecords from "../../services/areas/labels/LabelRecords.js"
import * as Labels from "../../services/areas/labels/Labels.js"
import * as Orders from "../../services/areas/orders/Orders.js"
import * as State from "../../services/areas/State.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type * as Account from "../account/Account.js"
import * as Planning from "../plan/Planning.js"

/** What an order lacks of a mark; `needed` where it has to be there once the order is in assembly. */
export interface MarkState {
  readonly key: string
  readonly is: "needed" | "missing" | "pending" | "refused"
}

/** An order on somebody's desk. */
export interface Entry extends Company {
  readonly orderId: OrderId
  readonly article: string | undefined
  /** Epoch milliseconds. */
  readonly createdAtMs: number | undefined
  readonly status: Status | undefined
  /** The open supply it is in. */
  readonly supply: { readonly supplyId: SupplyId; readonly name: string } | undefined
  /** The closed supply that left it unscanned. */
  readonly leftBy: SupplyId | undefined
  readonly deadline: Deadlines.Deadline | undefined
  /** Undefined where they could not be read. */
  readonly marks: ReadonlyArray<MarkState> | undefined
  /** Why it is in no supply. */
  readonly why: Assembly.Why | undefined
  /** The name of the supply that the next turn puts it into. */
  readonly goesInto: string | undefined
}

export interface Desk {
  readonly nowMs: number
  readonly board: Board
  /** Policies that are switched on. */
  readonly policies: ReadonlyArray<FulfilmentPolicy>
  /** By deadline, then by age; those without one last. */
  readonly entries: ReadonlyArray<Entry>
  /** What could not be read. */
  readonly notes: ReadonlyArray<string>
}

export const look = (chosen: Account.Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const policies = rules.fulfilment
    const planned = yield* turn(chosen, rules, policies)
    const inside = yield* insideOf(planned.board)
    const bare = [...(yield* waitingOf(planned)), ...inside.entries]
    const nowMs = yield* Clock.currentTimeMillis
    // The marketplace forgets that an earlier supply had left an order over.
    const put = yield* PutOrders.of(
      chosen.name,
      inside.entries.map(({ orderId }) => orderId)
    )
    const deadlines = Deadlines.of(
      policies,
      bare
        .filter(({ status }) => status?.isFinal !== true)
        .map((one) => {
          const goesWith = one.supply === undefined ? undefined : planned.waveOf(one.supply.name)
          return {
            orderId: one.orderId,
            warehouseId: one.warehouseId,
            createdAtMs: one.createdAtMs,
            isAgain: one.leftBy !== undefined || put.get(one.orderId)?.isAgain === true,
            goesWith,
            byHand: one.supply !== undefined && goesWith === undefined
          }
        }),
      nowMs
    )
    return {
      nowMs,
      board: planned.board,
      policies,
      entries: bare.map((one): Entry => ({ ...one, deadline: deadlines.get(one.orderId) })).sort(byDeadline),
      notes: [...planned.failures.map(({ message }) => message), ...inside.notes]
    } satisfies Desk
  })

type Bare = Omit<Entry, "deadline">

/** Orders that wait for a supply, with the one that the next turn puts them into. */
const waitingOf = ({ board, left, reviewed }: Extract<AssemblyPlan.Planned, { _tag: "Planned" }>) =>
  Effect.gen(function* () {
    const needs = yield* needed(board)
    const whys = new Map<number, Assembly.Why>(left.map(({ orderId, why }) => [orderId, why]))
    const goesInto = new Map(
      reviewed.plan.changes.flatMap((change) =>
        change.kind === OrderInSupply.name
          ? [[change.subject.orderId, change.details.supplyName ?? String(change.after)] as const]
          : []
      )
    )
    return board.waiting.map(
      ({ from, ...order }): Bare => ({
        ...order,
        supply: undefined,
        leftBy: from?.supplyId,
        marks: needs?.get(order.orderId) ?? (needs === undefined ? undefined : []),
        why: whys.get(order.orderId),
        goesInto: goesInto.get(order.orderId)
      })
    )
  })

/** Orders of open supplies that are not over, and what could not be read of them. */
const insideOf = (board: Board) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const live = board.supplies.flatMap(({ name, orders = [], supplyId }) =>
      orders
        .filter(({ status }) => status?.isFinal !== true)
        .map((order) => ({ ...order, supply: { supplyId, name } }))
    )
    if (live.length === 0) return { entries: [], notes: [] }
    const ids = live.map(({ orderId }) => orderId)
    const records = yield* OrderLook.find(client, ids, undefined)
    const labels = yield* Labels.make(client).read(ids)
    const labelsOf = new Map(labels.values.map((one) => [one.orderId, one.labels]))
    const entries = live.map(({ orderId, status, supply }): Bare => {
      const record = records.found.get(orderId)
      return {
        orderId,
        article: record?.article,
        createdAtMs: record?.createdAtMs,
        status,
        supply,
        leftBy: undefined,
        warehouseId: record?.warehouseId,
        cargo: record?.cargo === undefined ? undefined : State.textOf(record.cargo),
        crossBorder: record?.crossBorder,
        b2b: record?.b2b,
        marks: marksOf(labelsOf.get(orderId)),
        why: undefined,
        goesInto: undefined
      }
    })
    const unread = labels.failures.map(
      ({ error, keys }) => `marks of ${Plural.of(keys.length, "order")} were not read: ${error.message}`
    )
    return { entries, notes: [...records.notes, ...unread] }
  })

/** What the lane would do now. A look keeps no plan: nobody may apply what was only glanced at. */
const turn = (chosen: Account.Chosen, rules: RuleSet, policies: ReadonlyArray<FulfilmentPolicy>) =>
  Effect.gen(function* () {
    const memory = yield* RuleMemory
    const { config, name: account } = chosen
    const planned = yield* Stopping.unlessAsked(
      AssemblyPlan.make(rules, {
        account,
        currency: config.currency,
        zone: config.timeZone,
        isWhole: true,
        due: new Set(policies.map(({ id }) => id))
      })
    ).pipe(Effect.provideService(RuleMemory, { ...memory, savePlan: () => Effect.void }))
    if (planned._tag === "Unread") return yield* Planning.ended(planned.failure)
    return planned
  })

/** Which marks orders will need that wait for a supply; undefined where nobody says. */
const needed = (board: Board) =>
  Effect.gen(function* () {
    if (board.waiting.length === 0) return new Map<OrderId, ReadonlyArray<MarkState>>()
    const fresh = yield* Effect.either(Orders.make(yield* MarketplaceClient).new)
    if (Either.isLeft(fresh)) return undefined
    return new Map<OrderId, ReadonlyArray<MarkState>>(
      fresh.right.map(({ orderId, requiredLabels }) => [
        orderId,
        (requiredLabels ?? []).map((key) => ({ key, is: "needed" }))
      ])
    )
  })

const marksOf = (
  labels: ReadonlyArray<LabelRecords.Label> | undefined
): ReadonlyArray<MarkState> | undefined =>
  labels?.flatMap((label): ReadonlyArray<MarkState> => {
    const verdict = Verdict.of(HandOverParts.label(label))
    if (verdict._tag === "Ready") return []
    if (verdict._tag === "Pending") return [{ key: label.key, is: "pending" }]
    return [{ key: label.key, is: verdict.code === "required" ? "missing" : "refused" }]
  })

const byDeadline = (a: Entry, b: Entry): number =>
  (a.deadline?.own.handOverByMs ?? Number.MAX_SAFE_INTEGER) -
    (b.deadline?.own.handOverByMs ?? Number.MAX_SAFE_INTEGER) ||
  (a.createdAtMs ?? Number.MAX_SAFE_INTEGER) - (b.createdAtMs ?? Number.MAX_SAFE_INTEGER) ||
  a.orderId - b.orderId
