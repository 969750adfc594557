/**
 * A digest of the bids of a budget that stays small however many there are: each bid falls into one of some baskets by its name, and a
 * basket says how many it holds and the sum of their hashes, so that no order matters. Bids that come and go change the number of a
 * basket, which then says nothing; a bid that somebody moved changes its sum alone.
 */
import type { SlotValue } from "../../kinds/SlotHistory.js"

/** Values by slot: bids in kopecks, and whether a cluster is a minus phrase. */
export type Values = ReadonlyMap<string, SlotValue>

const baskets = 64

/** Values one by one, as a map tells its own: to be asked for once, half a million need none. */
export interface Told {
  readonly forEach: (each: (value: SlotValue, slot: string) => void) => void
}

/** As a map, for whoever looks some up. */
export const listed = (told: Told): Values => {
  const values = new Map<string, SlotValue>()
  told.forEach((value, slot) => {
    values.set(slot, value)
  })
  return values
}

/** Equal values have equal digests, in whatever order they come. */
export const digest = (values: Told): string => {
  const counts = new Array<number>(baskets).fill(0)
  const sums = new Uint32Array(baskets)
  values.forEach((value, slot) => {
    const named = hash(slot)
    const at = named % baskets
    counts[at]! += 1
    sums[at]! += stirred(hash(String(value), hash(" ", named)))
  })
  return counts.map((count, at) => (count === 0 ? "" : `${count}.${sums[at]!.toString(36)}`)).join(" ")
}

export type Comparison = "same" | "moved" | "unknown"

/** `unknown` where half of the bids and more cannot be compared. */
export const compare = (before: string, now: string): Comparison => {
  const later = now.split(" ")
  let [all, compared] = [0, 0]
  for (const [at, basket] of before.split(" ").entries()) {
    const count = countIn(basket)
    all += count
    if (count === 0 || count !== countIn(later[at] ?? "")) continue
    if (basket !== later[at]) return "moved"
    compared += count
  }
  return compared * 2 > all || all === 0 ? "same" : "unknown"
}

const countIn = (basket: string): number => (basket === "" ? 0 : Number.parseInt(basket, 10))

/** FNV-1a over code units, 32 bits; `from` is the hash of what stands before the text. */
const hash = (text: string, from = 0x811c9dc5): number => {
  let found = from
  for (let i = 0; i < text.length; i++) found = Math.imul(found ^ text.charCodeAt(i), 0x01000193)
  return found >>> 0
}

/** Two bids that change places would leave a plain sum of such hashes nearly as it was. */
const stirred = (found: number): number => {
  const once = Math.imul(found ^ (found >>> 16), 0x85ebca6b)
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35)
  return (twice ^ (twice >>> 16)) >>> 0
}
