/** A policy that assembles the orders of one warehouse for a wave at noon, and its turns as the scheduler makes them. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import * as Scenario from "../scenario/Scenario.js"

export const warehouse = Warehouses.lately.id

export const policy = {
  path: "rules/13-fulfilment.yaml",
  text: `version: 1
kind: fulfilment
name: Waves
mode: apply
warehouses: [${warehouse}]
waves:
  - {name: noon, collect_until: "12:30", hand_over_by: "14:00", tz: Europe/Moscow}
`
}

export const shopOf = (world: Scenario.World) => world.sandbox.world(defaultSeller)

/** A turn, under other rules where they are given. */
export const turn = (world: Scenario.World, rules = world.rules) =>
  Effect.gen(function* () {
    const stopping = yield* Deferred.make<void>()
    const loaded = { rules, version: "1", problem: undefined }
    const due = new Set(rules.fulfilment.map(({ id }) => id as string))
    const end = yield* world.cycle({ account: Scenario.account, lane: "orders", due, stopping, loaded })
    if (end._tag !== "Done") throw new Error(JSON.stringify(end))
    return end
  })
