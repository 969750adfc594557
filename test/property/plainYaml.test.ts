import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import type { Node } from "../../src/engine/language/yaml/Node.js"
import { rangeIn } from "../../src/engine/language/yaml/Node.js"
import * as PlainYaml from "../../src/engine/language/yaml/PlainYaml.js"
import * as Source from "../../src/engine/language/yaml/Source.js"
import * as Yaml from "../../src/engine/language/yaml/Yaml.js"

const texts = (folder: string): ReadonlyArray<string> => {
  const root = fileURLToPath(new URL(`../../${folder}`, import.meta.url))
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.ya?ml$/.test(file))
    .sort()
    .map((file) => readFileSync(join(root, file), "utf8"))
}

const shipped = texts("rules")
const written = [...texts("test/broken"), ...shipped]

/** The tree with the place of every single letter. */
const spelt = (node: Node): unknown => {
  switch (node._tag) {
    case "Map":
      return { ...node, entries: node.entries.map((one) => ({ ...one, value: spelt(one.value) })) }
    case "List":
      return { ...node, items: node.items.map(spelt) }
    case "Scalar":
      return { ...node, offsets: Array.from(node.text, (_, at) => rangeIn(node, at, at + 1)) }
  }
}

/** True when the short way was taken; then it must have found what the library finds, and nothing to complain of. */
const isPlain = (text: string): boolean => {
  const source = Source.make("a.yaml", text)
  const root = PlainYaml.read(source)
  if (root === undefined) return false
  const { muted, problems, root: expected } = Yaml.parseAny(source)
  assert.isDefined(expected, text)
  assert.deepStrictEqual(spelt(root), spelt(expected!), text)
  assert.deepStrictEqual(problems.list(), [], text)
  assert.strictEqual(muted.size, 0, text)
  return true
}

const pieces = [
  ..."\t\"':{}[]#,-?|>&*!%@~$₽ыx09\\\n".split(""),
  ": ",
  "- ",
  " #",
  " # x",
  "\n# x\n",
  "\n  # x\n",
  "\n    # x\n",
  '"a[b]": ',
  "a.b: ",
  "a's ",
  "[]",
  "{}",
  "+1",
  "\n\n",
  "\n  ",
  "  ",
  "\r\n",
  "|\n",
  "<<: ",
  "---\n",
  "x: y",
  "x: {a: b}",
  "x: [a, b]",
  "\nx: y\n",
  "\n- a\n",
  "\n  - a: b\n    c: d\n",
  "''",
  "- -",
  "09:30",
  "true",
  "null",
  "0x1",
  "007",
  "\u00a0",
  "“"
]

const word = fc.constantFrom(
  "a",
  "views > 5",
  "10%",
  "450 ₽",
  "true",
  "12",
  "1.5",
  "+20",
  "+20%",
  "0x45",
  "[]",
  "a's",
  '{"b[7d]": 1, b.c: a\'s}',
  "09:00-18:00",
  '"кеды"',
  "'x: y'",
  "{b: 1, c: [x, 'y']}",
  "[x, y]"
)
const name = fc.constantFrom("x", "name", "when", "every", "b2", "max_bid", "b.c", '"b[7d]"')

/** Nested keys and lists, indented as one likes. */
const block: (depth: number) => fc.Arbitrary<ReadonlyArray<string>> = (depth) => {
  const line = fc.tuple(name, word).map(([key, value]) => [`${key}: ${value}`])
  if (depth === 0) return line
  const inner = fc.array(block(depth - 1), { minLength: 1, maxLength: 3 }).map((parts) => parts.flat())
  const indent = fc.integer({ min: 0, max: 3 }).map((n) => " ".repeat(n))
  const under = fc
    .tuple(name, inner, indent)
    .map(([key, lines, by]) => [by === "" ? `${key}: # remark` : `${key}:`, ...lines.map((one) => by + one)])
  const listed = inner.map((lines) => lines.map((one, at) => (at === 0 ? "- " : "  ") + one))
  const item = word.map((value) => [`- ${value}`])
  const aside = fc.constantFrom([""], ["# a remark"], ["  # indented"], ["    # further"], ["  "])
  return fc.oneof(line, under, listed, item, { weight: 1, arbitrary: aside })
}

describe("a plain rule file, read without the library", () => {
  it("is the very tree the library makes, for every file of the shelf", () => {
    const plain = written.filter(isPlain)
    assert.isAbove(plain.length, written.length / 2)
  })

  it("is every file that is shipped, and its tests", () => {
    assert.deepStrictEqual(
      shipped.filter((text) => !isPlain(text)),
      []
    )
  })

  it("is so however the file is cut up and mistyped", () => {
    const place = fc.nat()
    const change = fc.tuple(place, fc.nat(6), fc.oneof(fc.constantFrom(...pieces), fc.constant("")))
    fc.assert(
      fc.property(
        fc.constantFrom(...written),
        fc.array(change, { minLength: 1, maxLength: 3 }),
        (text, changes) => {
          isPlain(
            changes.reduce((so, [at, cut, piece]) => {
              const start = at % (so.length + 1)
              return so.slice(0, start) + piece + so.slice(start + (piece === "" ? cut : 0))
            }, text)
          )
        }
      ),
      { numRuns: 3000 }
    )
  })

  it("is so for keys and lists in each other, well indented or not", () => {
    const document = fc
      .array(block(2), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.flat().join("\n"))
    let plain = 0
    fc.assert(
      fc.property(document, fc.constantFrom("", "\n", "\n\n"), (text, end) => {
        if (isPlain(text + end)) plain++
      }),
      { numRuns: 3000 }
    )
    assert.isAbove(plain, 100)
  })
})
