import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as PlanFile from "../../src/cli/PlanFile.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Summary from "../../src/engine/decide/Summary.js"
import { samplePlan } from "../reporting/samplePlan.js"

const plan: Plan = Summary.seal({ ...samplePlan })
const madeAt = Date.parse(plan.createdAt)
const hour = 3_600_000

/** What a saved plan comes to: the plan, or the refusal. */
const read = (content: string, account = "demo", nowMs = madeAt + hour): Promise<Plan | string> =>
  Effect.runPromise(
    PlanFile.check("plan.json", content, account, nowMs).pipe(
      Effect.catchAll((refusal) => {
        expect(refusal.code).toBe(1)
        return Effect.succeed(refusal.message)
      })
    )
  )

const text = (of: Plan = plan): string => Effect.runSync(PlanFile.text(of))

describe("a saved plan", () => {
  it("comes back exactly as it was written", async () => {
    expect(await read(text())).toEqual(plan)
  })

  it("is refused for another account", async () => {
    expect(await read(text(), "other")).toMatch(/is for account "demo", not "other"/)
  })

  it("is refused after 24 hours, and from the future", async () => {
    expect(await read(text(), "demo", madeAt + 24 * hour)).toEqual(plan)
    expect(await read(text(), "demo", madeAt + 24 * hour + 1)).toMatch(/within 24 hours/)
    expect(await read(text(), "demo", madeAt - hour)).toMatch(/in the future/)
  })

  it("is refused when any value in it was edited", async () => {
    const edits: ReadonlyArray<readonly [string, string]> = [
      ['"after": 45000', '"after": 95000'],
      ['"campaignId": 778', '"campaignId": 779'],
      ['"женские кеды"', '"мужские кеды"'],
      ['"account": "demo"', '"account": "prod"'],
      [`"id": "${plan.id}"`, `"id": "${"0".repeat(64)}"`]
    ]
    for (const [from, to] of edits) {
      expect(text()).toContain(from)
      expect(await read(text().replace(from, to), "prod")).toMatch(/was edited|is for account/)
      expect(await read(text().replace(from, to))).toMatch(/was edited/)
    }
  })

  it("is refused when it is something else", async () => {
    expect(await read("hello")).toMatch(/not JSON/)
    expect(await read("{}")).toMatch(/is no plan/)
    expect(await read("null")).toMatch(/is no plan/)
    expect(await read('{"version": 2}')).toMatch(/version 2/)
    expect(await read(text().replace('"changes": [', '"surprise": 1, "changes": ['))).toMatch(/is no plan, or was edited/)
  })
})
