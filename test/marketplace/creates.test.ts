import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Recipes from "../../src/marketplace/creates/Recipes.js"
import { Forbidden, local, Refused, Transport, Unavailable } from "../../src/services/MarketplaceError.js"
import { withMarketplace, withPermit } from "../services/FakeMarketplace.js"

describe("a creation that failed", () => {
  it("was refused only if the marketplace said so; what never left may be tried again", () =>
    Effect.runPromise(
      withMarketplace(
        () => "silence",
        ({ client }) =>
          Effect.gen(function* () {
            const nothing = local("createSupply", "no connection")
            for (const [error, outcome] of [
              [new Transport(nothing), "NotSent"],
              [new Transport({ ...nothing, arrived: "maybe" }), "Unknown"],
              [new Unavailable({ ...nothing, status: 502, arrived: "yes" }), "Unknown"],
              [new Forbidden({ ...nothing, switchedOff: true }), "NotSent"],
              [new Forbidden(nothing), "NotSent"],
              [new Refused(nothing), "NotSent"],
              [new Refused({ ...nothing, status: 400, arrived: "yes" }), "Refused"]
            ] as const) {
              const recipe = Recipes.of(client, "createSupply", "x", {}, Effect.fail(error), String)
              expect((yield* withPermit(recipe.send))._tag).toBe(outcome)
            }
          })
      )
    ))
})
