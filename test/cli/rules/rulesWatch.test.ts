/** Rules that change while a program runs on: half of a file, or of a folder, is never taken for the rules. */
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, expect, it } from "vitest"
import { Tables } from "../../../src/cli/rules/DataFiles.js"
import * as RulesWatch from "../../../src/cli/rules/RulesWatch.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-rules-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const put = (name: string, text: string) => writeFileSync(join(folder, `${name}.yaml`), text)
const policy = (name: string, limits: string) =>
  `version: 1\nname: ${name}\nschedule: {every: 1h}\neach: campaign\nwhen: campaign.status = active\ndo: pause\n${limits}`
const limits = "limits:\n  changes_per_run: 5\n"

/** What is current after the files were changed to begin with, and `meanwhile` whenever it waits for them. */
const watched = (change: () => void, ...meanwhile: ReadonlyArray<() => void>) =>
  Effect.gen(function* () {
    let waits = 0
    const pause = Effect.sync(() => meanwhile[waits++]?.())
    const source = yield* RulesWatch.open(folder, pause)
    const before = yield* source.current
    expect(waits).toBe(0)
    change()
    const after = yield* source.current
    const told = waits
    return { before, after, waits: told, again: yield* source.current, waitsAgain: waits - told }
  }).pipe(Effect.runPromise)

it("waits for the rest of a file that is being written", async () => {
  put("01-pause", policy("01-pause", limits))
  const { after, before, waits } = await watched(
    () => put("01-pause", policy("01-pause", "")),
    () => put("01-pause", policy("01-pause", "limits:\n  changes_per_run: 7\n"))
  )
  expect(after.problem).toBeUndefined()
  expect(after.version).not.toBe(before.version)
  expect(after.rules.policies[0]?.limits).toMatchObject({ changesPerRun: 7 })
  expect(waits).toBe(2)
})

it("waits until a folder is new as a whole, and takes a file that is put in another's place for no policy gone", async () => {
  put("01-pause", policy("01-pause", limits))
  put("02-pause", policy("02-pause", limits))
  const { after, again, before, waitsAgain } = await watched(
    () => rmSync(join(folder, "02-pause.yaml")),
    () => put("02-pause", policy("02-pause", limits))
  )
  expect([after.version, after.problem]).toEqual([before.version, undefined])
  expect([again.version, waitsAgain]).toEqual([before.version, 0])
})

it("keeps the limits of the account when their file is gone, until one without limits is there", async () => {
  put("01-pause", policy("01-pause", ""))
  const most = "version: 1\nkind: limits\naccount: {changes_per_run: 5}\n"
  put("limits", most)
  const { after, again } = await watched(() => rmSync(join(folder, "limits.yaml")))
  for (const { problem, rules } of [after, again]) {
    expect(problem).toMatch(/stood in .*limits\.yaml, and no rule file has any now/)
    expect(rules.limits).toMatchObject({ changesPerRun: 5 })
  }
  put("limits", most)
  const meant = await watched(() => put("limits", "version: 1\nkind: limits\naccount: {}\n"))
  expect(meant.after.problem).toBeUndefined()
  expect(meant.after.rules.limits.changesPerRun).toBeUndefined()
})

it("keeps the rules of before while a link leads nowhere, and says which", async () => {
  put("01-pause", policy("01-pause", limits))
  const { after, before } = await watched(() => symlinkSync("gone.yaml", join(folder, "02-pause.yaml")))
  expect(after.version).toBe(before.version)
  expect(after.problem).toContain("02-pause.yaml is a link to gone.yaml, where nothing is")
})

it("keeps the rules of before while files change without end, and says so", async () => {
  put("01-pause", policy("01-pause", limits))
  const endless = Array.from({ length: 20 }, (_, i) => () => put("02-pause", policy(`02-pause`, `# ${i}\n`)))
  const { after, before, waits } = await watched(() => put("02-pause", ""), ...endless)
  expect(after.version).toBe(before.version)
  expect(after.problem).toContain("change again and again")
  expect(waits).toBeLessThan(10)
})

it("reads a table once for many looks, and again when it was written, was not there, or may have become too old", () => {
  const path = join(folder, "cost.csv")
  const tables = new Tables()
  const look = (nowMs: number) => tables.reading(nowMs)(path, { delimiter: ";", decimal: "." })
  const missing = look(0)
  expect(missing.content._tag).toBe("Missing")
  writeFileSync(path, "nm;cost\n1;10\n")
  const first = look(1000)
  expect(first.content).toMatchObject({
    _tag: "Rows",
    rows: [{ cells: ["nm", "cost"] }, { cells: ["1", "10"] }]
  })
  expect(look(30_000)).toBe(first)
  const older = look(61_500)
  expect([older.readMs, older.content === first.content]).toEqual([61_500, true])
  expect(look(500).readMs).toBe(500)
  writeFileSync(`${path}.new`, "nm;cost\n1;99\n")
  renameSync(`${path}.new`, path)
  expect(look(600).content).toMatchObject({ rows: [{}, { cells: ["1", "99"] }] })
  tables.reading(700)
  expect(look(800)).not.toBe(look(60_900))
  rmSync(path)
  expect(look(900).content._tag).toBe("Missing")
})
