/** Files that a person names for an answer: looked at first, and whole or not there at all. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import * as PlanFile from "../../../src/cli/plan/PlanFile.js"
import * as OutFile from "../../../src/cli/terminal/OutFile.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-out-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const refused = (check: Effect.Effect<unknown, { readonly code: number; readonly message: string }>) =>
  Effect.runSync(
    Effect.map(Effect.flip(check), ({ code, message }) => [code, message.replaceAll(folder, "~")])
  )

it("are refused beforehand where they cannot be, with what to do about it", () => {
  writeFileSync(join(folder, "file"), "")
  expect(refused(OutFile.ready(join(folder, "new/p.json"), "--out"))).toEqual([
    1,
    "--out ~/new/p.json cannot be written: there is no folder ~/new; make it first: mkdir -p ~/new. Nothing was done"
  ])
  expect(refused(OutFile.ready(folder, "--junit"))).toEqual([
    1,
    "--junit ~ cannot be written: it is a folder; name a file in it: --junit ~/FILE. Nothing was done"
  ])
  expect(refused(OutFile.ready(join(folder, "file/p.json"), "--out"))).toEqual([
    1,
    expect.stringContaining("~/file is a file, or goes through one, and no folder")
  ])
  expect(refused(OutFile.ready(join(folder, "p".repeat(300)), "--out"))).toEqual([
    1,
    expect.stringContaining("is too long; choose a shorter one")
  ])
  expect(refused(OutFile.ready("", "--out"))).toEqual([
    1,
    expect.stringContaining("the name of the file is missing")
  ])
})

it("replace what the command wrote before, and nothing that a person keeps there", () => {
  const kept = "it is a file of another kind, and is kept; choose another name. Nothing was done"
  for (const [name, content] of [
    ["bidhelm.yaml", "version: 1\n"],
    ["RULE.YML", "x"],
    ["store.sqlite", "SQLite format 3\u0000…"]
  ] as const) {
    writeFileSync(join(folder, name), content)
    expect(refused(OutFile.ready(join(folder, name), "--out"))).toEqual([
      1,
      `--out ~/${name} cannot be written: ${kept}`
    ])
    expect(refused(OutFile.ready(join(folder, name), "--out", PlanFile.own))[1]).toContain(
      "it is no plan, and is kept; choose another name"
    )
  }
  const table = join(folder, "economics.csv")
  writeFileSync(table, "item;cost\n")
  expect(refused(OutFile.ready(table, "--out", PlanFile.own))[0]).toBe(1)
  const plan = join(folder, "plan.json")
  for (const content of ["", '{\n  "version": 2,\n  "id": "ab']) {
    writeFileSync(plan, content)
    Effect.runSync(OutFile.ready(plan, "--out", PlanFile.own))
  }
})

it("leave no trace of having been looked at", () => {
  writeFileSync(join(folder, "old"), "kept")
  for (const name of ["old", "new"]) Effect.runSync(OutFile.ready(join(folder, name), "--out"))
  expect(readdirSync(folder)).toEqual(["old"])
  expect(readFileSync(join(folder, "old"), "utf8")).toBe("kept")
})

it("replace what is there as a whole, through links and with its mode", () => {
  writeFileSync(join(folder, "old"), "before", { mode: 0o600 })
  symlinkSync("old", join(folder, "link"))
  Effect.runSync(OutFile.write(join(folder, "link"), "after", "--out"))
  expect(readFileSync(join(folder, "old"), "utf8")).toBe("after")
  expect(statSync(join(folder, "old")).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(["link", "old"])
})

it("that fail leave nothing half written", () => {
  expect(refused(OutFile.write(join(folder, "gone/p.json"), "text", "--out"))).toEqual([
    1,
    "--out ~/gone/p.json was not written: there is no folder ~/gone; make it first: mkdir -p ~/gone"
  ])
  expect(readdirSync(folder)).toEqual([])
})

it("may be in folders that are made later, but not below files", () => {
  mkdirSync(join(folder, "empty"))
  writeFileSync(join(folder, "file"), "")
  for (const place of ["a/b/c", "empty", "file"])
    Effect.runSync(OutFile.reachable(join(folder, place), "--out"))
  expect(existsSync(join(folder, "a"))).toBe(false)
  expect(refused(OutFile.reachable(join(folder, "file/a/b"), "--out"))).toEqual([
    1,
    "--out ~/file/a/b cannot be written: ~/file is a file and no folder; choose another place. Nothing was asked"
  ])
})
