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
  readonly target: Target.Target
  readonly slot: string
  readonly placement?: BidPlacement
  readonly bidFact: string
  readonly floorFact: string
  readonly counting: Counting.Counting
  readonly levels: ReadonlyArray<{ readonly name: Core.LevelName; readonly fact: string }>
}

export const clusterLevels: Bid["levels"] = [
  { name: "reach_min", fact: "cluster.recommended.reach_min" },
  { name: "reach_medium", fact: "cluster.recommended.reach_medium" },
  { name: "reach_max", fact: "cluster.recommended.reach_max" }
]

const itemLevels: Readonly<Record<string, Bid["levels"]>> = {
  cpm: [
    { name: "competitive", fact: "campaign_item.recommended.competitive" },
    { name: "leaders", fact: "campaign_item.recommended.leaders" },
    { name: "top2", fact: "campaign_item.recommended.top2" }
  ],
  cpc: [
    { name: "place_11_34", fact: "campaign_item.recommended.place_11_34" },
    { name: "place_3_10", fact: "campaign_item.recommended.place_3_10" },
    { name: "place_1_2", fact: "campaign_item.recommended.place_1_2" }
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
  const target = Target.ofSubject(table.target(row))!
  return {
    table,
    row,
    target,
    slot: ItemBid.slot(target, placement),
    placement,
    bidFact: isShelf ? "campaign_item.bid.recommendations" : "campaign_item.bid",
    floorFact: isShelf ? "campaign_item.min_bid.recommendations" : "campaign_item.min_bid",
    counting,
    // What is recommended is said of search.
    levels: isShelf ? [] : (itemLevels[payment] ?? [])
  }
}
