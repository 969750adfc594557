/** `fmt` and `check --fix` as a person runs them: on files. */
import {
  chmodSync,
  lstatSync,
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
import { afterEach, beforeEach, expect, it } from "vitest"
import { runIn } from "../Shop.js"

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-fmt-"))
  mkdirSync(join(folder, "rules"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const run = (...args: ReadonlyArray<string>) =>
  runIn({ folder, environment: { PATH: process.env.PATH ?? "" } }, args)
const file = (name: string, text?: string | Buffer): string => {
  const path = join(folder, "rules", name)
  if (text !== undefined) writeFileSync(path, text)
  return readFileSync(path, "utf8")
}

const policy = (when: string) =>
  `version: 1\nname: a\neach: cluster\nwindow: 7d\nwhen: ${when} # why\ndo: add_minus\n`

it("fmt rewrites files in place, names them, and is content the second time", async () => {
  file("a.yaml", policy("views>=500"))
  file("b.yaml", policy("views >= 500"))
  chmodSync(join(folder, "rules", "a.yaml"), 0o640)
  expect(await run("fmt")).toMatchObject({
    code: 0,
    stdout: "rules/a.yaml\n",
    stderr: "1 of 2 files changed\n"
  })
  expect(file("a.yaml")).toBe(policy("views >= 500"))
  expect(statSync(join(folder, "rules", "a.yaml")).mode & 0o777).toBe(0o640)
  expect(readdirSync(join(folder, "rules"))).toEqual(["a.yaml", "b.yaml"])
  expect(await run("fmt", "rules/a.yaml")).toMatchObject({ code: 0, stdout: "" })
})

it("fmt --check writes nothing, lists what would change and ends with 1", async () => {
  file("a.yaml", policy("views>=500"))
  expect(await run("fmt", "--check")).toMatchObject({ code: 1, stdout: "rules/a.yaml\n" })
  expect(file("a.yaml")).toBe(policy("views>=500"))
  const { code, stdout } = await run("fmt", "--check", "--json", "rules")
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ kind: "fmt", version: 1, files: 1, changed: ["rules/a.yaml"] })
})

it("fmt leaves a file alone that cannot be read, says where, and still writes the others", async () => {
  file("a.yaml", policy("views>=500"))
  const tabbed = "version: 1\n\tname:   a\n"
  file("b.yaml", tabbed)
  const { code, stderr } = await run("fmt")
  expect(code).toBe(3)
  expect(stderr).toContain("rules/b.yaml:2:1 error Y01")
  expect(stderr).toContain("rules/b.yaml cannot be read and was left alone")
  expect([file("a.yaml"), file("b.yaml")]).toEqual([policy("views >= 500"), tabbed])
})

it("fmt keeps a link a link", async () => {
  writeFileSync(join(folder, "real.yaml"), policy("views>=500"))
  symlinkSync(join(folder, "real.yaml"), join(folder, "rules", "a.yaml"))
  expect((await run("fmt")).code).toBe(0)
  expect(lstatSync(join(folder, "rules", "a.yaml")).isSymbolicLink()).toBe(true)
  expect(file("a.yaml")).toBe(policy("views >= 500"))
})

it("fmt does not write a file that is not UTF-8", async () => {
  const bytes = Buffer.concat([Buffer.from(policy("views>=500")), Buffer.from([0x23, 0x20, 0xff, 0x0a])])
  file("a.yaml", bytes)
  const { code, stderr } = await run("fmt")
  expect(code).toBe(3)
  expect(stderr).toContain("Save it as UTF-8")
  expect(stderr).toContain("rules/a.yaml cannot be read and was left alone")
  expect(readFileSync(join(folder, "rules", "a.yaml")).equals(bytes)).toBe(true)
})

it("check --fix mends what is certain, says what, and lists what is left", async () => {
  file("a.yaml", policy("vews => 500 and spend > 500"))
  const shown = await run("check", "--fix", "--dry-run")
  expect(shown.code).toBe(3)
  expect(shown.stdout).toContain(
    "-when: vews => 500 and spend > 500 # why\n+when: views >= 500 and spend > 500 # why"
  )
  expect(file("a.yaml")).toBe(policy("vews => 500 and spend > 500"))
  const { code, stderr, stdout } = await run("check", "--fix")
  expect(code).toBe(3)
  expect(stdout).toContain("mended rules/a.yaml:5:12 E07")
  expect(stdout).toContain("rules/a.yaml:5:32 error E04")
  expect(stderr).toContain("2 problems in 1 file mended, 1 left for you to decide")
  expect(file("a.yaml")).toBe(policy("views >= 500 and spend > 500"))
})

it("check --fix ends with 0 when nothing is left", async () => {
  file("a.yaml", policy("views > 1 000"))
  expect((await run("check")).stderr).toContain("bidhelm check --fix would mend 1 of them")
  expect((await run("check", "--fix")).code).toBe(0)
  expect((await run("check")).code).toBe(0)
})

it("check --json gives every problem its range, fix and edits", async () => {
  file("a.yaml", policy("vews > 5 and spend > 500"))
  const { problems } = JSON.parse((await run("check", "--json")).stdout) as {
    problems: ReadonlyArray<unknown>
  }
  expect(problems).toEqual([
    {
      code: "E01",
      severity: "error",
      file: "rules/a.yaml",
      line: 5,
      column: 7,
      endLine: 5,
      endColumn: 11,
      message: 'Unknown field "vews". Did you mean views?',
      fix: "views",
      applicable: true,
      edits: [{ line: 5, column: 7, endLine: 5, endColumn: 11, text: "views" }]
    },
    expect.objectContaining({ code: "E04", applicable: false, edits: [] })
  ])
})

it("check --dry-run alone is refused", async () => {
  expect(await run("check", "--dry-run")).toMatchObject({ code: 1, stderr: expect.stringContaining("--fix") })
})

const shared = (name: string, text: string): void => {
  mkdirSync(join(folder, "rules", "_shared"), { recursive: true })
  file(join("_shared", name), text)
}

it("check of one file reads the _shared around it, and tells only of that file", async () => {
  shared("vars.yaml", "version: 1\nkind: vars\nvars:\n  enough: 500\n  unused: 3\n")
  file("a.yaml", policy("views >= $enough"))
  file("b.yaml", policy("veiws >= 1"))
  for (const path of ["rules/a.yaml", "./rules/a.yaml"]) {
    const { code, stderr, stdout } = await run("check", path)
    expect([code, stderr]).toEqual([0, "1 file, 1 policy: no errors\n"])
    expect(stdout).not.toContain("_shared")
  }
  expect((await run("check")).code).toBe(3)
  shared("vars.yaml", "version: 1\nkind: vars\nvras:\n  enough: 500\n")
  const { code, stdout } = await run("check", "rules/a.yaml")
  expect(code).toBe(3)
  expect(stdout).toContain("_shared/vars.yaml:3")
})

it("check --fix of one file mends that one alone", async () => {
  shared("limits.yaml", "version: 1\nkind: limits\naccount:\n  kill_swich: true\n")
  const before = file(join("_shared", "limits.yaml"))
  file("a.yaml", policy("veiws >= 500"))
  file("b.yaml", policy("veiws >= 500"))
  await run("check", "--fix", "rules/a.yaml")
  expect(file("a.yaml")).toBe(policy("views >= 500"))
  expect(file("b.yaml")).toBe(policy("veiws >= 500"))
  expect(file(join("_shared", "limits.yaml"))).toBe(before)
})
