/**
 * What people do about orders with Bidhelm: give marks, print the labels of a supply, cancel an order, move one; and how the
 * orders look to them when all is over.
 */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import type * as Account from "../../../src/cli/account/Account.js"
import * as Stickers from "../../../src/cli/labels/Stickers.js"
import * as SupplyLines from "../../../src/cli/supplies/SupplyLines.js"
import { OrderId, SupplyId } from "../../../src/domain/Ids.js"
import type { SupplyRef } from "../../../src/domain/Target.js"
import * as Mark from "../../../src/engine/fulfilment/marks/Mark.js"
import * as OrderCancellation from "../../../src/engine/kinds/fulfilment/OrderCancellation.js"
import * as OrderInSupply from "../../../src/engine/kinds/fulfilment/OrderInSupply.js"
import * as OrderMark from "../../../src/engine/kinds/fulfilment/OrderMark.js"
import * as AssemblyPlan from "../../../src/engine/planning/AssemblyPlan.js"
import type * as CallPlan from "../../../src/engine/planning/CallPlan.js"
import * as SandboxToken from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import * as Orders from "../../../src/sandbox/shop/Orders.js"
import type { LabelKey, Order } from "../../../src/sandbox/shop/State.js"
import * as Supplies from "../../../src/sandbox/shop/Supplies.js"
import { MarkVault } from "../../../src/services/ports/MarkVault.js"
import * as Driver from "./Driver.js"
import type { Event } from "./Events.js"
import type { Disk } from "./Machine.js"
import * as Marks from "./Marks.js"
import * as People from "./People.js"
import { account } from "./Program.js"

type Running = Driver.Running
type Errand = Extract<Event, { _tag: "Errand" }>

export const errand = (
  running: Running,
  sandbox: Service,
  disk: Disk,
  event: Errand
): Effect.Effect<void, unknown> => {
  switch (event.kind) {
    case "marks":
      return marks(running, sandbox, event)
    case "print":
      return print(running, sandbox, disk, event)
    case "cancel":
    case "move":
      return order(running, sandbox, event)
  }
}

const worldOf = (sandbox: Service) => sandbox.world(SandboxToken.defaultSeller)

const lacking = ({ labels, required }: Order): ReadonlyArray<LabelKey> =>
  required.filter((key) => (labels.get(key)?.values.length ?? 0) === 0)

/** `bidhelm orders marks import`: what is in assembly is set now, the rest is kept for the turn that assembles it. */
const marks = (running: Running, sandbox: Service, { amount, pick }: Errand) =>
  Effect.gen(function* () {
    const world = worldOf(sandbox)
    const nowMs = running.time.now()
    const open = Orders.all(world, nowMs).filter((one) => {
      const status = Orders.status(world, one, nowMs)
      return (status === "new" || status === "confirm") && lacking(one).length > 0
    })
    const some = open.filter((_, i) => (i + pick) % 3 !== 0 || amount < 0.5)
    const given = some.flatMap((one) =>
      lacking(one).map((key) => {
        const text = Marks.of(key, one.id, pick)
        const secret = Marks.secretOf(key, text)
        if (secret !== undefined) running.record.secrets.add(secret)
        const isPacked = Orders.status(world, one, nowMs) === "confirm"
        return { orderId: one.id, key, text, fingerprint: OrderMark.fingerprint([text]), isPacked }
      })
    )
    if (given.length === 0) return
    const vault = yield* Effect.provide(MarkVault, running.context)
    yield* vault.keep(
      account,
      given.map(({ fingerprint, key, orderId, text }) => ({
        orderId,
        key,
        fingerprint,
        marks: Redacted.make([text])
      }))
    )
    running.record.count("marks kept", given.length)
    const now = given.filter(({ isPacked }) => isPacked)
    if (now.length === 0 || pick % 2 === 0) return
    yield* People.carried(
      running,
      "setOrderSgtins",
      now.map(
        ({ fingerprint, key, orderId, text }): CallPlan.Wanted => ({
          kind: OrderMark.name,
          action: "set_mark",
          subject: { orderId: OrderId.make(orderId) },
          details: { key, masked: Mark.Mark.of(key, text).toString() },
          after: () => fingerprint
        })
      )
    )
  })

/** `bidhelm orders cancel`, and `bidhelm supplies move`. */
const order = (running: Running, sandbox: Service, { kind, pick }: Errand) =>
  Effect.gen(function* () {
    const world = worldOf(sandbox)
    const nowMs = running.time.now()
    const fit = Orders.all(world, nowMs).filter(
      (one) => Orders.isCancellable(world, one, nowMs) && Orders.status(world, one, nowMs) !== "complete"
    )
    const found = fit[pick % Math.max(1, fit.length)]
    if (found === undefined) return
    const subject = { orderId: OrderId.make(found.id) }
    if (kind === "cancel")
      return yield* People.carried(running, "cancelOrder", [
        {
          kind: OrderCancellation.name,
          action: "cancel",
          subject,
          details: {},
          after: () => OrderCancellation.cancelled
        }
      ])
    const to = [...world.shop.supplies.values()].find(
      (supply) =>
        supply.id !== found.supplyId && Supplies.unfitBecause(world, supply, [found], nowMs) === undefined
    )
    if (to === undefined) return
    const from = found.supplyId === undefined ? {} : { from: found.supplyId }
    yield* People.carried(running, "addOrdersToSupply", [
      {
        kind: OrderInSupply.name,
        action: "put_in_supply",
        subject,
        details: { supplyName: to.name },
        ...from,
        after: () => to.id as SupplyRef
      }
    ])
  })

/** What printing asks of the configuration: there is no table of goods. */
const chosen = { name: account, config: { rulesFolder: "no such folder" } } as unknown as Account.Chosen

/** `bidhelm labels print`, up to the pages. */
const print = (running: Running, sandbox: Service, disk: Disk, { pick }: Errand) =>
  Effect.gen(function* () {
    const world = worldOf(sandbox)
    const nowMs = running.time.now()
    const full = [...world.shop.supplies.values()].filter(
      ({ id }) => Orders.inSupply(world, id, nowMs).length > 1
    )
    // Who prints what came later prints most of a supply twice.
    const supply = full.at(-1 - (pick % Math.min(3, Math.max(1, full.length))))
    if (supply === undefined) return
    const supplyId = SupplyId.make(supply.id)
    const told = yield* SupplyLines.read(chosen, supplyId)
    const crossBorder = told.crossBorder
    const got = yield* Stickers.read({
      orders: told.lines.map(({ orderId }) => orderId),
      size: "58x40",
      format: "svg",
      crossBorder,
      waitMs: 0
    })
    running.record.count("labels printed", got.stickers.size)
    running.record.prints.push({
      at: running.time.now(),
      supplyId,
      labels: told.lines
        .filter(({ orderId }) => got.stickers.has(orderId))
        .map(({ orderId, position }) => ({ orderId, position })),
      stored: storedOf(disk, supplyId)
    })
  }).pipe(Effect.provide(running.context))

/** As somebody else reads the store. */
const storedOf = (disk: Disk, supplyId: string): ReadonlyArray<number> =>
  disk
    .read("SELECT supply_id, order_id, position FROM supply_orders ORDER BY position")
    .flatMap((row) => (row.supply_id === supplyId ? [Number(row.order_id)] : []))

/** `bidhelm supplies assemble --plan`, when all is over. */
export const lastLook = (running: Running) =>
  Effect.gen(function* () {
    const rules = running.rules()
    const options = { account, currency: "RUB", zone: Driver.zone, isWhole: true } as const
    const made = yield* Effect.either(AssemblyPlan.make(rules, options))
    if (Either.isLeft(made) || made.right._tag === "Unread") return
    const { left, reviewed } = made.right
    const modeOf = new Map<string, string>(rules.fulfilment.map(({ id, mode }) => [id, mode]))
    const puttings = reviewed.plan.changes.filter(({ kind }) => kind === OrderInSupply.name)
    running.record.left = {
      at: running.time.now(),
      why: new Map(left.map(({ orderId, why }) => [orderId, why.code])),
      planned: new Set(
        [...puttings, ...reviewed.plan.held.map(({ change }) => change)].flatMap(
          ({ subject }) => subject.orderId ?? []
        )
      ),
      alone: new Set(
        puttings.flatMap(({ origin, subject }) =>
          modeOf.get(origin.name) === "apply" ? (subject.orderId ?? []) : []
        )
      )
    }
  }).pipe(Effect.provide(running.context), Effect.ignore)
