/** Passes that admit a vehicle to a warehouse, and the offices that ask for one (seed 000 "Pass", field note O24). */
import * as Moscow from "../Moscow.js"
import type * as World from "../market/World.js"
import type { Pass } from "./State.js"
import * as Warehouses from "./Warehouses.js"

export interface Office {
  readonly id: number
  readonly name: string
  readonly address: string
}

/** Offices that require a pass: a few, and those the seller's warehouses deliver to. */
export const offices: ReadonlyArray<Office> = [
  { id: 15, name: "Склад Юг", address: "Верхнеозёрск, Промышленная ул., 4" },
  { id: 26, name: "Склад Север", address: "Новолесье, Складской проезд, 11" },
  ...Warehouses.seller.map(({ officeId, officeName }) => ({
    id: officeId,
    name: officeName,
    address: `${officeName}, Индустриальная ул., ${officeId % 50}`
  }))
]

export const office = (id: number): Office | undefined => offices.find((o) => o.id === id)

const hourMs = 3_600_000
/** How long a pass admits, and how long it is listed: a day longer. */
const validMs = 48 * hourMs
const listedMs = 72 * hourMs

export type Details = Omit<Pass, "id" | "createdAt">

export const create = (world: World.World, details: Details, nowMs: number): Pass => {
  const pass: Pass = { id: world.firstId + world.shop.nextPass++, createdAt: nowMs, ...details }
  world.shop.passes.set(pass.id, pass)
  return pass
}

/** Passes in the list, valid or lately expired, by id. */
export const listed = (world: World.World, nowMs: number): ReadonlyArray<Pass> =>
  [...world.shop.passes.values()]
    .filter((pass) => nowMs < pass.createdAt + listedMs)
    .sort((a, b) => a.id - b.id)

/** A pass that is still listed. */
export const find = (world: World.World, id: number, nowMs: number): Pass | undefined =>
  listed(world, nowMs).find((pass) => pass.id === id)

/** Replaces names, vehicle and office; the 48 hours still count from the creation. */
export const update = (world: World.World, pass: Pass, details: Details): Pass => {
  const changed: Pass = { id: pass.id, createdAt: pass.createdAt, ...details }
  world.shop.passes.set(pass.id, changed)
  return changed
}

/** End of validity: a space where others write T, with the offset (field note O09). */
export const dateEnd = (createdAt: number): string => Moscow.timeText(createdAt + validMs).replace("T", " ")
