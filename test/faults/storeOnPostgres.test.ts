/** Every command that looks after the store, or asks it, by the real program on a real PostgreSQL. */
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest"
import type * as Shop from "../cli/Shop.js"
import * as Postgres from "../store/Postgres.js"
import * as PostgresShop from "./PostgresShop.js"
import * as Stage from "./Stage.js"

afterAll(Postgres.end)

let shop: Shop.Shop
beforeEach(async () => {
  shop = await PostgresShop.open(await (await Postgres.shared()).fresh(), ["bids", "deposit", "status"])
})
afterEach(() => shop.close())

const well = (...words: ReadonlyArray<string>) => PostgresShop.well(shop, ...words)
const told = async (...words: ReadonlyArray<string>) => JSON.parse((await well(...words, "--json")).stdout)
const effects = async () => (await Stage.nothingTwice(shop)).length

describe("a store on PostgreSQL", () => {
  it("that nothing made yet is not backed up", async () => {
    const fresh = await PostgresShop.open(await (await Postgres.shared()).fresh(), ["bids"])
    const early = await fresh.run("backup", "early.gz")
    expect([early.code, early.stderr]).toEqual([1, expect.stringContaining("there is no store yet")])
    await fresh.close()
  })

  it("is backed up, restored, reconciled, verified, handed out and purged, and nothing is done twice", async () => {
    expect((await well("reconcile")).stdout).toContain("Nothing to do")
    await well("hold", "--policy", "status", "--why", "sale")
    await well("apply", "--yes")
    expect(await effects()).toBe(5)
    const backup = await told("backup", "one.gz")
    expect(backup.heads).toMatchObject([{ account: "main" }])
    await well("resume", "--policy", "status")
    await well("apply", "--yes")
    expect(await effects()).toBe(6)

    const restored = await told("restore", "one.gz")
    expect(restored).toMatchObject({ from: "postgres", rows: backup.rows })
    expect(restored.replaced).toMatch(/^replaced-.*\.bidhelm\.gz$/)
    const refused = await shop.run("apply", "--yes")
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/restored.*bidhelm reconcile/)])
    expect(await told("reconcile")).toMatchObject({ lifted: true, unread: [], toHold: ["deposit"] })
    await well("resume", "--policy", "status")
    await well("apply", "--yes")
    expect(await effects()).toBe(6)
    expect((await well("holds")).stdout).toContain("policy deposit: on hold")

    const verified = await told("history", "--verify")
    expect(verified).toMatchObject({ accounts: [{ account: "main", breaks: [] }] })
    await well("history", "--export", "history.ndjson")
    const lines = shop.read("history.ndjson").trim().split("\n")
    const kinds = lines.map((line) => (JSON.parse(line) as { readonly kind: string }).kind)
    expect(kinds.filter((kind) => kind === "audit")).toHaveLength(verified.accounts[0].rows)
    expect(new Set(kinds)).toEqual(new Set(["run", "change", "audit"]))
    expect(await told("store", "purge", "--dry-run")).toMatchObject({ dryRun: true, runs: 0, changes: 0 })
    expect(await told("store", "purge")).toMatchObject({ dryRun: false, runs: 0, changes: 0 })
    await PostgresShop.nothingOpen(shop)
  })

  it("finds a row that somebody edited in the database", async () => {
    await well("apply", "--yes")
    const url = /^store: (.*)$/m.exec(shop.read("bidhelm.yaml"))?.[1] ?? ""
    await PostgresShop.ask(url, "UPDATE audit SET who = 'nobody' WHERE seq = 2")
    const broken = await shop.run("history", "--verify")
    expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining("main, record 2")])
  })

  it("keeps holds, the kill switch and approvals, asked and answered", async () => {
    const [path, rule] = Stage.rules.bids
    shop.write(path, rule.replace("mode: apply", "mode: approve"))
    await well("kill", "--why", "looks wrong")
    expect((await well("apply", "--yes")).stdout).toContain("Nothing to apply")
    await well("resume", "--kill")
    await well("hold", "--policy", "deposit")
    await well("hold", "--policy", "status")
    expect((await told("holds")).holds).toHaveLength(2)
    expect((await well("apply", "--yes")).stderr).toContain("wait for approval")
    expect(await effects()).toBe(0)
    const { approvals } = await told("approvals")
    expect(approvals).toMatchObject([{ state: "requested" }])
    expect((await well("approvals", approvals[0].id)).stdout).toContain(`bidhelm approve ${approvals[0].id}`)
    await well("approve", approvals[0].id, "--why", "as agreed")
    expect(await effects()).toBe(4)
    expect((await shop.run("approve", approvals[0].id)).stderr).toContain("is applied")
    await PostgresShop.nothingOpen(shop)
  })
})
