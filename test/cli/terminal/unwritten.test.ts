/** What a command prints goes where no room is. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Bundle from "../Bundle.js"

beforeAll(() => void Bundle.program(), Bundle.withinMs)

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-unwritten-"))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const shell = (line: string): Promise<readonly [code: number | null, said: string]> => {
  const child = spawn("sh", ["-c", line, process.execPath, Bundle.program()], { cwd: folder })
  let said = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (part) => {
      said += part
    })
  return new Promise((resolve) => child.on("close", (code) => resolve([code, said])))
}

const full = "/dev/full"

describe.skipIf(!existsSync(full))("a full disk", () => {
  const told = "bidhelm: stdout was not written: the disk of its file is full\n"

  it.each(["--version", "--help", "schema policy", "check --json .", "call --list --json"])(
    "of what %s prints ends it with 1 and a sentence",
    async (words) => {
      const [code, said] = await shell(`"$0" "$1" ${words} >${full}`)
      expect([code, said.replace(/^.*\n(?=bidhelm: stdout)/s, "")]).toEqual([1, told])
    }
  )

  it("does not take the work that was to be told", async () => {
    const [code, said] = await shell(`"$0" "$1" init --yes >${full}`)
    expect([code, said.endsWith(told)]).toEqual([1, true])
    expect(existsSync(join(folder, "bidhelm.yaml"))).toBe(true)
  })

  it("of the commentary changes no end", async () => {
    expect(await shell(`"$0" "$1" plan --config nowhere.yaml 2>${full}`)).toEqual([1, ""])
    expect((await shell(`"$0" "$1" --version 2>${full}`))[0]).toBe(0)
  })
})

describe("a disk that takes a part", () => {
  it("ends the command with 1 and why, however much it has taken", async () => {
    const [code, said] = await shell(`ulimit -f 4 && "$0" "$1" schema policy >out.json`)
    expect(code).toBe(1)
    expect(said).toMatch(/^bidhelm: stdout was not written: EFBIG: .*\n$/)
    expect(readFileSync(join(folder, "out.json")).length).toBeGreaterThan(0)
  })
})

describe("a file with room", () => {
  it("gets all of it, behind what is in it", async () => {
    const [, whole] = await shell(`"$0" "$1" schema policy`)
    expect(
      await shell(`"$0" "$1" --version >out && "$0" "$1" schema policy >>out && "$0" "$1" --version >>out`)
    ).toEqual([0, ""])
    const [, version] = await shell(`"$0" "$1" --version`)
    expect(readFileSync(join(folder, "out"), "utf8")).toBe(`${version}${whole}${version}`)
  })
})
