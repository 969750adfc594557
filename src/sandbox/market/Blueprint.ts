/** How each campaign of a fresh marketplace is set up. Computed from its number alone, so ten thousand cost nothing. */
import * as Dice from "../Dice.js"
import type { Payment } from "./Market.js"
import type { Scale } from "./Scale.js"

/** Campaign status codes (seed 001 "States and transitions"). */
export const status = { deleted: -1, ready: 4, completed: 7, declined: 8, active: 9, paused: 11 } as const

export interface Placements {
  readonly search: boolean
  readonly recommendations: boolean
}

export interface Blueprint {
  readonly id: number
  readonly name: string
  readonly bidType: "manual" | "unified"
  readonly payment: Payment
  readonly status: number
  readonly placements: Placements
  readonly itemIds: ReadonlyArray<number>
  readonly budgetRoubles: number
  /** How many times the ordinary demand its items meet. */
  readonly demandScale: number
  /** On the day of the origin a sale draws so many buyers that about this much is spent before the origin. */
  readonly saleRoubles: number
  /** Days before the origin. */
  readonly createdDaysAgo: number
  readonly endedDaysAgo: number
  readonly itemsMayChange: boolean
}

/** The first campaigns are chosen, so that even a small marketplace has one of each kind. */
const chosen: ReadonlyArray<Partial<Blueprint>> = [
  { name: "Поиск: основная", placements: { search: true, recommendations: false } },
  { name: "Поиск и полки", placements: { search: true, recommendations: true } },
  { name: "Распродажа", saleRoubles: 6_000, budgetRoubles: 1_500 },
  { name: "Единая ставка", bidType: "unified" },
  { name: "Оплата за клики", payment: "cpc", demandScale: 0.5 },
  { name: "На паузе", status: status.paused, endedDaysAgo: 2 },
  { name: "Готова к запуску", status: status.ready, budgetRoubles: 0 },
  { name: "Завершена", status: status.completed, endedDaysAgo: 5, budgetRoubles: 0 },
  { name: "Отклонена", status: status.declined, budgetRoubles: 0 }
]

export const firstItemId = 200_000_001

export const make = (seed: number, scale: Scale, firstId: number, index: number): Blueprint => {
  const hash = Dice.roll(seed, 201, index)
  const common: Blueprint = {
    id: firstId + index,
    name: `Кампания ${index + 1}`,
    placements: { search: true, recommendations: Dice.unit(Dice.mix(hash, 1)) < 0.3 },
    itemIds: Array.from({ length: scale.items }, (_, i) => firstItemId + index * scale.items + i),
    budgetRoubles: Math.round(Dice.between(Dice.mix(hash, 2), 15_000, 90_000)),
    demandScale: 1,
    saleRoubles: 0,
    createdDaysAgo: Math.round(Dice.between(Dice.mix(hash, 3), 45, 200)),
    endedDaysAgo: 3,
    itemsMayChange: true,
    ...kindOf(hash)
  }
  const blueprint = { ...common, ...(chosen[index] === undefined ? {} : manual), ...chosen[index] }
  return blueprint.bidType === "unified"
    ? { ...blueprint, placements: { search: true, recommendations: true } }
    : blueprint
}

const manual = { bidType: "manual", payment: "cpm", status: status.active } as const

const kindOf = (hash: number): Pick<Blueprint, "bidType" | "payment" | "status"> => {
  const u = Dice.unit(Dice.mix(hash, 4))
  const s = Dice.unit(Dice.mix(hash, 5))
  return {
    bidType: u < 0.08 ? "unified" : "manual",
    payment: u > 0.94 ? "cpc" : "cpm",
    status: s < 0.9 ? status.active : s < 0.96 ? status.paused : s < 0.98 ? status.ready : status.completed
  }
}
