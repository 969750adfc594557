import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as LabelChecks from "../../src/sandbox/shop/LabelChecks.js"
import * as Staging from "../../src/sandbox/shop/Staging.js"
import * as Warehouses from "../../src/sandbox/shop/Warehouses.js"
import * as ShopLook from "./chaos/ShopLook.js"

const minuteMs = 60_000

it("knows that a mark was being checked while a turn may have looked, though the check has ended since (seed 7440)", async () => {
  const at = Date.parse("2026-09-01T06:00:00Z")
  const sandbox = await Effect.runPromise(Sandbox.make({ originMs: at }))
  const world = sandbox.world(defaultSeller)
  const made = Staging.make(
    world,
    {
      count: 1,
      warehouses: [Warehouses.lately.id],
      cargo: [1],
      crossBorderShare: 0,
      businessShare: 0,
      markedShare: 1,
      marks: ["uin"],
      minutesAgo: 4
    },
    at
  )
  const [id] = Array.isArray(made) ? (made as ReadonlyArray<number>) : []
  const order = world.shop.orders.get(id!)!
  LabelChecks.set(world, order, "uin", ["1234000011112222"], at, {
    checkMs: 30 * minuteMs,
    verdict: "filled"
  })
  const isFailing = (minutes: number) =>
    ShopLook.of(sandbox, "addOrdersToSupply", `[${id}]`, at + minutes * minuteMs).orders.map(
      (one) => one.isFailing
    )
  expect([isFailing(29), isFailing(31), isFailing(37)]).toEqual([[true], [true], [false]])
})
