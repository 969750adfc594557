/** What history tells of calls by hand that were sent as they are. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
}, 60_000)
afterAll(() => shop.close())

const latest = async () => {
  const { stdout } = await shop.run("history", "--json", "--limit", "1")
  return (
    (JSON.parse(stdout) as { readonly runs: ReadonlyArray<{ readonly runId: string }> }).runs[0]?.runId ?? ""
  )
}
const called = async () => {
  const { code } = await shop.run("call", "deletePass", "--params", '{"passId": 7}', "--yes")
  const runId = await latest()
  const { stdout } = await shop.run("history", runId, "--json")
  return { code, told: (await shop.run("history", runId)).stdout, call: JSON.parse(stdout).call as unknown }
}

it("says what was called, how it ended and what that means, where the marketplace refused it", async () => {
  const { call, code, told } = await called()
  expect(code).toBe(1)
  expect(told).toMatch(/^call deletePass .*7.*: failed; it was refused, and changed nothing\n$/)
  expect(call).toEqual({
    operation: "deletePass",
    status: "failed",
    why: "it was refused, and changed nothing"
  })
})

it("says that nobody knows, where no answer came", async () => {
  await shop.control("faults", { faults: [{ operation: "deletePass", count: 1, kind: "dropAnswer" }] })
  const { call, told } = await called()
  expect(told).toContain(": interrupted; nobody knows whether it arrived")
  expect(call).toMatchObject({ operation: "deletePass", status: "interrupted" })
})
