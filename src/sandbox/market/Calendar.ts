/**
 * The promo calendar of an account and what has become of it (seed 001 "Promo calendar"): dates, tiers, and who entered
 * by which task. Pure but for the state it keeps; who may enter and at what price is in Promotions.ts.
 */
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Timeline from "../Timeline.js"

export interface Dates {
  readonly startsAt: number
  readonly endsAt: number
}

export interface Promotion extends Dates {
  readonly id: number
  readonly name: string
  readonly type: "regular" | "auto"
}

/** A step of a promotion's ladder: from this share of the items on, whole percent, their views rise by `boost` percent. */
export interface Tier {
  readonly condition: "productsInPromotion" | "calculateProducts" | "allProducts"
  readonly participationRate: number
  readonly boost: number
}

/** A filed task (field note P04): what was asked, and what of it is in once the task is applied. */
export interface Task {
  readonly uploadId: number
  readonly promotionId: number
  readonly filedAt: number
  readonly appliesAt: number
  readonly asked: ReadonlyArray<number>
  readonly entered: ReadonlyArray<number>
  /** Their prices fall when the task is applied, and not when the promotion starts. */
  readonly isPricedNow: boolean
}

/** What somebody did to the calendar; all else follows from the seed. */
export interface State {
  /** Dates over time, of promotions that were moved. */
  readonly dates: Map<number, Timeline.Timeline<Dates>>
  readonly deletedAt: Map<number, number>
  /** What is left of the first plan prices over time, whole basis points, of promotions whose conditions changed. */
  readonly planShares: Map<number, Timeline.Timeline<number>>
  /** By promotion: since when an item is in that was not in from the start. */
  readonly entered: Map<number, Map<number, number>>
  /** By promotion: since when an item has its price of the promotion, whether that has started or not. */
  readonly priced: Map<number, Map<number, number>>
  readonly tasks: Array<Task>
  /** Ids of tasks by their content. */
  readonly uploads: Map<string, number>
  /** Counts what was done. */
  revision: number
}

export const make = (): State => ({
  dates: new Map(),
  deletedAt: new Map(),
  planShares: new Map(),
  entered: new Map(),
  priced: new Map(),
  tasks: [],
  uploads: new Map(),
  revision: 0
})

const names = [
  "Неделя скидок",
  "Чёрная пятница",
  "Тёплая зима",
  "Автоакция: бестселлеры",
  "Подарки к празднику",
  "Семейные выходные",
  "Распродажа остатков",
  "Автоакция: новинки",
  "Спортивный сезон",
  "Школьный базар"
]
const firstId = 1001

/** Ids of every promotion there ever was. */
export const ids: ReadonlyArray<number> = names.map((_, i) => firstId + i)

/** A promotion as it stands at an instant; undefined if there is none of that id, or not any more. */
export const at = (state: State, originMs: number, id: number, nowMs: number): Promotion | undefined => {
  const name = names[id - firstId]
  if (name === undefined || (state.deletedAt.get(id) ?? Number.POSITIVE_INFINITY) <= nowMs) return undefined
  const moved = state.dates.get(id)
  const dates = moved === undefined ? planned(originMs, id) : Timeline.at(moved, nowMs)
  return { id, name, type: (id - firstId) % 4 === 3 ? "auto" : "regular", ...dates }
}

/** The dates a promotion was announced with: nine days, one every fourth day. The first ended before the origin. */
export const planned = (originMs: number, id: number): Dates => {
  const day = Moscow.dayOf(originMs) - 12 + 4 * (id - firstId)
  return { startsAt: Moscow.startOf(day), endsAt: Moscow.startOf(day + 9) }
}

/** A promotion's ladder: three conditions whose rates and boosts ascend, drawn from the seed. */
export const ladder = (seed: number, id: number): ReadonlyArray<Tier> => {
  const hash = Dice.roll(seed, 803, id)
  const drawn = (key: number, low: number, high: number): number =>
    low + (Dice.uint(Dice.mix(hash, key)) % (high - low + 1))
  const first = { participationRate: drawn(1, 5, 15), boost: drawn(2, 3, 10) }
  const second = {
    participationRate: first.participationRate + drawn(3, 10, 25),
    boost: first.boost + drawn(4, 5, 15)
  }
  const third = {
    participationRate: second.participationRate + drawn(5, 30, 45),
    boost: second.boost + drawn(6, 5, 20)
  }
  return [
    { condition: "productsInPromotion", ...first },
    { condition: "calculateProducts", ...second },
    { condition: "allProducts", ...third }
  ]
}
