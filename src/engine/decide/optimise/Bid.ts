/** Where a bid stands in the table, the bid's own facts, and what the marketplace recommends for it. */
import * as Target from "../../../domain/Target.js"
import type { Table } from "../../facts/Table.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import type { BidPlacement } from "../../kinds/Parts.js"
import type * as Core from "../../optimise/Stream.js"
import type * as Counting from "./Counting.js"

export interface Bid {
  readonly table: Table
  readonly row: number
  readonly slot: string
  readonly placement?: BidPlacement
  readonly bidFact: string
  readonly floorFact: string
  readonly counting: Counting.Counting
  readonly levels: ReadonlyArray<readonly [Core.LevelName, string]>
}

export const clusterLevels: Bid["levels"] = [
  ["reach_min", "cluster.recommended.reach_min"],
  ["reach_medium", "cluster.recommended.reach_medium"],
  ["reach_max", "cluster.recommended.reach_max"]
]

const itemLevels: Readonly<Record<string, Bid["levels"]>> = {
  cpm: [
    ["competitive", "campaign_item.recommended.competitive"],
    ["leaders", "campaign_item.recommended.leaders"],
    ["top2", "campaign_item.recommended.top2"]
  ],
  cpc: [
    ["place_11_34", "campaign_item.recommended.place_11_34"],
    ["place_3_10", "campaign_item.recommended.place_3_10"],
    ["place_1_2", "campaign_item.recommended.place_1_2"]
  ]
}

export const ofItem = (
  table: Table,
  row: number,
  placement: BidPlacement,
  counting: Counting.Counting,
  payment: string
): Bid => {
  const isShelf = placement === "recommendations"
  return {
    table,
    row,
    slot: ItemBid.slot(Target.ofSubject(table.target(row))!, placement),
    placement,
    bidFact: isShelf ? "campaign_item.bid.recommendations" : "campaign_item.bid",
    floorFact: isShelf ? "campaign_item.min_bid.recommendations" : "campaign_item.min_bid",
    counting,
    // What is recommended is said of search.
    levels: isShelf ? [] : (itemLevels[payment] ?? [])
  }
}
