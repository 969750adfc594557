import * as Schema from "effect/Schema"
import { assert, describe, it } from "vitest"
import { Plan } from "../../src/engine/decide/Plan.js"
import * as PlanJson from "../../src/engine/decide/PlanJson.js"
import { plan, policy, raiseBid } from "./Example.js"

describe("the plan's contract", () => {
  it("is a draft 7 JSON Schema that names every field of a plan", () => {
    const schema = JSON.parse(PlanJson.schema())
    assert.strictEqual(schema.$schema, "http://json-schema.org/draft-07/schema#")
    // Only a plan that reaches for a tier, that cannot be applied, or that looked at changes again, has these.
    assert.sameMembers(Object.keys(schema.properties), [
      ...Object.keys(plan({ policies: [policy("01", raiseBid())] })),
      "sets",
      "forecasts",
      "found",
      "observeOnly",
      "observeOnlyFor",
      "watched"
    ])
    assert.strictEqual(schema.additionalProperties, false)
    // An id that stands twice is refused by whoever compiles the document.
    const ids = [...PlanJson.schema().matchAll(/"\$id": "([^"]*)"/g)].map(([, id]) => id)
    assert.sameMembers(ids, [...new Set(ids)])
  })

  it("accepts a plan that went through JSON", () => {
    const made = plan({ policies: [policy("01", raiseBid())] })
    assert.deepStrictEqual(Schema.decodeUnknownSync(Plan)(JSON.parse(JSON.stringify(made))), made)
  })
})
