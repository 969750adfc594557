/** What people took back, set by hand or rejected after the backup that a store was restored from: no rule goes over it. */
import { realpathSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as OpenFiles from "../../OpenFiles.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write("rules/lower.yaml", rule("apply"))
})
afterEach(() => shop.close())

const rule = (mode: string) =>
  `version: 1
name: Lower
mode: ${mode}
each: cluster
where: campaign.payment = cpm and campaign.id <= 1000002
when: bid > 0 ₽
do:
  lower_bid: {by: 5%, floor: 50 ₽}
cooldown: 1m
`

const json = async (...words: ReadonlyArray<string>) =>
  JSON.parse((await shop.well(...words, "--json")).stdout)
const released = async () => {
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
}
const restore = async () => {
  await released()
  return shop.well("restore", "before.gz")
}
/** How often the marketplace was sent bids. */
const sent = async () =>
  (await shop.ledger()).entries.filter(({ operation }) => operation === "setClusterBids").length

interface Held {
  readonly edits: ReadonlyArray<{ readonly slot: string }>
}
const held = async (): Promise<ReadonlyArray<string>> => {
  const { edits }: Held = await json("holds", "--all")
  return edits.map(({ slot }) => slot)
}
/** A run and an undo of it, after the backup. */
const takenBack = async () => {
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await shop.well("apply", "--yes")
  const [run] = (await json("history")).runs
  await shop.advance(30 * 60_000)
  await shop.well("undo", run.runId, "--yes")
  return sent()
}

it("leaves alone after a restore what a person took back after the backup", async () => {
  const before = await takenBack()
  const { stdout } = await restore()
  expect(stdout).toMatch(/Values that people undid or set by hand since stay left alone: \d+\./)
  await shop.well("reconcile")
  const kept = await held()
  await shop.advance(30 * 60_000)
  expect((await shop.well("apply", "--yes")).stdout).toContain("Nothing to apply")
  expect(await sent()).toBe(before)
  expect(kept.length).toBeGreaterThan(0)
}, 120_000)

it("leaves alone after a restore what a person set back by hand to the value that the backup knows", async () => {
  const bids = async () =>
    (await shop.ledger()).entries.filter(
      ({ operation, slot }) => operation === "setItemBids" && slot === "bid.search"
    )
  shop.write("rules/lower.yaml", rule("apply").replace("each: cluster", "each: campaign_item"))
  await shop.well("apply", "--yes")
  const before = (await bids()).length
  await shop.advance(30 * 60_000)
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await shop.well("apply", "--yes")
  await shop.advance(30 * 60_000)
  const lowered = (await bids()).slice(before)
  for (const { before: bidKopecks, target } of lowered)
    await shop.control("human-edit", { ...target, bidKopecks })
  await shop.advance(30 * 60_000)
  expect((await shop.well("apply", "--yes")).stdout).toContain("Nothing to apply")
  const kept = await held()
  await restore()
  await shop.well("reconcile")
  expect((await shop.well("apply", "--yes")).stdout).toContain("Nothing to apply")
  expect((await bids()).length).toBe(before + lowered.length)
  expect(await held()).toEqual(kept)
  expect(kept.length).toBe(lowered.length)
}, 120_000)

it("keeps what a person gave back to the rules since, and leaves the rest alone", async () => {
  await takenBack()
  const all = await held()
  await shop.well("resume", "--target", "1000001")
  const rest = await held()
  expect(rest.length).toBeLessThan(all.length)
  await restore()
  await shop.well("reconcile")
  expect(await held()).toEqual(rest)
}, 120_000)

it("says what is forgotten where nobody can read the store that is replaced", async () => {
  await takenBack()
  await released()
  const store = join(shop.folder, ".bidhelm/bidhelm.sqlite")
  writeFileSync(store, "no store")
  // What is left of a log may hold all of it.
  for (const part of ["-wal", "-shm"]) rmSync(store + part, { force: true })
  const { stderr } = await restore()
  expect(stderr).toContain("What people took back (bidhelm undo) or set by hand after")
  expect(stderr).toContain("What people said no to after")
  expect(stderr).toContain("Which parcels were packed after")
}, 120_000)

it("asks after a restore no request again that a person rejected after the backup", async () => {
  shop.write("rules/lower.yaml", rule("approve"))
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await shop.well("apply", "--yes")
  const [request] = (await json("approvals")).approvals
  await shop.well("reject", request.id, "--why", "too low")
  const { stdout } = await restore()
  expect(stdout).toContain("Requests that people said no to since stay rejected: 1.")
  await shop.well("reconcile")
  const { stderr } = await shop.well("apply", "--yes")
  expect(stderr).toMatch(/rejected within the last day: not made, not asked again/)
  expect((await json("approvals")).approvals).toMatchObject([{ id: request.id, state: "rejected" }])
  await shop.well("history", "--verify")
}, 120_000)
