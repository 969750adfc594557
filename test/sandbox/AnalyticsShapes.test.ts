import * as HttpApi from "@effect/platform/HttpApi"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { expect, test } from "vitest"
import { MarketplaceApi } from "../../src/services/endpoints/Api.js"
import { answer, paths, small, week } from "./Analytics.js"
import * as OwnPast from "./OwnPast.js"
import { withMarketplace } from "./Real.js"

const orderBy = { field: "orders", mode: "desc" }
const past = { start: "2026-11-06", end: "2026-11-12" }
const search = {
  ...{ currentPeriod: week, pastPeriod: past, positionCluster: "all" },
  ...{ orderBy, limit: 100, offset: 0, brandNames: ["Ольха"] }
}
const stock = {
  ...{ currentPeriod: week, stockType: "", skipDeletedNm: false, availabilityFilters: [] },
  ...{ orderBy: { field: "stockCount", mode: "asc" }, offset: 0 }
}
const nmId = 200000001
const bodies: Readonly<Record<keyof typeof paths, object>> = {
  funnel: { selectedPeriod: week },
  history: { selectedPeriod: week, nmIds: [nmId] },
  grouped: { selectedPeriod: week, brandNames: ["Ольха"] },
  feed: { selectedPeriod: { start: "2026-11-10T00:00:00Z" } },
  search,
  searchGroups: search,
  searchDetails: { ...search, brandName: "Ольха" },
  searchTexts: { ...search, nmIds: [nmId], topOrderBy: "orders", limit: 30 },
  searchOrders: { period: week, nmId, searchTexts: ["кеды"] },
  platformStock: {},
  sellerStock: {},
  stockGroups: stock,
  stockProducts: stock,
  stockSizes: { ...stock, nmID: nmId, includeOffice: true },
  stockOffices: stock,
  rating: { currentPeriod: week, pastPeriod: past, orderBy: { field: "oneStar", mode: "asc" }, offset: 0 }
}

/** Schema of the 200 of every path. */
const declared = (): ReadonlyMap<string, Schema.Schema.AnyNoContext> => {
  const found = new Map<string, Schema.Schema.AnyNoContext>()
  HttpApi.reflect(MarketplaceApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, successes }) => {
      const ast = Option.flatten(Option.fromNullable(successes.get(200)?.ast))
      if (Option.isSome(ast)) found.set(endpoint.path, Schema.make(ast.value))
    }
  })
  return found
}

test("every report answers with the fields its declaration names, and with no others", () =>
  withMarketplace(small, async (m) => {
    const schemas = declared()
    for (const name of Object.keys(bodies) as ReadonlyArray<keyof typeof paths>) {
      const json = await answer(m, name, bodies[name])
      const schema = schemas.get(paths[name])
      if (schema === undefined) throw new Error(`${paths[name]} is not declared`)
      const decode = Schema.decodeUnknownSync(schema, { onExcessProperty: "error" })
      expect([name, decode(json)]).toEqual([name, expect.anything()])
    }
  }))

test("the same question gives the same bytes in another sandbox of the same seed", async () => {
  const ask = async (): Promise<ReadonlyArray<string>> => {
    const texts: Array<string> = []
    OwnPast.forget()
    await withMarketplace(small, async (m) => {
      for (const name of Object.keys(bodies) as ReadonlyArray<keyof typeof paths>)
        texts.push(JSON.stringify(await answer(m, name, bodies[name])))
    })
    return texts
  }
  expect(await ask()).toEqual(await ask())
})
