/** Errors of the rules are the answer of a command that answers in JSON: on stdout, as `check --json` has them. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 1, items: 1, clusters: 2 } })
  shop.write("rules/30-broken.yaml", "version: 1\nname: x\neach: cluster\nwhen: vews > 5\ndo: add_minus\n")
}, 60_000)
afterAll(() => shop.close())

const checked = async (): Promise<unknown> => {
  const { errors, problems, warnings } = JSON.parse((await shop.run("check", "--json")).stdout)
  return { errors, warnings, problems }
}

it.each([
  ["plan", ["plan", "--json"]],
  ["plan", ["plan", "--format", "json"]],
  ["apply", ["apply", "--yes", "--json"]],
  ["explain", ["explain", "1000001", "--json"]],
  ["approve", ["approve", "1", "--json"]],
  ["backtest", ["backtest", "--json"]],
  ["forecast", ["limits", "--forecast", "--json"]],
  ["forecast", ["limits", "--forecast", "--assume", "campaigns=1", "--json"]],
  ["economics", ["economics", "--json"]],
  ["economics-template", ["economics", "template", "--json"]],
  ["promos-preview", ["promos", "preview", "--json"]],
  ["test", ["test", "--json"]]
])("%s: %j", async (kind, words) => {
  const { code, stderr, stdout } = await shop.run(...words)
  expect([code, stderr]).toEqual([3, "bidhelm: the rules have errors; nothing was done\n"])
  expect(JSON.parse(stdout)).toEqual({ version: 1, kind, ...((await checked()) as object) })
})

describe("what no policy is needed for ends by errors of the limits alone, and answers alike", () => {
  beforeAll(() => {
    // A store that lacks what it had is one to reconcile.
    const heads = [{ account: "main", seq: 9_999, hash: "ff", reconciled: 0 }]
    shop.write(".bidhelm/bidhelm.sqlite.serial", JSON.stringify({ heads }))
    shop.write("rules/_shared/limits.yaml", "version: 1\nkind: limits\nmax_bid: 5\n")
  })

  it.each([
    ["orders", ["orders", "--json"]],
    ["orders-cancel", ["orders", "cancel", "1", "--yes", "--json"]],
    ["supplies-check", ["supplies", "check", "1", "--json"]],
    ["supplies-move", ["supplies", "move", "1", "--to", "x", "--yes", "--json"]],
    ["supplies-deliver", ["supplies", "deliver", "1", "--yes", "--json"]],
    ["plan", ["supplies", "assemble", "--plan", "--json"]],
    ["apply", ["supplies", "assemble", "--yes", "--json"]],
    ["passes", ["passes", "--json"]],
    ["undo", ["undo", "12345678", "--dry-run", "--json"]],
    ["apply", ["undo", "12345678", "--yes", "--json"]],
    ["reconcile", ["reconcile", "--json"]]
  ])("%s: %j", async (kind, words) => {
    const { code, stderr, stdout } = await shop.run(...words)
    expect([code, stderr.trim().split("\n").at(-1)]).toEqual([
      3,
      "bidhelm: the rules have errors; nothing was done"
    ])
    expect(JSON.parse(stdout)).toEqual({ version: 1, kind, ...((await checked()) as object) })
  })
})

it("tells people on stderr, and nothing on stdout", async () => {
  const { code, stderr, stdout } = await shop.run("plan")
  expect([code, stdout]).toEqual([3, ""])
  expect(stderr).toMatch(/30-broken\.yaml:4:7 error E01/)
})
