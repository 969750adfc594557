/** What docs/operations/backup.md says, with the real program: an old backup is restored, and nothing is done twice. */
import { existsSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  // A paused campaign would take its clusters out of the other rules' scope.
  const pausing = "rules/03-daily-budget-stop.yaml"
  shop.write(pausing, shop.read(pausing).replace("mode: apply", "mode: disabled"))
})
afterEach(() => shop.close())

const topUp = `version: 1
name: Top up
mode: apply
each: campaign
when: campaign.status = active and budget < 1000000 ₽
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽}
`
const json = async (...words: ReadonlyArray<string>) => {
  const { code, stderr, stdout } = await shop.run(...words, "--json")
  return { code, stderr, said: JSON.parse(stdout) }
}
/** Runs a command that must go well. */
const paid = async () =>
  (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length

describe("a store that is restored from an old backup", () => {
  it("only looks until it is reconciled, and then repeats nothing", async () => {
    // Half of the work is in the backup, the other half is not: the phrases, and the last deposits. Those of before are of the
    // same sums, a day ago.
    shop.write("rules/09-top-up.yaml", topUp)
    await shop.allowDeposits()
    await shop.well("apply", "--yes")
    const earlier = await paid()
    expect(earlier).toBeGreaterThan(0)
    shop.write("rules/09-top-up.yaml", topUp.replace("mode: apply", "mode: disabled"))
    await shop.advance(24 * 3_600_000)
    const minus = "rules/02-minus-low-ctr.yaml"
    const own = shop.read(minus)
    shop.write(minus, own.replace("mode: apply", "mode: disabled"))
    await shop.well("apply", "--yes")
    const backup = await shop.run("backup", "old.gz")
    expect(backup).toMatchObject({ code: 0, stderr: "" })
    expect(backup.stdout).toMatch(/^old\.gz: \d+ rows, SHA-256 [0-9a-f]{64}/)
    shop.write(minus, own)
    shop.write("rules/09-top-up.yaml", topUp)
    await shop.well("apply", "--yes")
    const [done, deposits] = [(await shop.ledger()).entries.length, (await paid()) - earlier]
    expect(deposits).toBeGreaterThan(0)

    const restored = await json("restore", "old.gz")
    expect(restored).toMatchObject({ code: 0, said: { kind: "restore", from: "sqlite" } })
    expect(existsSync(join(shop.folder, restored.said.replaced))).toBe(true)

    const plan = await shop.run("plan")
    expect(plan.stderr).toContain("Only looking: the store was restored from a backup of ")
    const refused = await shop.run("apply", "--yes")
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/nothing was sent: the store was restored.*bidhelm reconcile/)
    // Before anything is asked: not even a plan.
    expect([refused.stdout, refused.stderr.trim().split("\n").length]).toEqual(["", 1])

    // Until the marketplace's list of top-ups has the last deposit.
    await shop.advance(180_000)
    await shop.well("hold", "--policy", "09-top-up", "--for", "30d", "--why", "photo shoot")
    const found = await json("reconcile")
    expect(found).toMatchObject({
      code: 0,
      said: {
        lifted: true,
        unread: [],
        toHold: ["09-top-up"],
        replaced: [{ kind: "policy", what: "09-top-up", why: "photo shoot" }]
      }
    })
    const { holds } = (await json("holds")).said
    expect(holds).toMatchObject([{ what: "09-top-up", why: expect.stringContaining("nobody can tell") }])
    expect(holds[0]).not.toHaveProperty("until")
    // The deposits came over with the journal: the marketplace's list holds none that is not known.
    expect(found.said.topUps).toEqual([])
    expect((await shop.run("reconcile")).stdout).toContain("Nothing to do")
    const next = await shop.run("apply", "--yes")
    expect(next.code).toBe(0)
    expect((await shop.ledger()).entries.length).toBe(done)
    expect(await paid()).toBe(earlier + deposits)
    expect((await shop.run("holds")).stdout).toContain("09-top-up")
    const chain = await json("history", "--verify")
    expect(chain).toMatchObject({ code: 0, said: { accounts: [{ breaks: [] }] } })
  })
})

describe("the commands of the store", () => {
  it("say plainly what is wrong, and change nothing then", async () => {
    expect((await shop.run("backup", "early.gz")).stderr).toContain("there is no store yet")
    expect((await shop.run("restore", "none.gz")).stderr).toContain("there is no such file")
    expect((await shop.run("history", "--verify")).stdout).toContain("nothing recorded yet")
    await shop.well("apply", "--yes")
    await shop.well("backup", "one.gz")
    expect((await shop.run("backup", "one.gz")).stderr).toContain(
      "exists, and a backup never replaces another"
    )
    writeFileSync(join(shop.folder, "foreign.gz"), "not a backup")
    expect((await shop.run("restore", "foreign.gz")).stderr).toContain("foreign.gz.sha256 is missing")
    writeFileSync(join(shop.folder, "one.gz.sha256"), `${"0".repeat(64)}  one.gz\n`)
    expect((await shop.run("restore", "one.gz")).stderr).toContain("its SHA-256 differs")
    expect(readdirSync(join(shop.folder, ".bidhelm")).some((name) => name.includes("replaced"))).toBe(false)
    expect((await shop.run("reconcile")).stdout).toContain("Nothing to do: main may be written to")
  })

  it("hand out the journal, count what would be forgotten, and find an edited row", async () => {
    await shop.well("apply", "--yes")
    await shop.well("history", "--export", "history.ndjson")
    const lines = shop.read("history.ndjson").trim().split("\n")
    expect(lines.map((line) => JSON.parse(line).version).every((version) => version === 1)).toBe(true)
    expect((await shop.run("history", "--export", "history.ndjson")).stderr).toContain("exists already")
    const toStdout = await shop.run("history", "--export", "-")
    expect(toStdout.stdout.trim().split("\n")).toEqual(lines)
    expect(await json("store", "purge", "--dry-run")).toMatchObject({
      code: 0,
      said: { dryRun: true, runs: 0 }
    })
    expect((await shop.run("store", "purge")).stdout).toMatch(
      /^(Nothing is old enough|Forgotten: [a-z]+ [1-9])/
    )
    const { DatabaseSync } = await import("@photostructure/sqlite")
    const database = new DatabaseSync(join(shop.folder, ".bidhelm/bidhelm.sqlite"))
    database.exec("UPDATE audit SET who = 'nobody' WHERE seq = 2")
    database.close()
    const broken = await json("history", "--verify")
    expect(broken.code).toBe(1)
    expect(broken.stderr).toContain("the audit chain is broken: main, record 2")
  })
})
