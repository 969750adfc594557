/** Pairs and their clusters as the wire spells them: v0 in snake_case, v1 and list in camelCase (field note M17). */
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../../domain/Ids.js"
import type { Pair } from "../../../domain/Target.js"
import * as OddEntries from "../../OddEntries.js"

export interface ClusterKey extends Pair {
  readonly cluster: Cluster
}

export interface SnakePair {
  readonly advert_id: Pair["campaignId"]
  readonly nm_id: Pair["itemId"]
}
export interface Snake extends SnakePair {
  readonly norm_query: Cluster
}
export interface CamelPair {
  readonly advertId: Pair["campaignId"]
  readonly nmId: Pair["itemId"]
}
export interface Camel extends CamelPair {
  readonly normQuery: Cluster
}

export const snake = (pair: Pair): SnakePair => ({ advert_id: pair.campaignId, nm_id: pair.itemId })
export const camel = (pair: Pair): CamelPair => ({ advertId: pair.campaignId, nmId: pair.itemId })

export const pairOfSnake = (row: SnakePair): Pair => ({ campaignId: row.advert_id, itemId: row.nm_id })
export const pairOfCamel = (row: CamelPair): Pair => ({ campaignId: row.advertId, itemId: row.nmId })

export const fromSnake = (row: Snake): ClusterKey => ({ ...pairOfSnake(row), cluster: row.norm_query })
export const fromCamel = (row: Camel): ClusterKey => ({ ...pairOfCamel(row), cluster: row.normQuery })

const pair = { advert_id: CampaignId, nm_id: ItemId }

/** Whose an odd entry is. */
export const snakeOwner = OddEntries.named(Schema.Struct(pair), pairOfSnake)
export const snakeCluster = OddEntries.named(Schema.Struct({ ...pair, norm_query: Cluster }), fromSnake)
export const camelOwner = OddEntries.named(Schema.Struct({ advertId: CampaignId, nmId: ItemId }), pairOfCamel)
