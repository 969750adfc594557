/** The reader of bytes says what the schema says of the text, or that it does not know; whatever is damaged. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as PlainAnswers from "../../src/services/PlainAnswers.js"
import * as PlainBytes from "../../src/services/PlainBytes.js"
import * as Depth from "../Depth.js"
import * as Bodies from "./Bodies.js"

const { doubt } = PlainAnswers
const cases = Depth.cases(400, 1 / 16)
const seed = 92

const schemaOf = (entry: Catalogue.Entry): Schema.Schema.AnyNoContext => entry.endpoint.successSchema
const operations = Catalogue.operations.filter(
  (entry) => !HttpApiSchema.isVoid(schemaOf(entry).ast) && entry.file === undefined
)

/** What the text of the bytes says by the schema; undefined where it is refused. */
const slowly = (schema: Schema.Schema.AnyNoContext) => {
  const decode = Schema.decodeUnknownEither(schema)
  return (bytes: Uint8Array) => {
    try {
      return Either.getOrUndefined(decode(JSON.parse(new TextDecoder().decode(bytes))))
    } catch {
      return undefined
    }
  }
}

const check = (read: PlainBytes.ReadBytes, slow: (bytes: Uint8Array) => unknown, bytes: Buffer): boolean => {
  const found = read(bytes)
  if (found === doubt) return false
  const said = slow(bytes)
  expect(found, bytes.toString()).toStrictEqual(said)
  expect(JSON.stringify(found)).toBe(JSON.stringify(said))
  return true
}

/** Every sign that is none of ASCII, and every seventh that is, as an escape. */
const escaped = (text: string): string =>
  text.replace(/"(?:[^"\\]|\\.)*"/g, (one) =>
    one.replace(
      /[\u0080-\uffff]|(?<=^"(?:[a-z]{7})*[a-z]{6})[a-z]/g,
      (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`
    )
  )

const damage = fc.tuple(fc.nat(), fc.constantFrom("cut", "put", "change", "twice"), fc.nat(255))
const signs = Buffer.from('{}[]",:\\0123456789-+.eE\ttruefalsn \u00e9\u0001')

const damaged = (bytes: Buffer, [at, how, byte]: [number, string, number]): Buffer => {
  const place = at % (bytes.length + 1)
  const put = Buffer.from([byte % 3 === 0 ? byte : signs[byte % signs.length]!])
  const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)]
  switch (how) {
    case "cut":
      return Buffer.concat([before, after.subarray(1)])
    case "put":
      return Buffer.concat([before, put, after])
    case "change":
      return Buffer.concat([before, put, after.subarray(1)])
    default:
      return Buffer.concat([before, after.subarray(0, 12), after])
  }
}

describe.each(operations.map((entry) => [entry.id, entry] as const))(
  "the reader of bytes of %s",
  (_, entry) => {
    const schema = schemaOf(entry)
    const read = PlainBytes.of(schema)
    const slow = slowly(schema)
    const whole = Bodies.answers(entry, cases, seed).map((value) => JSON.stringify(value ?? null))

    it("takes nothing that the schema refuses, and answers the same in the same order", () => {
      const surprises = fc.sample(Bodies.anything, { numRuns: whole.length, seed })
      const surprised = whole.map((text, n) =>
        JSON.stringify(Bodies.surprised(JSON.parse(text), surprises[n]))
      )
      const spaced = whole.map((text) => JSON.stringify(JSON.parse(text), undefined, "\t \r\n"))
      const values = whole.map((text): unknown => JSON.parse(text))
      const texts = [
        ...whole,
        ...surprised,
        ...spaced,
        ...whole.map(escaped),
        ...Bodies.broken(values, cases, seed)
      ]
      for (const text of texts) check(read, slow, Buffer.from(text))
      const hurts = fc.sample(damage, { numRuns: whole.length * 4, seed })
      for (const [n, hurt] of hurts.entries())
        check(read, slow, damaged(Buffer.from(whole[n % whole.length]!), hurt))
    })

    it("takes what the reader of texts takes", () => {
      const ofText = PlainAnswers.of(schema)
      const taken = (readers: (text: string) => unknown) => whole.filter((text) => readers(text) !== doubt)
      expect(taken((text) => read(Buffer.from(text)))).toEqual(taken(ofText))
    })

    it("leaves out what nobody looks at, and checks it all the same", () => {
      const names = new Set(
        whole.flatMap((text) => text.match(/"\w+":/g) ?? []).map((name) => name.slice(1, -2))
      )
      const hurts = fc.sample(damage, { numRuns: whole.length * 2, seed })
      const texts = whole.map((text) => Buffer.from(text))
      const all = [...texts, ...hurts.map((hurt, n) => damaged(texts[n % texts.length]!, hurt))]
      for (const name of [...names].slice(0, 5)) {
        const leftOut = new Set([name])
        for (const bytes of all) {
          const less = read(bytes, leftOut)
          if (less === doubt) expect(read(bytes)).toBe(doubt)
          else expect(JSON.stringify(less)).toBe(JSON.stringify(fitting(slow(bytes), less, name)))
        }
      }
    })
  }
)

/** The value without a field, where the other one has not kept it. */
const fitting = (value: unknown, other: unknown, name: string): unknown => {
  if (Array.isArray(value))
    return value.map((one, n) => fitting(one, Array.isArray(other) ? other[n] : undefined, name))
  if (typeof value !== "object" || value === null) return value
  const fields = Object.entries(value).flatMap(([key, inner]) => {
    const twin = (other as Readonly<Record<string, unknown>> | undefined)?.[key]
    return key === name && twin === undefined ? [] : [[key, fitting(inner, twin, name)] as const]
  })
  return Object.fromEntries(fields)
}

describe("the reader of bytes", () => {
  it("is written once for an operation, however many accounts ask for it", () => {
    for (const entry of operations) {
      const schema = schemaOf(entry)
      expect(PlainBytes.of(schema)).toBe(PlainBytes.of(schema))
      expect(PlainAnswers.of(schema)).toBe(PlainAnswers.of(schema))
    }
  })

  const record = Schema.Struct({ n: Schema.optional(Schema.Number), s: Schema.optional(Schema.String) })
  const read = PlainBytes.of(record)
  const slow = slowly(record)

  it("reads every number and every text as JSON does", () => {
    const digits = fc.tuple(
      fc.constantFrom("", "-"),
      fc.oneof(fc.constantFrom("0", "00", "1", ""), fc.bigInt({ min: 0n, max: 10n ** 20n }).map(String)),
      fc.oneof(
        fc.constantFrom("", ".", ".0", ".10"),
        fc.bigInt({ min: 0n, max: 10n ** 18n }).map((n) => `.${n}`)
      ),
      fc.constantFrom("", "", "e5", "E-7", "e+400", "e", "e+")
    )
    const number = fc.oneof(
      digits.map((parts) => parts.join("")),
      fc.double().map(String)
    )
    const text = fc.string({ unit: fc.constantFrom(...'ab\\"u0041é😀\u2028 \u0001/n') })
    fc.assert(
      fc.property(number, text, fc.string({ unit: "binary" }), (n, inside, s) => {
        check(read, slow, Buffer.from(`{"n":${n}}`))
        check(read, slow, Buffer.from(`{"s":"${inside}","x":"${inside}"}`))
        const plain = Buffer.from(JSON.stringify({ s }))
        expect(check(read, slow, plain)).toBe(!s.includes("\ufffd"))
      }),
      { numRuns: Depth.cases(20_000) }
    )
  })

  it("reads texts of any length and alphabet, and doubts one that is cut within a letter", () => {
    const schema = Schema.Struct({ s: Schema.String })
    const [read, slow] = [PlainBytes.of(schema), slowly(schema)]
    for (const letters of ["e", "é", "ж", "߿", "ࠀ", "№", "😀", "eж", "ж№", "ж\\n", "\u0000ж"])
      for (const count of [0, 1, 2, 170, 171, 255, 256, 257, 511, 512, 513, 2000]) {
        const bytes = Buffer.from(`{"s":${JSON.stringify(letters.repeat(count))}}`)
        expect(check(read, slow, bytes)).toBe(true)
        const end = bytes.length - 2
        if (bytes[end - 1]! < 128) continue
        const cut = Buffer.concat([bytes.subarray(0, end - 1), bytes.subarray(end)])
        expect(read(cut)).toBe(doubt)
      }
  })

  it("reads fields in any order, with others among them, as often as the order changes", () => {
    const rows = Schema.Array(
      Schema.Struct({
        count: Schema.optional(Schema.Number),
        counts: Schema.Number,
        amount: Schema.optional(Schema.String)
      })
    )
    const names = fc.shuffledSubarray(["count", "counts", "amount", "coun", "counted", "кол"])
    const space = fc.constantFrom("", "", "", " ", "\n")
    const field = (name: string, before: string, behind: string) =>
      `${before}"${name}"${behind}:${name === "amount" ? '"1"' : 1}`
    const row = fc
      .tuple(names, fc.array(fc.tuple(space, space), { minLength: 6, maxLength: 6 }))
      .map(([all, spaces]) => `{${all.map((name, n) => field(name, ...spaces[n]!)).join(",")}}`)
    const [quick, thorough] = [PlainBytes.of(rows), slowly(rows)]
    fc.assert(
      fc.property(fc.array(row, { maxLength: 8 }), (all) => {
        const text = `[${all.join(",")}]`
        const isWhole = all.every((one) => one.includes('"counts"'))
        expect(check(quick, thorough, Buffer.from(text))).toBe(isWhole)
      }),
      { numRuns: Depth.cases(5_000) }
    )
  })

  it("doubts what stands twice, what is no text, and what is nested without end", () => {
    const deep = `{"x":${"[".repeat(60)}${"]".repeat(60)}}`
    const odd = ['{"n":1,"n":2}', '{"n":1} x', '\ufeff{"n":1}', "", " ", '{"n":1,}', "[1]", deep, "<html>"]
    for (const text of odd) expect(read(Buffer.from(text)), text).toBe(doubt)
    expect(read(Buffer.from([...Buffer.from('{"s":"'), 0xd0, ...Buffer.from('"}')]))).toBe(doubt)
    expect(read(Buffer.from(' {"x" : [ { } , [ ] ] , "n" : 1 }\n'))).toEqual({ n: 1 })
  })
})
