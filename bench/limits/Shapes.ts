/** The distinct limits of the marketing operations (seed 001 "Limits"): tokens at once, and one more every interval. */
export interface Shape {
  readonly name: string
  readonly burst: number
  readonly intervalMs: number
}

const second = 1_000
const minute = 60 * second

export const shapes: ReadonlyArray<Shape> = [
  { name: "promotion/count, adverts, start, v1/bids", burst: 5, intervalMs: 200 },
  { name: "cluster bids, minus phrases, list", burst: 10, intervalMs: 200 },
  { name: "budget", burst: 4, intervalMs: 250 },
  { name: "set cluster bids", burst: 4, intervalMs: 500 },
  { name: "promo calendar", burst: 5, intervalMs: 600 },
  { name: "placements, items", burst: 1, intervalMs: second },
  { name: "balance, deposit, cost history", burst: 5, intervalMs: second },
  { name: "bids/min", burst: 5, intervalMs: 3 * second },
  { name: "cluster statistics", burst: 20, intervalMs: 6 * second },
  { name: "save-ad, subjects, recommendations", burst: 5, intervalMs: 12 * second },
  { name: "fullstats", burst: 1, intervalMs: 20 * second },
  { name: "config", burst: 10, intervalMs: minute },
  { name: "Base token: recommendations", burst: 1, intervalMs: 3 * minute },
  { name: "Base token: bids", burst: 1, intervalMs: 30 * minute },
  { name: "Base token: fullstats", burst: 1, intervalMs: 60 * minute }
]
