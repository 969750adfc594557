/** The 90 operations of the three seeds as one declaration: client, sandbox, catalogue and OpenAPI come from it. */
import * as HttpApi from "@effect/platform/HttpApi"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Campaigns from "./Campaigns.js"
import * as Clusters from "./Clusters.js"
import * as Creation from "./Creation.js"
import * as CsvReports from "./CsvReports.js"
import * as Finance from "./Finance.js"
import * as Funnel from "./Funnel.js"
import * as Inventory from "./Inventory.js"
import * as ItemRating from "./ItemRating.js"
import * as Labels from "./Labels.js"
import * as Management from "./Management.js"
import * as OrderFeed from "./OrderFeed.js"
import * as Orders from "./Orders.js"
import * as Passes from "./Passes.js"
import * as Promo from "./Promo.js"
import * as SearchReports from "./SearchReports.js"
import * as Statistics from "./Statistics.js"
import * as Supplies from "./Supplies.js"

export const MarketplaceApi = HttpApi.make("marketplace")
  .add(Orders.group)
  .add(Labels.group)
  .add(Supplies.group)
  .add(Passes.group)
  .add(Campaigns.group)
  .add(Creation.group)
  .add(Management.group)
  .add(Clusters.group)
  .add(Finance.group)
  .add(Statistics.group)
  .add(Promo.group)
  .add(Funnel.group)
  .add(OrderFeed.group)
  .add(SearchReports.group)
  .add(Inventory.group)
  .add(ItemRating.group)
  .add(CsvReports.group)
  .annotate(OpenApi.Title, "Marketplace seller interface")
  .annotate(OpenApi.Version, "1")

export type MarketplaceApi = typeof MarketplaceApi
