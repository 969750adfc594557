/** A saved plan that somebody changed, or that another store made: judged by what the marketplace accepted. */
import { chmodSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import type { Change, Plan } from "../../src/engine/decide/Plan.js"
import * as Summary from "../../src/engine/decide/Summary.js"
import * as Shop from "./Shop.js"

beforeAll(Shop.build)
afterAll(Shop.removeBuild)

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

const saved = async (): Promise<Plan> => {
  await shop.run("plan", "--out", "plan.json")
  return JSON.parse(shop.read("plan.json")) as Plan
}

/** Writes the plan with changes of somebody's own and a seal that fits them, as two lines of script do. */
const forge = (plan: Plan, mend: (change: Change) => Change, more: Partial<Plan> = {}): void => {
  const { id: _, seal: __, summary: ___, ...draft } = { ...plan, changes: plan.changes.map(mend), ...more }
  shop.write("plan.json", JSON.stringify(Summary.seal(draft)))
}

const sent = async () => (await shop.ledger()).entries

describe("a forged plan", () => {
  const dear = (change: Change): Change =>
    change.action === "raise_bid" ? { ...change, after: 89_900 } : change

  it("is not known to the store, and is not applied by --yes alone", async () => {
    forge(await saved(), dear)
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(code).toBe(1)
    expect(stderr).toContain("This store did not make this plan")
    expect(stderr).toContain("--made-elsewhere")
    expect(await sent()).toEqual([])
  })

  it("sends no bid above its rule's cap, and each such change is named", async () => {
    const plan = await saved()
    const raises = plan.changes.filter(({ action }) => action === "raise_bid")
    forge(plan, dear)
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(1)
    for (const { after, before, policy } of raises.slice(0, 3))
      expect(stderr).toContain(`by ${policy}, ${before} → 89900: the policy makes it ${before} → ${after}`)
    expect(stderr).toContain(`${raises.length} changes of ${plan.changes.length} in the file are not what`)
    expect(await sent()).toEqual([])
  })

  it("gives no change of one policy to another that needs nobody's word", async () => {
    const rule = "rules/03-daily-budget-stop.yaml"
    shop.write(rule, shop.read(rule).replace(/^mode: apply/m, "mode: approve"))
    const plan = await saved()
    expect(plan.changes.some(({ action, policy }) => action === "pause" && policy.startsWith("03"))).toBe(
      true
    )
    forge(plan, (change) => (change.action === "pause" ? { ...change, policy: "02-minus-low-ctr" } : change))
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(1)
    expect(stderr).toContain("by 02-minus-low-ctr, active → paused: the policy does not make this change")
    expect(await sent()).toEqual([])
  })

  it("adds no change of its own, and takes nothing back that the journal does not have", async () => {
    const plan = await saved()
    const [first] = plan.changes
    const undone = { runId: "run-1", changeId: first!.id, policy: first!.policy }
    forge(plan, (change) => change, {
      changes: [...plan.changes, { ...first!, policy: "undo", policyLine: 0, undoes: undone, after: 12_300 }]
    })
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(1)
    expect(stderr).toContain("1 change of")
    expect(stderr).toContain("what is taken back stands in this store alone")
    expect(await sent()).toEqual([])
  })

  it("is not made young again by another date", async () => {
    const plan = await saved()
    const { id: _, seal: __, summary: ___, ...draft } = plan
    const createdAt = new Date(Date.parse(plan.createdAt) + 60_000).toISOString()
    shop.write("plan.json", JSON.stringify(Summary.seal({ ...draft, createdAt })))
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(code).toBe(1)
    expect(stderr).toContain("This store did not make this plan")
    expect(await sent()).toEqual([])
  })
})

describe("a plan made elsewhere", () => {
  it("is applied exactly once a person says so, as far as the rules do the same here", async () => {
    const plan = await saved()
    rmSync(join(shop.folder, ".bidhelm"), { recursive: true, force: true })
    expect((await shop.run("apply", "plan.json", "--yes")).code).toBe(1)
    expect(await sent()).toEqual([])
    const { code, stderr, stdout } = await shop.run(
      "apply",
      "plan.json",
      "--yes",
      "--made-elsewhere",
      "--json"
    )
    expect(stderr).toContain("A new plan decides what of it is applied")
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ counts: { applied: plan.changes.length } })
    expect(await shop.compare(plan.changes)).toMatchObject({ missing: [], surplus: [] })
  })

  it("chooses of what the rules do: changes that it leaves out are not made", async () => {
    const plan = await saved()
    const few = plan.changes.filter(({ action }) => action === "pause")
    forge(plan, (change) => change, { changes: few })
    const { code } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(0)
    expect(await shop.compare(few)).toEqual({ agreed: few.length, missing: [], surplus: [] })
  })
})

describe("a saved plan", () => {
  it("is sent by nobody's word where nobody can answer", async () => {
    await saved()
    const { code, stderr } = await shop.run("apply", "plan.json")
    expect(code).toBe(1)
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(stderr).toContain("--yes")
    expect(await sent()).toEqual([])
  })

  it("is for its owner alone, also where a file with wider permissions was", async () => {
    const modeOf = () => statSync(join(shop.folder, "plan.json")).mode & 0o777
    await saved()
    expect(modeOf()).toBe(0o600)
    chmodSync(join(shop.folder, "plan.json"), 0o644)
    await saved()
    expect(modeOf()).toBe(0o600)
  })
})
