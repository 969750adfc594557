/** What the machine made of a script at its build may be of another version, or spoilt: then nothing is made of it. */
import { execFileSync, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Bundle from "../Bundle.js"

let folder = ""
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-plain-"))
  const built = dirname(Bundle.program())
  cpSync(built, folder, { recursive: true })
  writeFileSync(join(folder, "package.json"), '{"type": "module"}')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const said = (...words: ReadonlyArray<string>): string =>
  execFileSync(process.execPath, [join(folder, "bidhelm.js"), ...words], { encoding: "utf8", stdio: "pipe" })

/** Tells on stderr whether V8 took what was kept beside the script. */
const watching = `
  const { Script } = require("node:vm")
  const run = Script.prototype.runInThisContext
  Script.prototype.runInThisContext = function (...given) {
    process.stderr.write("rejected: " + this.cachedDataRejected)
    return run.apply(this, given)
  }`

it.each(["check", "test"])("%s begins as it did when it was built, or V8 takes nothing of it", (name) => {
  const watch = join(folder, "watch.cjs")
  writeFileSync(watch, watching)
  const { stderr } = spawnSync(process.execPath, ["--require", watch, join(folder, "bidhelm.js"), name], {
    encoding: "utf8"
  })
  expect(stderr).toContain("rejected: false")
})

it("check of rules without tables opens neither what names plans, nor what reads tables, nor a second clock", () => {
  const watch = join(folder, "opened.cjs")
  writeFileSync(watch, 'process.on("exit", () => process.stderr.write(process.moduleLoadList.join()))')
  const { stderr } = spawnSync(process.execPath, ["--require", watch, join(folder, "bidhelm.js"), "check"], {
    encoding: "utf8"
  })
  expect(stderr).toContain("NativeModule vm")
  expect(stderr).not.toMatch(/NativeModule (crypto|zlib|worker_threads|perf_hooks)/)
})

it.each(["check", "test"])("%s is kept in letters that take one byte each", (name) => {
  expect(readFileSync(join(folder, "plain", `${name}.cjs`), "utf8")).not.toMatch(/[^\0-\x7f]/)
})

it("test begins without the schemas of plans", () => {
  expect(readFileSync(join(folder, "plain", "test.cjs"), "utf8")).not.toContain('coded("share_of_scope"')
})

it.each(["check", "test"])("%s does the same with another one, with a spoilt one, and with none", (name) => {
  const made = join(folder, "plain", `${name}.cjs.cache`)
  expect(existsSync(made)).toBe(true)
  const whole = said(name, "--json")
  expect(JSON.parse(whole)).toMatchObject({ kind: name })
  writeFileSync(made, readFileSync(made).subarray(0, 5000))
  expect(said(name, "--json")).toBe(whole)
  const other = readFileSync(join(dirname(Bundle.program()), "plain", `${name}.cjs.cache`))
  other[4] = (other[4] ?? 0) ^ 1
  writeFileSync(made, other)
  expect(said(name, "--json")).toBe(whole)
  rmSync(made)
  expect(said(name, "--json")).toBe(whole)
})
