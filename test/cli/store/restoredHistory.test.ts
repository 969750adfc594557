/** What a store knows, after a restore, of what was sent since the backup: judged by the marketplace's own ledger. */
import { copyFileSync, readdirSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as OpenFiles from "../../OpenFiles.js"
import * as Shop from "../Shop.js"

const hour = 3_600_000

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
})
afterEach(() => shop.close())

const boost = `version: 1
name: Boost
mode: apply
schedule: {every: 30m, tz: Europe/Moscow}
each: campaign_item
where: [campaign.payment = cpm, campaign.id <= 1000002]
during: {time: "15:00-20:00"}
do:
  adjust_bid: {by: +20%, cap: 600 ₽}
`
const rest = `version: 1
name: Rest
mode: apply
tier: safety
schedule: {every: 10m, tz: Europe/Moscow}
each: campaign
where: ["campaign.status in [active, paused]", campaign.id = 1000001]
when: hour < 20
do: pause
revert_when: hour >= 20
`

const released = async () => {
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
}
/** Puts the backup in the place of the store, or into a folder that has none. */
const restore = async (isElsewhere = false) => {
  await released()
  if (isElsewhere) rmSync(join(shop.folder, ".bidhelm"), { recursive: true })
  return shop.well("restore", "before.gz")
}
interface Sent {
  readonly operation: string
  readonly target: { readonly campaignId?: number; readonly itemId?: number; readonly placement?: string }
  readonly slot: string
  readonly before: unknown
  readonly after: unknown
}
const sent = async (operation: string) =>
  ((await shop.ledger()).entries as ReadonlyArray<Sent>).filter((entry) => entry.operation === operation)

it("lays an overlay of since the backup once, and brings the base back when its time is over", async () => {
  shop.write("rules/boost.yaml", boost)
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await shop.well("apply", "--yes")
  const raised = await sent("setItemBids")
  expect(raised.length).toBeGreaterThan(0)
  expect((await restore()).stdout).toMatch(/Changes made since stay known: \d+\./)
  expect((await shop.well("reconcile")).stdout).toContain("0 show another value")
  await shop.advance(0.5 * hour)
  await shop.well("apply", "--yes")
  expect(await sent("setItemBids")).toEqual(raised)
  await shop.advance(5 * hour)
  await shop.well("apply", "--yes")
  const back = (await sent("setItemBids")).slice(raised.length)
  const values = (entries: typeof raised, of: "before" | "after") =>
    entries.map((entry) => JSON.stringify([entry.target, entry.slot, entry[of]])).sort()
  expect(values(back, "after")).toEqual(values(raised, "before"))
  expect((await shop.well("history", "--verify")).stdout).not.toMatch(/edited|missing/)
}, 120_000)

it("starts again what a rule paused since the backup", async () => {
  shop.write("rules/rest.yaml", rest)
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await shop.well("apply", "--yes")
  expect(await sent("pauseCampaign")).toHaveLength(1)
  await restore()
  await shop.well("reconcile")
  await shop.advance(5.5 * hour)
  await shop.well("apply", "--yes")
  expect(await sent("startCampaign")).toHaveLength(1)
}, 120_000)

it("holds rules that lay something over bids where nobody knows what stands, and names what is paused", async () => {
  shop.write("rules/boost.yaml", boost)
  shop.write("rules/rest.yaml", rest)
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await shop.well("apply", "--yes")
  const raised = await sent("setItemBids")
  const { stderr } = await restore(true)
  expect(stderr).toContain("What was sent after")
  const { stdout } = await shop.well("reconcile")
  expect(stdout).toMatch(/boost lays its share over bids.*on hold.*bidhelm resume --policy boost/)
  expect(stdout).toMatch(/1000001 .*is paused.*nobody knows/)
  await shop.well("apply", "--yes")
  expect(await sent("setItemBids")).toEqual(raised)
}, 120_000)

it.each([
  ["noted", true],
  ["of which no note is left", false]
])(
  "believes no old copy that somebody put in the place of the store, %s: overlays are held",
  async (_, isNoted) => {
    shop.write("rules/rest.yaml", rest)
    await shop.well("apply", "--yes")
    shop.write("rules/boost.yaml", boost)
    await shop.well("backup", "before.gz")
    await released()
    const store = readdirSync(join(shop.folder, ".bidhelm")).find((name) => /\.(db|sqlite3?)$/.test(name))!
    const [path, copy] = [join(shop.folder, ".bidhelm", store), join(shop.folder, "nightly.copy")]
    copyFileSync(path, copy)
    await shop.well("apply", "--yes")
    await released()
    const raised = await sent("setItemBids")
    expect(raised.length).toBeGreaterThan(0)
    for (const part of ["-wal", "-shm"]) rmSync(path + part, { force: true })
    copyFileSync(copy, path)
    if (!isNoted) rmSync(`${path}.serial`)
    expect((await restore()).stderr).toContain("could not be read from the store that is replaced")
    expect((await shop.well("reconcile")).stdout).toContain("lays its share over bids")
    await shop.advance(0.5 * hour)
    await shop.run("apply", "--yes")
    expect((await sent("setItemBids")).length).toBe(raised.length)
  }
)

it("holds nothing of an account that has never sent anything", async () => {
  shop.write("rules/boost.yaml", boost)
  await shop.well("plan")
  await shop.well("backup", "before.gz")
  await restore()
  expect((await shop.well("reconcile")).stdout).not.toContain("is on hold")
})
