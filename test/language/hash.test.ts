import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Hash from "../../src/domain/Hash.js"

it("a hash does not depend on the order of keys, nor on absent fields", () => {
  expect(Hash.of({ a: 1, b: [2, { c: 3, d: undefined }] })).toBe(Hash.of({ b: [2, { c: 3 }], a: 1 }))
  expect(Hash.of({ a: 1 })).toMatch(/^[0-9a-f]{64}$/)
})

it("the canonical text says the same as the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const plain: unknown = JSON.parse(JSON.stringify(value))
      expect(JSON.parse(Hash.canonical(plain))).toEqual(plain)
    })
  )
})

/** The canonical text by its definition. */
const byDefinition = (json: unknown): string => {
  if (typeof json !== "object" || json === null) return JSON.stringify(json)
  if (Array.isArray(json)) return `[${json.map(byDefinition).join()}]`
  const fields = Object.entries(json).sort(([one], [other]) => (one < other ? -1 : 1))
  return `{${fields.map(([key, value]) => `${JSON.stringify(key)}:${byDefinition(value)}`).join()}}`
}

it("the canonical text is that of its definition, whatever signs, halves of signs and lengths its texts have", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.string({
      unit: fc.constantFrom("a", "ж", "€", "\ud83d", "\ude00", '"', "\\", "\n", "\u007f", "\u2028")
    }),
    fc
      .tuple(fc.constantFrom("a", "ж", "€", "\n"), fc.integer({ min: 600, max: 20_000 }))
      .map(([unit, length]) => unit.repeat(length))
  )
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any")),
      fc.dictionary(text, tie("any"))
    )
  })).any
  fc.assert(
    fc.property(value, (json) => {
      const expected = byDefinition(json)
      expect(Hash.canonical(json)).toBe(expected)
      expect(Hash.of(json)).toBe(createHash("sha256").update(expected).digest("hex"))
    }),
    { numRuns: Number(process.env.CASES ?? 40) }
  )
})

it("the hash of what is long is that of its whole text, and its keys are sorted by code unit", () => {
  const keys = Array.from({ length: 50 }, (_, at) => `${String.fromCharCode(1200 - at * 7)}\ud83d\ude00`)
  const entry = Object.fromEntries(
    keys.map((key) => [key, [key.repeat(9), { z: 1, é: key, A: true, a: null }]])
  )
  const long = Array.from({ length: 200 }, () => entry)
  const text = Hash.canonical(long)
  expect(text.length).toBeGreaterThan(300_000)
  expect(Object.keys(JSON.parse(text)[0])).toEqual([...keys].sort())
  expect(Hash.of(long)).toBe(createHash("sha256").update(text).digest("hex"))
})

it("a long list that many values share is written out twice at most, and their hashes are what they are without that", () => {
  let reads = 0
  const entry = {
    get id() {
      reads++
      return "ж"
    }
  }
  const list = Array.from({ length: 1000 }, () => entry)
  const values = Array.from({ length: 20 }, (_, n) => ({ n, options: list, short: [1, 2] }))
  const alone = values.map((value) => Hash.of(value))
  reads = 0
  const shared: Hash.Shared = new WeakMap()
  expect(values.map((value) => Hash.of(value, shared))).toEqual(alone)
  expect(reads).toBe(2000)
})

it("values that differ have hashes that differ", () => {
  const values = [
    null,
    0,
    "",
    "0",
    [],
    [[]],
    {},
    { a: null },
    [null],
    "null",
    true,
    "true",
    ["a", "b"],
    ["a,b"]
  ]
  expect(new Set(values.map((value) => Hash.of(value))).size).toBe(values.length)
})

it("a number that JSON cannot hold is refused", () => {
  expect(() => Hash.of({ a: Number.NaN })).toThrow(/no JSON form/)
})
