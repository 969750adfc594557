/**
 * Policies by which orders of a seed are assembled: warehouses, waves around the hours of the simulation, marks, passes, and
 * who may let what go. Waves, warehouses and cars stay through all versions of a seed's rules, modes do not.
 */
import type * as Load from "../../../src/engine/language/Load.js"
import * as Warehouses from "../../../src/sandbox/shop/Warehouses.js"
import { Chance } from "./Chance.js"

/** Whether the account of a seed assembles orders at all. */
export const has = (seed: number): boolean => new Chance(seed, "assembles").happens(0.45)

/** What is the same in every version. */
interface Shop {
  readonly warehouses: ReadonlyArray<number>
  readonly waves: ReadonlyArray<string>
  readonly passes: string
}

/** The policies of a version, none for a seed without orders. */
export const files = (seed: number, version: number): ReadonlyArray<Load.File> => {
  if (!has(seed)) return []
  const chance = new Chance(seed, `assembly ${version}`)
  return shops(new Chance(seed, "assembly")).map((shop, i) => ({
    path: `rules/4${i}-assembly.yaml`,
    text: `version: 1
kind: fulfilment
name: Assembly ${i}
mode: ${chance.pick(["apply", "apply", "apply", "apply", "approve", "approve", "preview"])}
deliver: ${chance.pick(["apply", "apply", "approve"])}
schedule: {every: 1h, ${chance.pick(['between: "08:00-21:00", ', ""])}tz: Europe/Moscow}
warehouses: [${shop.warehouses.join(", ")}]
waves:
${shop.waves.join("\n")}
confirm_after: ${chance.pick(["10m", "30m", "60m"])}
supply: {name: "{warehouse} {date} {wave} {cargo}", max_orders: ${chance.pick([3, 6, 12])}}
${shop.passes}`
  }))
}

const shops = (chance: Chance): ReadonlyArray<Shop> => {
  const ids = Warehouses.ofOrders.map(({ id }) => id)
  const groups = chance.happens(0.4) ? [ids] : [ids.slice(0, 2), ids.slice(2)]
  // Policies of one seller keep the same hours, a few minutes apart: their turns meet, and so do their cars.
  const begins = [chance.int(0, 9), chance.int(0, 9), chance.int(0, 9), chance.int(0, 9)]
  return groups.map((warehouses, i) => ({
    warehouses,
    waves: days(begins.map((begin) => begin * 5 + i * chance.pick([0, 5]))),
    passes: passes(chance, warehouses[0] ?? 0, i)
  }))
}

/** Up to four a day: before noon, in the afternoon, in the evening, and early, on which the last hours of a day end. */
const days = (shifts: ReadonlyArray<number>): ReadonlyArray<string> =>
  (
    [
      ["noon", 11 * 60, 75],
      ["afternoon", 15 * 60, 60],
      ["evening", 19 * 60, 90],
      ["early", 7 * 60 + 30, 90]
    ] as const
  ).flatMap(([name, close, packs], i) => {
    const shift = shifts[i] ?? 0
    // One of three has no car in the afternoon.
    if (name === "afternoon" && shift % 15 === 0) return []
    const [collect, leave] = [close + shift, close + shift + packs]
    return [
      `  - {name: ${name}, collect_until: "${clock(collect)}", hand_over_by: "${clock(leave)}", tz: Europe/Moscow}`
    ]
  })

const clock = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => `${part}`.padStart(2, "0")).join(":")

const passes = (chance: Chance, warehouseId: number, i: number): string => {
  const office = chance.happens(0.15) ? 15 : (Warehouses.ofSeller(warehouseId)?.officeId ?? 15)
  const car = `А12${i}ВС777`
  const before = chance.pick(["1h", "12h", "24h"])
  return chance.happens(0.45)
    ? `passes: {driver: {first_name: Иван, last_name: Петров}, car: {model: Газель, number: ${car}}, office: ${office}, book_before: ${before}}\n`
    : ""
}
