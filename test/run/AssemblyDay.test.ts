/**
 * A whole day of the orders' lane over the sandbox marketplace, turn by turn in virtual time: `fulfilment/day/DayScript` says
 * what happens, `DayJudge` holds it against what the marketplace has in the end. By the program itself: `faults/assemblyDay`.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { expect, it } from "vitest"
import * as OrderMark from "../../src/engine/kinds/fulfilment/OrderMark.js"
import * as AssemblyPlan from "../../src/engine/planning/AssemblyPlan.js"
import type { CycleResult } from "../../src/engine/schedule/Job.js"
import * as Control from "../../src/sandbox/Control.js"
import * as Ledger from "../../src/sandbox/Ledger.js"
import type { World as Shop } from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Orders from "../../src/sandbox/shop/Orders.js"
import * as Supplies from "../../src/sandbox/shop/Supplies.js"
import { MarkVault } from "../../src/services/ports/MarkVault.js"
import * as Depth from "../Depth.js"
import * as Judge from "../fulfilment/day/DayJudge.js"
import * as Script from "../fulfilment/day/DayScript.js"
import * as Scenario from "../scenario/Scenario.js"

const ordersOfTheDay = Depth.isDeep ? 500 : 117
const turnMs = (Depth.isDeep ? 5 : 10) * Script.minuteMs

const mostOfTurnMs = 2 * Script.minuteMs

const policy = { path: "rules/13-fulfilment.yaml", text: Script.policy("apply", ordersOfTheDay) }

/** Small: nearly all orders are made by the test. */
const scale = { campaigns: 1, items: 1, clusters: 1 }

const shopOf = (world: Scenario.World): Shop => world.sandbox.world(defaultSeller)

const turn = (world: Scenario.World): Effect.Effect<CycleResult, unknown> =>
  Effect.gen(function* () {
    return yield* world.cycle({
      account: Scenario.account,
      lane: "orders",
      due: new Set(world.rules.fulfilment.map(({ id }) => id as string)),
      stopping: yield* Deferred.make<void>(),
      loaded: { rules: world.rules, version: "1", problem: undefined }
    })
  })

const planned = (world: Scenario.World) =>
  Effect.gen(function* () {
    const made = yield* AssemblyPlan.make(world.rules, {
      account: Scenario.account,
      currency: "RUB",
      zone: "Europe/Moscow"
    }).pipe(Effect.provide(world.context))
    if (made._tag === "Unread") throw new Error(made.failure.message)
    return made
  })

/** Asks, or posts to, a control route of the sandbox. */
const control = <A>(world: Scenario.World, route: string, body?: object): A => {
  const url = new URL(`http://sandbox${Control.prefix}${route}`)
  const method = body === undefined ? "GET" : "POST"
  const { body: said, status } = Control.answer(
    world.sandbox,
    method,
    url,
    body === undefined ? "" : JSON.stringify(body),
    world.now()
  )
  const text = typeof said === "string" ? said : new TextDecoder().decode(said)
  if (status >= 300) throw new Error(`${route}: ${text}`)
  return (text === "" ? undefined : JSON.parse(text)) as A
}

const seen = (world: Scenario.World, cancelled: Map<number, Script.Cancelled>): Script.Seen => ({
  ...control<Pick<Script.Seen, "orders" | "supplies">>(world, "shop?orders=all"),
  ...control<Pick<Script.Seen, "faults">>(world, "faults"),
  cancelled
})

/** What is due happens; what cannot happen yet stays. */
const happened = (
  world: Scenario.World,
  coming: ReadonlyArray<Script.Happening>,
  cancelled: Map<number, Script.Cancelled>
): ReadonlyArray<Script.Happening> =>
  coming.filter((one) => {
    if (world.now() < Script.startMs + one.at * Script.minuteMs) return true
    const now = seen(world, cancelled)
    const step = one.step(now)
    if (step === undefined) return true
    control(world, step.route, step.body)
    if (step.route === "shop" && step.cancels !== undefined)
      cancelled.set(step.cancels, Script.cancelledOf(now, step, world.now()))
    return false
  })

/** The seller gives the marks of what is packed, as their import does. */
const marked = (world: Scenario.World) =>
  Effect.gen(function* () {
    const shop = shopOf(world)
    const vault = yield* MarkVault
    const given = Orders.all(shop, world.now())
      .filter((order) => Orders.status(shop, order, world.now()) === "confirm")
      .flatMap(({ id, labels, required }) =>
        required
          .filter((key) => !labels.has(key))
          .map((key) => {
            const marks = [Script.markOf(key, id)]
            return {
              orderId: id,
              key,
              fingerprint: OrderMark.fingerprint(marks),
              marks: Redacted.make(marks)
            }
          })
      )
    yield* vault.keep(Scenario.account, given)
  }).pipe(Effect.provide(world.context))

/** Ten minutes before the car leaves a person takes the goods of what was cancelled out of a supply, which no turn does. */
const takenOut = (world: Scenario.World): void => {
  const shop = shopOf(world)
  for (const { handOverBy, name } of Script.waves) {
    const leftMs = Script.startMs + handOverBy * Script.minuteMs - world.now()
    if (leftMs < 0 || leftMs > 10 * Script.minuteMs) continue
    for (const supply of shop.shop.supplies.values()) {
      const inside = Orders.inSupply(shop, supply.id, world.now())
      const isHeld = inside.some((order) => Orders.platformStatus(shop, order, world.now()) !== "waiting")
      if (supply.closedAt === undefined && isHeld && supply.name.includes(` ${name} `))
        Supplies.close(shop, supply, world.now())
    }
  }
}

it(
  "puts every deliverable order of a day into one supply, none that is cancelled, and says why of what is left",
  () =>
    Scenario.run({ rules: [policy], scale }, (world) =>
      Effect.gen(function* () {
        shopOf(world).shop.ordersTo = world.now()
        expect(world.now()).toBe(Script.startMs)
        const cancelled = new Map<number, Script.Cancelled>()
        let coming = Script.happenings(ordersOfTheDay)
        while (world.now() < Script.endMs) {
          coming = happened(world, coming, cancelled)
          const begunAt = world.now()
          expect((yield* turn(world))._tag).toBe("Done")
          // Nothing of a turn may hold up the orders of others.
          expect([Judge.at(begunAt), world.now() - begunAt < mostOfTurnMs]).toEqual([Judge.at(begunAt), true])
          yield* marked(world)
          takenOut(world)
          yield* world.advance(turnMs - ((world.now() - Script.startMs) % turnMs))
        }
        expect(coming.map(({ what }) => what)).toEqual([])
        expect(cancelled.size).toBe(Script.cancellations)
        // The marks that the seller gave last.
        yield* turn(world)
        const { left, reviewed } = yield* planned(world)
        expect(reviewed.plan.changes.map(({ action, subject }) => [action, subject])).toEqual([])
        const evidence = {
          seen: seen(world, cancelled),
          ledger: Ledger.report(world.sandbox.ledger, 0),
          told: new Map(left.map(({ orderId, why }) => [orderId, why.code])),
          mostOrders: Script.mostOrders(ordersOfTheDay)
        }
        expect(Judge.problems(evidence)).toEqual([])
        expect(Judge.closedThemselves(evidence).length).toBeGreaterThan(0)
        const written = (operation: string) =>
          world.ledger().filter((entry) => entry.operation === operation && entry.slot !== "order").length
        // The refused pass was booked when the refusal was paid for; nearly all supplies were handed over by turns.
        expect([world.requests("createPass"), written("createPass")]).toEqual([2, 1])
        expect(written("deliverSupply")).toBeGreaterThan(written("createSupply") / 2)
        expect(written("createSupply")).toBeGreaterThan(6)
        expect(world.sandbox.ledger.counters.get("addOrdersToSupply")?.clientErrors).toBeGreaterThanOrEqual(3)
      })
    ),
  600_000
)
