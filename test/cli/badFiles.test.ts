/** Files that people name and that are not there, or cannot be: one clear message, nothing asked, nothing left behind. */
import { chmodSync, existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Shop from "./Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
})
afterAll(async () => {
  await shop.close()
})

/** What the marketplace was asked, operation by operation. */
const asked = async (): Promise<string> => {
  const { counters } = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
    readonly counters: unknown
  }
  return JSON.stringify(counters)
}

/** Fails with exactly this on stderr and nothing on stdout, and asks the marketplace nothing. */
const refuses = async (words: ReadonlyArray<string>, message: string): Promise<void> => {
  const before = await asked()
  expect(await shop.run(...words)).toEqual({ code: 1, stdout: "", stderr: `bidhelm: ${message}\n` })
  expect(await asked()).toBe(before)
}

it("says how to make the plan that is to be applied and is not there, or is none", async () => {
  await refuses(
    ["apply", "nosuch.json", "--yes"],
    "there is no file nosuch.json. Make one with: bidhelm plan --out nosuch.json"
  )
  await refuses(
    ["apply", "rules", "--yes"],
    "rules is a folder, and no plan; name a file of bidhelm plan --out"
  )
  shop.write("half.json", '{"version": 1, "id"')
  await refuses(
    ["apply", "half.json", "--yes"],
    "half.json is no plan: it is not JSON, or only the beginning of it. Make one with: bidhelm plan --out half.json"
  )
  shop.write("empty.json", "")
  await refuses(
    ["apply", "empty.json", "--yes"],
    "empty.json is no plan: it is empty. Make one with: bidhelm plan --out empty.json"
  )
  shop.write("other.json", '{"version": 1}')
  await refuses(
    ["apply", "other.json", "--yes"],
    "other.json is no plan of version 2. Make one with: bidhelm plan --out plan.json"
  )
})

it("says so too where nobody is here and no --yes is given: what is no plan is none to review", async () => {
  shop.write("none.json", "{}")
  await refuses(
    ["apply", "none.json"],
    "none.json is no plan of version 2. Make one with: bidhelm plan --out plan.json"
  )
  await refuses(
    ["apply", "nosuch.json"],
    "there is no file nosuch.json. Make one with: bidhelm plan --out nosuch.json"
  )
  await refuses(
    ["apply"],
    "nobody is here to approve; give --yes once the plan is reviewed. Nothing was sent"
  )
})

it("looks whether a plan can be saved before it asks the marketplace for it", async () => {
  await refuses(
    ["plan", "--out", "nowhere/p.json"],
    "--out nowhere/p.json cannot be written: there is no folder nowhere; make it first: mkdir -p nowhere. Nothing was done"
  )
  await refuses(
    ["plan", "--out", "rules"],
    "--out rules cannot be written: it is a folder; name a file in it: --out rules/FILE. Nothing was done"
  )
  await refuses(
    ["undo", "run-1", "--out", "nowhere/p.json"],
    "--out nowhere/p.json cannot be written: there is no folder nowhere; make it first: mkdir -p nowhere. Nothing was done"
  )
})

it("looks whether results of tests can be written before it runs them", async () => {
  await refuses(
    ["test", "--junit", "reports/junit.xml"],
    "--junit reports/junit.xml cannot be written: there is no folder reports; make it first: mkdir -p reports. Nothing was done"
  )
})

it("looks whether an answer has a place before it asks for it", async () => {
  const words = [
    "call",
    "getOrderStickers",
    "--params",
    '{"type": "png", "width": 58, "height": 40, "orders": [1]}'
  ]
  await refuses(
    [...words, "--out", "bidhelm.yaml/labels"],
    `--out bidhelm.yaml/labels cannot be written: ${join(shop.folder, "bidhelm.yaml")} is a file and no folder; choose another place. Nothing was asked`
  )
})

it("says why an export or a backup cannot be written", async () => {
  expect((await shop.run("plan")).code).toBe(0)
  await refuses(
    ["history", "--export", "nowhere/all.ndjson"],
    "--export nowhere/all.ndjson cannot be written: there is no folder nowhere; make it first: mkdir -p nowhere"
  )
  await refuses(
    ["history", "--export", "rules"],
    "--export rules: it exists already, and an export replaces nothing; choose another name"
  )
  const backup = await shop.run("backup", "nowhere/store.gz")
  expect([backup.code, backup.stderr]).toEqual([
    1,
    expect.stringContaining("there is no folder nowhere; make it first: mkdir -p nowhere")
  ])
  expect(existsSync(join(shop.folder, "nowhere"))).toBe(false)
})

it("names the token file that is not there, the line that names it, and how to put it there", async () => {
  const config = shop.read("bidhelm.yaml")
  const line = config.split("\n").findIndex((one) => one.includes("token: {env:")) + 1
  shop.write("bidhelm.yaml", config.replace(/token: \{env: .*\}/, "token: {file: secrets/token}"))
  await refuses(
    ["plan"],
    `There is no token file secrets/token, which bidhelm.yaml:${line} names: put the token of account main there as one line and run chmod 600 secrets/token, or mend the path.`
  )
  mkdirSync(join(shop.folder, "secrets/token"), { recursive: true })
  chmodSync(join(shop.folder, "secrets/token"), 0o700)
  await refuses(
    ["plan"],
    `secrets/token, which bidhelm.yaml:${line} names as the token file, is a folder: name a file in it.`
  )
  shop.write("bidhelm.yaml", config)
})
