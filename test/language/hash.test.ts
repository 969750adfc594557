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
  expect(new Set(values.map(Hash.of)).size).toBe(values.length)
})

it("a number that JSON cannot hold is refused", () => {
  expect(() => Hash.of({ a: Number.NaN })).toThrow(/no JSON form/)
})
