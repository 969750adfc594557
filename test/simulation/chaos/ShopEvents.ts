/** What befalls the shop of a seed that assembles orders: drawn like everything else, from streams of its own. */
import * as Assemblies from "./Assemblies.js"
import { Chance } from "./Chance.js"
import type { Event } from "./Events.js"
import * as Trouble from "./Trouble.js"

/**
 * What buyers, the marketplace and others of the seller do in the cabinet. `declined`, `withdrawn`: its buyer cancels an order
 * that is new, or in a supply. `refused`: the seller cancels one. `packed`, `moved`: somebody puts a new order into an open
 * supply, or moves one. `opened`: a supply is made by hand. `renamed`, `left`: one is renamed, or handed over by hand. `joined`: the
 * orders of one are put into another, and it is deleted.
 * `accepted`: a closed one is scanned and orders are missing. `marked`, `unmarked`: a mark is set or taken by hand.
 */
export type ShopPlay =
  | "ordered"
  | "declined"
  | "withdrawn"
  | "refused"
  | "packed"
  | "moved"
  | "opened"
  | "renamed"
  | "left"
  | "joined"
  | "accepted"
  | "marked"
  | "unmarked"

/** What a person does with Bidhelm about orders. */
export type Errand = "marks" | "print" | "cancel" | "move"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const rates = {
  ordered: 14,
  shop: 22,
  joined: 2,
  trouble: 7,
  marks: 8,
  errand: 5,
  decide: 8
} as const

/** Ascending by concern; none for a seed without orders. */
export const draw = (seed: number, fromMs: number, toMs: number): ReadonlyArray<Event> =>
  !Assemblies.has(seed)
    ? []
    : (Object.keys(rates) as ReadonlyArray<keyof typeof rates>).flatMap((concern) => {
        const chance = new Chance(seed, `orders ${concern}`)
        const found: Array<Event> = concern === "ordered" ? [ordered(chance, fromMs)] : []
        for (
          let at = next(chance, fromMs, rates[concern]);
          at < toMs - hourMs / 2;
          at = next(chance, at, rates[concern])
        )
          found.push(event(concern, chance, Math.floor(at), toMs))
        return found
      })

const next = (chance: Chance, fromMs: number, perDay: number): number =>
  fromMs + (-Math.log(1 - chance.unit()) * 24 * hourMs) / perDay

const ordered = (chance: Chance, at: number): Event => ({
  _tag: "Shop",
  at,
  kind: "ordered",
  pick: chance.int(0, 1_000_000),
  amount: chance.unit()
})

const event = (concern: keyof typeof rates, chance: Chance, at: number, toMs: number): Event => {
  const [pick, amount] = [chance.int(0, 1_000_000), chance.unit()]
  switch (concern) {
    case "ordered":
      return { _tag: "Shop", at, kind: "ordered", pick, amount }
    case "shop":
      return { _tag: "Shop", at, kind: chance.pick(plays), pick, amount }
    case "joined":
      return { _tag: "Shop", at, kind: "joined", pick, amount }
    case "trouble":
      return {
        _tag: "Faults",
        at,
        untilMs: Math.min(toMs, at + chance.int(5, 180) * minuteMs),
        list: Trouble.ofOrders(chance)
      }
    case "marks":
      return { _tag: "Errand", at, kind: "marks", pick, amount }
    case "errand":
      return { _tag: "Errand", at, kind: chance.pick(errands), pick, amount }
    case "decide":
      return { _tag: "Decide", at, pick, isYes: amount < 0.85, ofOrders: true }
  }
}

const plays: ReadonlyArray<ShopPlay> = [
  "declined",
  "withdrawn",
  "withdrawn",
  "withdrawn",
  "withdrawn",
  "withdrawn",
  "refused",
  "packed",
  "moved",
  "opened",
  "renamed",
  "left",
  "accepted",
  "accepted",
  "accepted",
  "marked",
  "unmarked"
]

const errands: ReadonlyArray<Errand> = ["print", "print", "print", "cancel", "move"]

/** Every name that an event of these may have. */
export const names: ReadonlyArray<string> = [
  ...["ordered", "joined", ...new Set(plays)].map((kind) => `shop: ${kind}`),
  ...["marks", ...new Set(errands)].map((kind) => `orders: ${kind}`),
  "decide about orders"
]
