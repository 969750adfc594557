/** Options of the commands around `bidhelm run`: each does what its help says, and each is in the help's examples. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { type CommandText, commands } from "../../../src/cli/terminal/Commands.js"
import { often } from "../Daemon.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  often(shop, "03-daily-budget-stop", "disabled")
})
afterEach(() => shop.close())

const json = async (...words: ReadonlyArray<string>) =>
  JSON.parse((await shop.well(...words, "--json")).stdout)

describe("the help of commands for running months", () => {
  const everywhere = ["--config", "--json", "--account", "--max-wait", "--rules", "--yes", "--limit"]
  const named =
    "run status approvals approve reject hold kill resume holds backup restore reconcile undo resolve history".split(
      " "
    )
  const texts: Readonly<Record<string, CommandText>> = commands

  it.each(named)(
    "shows every option of its own in use: %s",
    async (name) => {
      const help = (await shop.well(name, "--help")).stdout
      const own = [...help.slice(help.indexOf("OPTIONS")).matchAll(/^\(?(?:-\w, )?(--[a-z-]+)/gm)].map(
        ([, flag = ""]) => flag
      )
      const { examples = [], usage } = texts[name] ?? { usage: "" }
      const shown = [usage, ...Object.keys(examples)].join("\n")
      expect(examples.length).toBeGreaterThan(0)
      expect(own).toContain("--json")
      expect(own.filter((flag) => !everywhere.includes(flag) && !shown.includes(flag))).toEqual([])
    },
    30_000
  )
})

describe("reconcile --accept-unread", () => {
  it("lifts the mark although something could not be read, which reconcile alone does not, and says who did", async () => {
    await shop.well("plan")
    await shop.well("backup", "old.gz")
    await shop.well("restore", "old.gz")
    await shop.control("faults", { faults: [{ kind: "refuse", operation: "getPaymentHistory" }] })
    const alone = await shop.run("reconcile")
    expect(alone.code).toBe(1)
    expect(alone.stderr).toContain("bidhelm reconcile --accept-unread")
    expect((await shop.run("apply", "--yes")).stderr).toContain("nothing was sent: the store was restored")
    expect(await json("reconcile", "--accept-unread")).toMatchObject({ lifted: true, marked: true })
    expect(await json("reconcile")).toMatchObject({ lifted: false, marked: false })
    const chain = (await shop.well("history", "--export", "-")).stdout
    expect(chain).toContain("accepted although not everything could be read")
    await shop.well("apply", "--yes")
  }, 120_000)
})

describe("the options of run, hold, resume, kill and undo", () => {
  it("run --once takes --account, --rules and --json, and says what is wrong with them", async () => {
    expect((await shop.run("run", "--once", "--account", "nobody")).stderr).toContain("nobody")
    expect(await shop.run("run", "--once", "--rules", "nowhere")).toMatchObject({ code: 1 })
    for (const id of ["01-raise-to-reach-max", "02-minus-low-ctr"]) often(shop, id, "preview")
    await shop.well("run", "--once", "--account", "main", "--rules", "rules", "--json")
    await new Promise((wake) => setTimeout(wake, 6000))
    const { stdout } = await shop.well("run", "--once", "--account", "main", "--rules", "rules", "--json")
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    expect(lines).toEqual([expect.objectContaining({ kind: "cycle", account: "main", outcome: "done" })])
    expect((await shop.ledger()).entries).toEqual([])
  }, 120_000)

  it("run --once forgets what is old, as the program that runs on does", async () => {
    const { DatabaseSync } = await import("@photostructure/sqlite")
    await shop.well("run", "--once")
    const database = new DatabaseSync(join(shop.folder, ".bidhelm/bidhelm.sqlite"))
    const old = "2020-01-01T00:00:00.000Z"
    database.exec("DELETE FROM store_marks WHERE name = 'purged'")
    database.exec(
      `INSERT INTO plans (plan_id, account, created_at, plan) VALUES ('old', 'main', '${old}', x'')`
    )
    const { stderr } = await shop.well("run", "--once")
    const left = database.prepare("SELECT 1 FROM plans WHERE plan_id = 'old'").all()
    database.close()
    expect(left).toEqual([])
    expect(stderr).toContain("the store has forgotten what was old: plans 1")
  }, 120_000)

  it("hold, resume and kill mean exactly what they name", async () => {
    expect((await shop.run("hold", "--policy", "a", "--target", "7")).stderr).toContain("not both")
    expect((await shop.run("hold", "--target", "seven")).stderr).toContain("CAMPAIGN/ITEM")
    expect((await shop.run("hold", "--for", "soon")).stderr).toContain("--for soon")
    const { hold } = await json(
      "hold",
      "--account",
      "main",
      "--target",
      "7/8",
      "--for",
      "3h",
      "--why",
      "photo"
    )
    expect(hold).toMatchObject({
      kind: "target",
      what: "7/8",
      why: "photo",
      until: hold.since + 3 * 3_600_000
    })
    await shop.well("hold", "--policy", "02-minus-low-ctr")
    await shop.well("kill", "--why", "looks wrong")
    expect((await shop.well("holds")).stdout).toMatch(/looks wrong/)
    await shop.well("resume", "--kill")
    await shop.well("resume", "--policy", "02-minus-low-ctr")
    const left = (await shop.well("holds")).stdout
    expect(left).toContain("7/8")
    expect(left).not.toMatch(/looks wrong|02-minus/)
    await shop.well("resume", "--target", "7/8", "--account", "main")
    expect((await shop.well("holds")).stdout).not.toContain("7/8")
  }, 120_000)

  it("undo keeps to --only, saves with --out, and minds the limits of --rules", async () => {
    await shop.well("apply", "--yes")
    const [{ runId }] = (await json("history", "--limit", "1")).runs
    const { changes } = await json("history", runId)
    const campaignId = changes[0].change.subject.campaignId as number
    expect((await shop.run("undo", runId, "--only", "nonsense", "--dry-run")).stderr).toContain(
      "policy=01-raise"
    )
    const { plan } = await json("undo", runId, "--only", `campaign=${campaignId}`, "--dry-run")
    expect(plan.changes.length).toBeGreaterThan(0)
    expect(plan.changes.length).toBeLessThan(changes.length)
    const before = (await shop.ledger()).entries.length
    await shop.well("undo", runId, "--only", "policy=01-raise-to-reach-max", "--out", "undo.json")
    expect((await shop.ledger()).entries.length).toBe(before)
    const never = shop
      .read("rules/_shared/limits.yaml")
      .replace(/^account:.*$/m, (line) => `${line}\n  kill_switch: true`)
    shop.write("other/_shared/limits.yaml", never)
    const held = await shop.run("undo", runId, "--yes", "--rules", "other")
    expect((await shop.ledger()).entries.length, held.stderr).toBe(before)
    rmSync(join(shop.folder, "other"), { recursive: true })
    await shop.well("apply", "undo.json", "--yes")
    expect((await shop.ledger()).entries.length).toBeGreaterThan(before)
  }, 120_000)
})
