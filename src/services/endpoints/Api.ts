/** The 35 operations of seed 001 as one declaration: client, sandbox, catalogue and OpenAPI come from it. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Campaigns from "./Campaigns.js"
import * as Clusters from "./Clusters.js"
import * as Creation from "./Creation.js"
import * as Finance from "./Finance.js"
import * as Management from "./Management.js"
import * as Promo from "./Promo.js"
import * as Statistics from "./Statistics.js"

export const MarketplaceApi = HttpApi.make("marketplace")
  .add(Campaigns.group)
  .add(Creation.group)
  .add(Management.group)
  .add(Clusters.group)
  .add(Finance.group)
  .add(Statistics.group)
  .add(Promo.group)
  .annotate(OpenApi.Title, "Marketplace advertising")
  .annotate(OpenApi.Version, "1")

export type MarketplaceApi = typeof MarketplaceApi
