/** What a day costs and brings of a bid that stands higher for a part of it: an overlay lies over it then. */
import * as Curve from "./Curve.js"
import type { Estimate } from "./Estimate.js"
import type { Stream } from "./Stream.js"

/** By how many times a day at the bid alone; each 1 or more. */
export interface Raised {
  readonly views: number
  readonly orders: number
  readonly spend: number
}

const nothing: Raised = { views: 1, orders: 1, spend: 1 }

/** At the bid that stands, for all bids that are weighed: so every `Allocate` stair keeps its place among the stream's own. */
export const of = (
  { bidKopecks, payment, raises }: Pick<Stream, "bidKopecks" | "payment" | "raises">,
  { exponent, halfKopecks }: Pick<Estimate, "exponent" | "halfKopecks">,
  clickExponent: number
): Raised => {
  if (raises === undefined) return nothing
  let { orders, spend, views } = nothing
  for (const { factor, share } of raises) {
    const more =
      Curve.share(bidKopecks * factor, exponent, halfKopecks) / Curve.share(bidKopecks, exponent, halfKopecks)
    const clicks = more * factor ** clickExponent
    views += share * (more - 1)
    orders += share * (clicks - 1)
    spend += share * ((payment === "cpc" ? clicks : more) * factor - 1)
  }
  return { views, orders, spend }
}
