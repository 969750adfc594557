/** Enrolments of a store that was restored from before they were filed: judged by the tasks that the marketplace has. */
import { realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { Document } from "../../../src/engine/decide/PlanJson.js"
import * as OpenFiles from "../../OpenFiles.js"
import * as Shop from "../Shop.js"

const hour = 3_600_000
const lane = ["--lane", "promotions"]

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open({ speed: 120, originMs: Date.parse("2026-09-01T01:00:00+03:00") })
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
  shop.write(
    "rules/tier.yaml",
    `version: 1
name: Reach the next tier
mode: apply
irreversible: accepted
schedule: {every: 1h, tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 14d
when: price_drop <= 60%
do:
  enrol: {reach_tier: next, overlap: allowed}
`
  )
  costs()
})
afterEach(() => shop.close())

/** Without a cost each, but these items, which no set is chosen of. */
const costs = (...unknown: ReadonlyArray<number>) =>
  shop.write(
    "rules/_shared/economics.csv",
    [
      "item;cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax, %;tax base;extra;buyout, %",
      "*;0;0;10;10;0;0;0;0;0;revenue;0;100",
      ...unknown.map((itemId) => `${itemId};unread;;;;;;;;;;;`),
      ""
    ].join("\n")
  )

/** Once nobody has the store's file open, which is gone then as on another machine. */
const restore = async (file: string) => {
  const folder = `${realpathSync(shop.folder)}/`
  await OpenFiles.released(() => (OpenFiles.all() ?? []).some((path) => path.startsWith(folder)))
  rmSync(join(shop.folder, ".bidhelm"), { recursive: true })
  await shop.well("restore", file)
}

interface Entry {
  readonly operation: string
  readonly task?: { readonly asked: ReadonlyArray<number> }
}
/** The items of every task that the marketplace took. */
const tasks = async () =>
  ((await shop.ledger()).entries as ReadonlyArray<Entry>).flatMap(({ task }) =>
    task === undefined ? [] : [task.asked]
  )
const held = async () => (JSON.parse((await shop.well("plan", ...lane, "--json")).stdout) as Document).held

it("files no second set, nor a plan of before, while tasks that a restored store has forgotten may be on their way", async () => {
  await shop.control("faults", {
    faults: [{ kind: "slowTask", operation: "uploadPromotionItems", ms: 5 * hour }]
  })
  await shop.well("plan", ...lane, "--out", "plan.json")
  await shop.well("backup", "before.gz")
  await shop.run("apply", ...lane, "--yes")
  const filed = await tasks()
  expect(filed.length).toBeGreaterThan(0)
  await restore("before.gz")
  await shop.well("reconcile")

  await shop.run("apply", "plan.json", "--yes")
  costs(...filed.flat())
  const again = await shop.run("apply", ...lane, "--yes")
  expect(again.stdout).toMatch(/the store was restored.*nothing joins until 2026-09-01 \d\d:\d\d/s)
  expect(await tasks()).toEqual(filed)
  expect(new Set((await held()).map(({ by }) => by))).toEqual(new Set(["reconciled"]))

  await shop.advance(6 * hour)
  expect((await held()).map(({ by }) => by)).toEqual([])
  await shop.run("apply", "plan.json", "--yes")
  expect(await tasks()).toEqual(filed)
}, 300_000)

it("says of no item that somebody took it back whose task is still under way", async () => {
  await shop.control("faults", {
    faults: [{ kind: "slowTask", operation: "uploadPromotionItems", ms: 5 * hour }]
  })
  await shop.run("apply", ...lane, "--yes")
  expect((await tasks()).length).toBeGreaterThan(0)
  await shop.well("backup", "filed.gz")
  await restore("filed.gz")
  expect((await shop.well("reconcile")).stdout).not.toContain("not in the promotion")
}, 300_000)
