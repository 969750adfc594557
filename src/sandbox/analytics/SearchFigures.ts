/** Search metrics of a period: of a text, an item, a group (seed 002 "Search-report records"). */
import * as Groups from "../../domain/Groups.js"
import type { Days } from "../market/Statistics.js"
import type * as World from "../market/World.js"
import * as Change from "./Change.js"
import * as SearchTexts from "./SearchTexts.js"

/** Which positions count (seed 002). */
export type PositionCluster = "all" | "firstHundred" | "secondHundred" | "below"

export interface Figures {
  readonly opens: number
  readonly carts: number
  readonly orders: number
  readonly frequency: number
  /** Weighted by how often the text was typed; 0 without shows (field note A13). */
  readonly position: number
  readonly median: number
  /** How much of the searches the item could be seen in, percent 0..100. */
  readonly visibility: number
}

export interface TextFigures extends Figures {
  readonly text: string
}

export interface ItemFigures extends Figures {
  readonly texts: ReadonlyArray<TextFigures>
}

/** An item over a period, counting only texts whose mean position lies in the cluster of positions. */
export const ofItem = (
  world: World.World,
  itemId: number,
  days: Days,
  nowMs: number,
  cluster: PositionCluster
): ItemFigures => {
  const found = [...SearchTexts.ofDays(world, itemId, days, nowMs).values()].flat()
  const kept = [...Groups.by(found, ({ text }) => text)].flatMap(([text, textDays]) => {
    const figures = ofTextDays(textDays)
    return isIn(figures.position, cluster) ? [{ textDays, figures: { text, ...figures } }] : []
  })
  return {
    ...ofTextDays(kept.flatMap(({ textDays }) => textDays)),
    texts: kept.map(({ figures }) => figures)
  }
}

/** Whether a mean position lies in a cluster; no shows lie in "all" only. */
export const isIn = (position: number, cluster: PositionCluster): boolean => {
  switch (cluster) {
    case "all":
      return true
    case "firstHundred":
      return position > 0 && position <= 100
    case "secondHundred":
      return position > 100 && position <= 200
    case "below":
      return position > 200
  }
}

export const ofTextDays = (textDays: ReadonlyArray<SearchTexts.TextDay>): Figures => {
  let opens = 0
  let carts = 0
  let orders = 0
  let frequency = 0
  let seen = 0
  let weights = 0
  let places = 0
  const positions: Array<number> = []
  for (const day of textDays) {
    opens += day.opens
    carts += day.carts
    orders += day.orders
    frequency += day.frequency
    if (day.position === 0) continue
    // A text nobody typed today but found the item by still counts a little.
    const weight = Math.max(1, day.frequency)
    weights += weight
    places += weight * day.position
    seen += day.frequency * visible(day.position)
    positions.push(day.position)
  }
  return {
    opens,
    carts,
    orders,
    frequency,
    position: weights === 0 ? 0 : Math.max(1, Math.round(places / weights)),
    median: median(positions),
    visibility: frequency === 0 ? 0 : Math.round((100 * seen) / frequency)
  }
}

/** Sums of items; positions and visibility are means over those that were shown. */
export const together = (items: ReadonlyArray<Figures>): Figures => {
  const sum = (read: (figures: Figures) => number) => items.reduce((total, one) => total + read(one), 0)
  const shown = items.filter((one) => one.position > 0)
  const mean = (read: (figures: Figures) => number) =>
    shown.length === 0 ? 0 : Math.round(shown.reduce((total, one) => total + read(one), 0) / shown.length)
  return {
    opens: sum((one) => one.opens),
    carts: sum((one) => one.carts),
    orders: sum((one) => one.orders),
    frequency: sum((one) => one.frequency),
    position: mean((one) => one.position),
    median: median(shown.map((one) => one.median)),
    visibility: items.length === 0 ? 0 : Math.round(sum((one) => one.visibility) / items.length)
  }
}

const openToCart = (figures: Figures): number => Change.share(figures.carts, figures.opens)
const cartToOrder = (figures: Figures): number => Change.share(figures.orders, figures.carts)

/** The seven metric pairs. */
export const metrics = (now: Figures, past: Figures | undefined) => {
  const pair = (read: (figures: Figures) => number) =>
    Change.pair(read(now), past === undefined ? undefined : read(past))
  return {
    avgPosition: pair((f) => f.position),
    openCard: pair((f) => f.opens),
    addToCart: pair((f) => f.carts),
    openToCart: pair(openToCart),
    orders: pair((f) => f.orders),
    cartToOrder: pair(cartToOrder),
    visibility: pair((f) => f.visibility)
  }
}

/** Metrics by the names of `orderBy.field` (not-shown §7.1). */
export const fields = {
  avgPosition: (f: Figures) => f.position,
  openCard: (f: Figures) => f.opens,
  addToCart: (f: Figures) => f.carts,
  openToCart,
  orders: (f: Figures) => f.orders,
  cartToOrder,
  visibility: (f: Figures) => f.visibility
}

/** Share of buyers who look as far as a place. */
const visible = (position: number): number => 1 / (1 + (position - 1) / 25)

const median = (values: ReadonlyArray<number>): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
}
