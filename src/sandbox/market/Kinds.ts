/**
 * What the search clusters of a market are like. The ordinary market is easy to judge: clusters are good or plainly
 * bad. The borderline market is made for measuring mistakes: many clusters get few views a day and are just about good
 * enough, others are bad but not plainly so, and what buyers do is counted with the full noise of chance. In the lean
 * market what a cluster earns is near to what it costs, so that raising whatever sells loses money.
 */
import * as Dice from "../Dice.js"
import type { Model } from "./model/Model.js"

export type MarketKind = Model["clusters"]

export interface Kind {
  readonly demand: readonly [number, number]
  readonly ctr: readonly [number, number]
  readonly orderRate: readonly [number, number]
}

/** "unclicked" is what a marketer wants among the minus phrases. */
const kinds = {
  paying: { demand: [300, 1300], ctr: [0.03, 0.065], orderRate: [0.05, 0.1] },
  ordinary: { demand: [100, 700], ctr: [0.015, 0.035], orderRate: [0.005, 0.03] },
  unclicked: { demand: [500, 1500], ctr: [0.0008, 0.0025], orderRate: [0, 0] },
  tiny: { demand: [0.5, 2.5], ctr: [0.02, 0.04], orderRate: [0.01, 0.05] },
  archived: { demand: [0, 0], ctr: [0.02, 0.04], orderRate: [0.01, 0.05] },
  borderline: { demand: [40, 130], ctr: [0.01, 0.013], orderRate: [0, 0.01] },
  bad: { demand: [60, 260], ctr: [0.003, 0.008], orderRate: [0, 0] },
  leanPaying: { demand: [300, 1300], ctr: [0.025, 0.05], orderRate: [0.015, 0.035] },
  leanOrdinary: { demand: [100, 700], ctr: [0.015, 0.03], orderRate: [0.006, 0.018] }
} as const satisfies Record<string, Kind>

/** The kind of the cluster with this index; an item's first clusters are chosen, so that few show one of each. */
export const of = (
  market: MarketKind,
  hash: number,
  index: number
): Kind & { readonly archived: boolean } => {
  const name = names[market](hash, index)
  return { ...kinds[name], archived: name === "archived" }
}

const ordinary = (hash: number, index: number): keyof typeof kinds => {
  const first = (["paying", "paying", "unclicked", "tiny"] as const)[index]
  if (first !== undefined) return first
  const u = Dice.unit(hash)
  return u < 0.3 ? "paying" : u < 0.72 ? "ordinary" : u < 0.86 ? "unclicked" : u < 0.95 ? "tiny" : "archived"
}

const borderline = (hash: number, index: number): keyof typeof kinds => {
  const first = (["paying", "borderline", "bad"] as const)[index]
  if (first !== undefined) return first
  const u = Dice.unit(hash)
  return u < 0.15 ? "paying" : u < 0.3 ? "ordinary" : u < 0.85 ? "borderline" : u < 0.95 ? "bad" : "archived"
}

/** As the ordinary market has them, but for what they earn. */
const lean = (hash: number, index: number): keyof typeof kinds => {
  const name = ordinary(hash, index)
  return name === "paying" ? "leanPaying" : name === "ordinary" ? "leanOrdinary" : name
}

const names = { ordinary, borderline, lean } as const satisfies Record<MarketKind, unknown>
