/** A table without quotes is read a quicker way than one with them: what it says must be the same. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { afterAll, expect, it } from "vitest"
import * as DataFiles from "../../../src/cli/rules/DataFiles.js"
import * as Depth from "../../Depth.js"

const folder = mkdtempSync(join(tmpdir(), "bidhelm-plain-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const path = join(folder, "economics.csv")

const rows = (text: string) => {
  writeFileSync(path, text)
  const [file] = Effect.runSync(DataFiles.attach([{ path, text: "" }]))
  const content = file?.data?.content
  return content?._tag === "Rows" ? content.rows : content
}

const cell = fc.oneof(
  fc.constantFrom("", " ", "12,50", "*", "кеды", "\ufeff"),
  fc.string({ unit: fc.constantFrom(..."ab1,;\t\r\n é") })
)
const line = fc.array(cell, { maxLength: 4 })

it("a table says the same with a quote in it as without one", () => {
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 6 }),
      fc.constantFrom(",", ";", "\t"),
      fc.constantFrom("\n", "\r\n", "\r"),
      fc.boolean(),
      (lines, separator, end, hasMark) => {
        const head = `${hasMark ? "\ufeff" : ""}item${separator}cost${end}`
        const text = head + lines.map((cells) => cells.join(separator) + end).join("")
        const quoted = rows(`${text}"last"`)
        expect(rows(`${text}last`)).toEqual(quoted)
      }
    ),
    { numRuns: Depth.cases(2000) }
  )
})
