/** Advice on bids, in two shapes by payment type (field note M27). Absent or 0 means no advice. */
import { Cluster } from "../../../domain/Ids.js"
import type * as Money from "../../../domain/Money.js"
import type * as Wire from "../../endpoints/Management.js"
import * as Amounts from "../Amounts.js"

/** Bids for 50-60 %, 61-75 % and 76-100 % of a cluster's views (not-shown §6.1). */
export interface ClusterAdvice {
  readonly cluster: Cluster
  readonly reachMinKopecks: Money.Kopecks | undefined
  readonly reachMediumKopecks: Money.Kopecks | undefined
  readonly reachMaxKopecks: Money.Kopecks | undefined
}

/** Bids for positions 1-2, 3-10 and 11-34. */
export interface LevelAdvice {
  readonly top2Kopecks: Money.Kopecks | undefined
  readonly top10Kopecks: Money.Kopecks | undefined
  readonly top34Kopecks: Money.Kopecks | undefined
}

export type Recommendations =
  | {
      readonly _tag: "Cpm"
      readonly competitiveKopecks: Money.Kopecks | undefined
      readonly leadersKopecks: Money.Kopecks | undefined
      readonly top2Kopecks: Money.Kopecks | undefined
      readonly clusters: ReadonlyArray<ClusterAdvice>
    }
  | { readonly _tag: "Cpc"; readonly levels: ReadonlyArray<LevelAdvice> }

export const fromWire = (wire: typeof Wire.Recommendations.Type): Recommendations =>
  wire.paymentType === "cpc"
    ? {
        _tag: "Cpc",
        levels: wire.levels.map((level) => ({
          top2Kopecks: Amounts.advised(level.range1To2),
          top10Kopecks: Amounts.advised(level.range3To10),
          top34Kopecks: Amounts.advised(level.range11To34)
        }))
      }
    : {
        _tag: "Cpm",
        competitiveKopecks: Amounts.advised(wire.base?.competitiveBid),
        leadersKopecks: Amounts.advised(wire.base?.leadersBid),
        top2Kopecks: Amounts.advised(wire.base?.top2),
        clusters: wire.normQueries.map((row) => ({
          cluster: Cluster.make(row.normQuery),
          reachMinKopecks: Amounts.advised(row.reachMin),
          reachMediumKopecks: Amounts.advised(row.reachMedium),
          reachMaxKopecks: Amounts.advised(row.reachMax)
        }))
      }
