/** `bidhelm test` as a marketer and a build server see it: the real program in a folder of its own. */

import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Testing from "../../../src/cli/rules/Testing.js"
import { check as golden } from "../../golden/check.js"
import * as Shop from "../Shop.js"

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "..")

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-rule-tests-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>): Promise<Shop.Ended> =>
  Shop.runIn({ folder, environment: { PATH: process.env.PATH ?? "" } }, args)
const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}
const shipped = (): void => cpSync(join(root, "rules"), join(folder, "rules"), { recursive: true })

const failing = `version: 1
kind: tests
policy: 01-raise-to-reach-max
cases:
  - name: raises "a" & <b> to the cap
    now: 2026-09-01T09:00+03:00
    defaults: {orders: 5, cpo: 80 ₽, cpm: 440 ₽, item.price: 1000 ₽, "campaign.spend[1d]": 0 ₽, recommended.reach_max: 800 ₽}
    rows:
      - {id: a, bid: 440 ₽}
      - {id: b, bid: 300 ₽, cpo: missing}
      - {id: c, bid: 300 ₽}
    expect:
      - {id: a, set_bid: 572 ₽}
      - {id: b, set_bid: 390 ₽}
  - name: leaves a paused campaign alone
    now: 2026-09-01T09:00+03:00
    rows: [{id: a, campaign.status: paused, bid: 300 ₽}]
    expect: []
`

describe("bidhelm test", () => {
  it("passes for the rules that ship with the program, and sees all of them at work", async () => {
    shipped()
    const { code, stderr, stdout } = await run("test", "--coverage-min", "100")
    expect(stderr).toBe(
      "81 cases in 16 files: all passed; 100% of the rules' conditions and actions seen at work\n"
    )
    expect(stdout.split("\n")).toHaveLength(34)
    expect(code).toBe(0)
  })

  it("runs what init writes, on a fresh folder", async () => {
    expect((await run("init", "--yes")).code).toBe(0)
    expect(existsSync(join(folder, ".schema/tests.v1.json"))).toBe(true)
    expect(await run("test")).toMatchObject({ code: 0, stderr: expect.stringContaining("all passed") })
    expect((await run("check")).code).toBe(0)
  })

  it("shows what was expected, what came and why, and ends with 1", async () => {
    shipped()
    write("rules/tests/01-raise-to-reach-max.test.yaml", failing)
    const { code, stderr, stdout } = await run(
      "test",
      "rules/tests/01-raise-to-reach-max.test.yaml",
      "--junit",
      "out.xml"
    )
    golden("ruletests-failing.txt", stdout)
    golden("ruletests-junit.xml", readFileSync(join(folder, "out.xml"), "utf8"))
    expect(stderr).toMatch(/^1 of 2 cases in 1 file failed; \d+% /)
    expect(code).toBe(1)
  })

  it("answers in JSON", async () => {
    shipped()
    write("rules/tests/01-raise-to-reach-max.test.yaml", failing)
    const { code, stdout } = await run("test", "--json")
    const answer = JSON.parse(stdout) as Record<string, unknown>
    expect(answer).toMatchObject({ version: 1, kind: "test", passed: 76, failed: 1, errors: 0, problems: [] })
    expect(code).toBe(1)
  })

  it("shows every problem of the test files at once, runs nothing, and ends with 3", async () => {
    shipped()
    write(
      "rules/tests/04.test.yaml",
      failing.replace("01-raise-to-reach-max", "01-rase").replace("cpo: missing", "cpo: 80")
    )
    write("rules/tests/05.yaml", failing)
    const { code, stdout } = await run("test")
    expect(stdout).toContain(
      'rules/tests/04.test.yaml:3:9 error T01  No policy "01-rase". Did you mean 01-raise-to-reach-max?'
    )
    expect(stdout).toContain("rules/tests/04.test.yaml:10:34 error E04")
    expect(stdout).toContain("rules/tests/05.yaml:1:1 error T06")
    expect(stdout).toContain("3 errors in 2 files")
    expect(code).toBe(3)
    const { problems } = JSON.parse((await run("test", "--json")).stdout) as {
      problems: ReadonlyArray<unknown>
    }
    expect(problems).toHaveLength(3)
  })

  it("never takes no tests for tests that pass", async () => {
    shipped()
    expect(await run("test", "rules/tests/99.test.yaml")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("nothing at rules/tests/99.test.yaml")
    })
    expect(await run("test", "rules/_shared")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("no tests found")
    })
    rmSync(join(folder, "rules/tests"), { recursive: true })
    expect(await run("test")).toMatchObject({
      code: 3,
      stderr: expect.stringMatching(/no tests found under rules.tests; .*bidhelm init/)
    })
    for (const [words, file] of [
      [["test", "--json"], join("rules", "tests")],
      [["test", "rules/_shared", "--json"], "rules/_shared"],
      [["test", "rules/99", "--json"], "rules/99"]
    ] as const) {
      const { code, stdout } = await run(...words)
      expect([code, JSON.parse(stdout)]).toMatchObject([
        3,
        { kind: "test", errors: 1, problems: [{ code: "T02", file }] }
      ])
    }
  })

  it("runs nothing while the rules themselves have errors", async () => {
    shipped()
    write("rules/09.yaml", "version: 1\nname: x\neach: cluster\nwhen: vews > 5\ndo: add_minus\n")
    expect(await run("test")).toMatchObject({ code: 3, stderr: expect.stringContaining("E01") })
    const { code, stdout } = await run("test", "--json")
    expect(JSON.parse(stdout)).toMatchObject({ kind: "test", errors: 1, problems: [{ code: "E01" }] })
    expect(code).toBe(3)
  })

  it("ends with 1 when the tests see too little of the rules", async () => {
    shipped()
    rmSync(join(folder, "rules/tests/02-minus-low-ctr.test.yaml"))
    const { code, stderr, stdout } = await run("test", "--coverage-min", "97")
    expect(stdout).toMatch(/02-minus-low-ctr +no +0 of 7 +line \d+: campaign.status = active; line/)
    expect(stderr).toMatch(/the tests see \d\d% of the rules at work; --coverage-min asks for 97%/)
    expect(code).toBe(1)
    expect((await run("test", "--coverage-min", "50")).code).toBe(0)
  })

  it("finds the tests of a named folder", async () => {
    shipped()
    for (const path of ["rules", "rules/tests", "."]) {
      expect(await run("test", path), path).toMatchObject({
        code: 0,
        stderr: expect.stringContaining("81 cases in 16 files")
      })
    }
  })

  it("prints a JSON Schema of test files", async () => {
    const { stdout } = await run("schema", "tests")
    expect(JSON.parse(stdout)).toMatchObject({ title: "Bidhelm tests, version 1" })
  })
})

describe("JUnit XML", () => {
  it("holds no character that XML forbids, whatever the tests are called", () => {
    const name = "a\u0000b\u001b[31m\ud800c\uffff]]>&<>\"' 👟"
    const xml = Testing.junitOf({ cases: [{ file: name, policy: name, name, line: 1, failures: [] }] })
    expect(xml).toContain("a�b�[31m�c�]]&gt;&amp;&lt;&gt;&quot;&apos; 👟")
    const forbidden = [...xml].filter(
      (sign) => sign !== "\n" && (sign < " " || sign === "\ufffe" || sign === "\uffff")
    )
    expect(forbidden).toEqual([])
  })
})
