/** The commands that look at rules, in a folder that has a policy of `kind: fulfilment` and no other. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop

beforeEach(async () => {
  shop = await Shop.Shop.open({})
  const rules = join(shop.folder, "rules")
  for (const name of readdirSync(rules))
    if (name.endsWith(".yaml") && name !== "13-fulfilment.yaml") rmSync(join(rules, name))
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
  const shipped = "rules/13-fulfilment.yaml"
  shop.write(shipped, shop.read(shipped).replace(/^mode: disabled/m, "mode: approve "))
})
afterEach(() => shop.close())

it("check counts it, fmt leaves it as it is shipped, and init writes its schema", async () => {
  const checked = await shop.run("check")
  expect([checked.code, checked.stderr]).toEqual([0, "3 files, 1 policy: no errors\n"])
  expect((await shop.run("fmt", "--check")).code).toBe(0)
  expect(JSON.parse(shop.read(".schema/fulfilment.v1.json"))).toEqual(
    JSON.parse((await shop.run("schema", "fulfilment")).stdout)
  )
})

it("plan of advertising changes nothing by it, and says which plan has it", async () => {
  const { code, stderr, stdout } = await shop.run("plan")
  expect(code).toBe(0)
  expect(stdout).toContain("0 changes")
  expect(stderr).toContain(
    "No policy of advertising is switched on, so nothing is planned. Others are: bidhelm plan --lane orders (13-fulfilment)."
  )
  expect((await shop.run("plan", "--lane", "orders")).stderr).not.toContain("No policy")
  expect((await shop.run("apply", "--yes")).code).toBe(0)
  expect((await shop.ledger()).entries).toEqual([])
})

it("doctor and limits answer as in a folder without policies", async () => {
  expect((await shop.run("limits")).code).toBe(0)
  expect((await shop.run("doctor")).stdout).toContain("rules")
})
