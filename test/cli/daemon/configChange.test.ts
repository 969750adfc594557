/** What a running program finds changed in its configuration. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as ConfigChange from "../../../src/cli/daemon/ConfigChange.js"

let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-change-"))
  path = join(folder, "bidhelm.yaml")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const write = (names: ReadonlyArray<string>, more = ""): void =>
  writeFileSync(
    path,
    `version: 1
accounts:
${names.map((name) => `  - {name: ${name}, token: {env: TOKEN_${name.toUpperCase()}}}`).join("\n")}
hosts: {advert: "https://advert.example", calendar: "https://calendar.example"}
${more}`
  )

/** A program that began with these accounts. */
const begun = (...names: ReadonlyArray<string>) => {
  write(names)
  const config = ConfigChange.now(path)
  if (config === undefined) throw new Error("the configuration is not accepted")
  return ConfigChange.since(path, config)
}

it.each([
  ["an account with another name", ["shop2"], "", "main → shop2"],
  ["one of two accounts gone", ["other"], "", "main → other"],
  ["another store", ["main"], "store: sqlite:new/bidhelm.sqlite", "store: "]
])("is told: %s", (_, names, more, what) => {
  const changed = begun("main")
  write(names, more)
  expect(changed()).toEqual({
    what: expect.stringContaining(what),
    stopFile: join(folder, ".bidhelm", "STOP")
  })
})

it("is told when an account is gone and none came", () => {
  const changed = begun("main", "second")
  write(["second"])
  expect(changed()?.what).toBe("without main")
})

it("is nothing as long as store and accounts are there, whatever else was written", () => {
  const changed = begun("main")
  expect(changed()).toBeUndefined()
  write(["main", "second"], "max_wait: 5m")
  expect(changed()).toBeUndefined()
})

it("is not told of a file that cannot be read, which whoever reads it next says better", () => {
  const changed = begun("main")
  writeFileSync(path, "nonsense")
  expect(changed()).toBeUndefined()
  rmSync(path)
  expect(changed()).toBeUndefined()
})
