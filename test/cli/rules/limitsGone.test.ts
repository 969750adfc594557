/** A file of limits that is gone: whoever sends would go beyond what the account allowed until then. Judged by the sandbox's ledger. */
import { realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as OpenFiles from "../../OpenFiles.js"
import { often } from "../Daemon.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

const limits = "rules/_shared/limits.yaml"
const lose = () => rmSync(join(shop.folder, limits))
const sent = async () => (await shop.ledger()).entries.length
const gone = expect.stringContaining(
  "limits of the account stood in rules/_shared/limits.yaml until 2026-09-01"
)

describe("a file of limits that is gone", () => {
  it("keeps apply, with and without a saved plan, from sending once a plan had limits", async () => {
    expect(await shop.run("plan", "--out", "before.json")).toMatchObject({ code: 0 })
    lose()
    for (const words of [["--yes"], ["before.json", "--yes"]])
      expect(await shop.run("apply", ...words)).toMatchObject({ code: 1, stderr: gone })
    expect(await shop.run("plan", "--out", "after.json")).toMatchObject({ code: 0, stderr: gone })
    expect(await shop.run("apply", "after.json", "--yes")).toMatchObject({ code: 1, stderr: gone })
    expect(await sent()).toBe(0)
    shop.write(limits, "version: 1\nkind: limits\naccount: {}\n")
    await shop.run("apply", "--yes")
    expect(await sent()).toBeGreaterThan(0)
  })

  it("keeps approve and undo from sending", async () => {
    for (const id of ["02-minus-low-ctr", "03-daily-budget-stop"]) often(shop, id, "disabled")
    await shop.run("apply", "--yes")
    const before = await sent()
    expect(before).toBeGreaterThan(0)
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout)
    often(shop, "02-minus-low-ctr", "approve")
    await shop.run("apply", "--yes")
    const { approvals } = JSON.parse((await shop.run("approvals", "--json")).stdout)
    const asked = await sent()
    lose()
    expect(await shop.run("approve", approvals[0].id)).toMatchObject({ code: 1, stderr: gone })
    expect(await shop.run("undo", runs[0].runId, "--yes")).toMatchObject({ code: 1, stderr: gone })
    expect(await sent()).toBe(asked)
  })

  it("keeps a program that is started again from beginning, and is a problem for doctor", async () => {
    expect(await shop.run("plan")).toMatchObject({ code: 0 })
    lose()
    expect(await shop.run("run", "--once")).toMatchObject({ code: 3, stderr: gone })
    const doctor = await shop.run("doctor")
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toContain("stood in rules/_shared/limits.yaml until 2026-09-01")
  })

  it("keeps a program from beginning anew after one that had nothing to do yet", async () => {
    expect(await shop.run("run", "--once")).toMatchObject({ code: 0 })
    lose()
    expect(await shop.run("run", "--once")).toMatchObject({ code: 3, stderr: gone })
    expect(await shop.run("apply", "--yes")).toMatchObject({ code: 1, stderr: gone })
    expect(await sent()).toBe(0)
  })

  it("keeps a restored store from sending, whether its backup or the store that it replaces had seen limits", async () => {
    const kept = shop.read(limits)
    const folder = `${realpathSync(shop.folder)}/`
    const restore = async (file: string) => {
      await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
      expect(await shop.run("restore", file)).toMatchObject({ code: 0 })
      lose()
      expect(await shop.run("reconcile")).toMatchObject({ code: 0 })
      expect(await shop.run("apply", "--yes")).toMatchObject({ code: 1, stderr: gone })
      expect(await sent()).toBe(0)
    }
    lose()
    expect(await shop.run("plan")).toMatchObject({ code: 0 })
    expect(await shop.run("backup", "without.gz")).toMatchObject({ code: 0 })
    shop.write(limits, kept)
    expect(await shop.run("plan")).toMatchObject({ code: 0 })
    expect(await shop.run("backup", "with.gz")).toMatchObject({ code: 0 })
    await restore("without.gz")
    await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
    rmSync(join(shop.folder, ".bidhelm"), { recursive: true })
    shop.write(limits, kept)
    await restore("with.gz")
  }, 60_000)

  it("is told by the file in which they stood, which may be any", async () => {
    shop.write("rules/own.yaml", shop.read(limits))
    lose()
    expect(await shop.run("plan")).toMatchObject({ code: 0 })
    rmSync(join(shop.folder, "rules/own.yaml"))
    expect((await shop.run("plan")).stderr).toContain(
      "limits of the account stood in rules/own.yaml until 2026-09-01"
    )
  })

  it("keeps what a person sends by hand from going, and nothing that only reads", async () => {
    expect(await shop.run("plan")).toMatchObject({ code: 0 })
    lose()
    const item = { nm_id: 200_000_001, bid_kopecks: 41_000, placement: "search" }
    const bid = { bids: [{ advert_id: 1_000_001, nm_bids: [item] }] }
    for (const words of [
      ["call", "createSupply", "--params", JSON.stringify({ name: "by hand" }), "--yes"],
      ["call", "setItemBids", "--params", JSON.stringify(bid), "--yes"],
      ["orders", "cancel", "5000001", "--yes"],
      ["supplies", "move", "5000001", "--to", "other", "--yes"]
    ]) {
      const said = await shop.run(...words)
      expect(said.code).not.toBe(0)
      expect(said.stdout + said.stderr).toMatch(/stood in rules\/_shared\/limits.yaml until 2026-09-01/)
    }
    expect(await sent()).toBe(0)
    expect(await shop.run("orders")).toMatchObject({ code: 0 })
    expect(await shop.run("call", "listCampaignIds")).toMatchObject({ code: 0 })
  })
})

describe("rules that never had limits of the account", () => {
  it("are applied, and plan, apply and doctor say that only each policy's own limits hold", async () => {
    const told = expect.stringContaining("no limits of the account: no rule file has kind: limits")
    lose()
    expect(await shop.run("plan")).toMatchObject({ code: 0, stderr: told })
    expect(await shop.run("doctor")).toMatchObject({ code: 0, stdout: told })
    shop.write("trial/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {changes_per_run: 5}\n")
    shop.write(
      "trial/a.yaml",
      "version: 1\nname: a\nschedule: {every: 1h}\neach: campaign\nwhen: campaign.status = active\ndo: pause\n"
    )
    expect(await shop.run("plan", "--rules", "trial")).toMatchObject({ code: 0 })
    expect((await shop.run("apply", "--yes")).stderr).toEqual(told)
    expect(await sent()).toBeGreaterThan(0)
  })
})
