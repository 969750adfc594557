/** Where the account of the client looks for what it may have created. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Whereabouts } from "../../engine/door/Creations.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Recipes from "./Recipes.js"

export const layer: Layer.Layer<Whereabouts, never, MarketplaceClient> = Layer.effect(
  Whereabouts,
  Effect.map(MarketplaceClient, (client) => ({
    search: (operation) => (Recipes.isCreating(operation) ? Recipes.search(client, operation) : undefined)
  }))
)
