/** kill -9 in the middle of apply: afterwards nothing is sent twice, and nothing is forgotten. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Shop from "./Shop.js"

beforeAll(Shop.build)
afterAll(Shop.removeBuild)

let shop: Shop.Shop | undefined
afterEach(() => shop?.close())

interface Report {
  readonly status?: string
  readonly changes: ReadonlyArray<{ readonly change: Plan["changes"][number]; readonly state: string }>
}

describe("apply, killed in the middle", () => {
  it.each([1, 4, 9])("is finished by the next apply (killed after %i accepted writes)", async (writes) => {
    shop = await Shop.Shop.open({ speed: 20 })
    const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const first = shop.start("apply", "--yes")
    const end = Shop.ended(first)
    while ((await shop.ledger()).entries.length < writes) {
      if (first.exitCode !== null) throw new Error("apply ended before it could be killed")
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    first.kill("SIGKILL")
    expect((await end).code).toBeNull()
    const partly = await shop.compare(plan.changes)
    expect(partly.missing.length).toBeGreaterThan(0)

    const next = await shop.run("apply", "--yes", "--json")
    expect(next.stderr).toContain("An earlier run ended early")
    const report = JSON.parse(next.stdout) as Report
    expect(report.changes.every((row) => row.state === "applied")).toBe(true)

    const whole = await shop.compare(plan.changes)
    expect(whole.surplus).toEqual([])
    const later = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const reported = [...later.held.map((held) => held.change), ...later.unknown, ...later.unchanged].map(
      (row) => Target.key(row.target)
    )
    const lost = whole.missing.filter((fact) => !reported.some((target) => fact.startsWith(`${target} `)))
    expect(lost).toEqual([])
    expect(whole.agreed).toBeGreaterThan(partly.agreed)
  })

  it("refuses a second apply while the first one lives", async () => {
    shop = await Shop.Shop.open({ speed: 20 })
    const first = shop.start("apply", "--yes")
    const end = Shop.ended(first)
    while ((await shop.ledger()).entries.length < 1) await new Promise((resolve) => setTimeout(resolve, 5))
    const second = await shop.run("call", "startCampaign", "--params", '{"id": 1000001}', "--yes")
    expect(second.code).toBe(1)
    expect(second.stderr).toContain("is running")
    expect((await end).code).toBe(0)
  })
})
