import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Screen from "../../../src/cli/packing/Screen.js"
import * as Output from "../../../src/cli/terminal/Output.js"
import { OrderId } from "../../../src/domain/Ids.js"

it("a line for a program is told apart by its kind, and names the mark's beside it", async () => {
  const told: Array<string> = []
  const sink = { out: (text: string) => told.push(text), err: () => {}, isColoured: false }
  const screen = Screen.make(true, { lines: [], total: 0 })
  await Effect.runPromise(
    Output.into(sink)(screen.mark({ _tag: "Set", orderId: OrderId.make(7), kind: "sgtin" }))
  )
  expect(told.map((one) => JSON.parse(one))).toMatchObject([
    { version: 1, kind: "pack", event: "MarkSet", orderId: 7, markKind: "sgtin" }
  ])
})
