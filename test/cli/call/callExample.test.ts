/** The examples of `bidhelm call --describe`, as a shell reads them; `faults/callExamples` sends every one of them. */
import { execFileSync } from "node:child_process"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as CallDescribe from "../../../src/cli/call/CallDescribe.js"

import * as CallRequest from "../../../src/cli/call/CallRequest.js"
import * as Catalogue from "../../../src/services/Catalogue.js"

const nowMs = Date.parse("2026-11-20T12:00:00+03:00")

const exampleOf = (entry: Catalogue.Entry): string =>
  /^Example\n {2}(.*)$/m.exec(CallDescribe.text(entry, nowMs))?.[1] ?? ""

/** Words of all lines, split by one shell: a line feed ends a line's words. */
const shell = (lines: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const bidhelm = `bidhelm() { printf '%s\\0' "$@"; printf '\\n'; }`
  const told = execFileSync("/bin/sh", ["-c", [bidhelm, ...lines].join("\n")], { encoding: "utf8" })
  return told
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\0").slice(0, -1))
}

describe("the examples of all operations", () => {
  const words = shell(Catalogue.operations.map(exampleOf))

  it.each(Catalogue.operations.map((entry, at) => [entry.id, entry, words[at] ?? []] as const))(
    "%s: a shell reads it as it is meant, and its parameters are the operation's",
    (id, entry, [command, operation, ...rest]) => {
      expect([command, operation]).toEqual(["call", id])
      expect(rest.includes("--yes")).toBe(entry.access === "write" || entry.quota !== undefined)
      const at = rest.indexOf("--params")
      const params = at < 0 ? undefined : rest[at + 1]
      expect(Either.isRight(CallRequest.read(entry, params))).toBe(true)
      const needed = CallDescribe.json(entry).parameters.filter(({ required }) => required)
      expect(needed.length > 0 && params === undefined).toBe(false)
    }
  )

  it("have days that are over, whenever they are asked for", () => {
    const entry = Catalogue.find("getCostHistory")
    const later = entry === undefined ? "" : CallDescribe.exampleOf(entry, Date.parse("2027-01-03T23:30:00Z"))
    expect(later).toBe(`bidhelm call getCostHistory --params '{"from":"2026-12-28","to":"2027-01-03"}'`)
  })
})
