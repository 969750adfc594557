import * as OpenApi from "@effect/platform/OpenApi"
import * as HttpApi from "@effect/platform/HttpApi"
import * as Context from "effect/Context"
import { test } from "vitest"
import { MarketplaceApi } from "../../src/services/endpoints/Api.js"
import * as Operation from "../../src/services/Operation.js"
test("x", () => {
  const spec = OpenApi.fromApi(MarketplaceApi)
  console.log(JSON.stringify(spec.paths["/adv/v1/payments"], null, 1).slice(0, 4000))
  let n = 0
  HttpApi.reflect(MarketplaceApi, { onGroup: () => {}, onEndpoint: ({ endpoint, mergedAnnotations, successes, errors }) => { n++
    const f = Context.getOption(mergedAnnotations, Operation.Annotation)
    console.log(endpoint.method, endpoint.path, f._tag, Operation.writes in endpoint, [...successes.keys()], [...errors.keys()]) } })
  console.log(n)
})
