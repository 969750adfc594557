/** The real program against the sandbox marketplace over HTTP, as a seller would use it. */
import { readFileSync } from "node:fs"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { parse } from "yaml"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Bundle from "./Bundle.js"
import * as Shop from "./Shop.js"

let shop: Shop.Shop
beforeAll(() => void Bundle.program(), Bundle.withinMs)
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

const planned = async (): Promise<Plan> => JSON.parse((await shop.run("plan", "--json")).stdout) as Plan

describe("check", () => {
  it("accepts the starter rules", async () => {
    const { code, stderr, stdout } = await shop.run("check")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    expect(stderr).toContain("no errors")
  })

  it("names every problem and ends with 3", async () => {
    shop.write(
      "rules/04-wrong.yaml",
      "version: 1\nname: Wrong\neach: cluster\nwindow: 7d\nwhne: ctr < 0.01\ndo: pause\n"
    )
    const { code, stdout } = await shop.run("check", "--json")
    const report = JSON.parse(stdout) as { problems: ReadonlyArray<{ file: string; line: number }> }
    expect(code).toBe(3)
    expect(report.problems).toContainEqual(
      expect.objectContaining({ file: "rules/04-wrong.yaml", line: 5, code: "K01" })
    )
  })
})

describe("plan and apply", () => {
  it("applies exactly the saved plan, once, and then has nothing left to do", async () => {
    const plan = await shop.run("plan", "--out", "plan.json", "--detailed-exitcode")
    expect(plan.code).toBe(2)
    expect(await shop.ledger()).toMatchObject({ entries: [] })
    const saved = JSON.parse(shop.read("plan.json")) as Plan
    expect(new Set(saved.changes.map((change) => change.action))).toEqual(
      new Set(["raise_bid", "lower_bid", "add_minus", "pause"])
    )

    const applied = await shop.run("apply", "plan.json", "--yes", "--json")
    expect(applied).toMatchObject({ code: 0 })
    expect(JSON.parse(applied.stdout)).toMatchObject({
      version: 1,
      kind: "apply",
      planId: saved.id,
      status: "done",
      counts: { applied: saved.changes.length }
    })
    expect(await shop.compare(saved.changes)).toEqual({
      agreed: saved.changes.length,
      missing: [],
      surplus: []
    })
    expect((await shop.ledger()).breaches).toBe(0)

    const second = await shop.run("plan", "--detailed-exitcode", "--json")
    expect(second.code).toBe(0)
    expect((JSON.parse(second.stdout) as Plan).changes).toEqual([])

    const again = await shop.run("apply", "plan.json", "--yes", "--json")
    expect(await shop.compare(saved.changes)).toEqual({
      agreed: saved.changes.length,
      missing: [],
      surplus: []
    })
    expect(again.code).toBe(0)

    const history = await shop.run("history", "--json")
    const { runs } = JSON.parse(history.stdout) as { runs: ReadonlyArray<{ runId: string; status: string }> }
    expect(runs.at(-1)).toMatchObject({ status: "done", counts: { applied: saved.changes.length } })
    const run = await shop.run("history", runs.at(-1)?.runId ?? "")
    expect(run.stdout.match(/applied \(done and seen\)/g)).toHaveLength(saved.changes.length)
  })

  it("applies a saved plan's deposits, and what the limits themselves lower, under a limit on spend", async () => {
    shop.write(
      "rules/_shared/limits.yaml",
      "version: 1\nkind: limits\naccount:\n  max_bid: {cpm: 110 ₽}\n  enforce_max_bid: apply\n  spend_per_day: 9000000 ₽\n"
    )
    shop.write(
      "rules/09-top-up.yaml",
      "version: 1\nname: Top up\nmode: apply\neach: campaign\nwhen: campaign.status = active and budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}\n"
    )
    await shop.allowDeposits()
    await shop.run("plan", "--out", "plan.json")
    const saved = JSON.parse(shop.read("plan.json")) as Plan
    const wanted = saved.changes.filter(
      ({ action, origin: { name: policy } }) => action === "deposit" || policy.startsWith("limits/max-bid")
    )
    expect(new Set(wanted.map(({ action }) => action))).toEqual(new Set(["deposit", "set_bid"]))
    const { stdout } = await shop.run("apply", "plan.json", "--yes", "--json")
    expect(JSON.parse(stdout)).toMatchObject({ counts: { applied: saved.changes.length } })
  })

  it("sends nothing when nobody can approve", async () => {
    const { code, stderr } = await shop.run("apply")
    expect(code).toBe(1)
    expect(stderr).toContain("--yes")
    expect((await shop.ledger()).entries).toEqual([])
  })

  it("leaves alone what somebody changed since the plan, and says so", async () => {
    await shop.run("plan", "--out", "plan.json")
    const saved = JSON.parse(shop.read("plan.json")) as Plan
    const touched = saved.changes.find((change) => change.kind === "cluster_bid")
    if (touched === undefined) throw new Error("the plan raises no bid")
    await shop.control("human-edit", { ...touched.subject, bidKopecks: 33_300 })

    const { code, stdout } = await shop.run("apply", "plan.json", "--yes", "--json")
    const report = JSON.parse(stdout) as {
      changes: ReadonlyArray<{ change: { id: string }; state: string; detail: string; code: string }>
    }
    expect(code).toBe(4)
    const skipped = report.changes.filter((row) => row.state !== "applied")
    expect(skipped).toMatchObject([{ change: { id: touched.id }, state: "skipped" }])
    expect(skipped[0]?.detail).toContain("changed by someone")
    expect(skipped[0]?.code).toBe("changed_by_hand")
    const others = saved.changes.filter((change) => change.id !== touched.id)
    const entries = (await shop.ledger()).entries.filter((entry) => entry.operation !== "human-edit")
    expect(
      entries.some((entry) => entry.slot === "bid" && entry.target.cluster === touched.subject.cluster)
    ).toBe(false)
    expect(others.length).toBeGreaterThan(0)
  })

  it("refuses a saved plan that was edited, and sends nothing", async () => {
    await shop.run("plan", "--out", "plan.json")
    shop.write("plan.json", shop.read("plan.json").replace(/"after": \d+/, '"after": 44900'))
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(code).toBe(1)
    expect(stderr).toContain("changed after it was made")
    expect((await shop.ledger()).entries).toEqual([])
  })

  it("holds everything back while the kill switch is on", async () => {
    shop.write(".bidhelm/STOP", "")
    const plan = await planned()
    expect(plan.changes).toEqual([])
    expect(plan.held.length).toBeGreaterThan(0)
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    expect((await shop.ledger()).entries).toEqual([])
  })

  it("prints the same plan in every format", async () => {
    const text = await shop.run("plan")
    const markdown = await shop.run("plan", "--format", "markdown")
    const html = await shop.run("plan", "--format", "html")
    expect([text.code, markdown.code, html.code]).toEqual([0, 0, 0])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with an escape character
    expect(text.stdout).not.toMatch(/\u001b\[/)
    expect(markdown.stdout).toMatch(/^# Plan /)
    expect(html.stdout).toMatch(/^<!doctype html>/)
  })
})

describe("explain", () => {
  it("shows every condition of every rule with its value", async () => {
    const plan = await planned()
    const change = plan.changes.find((one) => one.action === "raise_bid")
    if (change === undefined) throw new Error("the plan raises no bid")
    const { campaignId, cluster, itemId } = change.subject
    const { code, stdout } = await shop.run("explain", `${campaignId}/${itemId}/${cluster}`)
    expect(code).toBe(0)
    expect(stdout).toMatch(/01-raise-to-reach-max, \w+ money left: acts: bid \d+ → \d+ ₽/)
    expect(stdout).toMatch(/02-minus-low-ctr: does not act/)
    expect(stdout).toMatch(/03-daily-budget-stop: /)
    for (const condition of ["orders >= 3", "ctr < 1%", "spend default 0 ₽ >= $daily"])
      expect(stdout).toContain(condition)
  })
})

describe("call", () => {
  it("lists the 90 operations as the contract has them", async () => {
    const { stdout } = await shop.run("call", "--list", "--json")
    const { operations } = JSON.parse(stdout) as { operations: ReadonlyArray<Record<string, unknown>> }
    const contract: { operations: ReadonlyArray<Record<string, unknown>> } = parse(
      readFileSync(new URL("../contract/operations.yaml", import.meta.url), "utf8")
    )
    expect(operations).toHaveLength(90)
    expect(operations.map(listed)).toEqual(contract.operations.map(stated))
  })

  it("tells all about one operation", async () => {
    const { stdout } = await shop.run("call", "createPass", "--describe")
    for (const told of [
      "POST /api/v3/passes",
      "needs --yes",
      "firstName",
      "1 per 10 min",
      "counts as 10",
      "O24"
    ])
      expect(stdout).toContain(told)
    const json = await shop.run("call", "getOrderFeed", "--describe", "--json")
    expect(JSON.parse(json.stdout)).toMatchObject({
      id: "getOrderFeed",
      notes: [{ id: "A09" }, { id: "A10" }]
    })
  })

  it("reads at once, and writes only when told to", async () => {
    const { stdout } = await shop.run("call", "listCampaignIds")
    expect(JSON.parse(stdout)).toMatchObject({ all: 3 })
    const refused = await shop.run("call", "pauseCampaign", "--params", '{"id": 1000001}')
    expect(refused.code).toBe(1)
    expect((await shop.ledger()).entries).toEqual([])
    expect((await shop.run("call", "pauseCampaign", "--params", '{"id": 1000001}', "--yes")).code).toBe(0)
    expect((await shop.ledger()).entries).toMatchObject([{ operation: "pauseCampaign", slot: "status" }])
    const history = await shop.run("history", "--json")
    expect(JSON.parse(history.stdout)).toMatchObject({
      runs: [{ status: "done", counts: { applied: 1 } }]
    })
  })

  it("suggests the right name for a wrong one", async () => {
    const { code, stderr } = await shop.run("call", "pauseCampain")
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: 'bidhelm: there is no operation "pauseCampain". Did you mean pauseCampaign?\n'
    })
  })
})

describe("doctor and limits", () => {
  it("find nothing wrong with a good account", async () => {
    const { code, stdout } = await shop.run("doctor", "--json")
    expect(code).toBe(0)
    expect(
      (JSON.parse(stdout) as { checks: ReadonlyArray<{ well: boolean }> }).checks.every((c) => c.well)
    ).toBe(true)
    await shop.run("call", "listCampaignIds")
    expect((await shop.run("limits")).stdout).toContain("advert.listCampaignIds")
  })
})

describe("usage", () => {
  it("says what is wrong once and ends with 1", async () => {
    const { code, stderr, stdout } = await shop.run("plan", "--formt", "json")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(stderr).toContain("--formt")
  })

  it("prints help without colour into a pipe", async () => {
    const top = await shop.run("--help")
    const plan = await shop.run("plan", "--help")
    expect([top.code, plan.code]).toEqual([0, 0])
    expect(top.stdout).toContain("bidhelm COMMAND --help")
    expect(plan.stdout).toContain("$ bidhelm plan")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colour codes begin with an escape character
    expect(top.stdout + plan.stdout).not.toMatch(/\u001b\[/)
  })
})

/** The part of a row that is compared, as the program lists it. */
const listed = ({ access, batch, id, limits, method, path }: Record<string, unknown>) => ({
  id,
  method,
  path,
  access,
  batch,
  limits
})

interface StatedBatch {
  readonly field: string
  readonly max: number | null
  readonly min?: number | null
  readonly inner?: { readonly field: string; readonly max: number }
}

/** The same part as the contract states it; null and remarks beside the figures count as nothing. */
const stated = (row: Record<string, unknown>) => {
  const batch = row.batch as StatedBatch | undefined
  const { baseRule, base, personal } = row.limits as Record<string, unknown>
  const figures = batch && {
    field: batch.field,
    ...(batch.min == null ? {} : { min: batch.min }),
    ...(batch.max == null ? {} : { max: batch.max }),
    ...(batch.inner === undefined ? {} : { inner: { field: batch.inner.field, max: batch.inner.max } })
  }
  return {
    id: row.id,
    method: row.method,
    path: row.path,
    access: row.write === true ? "write" : "read",
    batch: figures,
    limits: { personal, base, baseRule }
  }
}
