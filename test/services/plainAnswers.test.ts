/** The quick reader of answers says what the schema says, or that it does not know. */
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as PlainAnswers from "../../src/services/PlainAnswers.js"
import * as Depth from "../Depth.js"
import * as Bodies from "./Bodies.js"

const cases = Depth.cases(400, 1 / 8)
const seed = 91

const schemaOf = (entry: Catalogue.Entry): Schema.Schema.AnyNoContext => entry.endpoint.successSchema
const operations = Catalogue.operations.filter(
  (entry) => !HttpApiSchema.isVoid(schemaOf(entry).ast) && entry.file === undefined
)

/** As JSON: a field that is undefined is one that is not there. */
const parsed = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null))

describe.each(operations.map((entry) => [entry.id, entry] as const))("the quick reader of %s", (_, entry) => {
  const schema = schemaOf(entry)
  const read = PlainAnswers.reader(schema.ast)
  const slow = Schema.decodeUnknownEither(schema)

  it("takes nothing that the schema refuses, and answers the same in the same order", () => {
    const whole = Bodies.answers(entry, cases, seed).map(parsed)
    const surprises = fc.sample(Bodies.anything, { numRuns: whole.length, seed })
    const odd = Bodies.broken(whole, cases, seed).flatMap((text) => {
      try {
        return [JSON.parse(text) as unknown]
      } catch {
        return []
      }
    })
    const all = [...whole, ...whole.map((value, n) => Bodies.surprised(value, surprises[n])), ...odd]
    for (const value of all) {
      const found = read(value)
      if (found === PlainAnswers.doubt) continue
      const said = slow(value)
      expect(Either.isRight(said), JSON.stringify(value)).toBe(true)
      if (Either.isRight(said)) {
        expect(found).toStrictEqual(said.right)
        expect(JSON.stringify(found)).toBe(JSON.stringify(said.right))
      }
    }
  })
})

describe("the quick reader", () => {
  const readers = operations.map((entry) => {
    const answers = Bodies.answers(entry, 60, seed).map(parsed)
    const read = PlainAnswers.reader(schemaOf(entry).ast)
    return { id: entry.id, taken: answers.filter((value) => read(value) !== PlainAnswers.doubt).length }
  })

  it("takes answers as they are declared, but for operations with a shape that nobody needs to be quick", () => {
    const never = readers.flatMap(({ id, taken }) => (taken === 0 ? [id] : []))
    expect(never).toEqual([])
  })

  it("doubts what is no JSON, and whatever has an encoding or several statuses of its own", () => {
    const rows = Schema.Struct({ rows: Schema.Array(Schema.Int) })
    expect(PlainAnswers.of(rows)('{"rows":[1,2],"more":true}')).toEqual({ rows: [1, 2] })
    expect(PlainAnswers.of(rows)('{"rows":[1,2]')).toBe(PlainAnswers.doubt)
    expect(PlainAnswers.of(rows)('{"rows":[1,2.5]}')).toBe(PlainAnswers.doubt)
    const text = HttpApiSchema.withEncoding(Schema.NumberFromString, { kind: "Text" })
    expect(PlainAnswers.of(text)("1")).toBe(PlainAnswers.doubt)
    const created = rows.annotations(HttpApiSchema.annotations({ status: 201 }))
    expect(PlainAnswers.of(Schema.Union(rows, created))('{"rows":[]}')).toBe(PlainAnswers.doubt)
  })

  it("writes no reader for a schema whose fields are renamed: the schema answers", () => {
    const renamed = Schema.Struct({ a: Schema.propertySignature(Schema.Int).pipe(Schema.fromKey("b")) })
    expect(PlainAnswers.reader(renamed.ast)({ b: 1 })).toBe(PlainAnswers.doubt)
    expect(AST.isTransformation(renamed.ast)).toBe(true)
  })
})
