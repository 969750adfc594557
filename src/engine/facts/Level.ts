/** Coarse first. */
export const order = [
  "account",
  "campaign",
  "promotion",
  "item",
  "campaign_item",
  "promotion_item",
  "cluster"
] as const

/**
 * What facts and rows are about. A cluster belongs to an item in a campaign, which belongs to its campaign and to the
 * item as such; an item in a promotion belongs to its promotion and to the item as such; all belong to the account.
 */
export type Level = (typeof order)[number]

const above: Readonly<Record<Level, ReadonlyArray<Level>>> = {
  account: [],
  campaign: ["account"],
  promotion: ["account"],
  item: ["account"],
  campaign_item: ["campaign", "item", "account"],
  promotion_item: ["promotion", "item", "account"],
  cluster: ["campaign_item", "campaign", "item", "account"]
}

/** The level itself and those it belongs to, the nearest first: a row may use their facts. */
export const reachable = (level: Level): ReadonlyArray<Level> => [level, ...above[level]]

/** True when a row of `fine` belongs to one key of `coarse`, or is one itself. */
export const reaches = (fine: Level, coarse: Level): boolean =>
  fine === coarse || above[fine].includes(coarse)

/** What `all(…)`, `any(…)` and `sum(…)` go over; undefined where nothing is asked below. */
export const below = (level: Level): Level | undefined => {
  if (level === "account") return "campaign"
  return level === "campaign" || level === "item" ? "campaign_item" : undefined
}

/** For messages: `campaigns`, `items`. */
export const several: Readonly<Record<Level, string>> = {
  account: "accounts",
  campaign: "campaigns",
  item: "items",
  promotion: "promotions",
  campaign_item: "items",
  promotion_item: "items in promotions",
  cluster: "clusters"
}
