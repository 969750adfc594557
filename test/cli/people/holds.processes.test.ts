import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import { Shop } from "../Shop.js"

let shop: Shop

beforeAll(async () => {
  shop = await Shop.open()
})
afterAll(async () => {
  await shop.close()
})

const planned = async (): Promise<Plan> => JSON.parse((await shop.run("plan", "--format", "json")).stdout)

describe("holds on the command line", () => {
  it("lists nothing at first, refuses what it cannot mean, and lifts nothing that is not there", async () => {
    const empty = await shop.run("holds")
    expect([empty.code, empty.stdout.trim()]).toEqual([0, "nothing of main is on hold"])
    expect((await shop.run("hold", "--target", "shoes")).stderr).toContain("write CAMPAIGN, CAMPAIGN/ITEM")
    expect((await shop.run("hold", "--for", "soon")).stderr).toContain("write a duration such as 90m")
    expect((await shop.run("resume")).stdout.trim()).toBe("there is no hold on the account")
  })

  it("holds a campaign, shows it in list and plan, and gives it back", async () => {
    const before = await planned()
    const { campaignId } = before.changes[0]!.subject
    const held = await shop.run("hold", "--target", `${campaignId}`, "--for", "3d", "--why", "photo shoot")
    expect(held.code).toBe(0)
    expect(held.stdout).toMatch(
      new RegExp(
        `^campaign ${campaignId}: on hold by \\S+ since 2026-09-01 \\d\\d:\\d\\d, until 2026-09-04 \\d\\d:\\d\\d: photo shoot`
      )
    )
    expect((await shop.run("holds")).stdout).toContain(`resume with: bidhelm resume --target ${campaignId}`)
    const { holds } = JSON.parse((await shop.run("holds", "--json")).stdout)
    expect(holds).toMatchObject([{ kind: "target", what: `${campaignId}`, why: "photo shoot" }])
    const plan = await planned()
    expect(plan.changes.some(({ subject: target }) => target.campaignId === campaignId)).toBe(false)
    expect(plan.held.filter(({ by }) => by === "hold").length).toBeGreaterThan(0)
    expect((await shop.run("resume", "--target", `${campaignId}`)).stdout).toContain(
      "lifted the hold on campaign"
    )
    expect((await planned()).held.filter(({ by }) => by === "hold")).toEqual([])
  })

  it("kill sends nothing until resume --kill", async () => {
    expect((await shop.run("kill", "--why", "looks wrong")).code).toBe(0)
    const { stdout } = await shop.run("apply", "--yes")
    expect(stdout).toContain("Nothing to apply")
    expect((await shop.ledger()).entries).toEqual([])
    expect((await shop.run("resume", "--kill")).stdout).toContain("kill switch")
    expect((await shop.run("resume", "--kill")).stdout.trim()).toBe("the kill switch is not on")
  })
})

describe("approvals on the command line", () => {
  it("asks for what mode approve wants, shows it, makes exactly it, and takes no second answer", async () => {
    expect((await shop.run("approvals")).stdout.trim()).toBe("nothing of main waits for approval")
    const changed = (await planned()).policies.filter(({ changes, mode }) => mode === "apply" && changes > 0)
    for (const { id } of changed) {
      shop.write(`rules/${id}.yaml`, shop.read(`rules/${id}.yaml`).replace(/^mode: apply/m, "mode: approve"))
    }
    const asked = await shop.run("apply", "--yes")
    expect(asked.stderr).toContain("wait for approval")
    expect((await shop.ledger()).entries).toEqual([])
    const { approvals } = JSON.parse((await shop.run("approvals", "--json")).stdout)
    expect(approvals).toMatchObject([{ state: "requested", tier: "notable" }])
    const { id, asked: changes } = approvals[0]
    expect(asked.stdout).toContain(
      `Nothing was applied: what there is waits for a person (bidhelm approve ${id})`
    )
    expect(asked.stderr).toContain(`bidhelm approvals ${id}`)
    expect(asked.stderr.split("\n").length).toBeLessThan(20)
    const preview = await shop.run("approvals", id.slice(0, 4))
    expect(preview.stdout).toContain(`bidhelm approve ${id}`)
    expect(preview.stdout).toContain("the policy approves nothing by itself")
    const one = changes[0].id.slice(0, 8)
    const done = await shop.run("approve", id, "--only", one, "--why", "as agreed")
    expect(done.stderr).toMatch(/^not named, so not made: \d+ changes\./)
    expect(done.code).toBe(0)
    expect((await shop.ledger()).entries).toHaveLength(1)
    expect((await shop.run("approve", id)).stderr).toContain("is applied")
    expect((await shop.run("reject", id)).code).toBe(1)
    expect((await shop.run("approvals")).stdout).toContain("applied by ")
  })
})
