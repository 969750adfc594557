/**
 * Statistics of clusters that the marketplace's list does not name. They have no rows, since the list is the universe (decision 0001);
 * what they brought is nobody else's all the same.
 */

/** Sums over the clusters of one item in a campaign. */
export interface Unlisted {
  readonly views: number
  readonly clicks: number
  readonly carts: number
  readonly orders: number
  readonly spendKopecks: number
  /** Of those with so many views that the list ought to name them (field note M15): how many they are, and their views. */
  readonly listable: { readonly clusters: number; readonly views: number }
}

/** By the key of a campaign's item (`Target.key`), then by the window (`Window.key`). */
export type ByPair = ReadonlyMap<string, ReadonlyMap<string, Unlisted>>

const leastViews = 100

const none: Unlisted = {
  views: 0,
  clicks: 0,
  carts: 0,
  orders: 0,
  spendKopecks: 0,
  listable: { clusters: 0, views: 0 }
}

/** With one more cluster; `mayBeListed` is true of one that the list may name though it has no row. */
export const added = (
  sum: Unlisted = none,
  one: Omit<Unlisted, "listable">,
  mayBeListed: boolean
): Unlisted => {
  const { clusters, views } = sum.listable
  return {
    views: sum.views + one.views,
    clicks: sum.clicks + one.clicks,
    carts: sum.carts + one.carts,
    orders: sum.orders + one.orders,
    spendKopecks: sum.spendKopecks + one.spendKopecks,
    listable:
      mayBeListed || one.views < leastViews
        ? sum.listable
        : { clusters: clusters + 1, views: views + one.views }
  }
}
