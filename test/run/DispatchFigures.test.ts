/** What a turn of the orders' lane tells operators: what waits, what may miss its wave, what has, and which hand-overs lack a pass. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as CycleFigures from "../../src/cli/daemon/CycleFigures.js"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import * as Control from "../../src/sandbox/Control.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Script from "../fulfilment/day/DayScript.js"
import * as Exposed from "../observe/Exposed.js"
import * as Scenario from "../scenario/Scenario.js"

const policy = { path: "rules/13-fulfilment.yaml", text: Script.policy("approve", 40) }
const scale = { campaigns: 1, items: 1, clusters: 1 }

const turn = (world: Scenario.World) =>
  Effect.flatMap(Deferred.make<void>(), (stopping) =>
    world.cycle(
      {
        account: Scenario.account,
        lane: "orders",
        due: new Set(world.rules.fulfilment.map(({ id }) => id as string)),
        stopping,
        loaded: { rules: world.rules, version: "1", problem: undefined }
      },
      undefined,
      CycleFigures.watching({ account: Scenario.account, lane: "orders" })
    )
  )

const names = ["orders_waiting", "orders_at_risk", "orders_late", "hand_overs_without_pass"] as const

const told = Effect.map(Exposition.current, (page) => {
  const shown = Exposed.parse(page)
  return names.map(
    (name) =>
      shown.get(`bidhelm_${name}`)?.samples.find(({ labels }) => labels.account === Scenario.account)?.value
  )
})

/** Changes of the orders' lane that wait for a person; figures of plans are told apart by lane, and the process may know other accounts. */
const heldForApproval = Effect.map(Exposition.current, (page) => {
  const held = Exposed.parse(page).get("bidhelm_held_changes")?.samples ?? []
  return held.find(
    ({ labels: { account, lane, reason } }) =>
      account === Scenario.account && lane === "orders" && reason === "approval"
  )?.value
})

const make = (world: Scenario.World, count: number): void => {
  const url = new URL(`http://sandbox${Control.prefix}shop`)
  const body = JSON.stringify({ play: "make_orders", count, markedShare: 0 })
  expect(Control.answer(world.sandbox, "POST", url, body, world.now()).status).toBeLessThan(300)
}

it("are orders that wait, that are at risk once their wave is near, and late once it has left", () =>
  Scenario.run({ rules: [policy], scale }, (world) =>
    Effect.gen(function* () {
      world.sandbox.world(defaultSeller).shop.ordersTo = world.now()
      // Orders come of themselves as well.
      make(world, 8)
      expect(yield* told).toEqual([undefined, undefined, undefined, undefined])
      // Nobody agrees to anything all day long.
      const wave = Script.waves[0]!
      yield* world.advance(20 * Script.minuteMs)
      yield* turn(world)
      const [waiting = 0, atRisk, late, withoutPass = 0] = yield* told
      expect(waiting).toBeGreaterThanOrEqual(8)
      expect([atRisk, late]).toEqual([0, 0])
      expect(withoutPass).toBeGreaterThan(0)
      yield* world.advance(Script.startMs + (wave.handOverBy - 20) * Script.minuteMs - world.now())
      yield* turn(world)
      expect(yield* heldForApproval).toBeGreaterThan(0)
      const near = yield* told
      expect(near[0]).toBeGreaterThanOrEqual(waiting)
      expect(near.slice(1, 3)).toEqual([near[0], 0])
      yield* world.advance(25 * Script.minuteMs)
      yield* turn(world)
      expect((yield* told).slice(1, 3)).toEqual([0, near[0]])
    })
  ))
