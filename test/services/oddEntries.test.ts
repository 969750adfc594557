/** One entry of a list that cannot be read: what the declarations say of it, and that the client does as they say. */
import { it as effectIt } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import type * as AST from "effect/SchemaAST"
import * as fc from "fast-check"
import { assert, describe, expect, it } from "vitest"
import * as Catalogue from "../../src/services/Catalogue.js"
import * as OddEntries from "../../src/services/OddEntries.js"
import type { Apart } from "../../src/services/Operation.js"
import { json, withMarketplace } from "./FakeMarketplace.js"
import { inputs } from "./Requests.js"

const reads = Catalogue.operations.filter(({ access, file }) => access === "read" && file === undefined)

/** What a schema may be made of, past what only wraps it. */
const inner = (ast: AST.AST): ReadonlyArray<AST.AST> => {
  switch (ast._tag) {
    case "Refinement":
    case "Transformation":
      return inner(ast.from)
    case "Union":
      return ast.types.flatMap(inner)
    default:
      return [ast]
  }
}

const fieldOf = (ast: AST.AST, name: string): ReadonlyArray<AST.AST> =>
  inner(ast).flatMap((one) =>
    one._tag === "TypeLiteral"
      ? one.propertySignatures.filter((field) => field.name === name).map(({ type }) => type)
      : []
  )

/** Shapes of the entries of lists. */
const entriesOf = (ast: AST.AST): ReadonlyArray<AST.AST> =>
  inner(ast).flatMap((one) => (one._tag === "TupleType" ? one.rest.map(({ type }) => type) : []))

const holdsList = (ast: AST.AST): boolean =>
  inner(ast).some(
    (one) =>
      one._tag === "TupleType" ||
      (one._tag === "TypeLiteral" && one.propertySignatures.some(({ type }) => holdsList(type)))
  )

describe("the declarations", () => {
  it("say of every operation that reads lists what one odd entry means", () => {
    const silent = reads.filter(
      ({ endpoint, entries }) => holdsList(endpoint.successSchema.ast) !== (entries !== undefined)
    )
    expect(silent.map(({ id }) => id)).toEqual([])
  })

  it("name lists that are there, and the shape of their entries", () => {
    for (const { endpoint, entries, id } of reads) {
      if (entries === undefined || "whole" in entries) continue
      for (const { at, of } of entries.apart) {
        let found: ReadonlyArray<AST.AST> = [endpoint.successSchema.ast]
        for (const step of at === "" ? [] : at.split("."))
          found = found.flatMap((ast) => (step === "*" ? entriesOf(ast) : fieldOf(ast, step)))
        const entry = found.flatMap(entriesOf)
        expect([id, at, entry.includes(of.ast)]).toEqual([id, at, true])
      }
    }
  })

  it("never take money in part", () => {
    for (const id of ["getBalance", "getCostHistory", "getPaymentHistory"])
      expect(Catalogue.find(id)?.entries).toHaveProperty("whole")
  })

  it("never take the answer of a write in part: what became of its rows is read back", () => {
    const apart = Catalogue.operations.filter(
      ({ access, entries }) => access === "write" && entries !== undefined
    )
    expect(apart.map(({ id }) => id)).toEqual([])
  })
})

const entry = ({ of }: Apart, seed: number): unknown =>
  Schema.encodeSync(of)(fc.sample(Arbitrary.make(of), { numRuns: 1, seed })[0])

/** An answer that holds nothing but a list at a place. */
const holding = (steps: ReadonlyArray<string>, list: unknown, around: (at: string) => object): unknown => {
  const [step, ...rest] = steps
  if (step === undefined) return list
  if (step === "*") return [{ ...around(rest.join(".")), ...record(holding(rest, list, around)) }]
  return { [step]: holding(rest, list, around) }
}

const record = (value: unknown): object => (typeof value === "object" && value !== null ? value : {})

const listAt = (answer: unknown, steps: ReadonlyArray<string>): unknown =>
  steps.reduce<unknown>(
    (value, step) => (step === "*" ? (value as ReadonlyArray<unknown>)[0] : Reflect.get(record(value), step)),
    answer
  )

const lists = reads.flatMap((operation) =>
  operation.entries === undefined || "whole" in operation.entries
    ? []
    : operation.entries.apart.map((list) => [`${operation.id} ${list.at}`, operation, list] as const)
)

const quiet = Effect.provide(Logger.remove(Logger.defaultLogger))

describe.each(lists)("%s", (_, { entries, id }, list) => {
  const steps = list.at === "" ? [] : list.at.split(".")
  const [one, other] = [entry(list, 1), entry(list, 2)]
  const outer = entries !== undefined && "apart" in entries ? entries.apart : []
  // An inner list lies in an entry that is whole but for it.
  const around = (): object =>
    record(outer.filter(({ at }) => at !== list.at).map((above) => entry(above, 3))[0])
  const answering = (found: ReadonlyArray<unknown>) => () => json(holding(steps, found, around))

  effectIt.effect("keeps the others for one who takes odd entries, and tells of the odd one", () =>
    withMarketplace(answering([one, 7, other]), ({ client }) =>
      Effect.gen(function* () {
        const { answer, odd } = yield* OddEntries.apart(client.read(id, inputs[id] ?? {}))
        assert.lengthOf(listAt(answer, steps) as ReadonlyArray<unknown>, 2)
        const place = [...steps.map((step) => (step === "*" ? 0 : step)), 1]
        assert.deepStrictEqual(
          odd.map(({ operation, path, raw }) => ({ operation, path, raw })),
          [{ operation: id, path: place, raw: 7 }]
        )
        assert.include(odd[0]?.problem, `${place.join(".")}: Expected`)
      })
    ).pipe(quiet)
  )

  effectIt.effect("is unreadable as a whole for one who does not", () =>
    withMarketplace(answering([one, 7, other]), ({ client }) =>
      Effect.map(Effect.either(client.read(id, inputs[id] ?? {})), (read) => {
        assert.strictEqual(Either.getOrThrow(Either.flip(read))._tag, "Undecodable")
      })
    ).pipe(quiet)
  )

  if (!list.at.includes("*"))
    effectIt.effect("is unreadable where no entry can be read", () =>
      withMarketplace(answering([7, "x"]), ({ client }) =>
        Effect.map(Effect.either(OddEntries.apart(client.read(id, inputs[id] ?? {}))), (read) => {
          assert.strictEqual(Either.getOrThrow(Either.flip(read))._tag, "Undecodable")
        })
      ).pipe(quiet)
    )
})

describe("money", () => {
  const bodies: ReadonlyArray<readonly [string, unknown]> = [
    [
      "getCostHistory",
      [
        { advertId: 777, updSum: 5 },
        { advertId: 777, updSum: "5" }
      ]
    ],
    [
      "getPaymentHistory",
      [
        { id: 1, sum: 5 },
        { id: 2, sum: "5" }
      ]
    ],
    ["getBalance", { balance: 1, net: 2, bonus: 3, cashbacks: [{ sum: "1" }] }]
  ]
  effectIt.effect.each(bodies)("is read whole or not at all: %s", ([id, body]) =>
    withMarketplace(
      () => json(body),
      ({ client }) =>
        Effect.map(Effect.either(OddEntries.apart(client.read(id, inputs[id] ?? {}))), (read) => {
          assert.strictEqual(Either.getOrThrow(Either.flip(read))._tag, "Undecodable")
        })
    )
  )
})
