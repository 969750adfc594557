/** Turns that set marks which were kept for orders: one mark is on one order, judged by what the marketplace has. */
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import { OrderId } from "../../src/domain/Ids.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import * as OrderMark from "../../src/engine/kinds/fulfilment/OrderMark.js"
import * as LabelChecks from "../../src/sandbox/shop/LabelChecks.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import { MarkVault } from "../../src/services/ports/MarkVault.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Waves from "./Waves.js"

const { policy, shopOf, warehouse } = Waves

const gs = "\u001d"
const code = (tail: string) => `010460123456789321AAAAAAAAAAAA1${gs}91EE11${gs}92${tail}`

const turn = (world: Scenario.World) => Effect.zipRight(Waves.turn(world), world.advance("2 minutes"))

/** Two orders in assembly that must have a marking code. */
const assembled = (world: Scenario.World) =>
  Effect.gen(function* () {
    shopOf(world).shop.ordersTo = world.now()
    const staged = {
      count: 2,
      warehouses: [warehouse],
      cargo: [1] as const,
      crossBorderShare: 0,
      businessShare: 0,
      markedShare: 1,
      marks: ["sgtin"] as const,
      minutesAgo: 4
    }
    const made = Staging.make(shopOf(world), staged, world.now())
    if ("problem" in made) throw new Error(made.problem)
    yield* world.advance("1 hours")
    yield* turn(world)
    return made
  })

const keep = (orderId: number, mark: string) =>
  Effect.flatMap(MarkVault, (vault) =>
    vault.keep(Scenario.account, [
      { orderId, key: "sgtin", fingerprint: OrderMark.fingerprint([mark]), marks: Redacted.make([mark]) }
    ])
  )

const marksOf = (world: Scenario.World, orderId: number) =>
  Orders.find(shopOf(world), orderId, world.now())?.labels.get("sgtin")?.values ?? []

const scale = { campaigns: 1, items: 1, clusters: 1 }

it("sets no mark that was kept for an order and is on another one by now, and says on which", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const [waited = 0, other = 0] = yield* assembled(world)
      yield* keep(waited, code("proof"))
      yield* keep(other, code("the same unit with another proof"))
      const order = Orders.find(shopOf(world), other, world.now())!
      LabelChecks.set(shopOf(world), order, "sgtin", [code("the same unit with another proof")], world.now())
      for (let turns = 0; turns < 3; turns += 1) yield* turn(world)
      expect([marksOf(world, waited), world.requests("setOrderSgtins")]).toEqual([[], 0])
      const rows = yield* (yield* ChangeLog).ofSlotsNamed(
        Scenario.account,
        OrderMark.slot({ orderId: OrderId.make(waited) }, "sgtin")
      )
      expect(rows.map(({ reason, state }) => [state, reason])).toEqual([
        ["rejected", { code: "mark_used", otherOrderId: other }]
      ])
    }).pipe(Effect.provide(world.context))
  ))

it("sets a mark that was kept for two orders on one of them", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = yield* assembled(world)
      yield* keep(first, code("proof"))
      yield* keep(second, code("proof"))
      for (let turns = 0; turns < 3; turns += 1) yield* turn(world)
      expect([...marksOf(world, first), ...marksOf(world, second)]).toEqual([code("proof")])
      expect(world.requests("setOrderSgtins")).toBe(1)
    }).pipe(Effect.provide(world.context))
  ))

it("sets a mark whose former order was cancelled", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const [former = 0, now = 0] = yield* assembled(world)
      yield* keep(former, code("proof"))
      yield* turn(world)
      expect(marksOf(world, former)).toEqual([code("proof")])
      world.play({ orderId: former, play: "cancel", by: "buyer" })
      yield* keep(now, code("proof"))
      yield* turn(world)
      expect(marksOf(world, now)).toEqual([code("proof")])
    }).pipe(Effect.provide(world.context))
  ))

it("sets a mark that was kept for two orders on the second where the marketplace refuses it on the first", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      const [first = 0, second = 0] = yield* assembled(world)
      yield* keep(first, code("proof"))
      yield* keep(second, code("proof"))
      world.faults([{ operation: "setOrderSgtins", kind: "refuse", status: 400, count: 1 }])
      yield* turn(world)
      expect([marksOf(world, first), marksOf(world, second)]).toEqual([[], [code("proof")]])
      const rows = yield* (yield* ChangeLog).ofSlotsNamed(
        Scenario.account,
        OrderMark.slot({ orderId: OrderId.make(second) }, "sgtin")
      )
      expect(rows.map(({ state }) => state)).toEqual(["applied"])
    }).pipe(Effect.provide(world.context))
  ))

/** The rules of later: the policy is disabled, and another one has this warehouse. */
const instead = (mode: string, its: number) =>
  Scenario.check([
    { ...policy, text: policy.text.replace("apply", "disabled") },
    {
      path: "rules/05-other.yaml",
      text: policy.text.replace("apply", mode).replace(`[${warehouse}]`, `[${its}]`)
    }
  ])

for (const [name, mode, its, set] of [
  ["sets no mark under a policy of another warehouse", "apply", 71009, 0],
  ["sets no mark under a policy in preview that has the warehouse by now", "preview", warehouse, 0],
  ["sets marks under the policy that has the warehouse by now", "apply", warehouse, 1]
] as const)
  it(`${name}, where the one that put the order is disabled`, () =>
    Scenario.run({ rules: [policy], scale }, (world) =>
      Effect.gen(function* () {
        const [order = 0] = yield* assembled(world)
        yield* keep(order, code("proof"))
        const { said } = yield* Waves.turn(world, instead(mode, its))
        expect(world.requests("setOrderSgtins")).toBe(set)
        const isTold = said.includes(
          "policy 13-fulfilment, which made it, is gone from the rules or disabled"
        )
        expect(isTold).toBe(its !== warehouse)
      }).pipe(Effect.provide(world.context))
    ))

it("tells of a supply whose policy is gone half an hour before its car leaves, not hours before", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      yield* assembled(world)
      const rules = instead("apply", 71009)
      const told: Array<boolean> = []
      for (let hours = 0; hours < 24; hours += 1) {
        told.push((yield* Waves.turn(world, rules)).said.includes("or disabled"))
        yield* world.advance("1 hours")
      }
      expect([told[0], told.at(-1)]).toEqual([false, true])
    }).pipe(Effect.provide(world.context))
  ))
