/** The table of faults in docs/reliability.md names a test for every fault, and every test that it names exists. */
import { existsSync, readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import * as MinusLists from "../../src/marketplace/writes/MinusLists.js"

const page = readFileSync("docs/reliability.md", "utf8")
const section = page.slice(page.indexOf("### Which fault has which test"))
const rows = section.split("\n").flatMap((line) => {
  const cells = /^\| (\d+) \| ([^|]+) \| (.*) \|$/.exec(line)
  return cells === null ? [] : [{ no: Number(cells[1]), proof: cells[3] ?? "" }]
})

/** A test as the table names it: its file below `test/`, and words of its title as they stand in that file. */
const named = (proof: string) =>
  [...proof.matchAll(/`([\w/]+)` “([^”]+)”/g)].map(([, name = "", title = ""]) => ({ name, title }))

const filesOf = (name: string) =>
  [`test/${name}.test.ts`, `test/${name}.processes.test.ts`].filter((path) => existsSync(path))

it("says how old the reading of a minus list may be, as the program has it", () => {
  const { freshMs, lastFreshMs, mostReadings } = MinusLists
  const said = page.replaceAll("\n", " ")
  expect(said).toContain(`it was read more than ${freshMs / 1000} seconds before it is replaced`)
  expect(said).toContain(
    `read ${mostReadings} times at most, and the last reading counts for ${lastFreshMs / 1000} seconds`
  )
})

describe("the table of faults", () => {
  it("has every fault once, in order, each with a test", () => {
    expect(rows.map(({ no }) => no)).toEqual(Array.from({ length: 101 }, (_, at) => at + 1))
    expect(rows.filter(({ proof }) => named(proof).length === 0)).toEqual([])
  })

  it("names files and titles that exist", () => {
    const missing = rows.flatMap(({ no, proof }) =>
      named(proof)
        .filter(
          ({ name, title }) => !filesOf(name).some((path) => readFileSync(path, "utf8").includes(title))
        )
        .map(({ name, title }) => `${no}: ${name} “${title}”`)
    )
    expect(missing).toEqual([])
  })
})
