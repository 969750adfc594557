/** The quick writer of requests writes what the schema writes, and refuses in the schema's words. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Answer from "../../src/services/Answer.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import { MarketplaceApi } from "../../src/services/endpoints/Api.js"
import * as PlainAnswers from "../../src/services/PlainAnswers.js"
import * as PlainRequests from "../../src/services/PlainRequests.js"
import * as Depth from "../Depth.js"
import * as Bodies from "./Bodies.js"
import { inputs } from "./Requests.js"

const seed = 93
const cases = Depth.cases(200, 1 / 8)

const payloads = Catalogue.operations.flatMap(({ endpoint, id }) => {
  const payload: Option.Option<Schema.Schema.All> = endpoint.payloadSchema
  return Option.isNone(payload) ? [] : [[id, payload.value as Schema.Schema.AnyNoContext] as const]
})

const told = (schema: Schema.Schema.AnyNoContext, value: unknown) =>
  Either.match(Schema.encodeUnknownEither(schema)(value), {
    onLeft: (error) => `refused: ${Answer.complaint(error)}`,
    onRight: (encoded) => JSON.stringify(encoded)
  })

describe.each(payloads)("a request of %s", (id, schema) => {
  const quick = PlainRequests.of(schema) as Schema.Schema.AnyNoContext

  it("is written as its schema writes it, and refused in the same words", () => {
    const { payload } = inputs[id] as { readonly payload: unknown }
    const surprises = fc.sample(Bodies.anything, { numRuns: cases, seed })
    const odd = surprises.map((surprise) => Bodies.surprised(payload, surprise))
    const broken = Bodies.broken([payload], cases, seed).flatMap((text): ReadonlyArray<unknown> => {
      try {
        return [JSON.parse(text)]
      } catch {
        return []
      }
    })
    for (const value of [payload, ...odd, ...broken]) expect(told(quick, value)).toBe(told(schema, value))
  })
})

it("operations stand in groups that say nothing beside them: the client's are made anew", () => {
  for (const group of Object.values(MarketplaceApi.groups)) {
    expect([group.topLevel, group.middlewares.size, group.errorSchema.ast._tag]).toEqual([
      false,
      0,
      "NeverKeyword"
    ])
  }
  expect(MarketplaceApi.middlewares.size).toBe(0)
  expect(MarketplaceApi.errorSchema.ast).toBe(HttpApi.make("other").errorSchema.ast)
})

it("requests that name a thousand items are written without asking the schema", () => {
  const itemIds = Array.from({ length: 1000 }, (_, i) => 200_000_000 + i)
  const lists = ["getFunnelProducts", "getStockProducts"] as const
  const period = { start: "2026-11-01", end: "2026-11-07" }
  const requests = {
    getFunnelProducts: { nmIds: itemIds, selectedPeriod: period },
    getStockProducts: {
      nmIDs: itemIds,
      currentPeriod: period,
      stockType: "",
      skipDeletedNm: true,
      orderBy: { field: "stockCount", mode: "asc" },
      availabilityFilters: ["actual"],
      offset: 0
    }
  }
  for (const id of lists) {
    const [, schema] = payloads.find(([one]) => one === id)!
    expect(PlainAnswers.reader(schema.ast)(requests[id])).toEqual(requests[id])
  }
})
