/** Pipes, devices and links where files are expected: one message, no waiting, and nothing of a foreign file is told. */
import { execFileSync } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Shop from "./Shop.js"

let shop: Shop.Shop
let outside: string
beforeAll(async () => {
  shop = await Shop.Shop.open()
  outside = mkdtempSync(join(tmpdir(), "bidhelm-outside-"))
})
afterAll(async () => {
  rmSync(outside, { recursive: true, force: true })
  await shop.close()
})

const made: Array<string> = []
afterEach(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true })
})

const at = (path: string): string => {
  const place = join(shop.folder, path)
  made.push(place)
  return place
}

const pipe = (path: string): void => {
  const place = at(path)
  execFileSync("mkfifo", [place])
  chmodSync(place, 0o600)
}

const mend = "and no regular file; put its content into a file of its own, or take it away"

const refused = async (words: ReadonlyArray<string>, ...messages: ReadonlyArray<string>): Promise<void> => {
  const ended = await shop.run(...words)
  expect(ended).toMatchObject({ code: 1, stdout: "" })
  for (const message of messages) expect(ended.stderr).toContain(message)
  expect(ended.stderr).not.toContain("this is a bug")
}

describe("what is no regular file", () => {
  it("is no rule, whatever asks for the rules; all are told at once", async () => {
    pipe("rules/pipe.yaml")
    symlinkSync("/dev/zero", at("rules/zero.yaml"))
    for (const words of [["check"], ["check", "--fix"], ["fmt"], ["plan"], ["check", "rules/pipe.yaml"]])
      await refused(words, `rules/pipe.yaml is a pipe, ${mend}`)
    await refused(["check"], `rules/zero.yaml is a device, ${mend}`)
  })

  it("is no test, no table and no configuration", async () => {
    pipe("rules/tests/pipe.test.yaml")
    await refused(["test"], `rules/tests/pipe.test.yaml is a pipe, ${mend}`)
    pipe("rules/_shared/cost.csv")
    writeFileSync(at("rules/_shared/cost.yaml"), table(","))
    const { code, stdout } = await shop.run("check")
    expect([code, stdout]).toEqual([3, expect.stringContaining(`cost.csv is a pipe, ${mend}`)])
    pipe("pipe.yaml")
    await refused(["plan", "--config", "pipe.yaml"], `pipe.yaml is a pipe, ${mend}`)
  })

  it("is no saved plan, no token and no backup", async () => {
    pipe("plan.json")
    await refused(["apply", "plan.json", "--yes"], `plan.json is a pipe, ${mend}`)
    pipe("token")
    const settings = shop.read("bidhelm.yaml")
    shop.write("bidhelm.yaml", settings.replace('{env: "BIDHELM_TOKEN"}', "{file: token}"))
    await refused(["plan"], "is no regular file: put the token of account")
    shop.write("bidhelm.yaml", settings)
    pipe("backup.gz")
    pipe("backup.gz.sha256")
    await refused(
      ["restore", "backup.gz"],
      `backup.gz is a pipe, ${mend}`,
      `backup.gz.sha256 is a pipe, ${mend}`
    )
  })
})

/** Facts of items from `cost.csv`, with this between its columns. */
const table = (delimiter: string) => `version: 1
kind: facts
source: {csv: cost.csv, delimiter: "${delimiter}"}
join: item.id = item_id
fields: {item.cost: {column: cost, type: money}}
`

describe("what begins with a dot beside the rules", () => {
  it("is no rule and no test, for it is an editor's or a system's; named by its path it is read", async () => {
    const look = async () => [await shop.run("check", "--json"), await shop.run("test", "rules")]
    const before = await look()
    writeFileSync(at("rules/.30-old.yaml"), "version: 1\nname: Old\n")
    writeFileSync(at("rules/_shared/._limits.yaml"), "\0\u0005\u0016\u0007")
    symlinkSync("user@host.1", at("rules/.#01-raise.yaml"))
    writeFileSync(at("rules/tests/.old.test.yaml"), "no test")
    expect(await look()).toEqual(before)
    const named = await shop.run("check", "rules/.30-old.yaml")
    expect([named.code, named.stdout]).toEqual([3, expect.stringContaining("rules/.30-old.yaml:1:1")])
  })
})

describe("a link that leads nowhere", () => {
  it("is told with the place that it names", async () => {
    symlinkSync("gone/raise.yaml", at("rules/50-raise.yaml"))
    symlinkSync("50-loop.yaml", at("rules/50-loop.yaml"))
    const told = `rules/50-raise.yaml is a link to gone/raise.yaml, where nothing is; put the file there, or take the link away`
    for (const words of [
      ["check"],
      ["test"],
      ["plan"],
      ["check", "rules/50-raise.yaml"],
      ["test", "rules/50-raise.yaml"]
    ])
      await refused(words, told)
    await refused(["check"], "rules/50-loop.yaml is a link to 50-loop.yaml, where nothing is")
  })
})

it("a link to a folder under the name of a rule is told in words, with every other file that cannot be read", async () => {
  mkdirSync(at("rules/hidden/.folder"), { recursive: true })
  made.push(join(shop.folder, "rules/hidden"))
  symlinkSync("hidden/.folder", at("rules/60-folder.yaml"))
  pipe("rules/pipe.yaml")
  await refused(
    ["check"],
    "the rules cannot be read: rules/60-folder.yaml is a folder, and no file; name a file in it",
    `rules/pipe.yaml is a pipe, ${mend}`
  )
})

describe("a link out of the folder of rules", () => {
  const secret = "root:x:0:0:swordfish\nswordfish: [swordfish\nwhen: swordfish > 3\n"

  it("is told by its place, and nothing of its text is", async () => {
    const file = join(outside, "passwd")
    writeFileSync(file, secret)
    symlinkSync(file, at("rules/linked.yaml"))
    for (const words of [
      ["check"],
      ["check", "--json"],
      ["check", "--fix", "--dry-run"],
      ["fmt", "--check"],
      ["plan"]
    ]) {
      const { code, stderr, stdout } = await shop.run(...words)
      expect([words, code]).toEqual([words, 3])
      expect(stdout + stderr).toContain(`This file is a link to ${file}, outside of its folder`)
      expect(stdout + stderr).not.toMatch(/swordfish|root:x/)
    }
  })

  it("is as good as a file where it holds a rule, and so is a link within the folder", async () => {
    const rule = shop.read("rules/03-daily-budget-stop.yaml")
    writeFileSync(join(outside, "rule.yaml"), rule)
    symlinkSync(join(outside, "rule.yaml"), at("rules/33-linked.yaml"))
    mkdirSync(at("rules/..data"))
    shop.write("rules/..data/rule.yaml", `${rule}\nswordfish: 1\n`)
    expect(await shop.run("check")).toMatchObject({ code: 0 })
    symlinkSync("..data/rule.yaml", at("rules/34-linked.yaml"))
    const { code, stdout } = await shop.run("check")
    expect([code, stdout]).toEqual([3, expect.stringContaining("swordfish")])
  })

  it("tells nothing of a table either", async () => {
    const file = join(outside, "table")
    writeFileSync(file, "swordfish;item_id\nswordfish;swordfish\n")
    symlinkSync(file, at("rules/_shared/cost.csv"))
    for (const delimiter of [",", ";"]) {
      writeFileSync(at("rules/_shared/cost.yaml"), table(delimiter))
      const { stderr, stdout } = await shop.run("check")
      expect(stdout + stderr).toContain(`It is a link to ${file}, outside of its folder`)
      expect(stdout + stderr).not.toContain("swordfish")
    }
  })
})
