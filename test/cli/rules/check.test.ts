/** `bidhelm check` on files that are no rules, or no text. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-check-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>): Promise<Shop.Ended> =>
  Shop.runIn({ folder, environment: { PATH: process.env.PATH ?? "" } }, args)
const write = (path: string, text: string | Buffer): void => {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

const pause = (name: string): string =>
  `version: 1\nname: ${name}\neach: campaign\nmode: preview\nwindow: today\nwhen: spend > 3 ₽\ndo: pause\n`
const tests = "version: 1\nkind: tests\npolicy: a\ncases: []\n"

describe("a rule file whose ending is in capitals", () => {
  it("is checked, is written anew by fmt, and its tests are run", async () => {
    write("rules/01-stop.YAML", pause("a").replace("3 ₽", "3₽"))
    write("rules/02-stop.Yml", pause("b").replace("spend", "spnd"))
    expect(await run("check")).toMatchObject({
      code: 3,
      stdout: expect.stringContaining("rules/02-stop.Yml:6:7 error E01")
    })
    rmSync(join(folder, "rules/02-stop.Yml"))
    expect(await run("check")).toMatchObject({ code: 0, stderr: expect.stringContaining("1 policy") })
    expect((await run("fmt")).stdout).toContain("rules/01-stop.YAML")
    write(
      "rules/tests/01.test.YAML",
      `version: 1
kind: tests
policy: 01-stop
cases:
  - name: too dear
    now: 2026-09-01T15:00+03:00
    rows:
      - {id: a, spend: 4 ₽}
    expect:
      - {id: a, do: pause}
`
    )
    expect(await run("test")).toMatchObject({
      code: 0,
      stderr: expect.stringContaining("1 case in 1 file: all passed")
    })
  })
})

describe("a file that is not UTF-8", () => {
  const place =
    /^rules\/enc\.yaml:2:13 error Y22 {2}The file is not UTF-8 from here on, .* Save it as UTF-8\./m
  beforeEach(() =>
    write("rules/enc.yaml", Buffer.from(pause("latin \u00e9\u00ff").replace("₽", "rub"), "latin1"))
  )

  it("is an error of check, at its first lost letter, and the only one of the file", async () => {
    const { code, stdout } = await run("check", "rules/enc.yaml")
    expect(stdout).toMatch(place)
    expect(stdout).toContain("1 error in 1 file")
    expect(code).toBe(3)
  })

  it("is left as it is by check --fix, and keeps other commands from running", async () => {
    expect(await run("check", "--fix")).toMatchObject({ code: 3, stdout: expect.stringMatching(place) })
    write("rules/tests/a.test.yaml", tests)
    const { code, stderr } = await run("test")
    expect(stderr).toMatch(place)
    expect(code).toBe(3)
  })

  it("may be a list of brands, which would match nothing", async () => {
    write("rules/enc.yaml", pause("a"))
    // "киты" in windows-1251.
    const brands = Buffer.from([0xea, 0xe8, 0xf2, 0xfb])
    const head = Buffer.from("version: 1\nvars:\n  brands: [")
    write("rules/_shared/vars.yaml", Buffer.concat([head, brands, Buffer.from("]\n")]))
    const { code, stdout } = await run("check")
    expect(stdout).toMatch(/^rules\/_shared\/vars\.yaml:3:12 error Y22 /m)
    expect(code).toBe(3)
  })

  it("is told from one with a letter that was lost before it was saved", async () => {
    write("rules/enc.yaml", pause("a \ufffd"))
    expect((await run("check")).code).toBe(0)
  })
})

describe("tests among the paths", () => {
  beforeEach(() => {
    write("rules/a.yaml", pause("a"))
    write("rules/tests/a.test.yaml", tests)
    write("rules/tests/b.yaml", tests)
  })

  it.each([["rules/tests"], ["rules/tests/"], ["rules/tests/a.test.yaml"], ["rules/tests/b.yaml"]])(
    "%s alone is left out, and leaves no rules",
    async (path) => {
      expect(await run("check", path)).toEqual({
        code: 0,
        stdout: "",
        stderr: `${path} holds tests, and was left out; tests are checked by: bidhelm test\nthere are no rule files here; starter rules come with: bidhelm init\n`
      })
    }
  )

  it("beside rules are left out, and named in one line", async () => {
    const { code, stderr, stdout } = await run("check", "rules", "rules/tests", "rules/tests/a.test.yaml")
    expect([code, stdout]).toEqual([0, ""])
    expect(stderr).toBe(
      "rules/tests, rules/tests/a.test.yaml hold tests, and were left out; tests are checked by: bidhelm test\n1 file, 1 policy: no errors\n"
    )
    expect((await run("check", "--fix", "rules", "rules/tests")).code).toBe(0)
  })

  it("that are not there are nothing, as any other path", async () => {
    expect(await run("check", "elsewhere/tests")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("there is nothing at elsewhere/tests")
    })
  })
})

describe("the table of goods", () => {
  it("is looked at with the folder: who prints and packs by it must not be the first to know", async () => {
    write("rules/a.yaml", pause("a"))
    write("rules/_shared/goods.csv", "barcode;size\n1;42\n1;44\n;46\n")
    const { code, stderr } = await run("check")
    expect(code).toBe(3)
    expect(stderr).toContain("rules/_shared/goods.csv: line 3: barcode 1 stands in line 2 already")
    expect(stderr).toContain("rules/_shared/goods.csv: line 4: nothing says which goods it is about")
    for (const flags of [["--json"], ["--fix", "--json"], ["--fix", "--dry-run", "--json"]]) {
      const { code, stdout } = await run("check", ...flags)
      const { errors, goods } = JSON.parse(stdout)
      expect([code, errors, goods]).toEqual([
        3,
        0,
        [expect.stringContaining("goods.csv: line 3:"), expect.stringContaining("goods.csv: line 4:")]
      ])
    }
    write("rules/_shared/goods.csv", "barcode;size\n1;42\n")
    expect((await run("check")).code).toBe(0)
  })
})

describe("a folder of rules without limits of the account", () => {
  it("is told so, by check of the whole folder, as long as a policy is switched on", async () => {
    write("rules/a.yaml", pause("a"))
    const told = "no limits of the account: no rule file has kind: limits"
    expect(await run("check")).toMatchObject({ code: 0, stderr: expect.stringContaining(told) })
    expect((await run("check", "rules/a.yaml")).stderr).toBe("1 file, 1 policy: no errors\n")
    write("rules/_shared/limits.yaml", "version: 1\nkind: limits\naccount: {changes_per_run: 50}\n")
    expect((await run("check")).stderr).toBe("2 files, 1 policy: no errors\n")
  })

  it("may say that it does without, or only whether all stops; a file that says neither is told about", async () => {
    write("rules/a.yaml", pause("a"))
    for (const said of ["account: {}\n", "account: {kill_switch: false}\n"]) {
      write("rules/_shared/limits.yaml", `version: 1\nkind: limits\n${said}`)
      expect(await run("check")).toEqual({ code: 0, stdout: "", stderr: "2 files, 1 policy: no errors\n" })
    }
    write("rules/_shared/limits.yaml", "version: 1\nkind: limits\n")
    expect((await run("check")).stdout).toContain("account: {} to do without limits")
  })
})
