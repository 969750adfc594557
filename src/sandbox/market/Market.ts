/**
 * Behind the sandbox stands a market: every search cluster has a demand, rivals who bid, and buyers who click and
 * order at rates of their own. All of it follows from the seed, computed when asked for.
 */
import * as Dice from "../Dice.js"
import * as Once from "../Once.js"
import * as Kinds from "./Kinds.js"
import type { Setting } from "./model/Model.js"
import * as Model from "./model/Model.js"
import * as Queries from "./Queries.js"

export type Payment = "cpm" | "cpc"

/** A stream of traffic an item can win: a search cluster, or the shelf of recommendations. */
export interface Traffic {
  /** Cluster text; undefined for recommendations. */
  readonly text: string | undefined
  readonly seed: number
  /** Views there are to win on an average day. */
  readonly demandPerDay: number
  /** Bid that wins half of the views, kopecks per 1000 views and per click. */
  readonly rivalKopecks: Readonly<Record<Payment, number>>
  readonly ctr: number
  /** Carts and orders per click. */
  readonly cartRate: number
  readonly orderRate: number
  /** Shown once, without demand now: the marketplace lists it as archived. */
  readonly archived: boolean
  /** How clicks and orders are drawn: as near to what is expected as whole numbers go, or as chance has it. */
  readonly chance: "smooth" | "binomial"
  /** Smallest bids here, kopecks. */
  readonly floorKopecks: Readonly<Record<Payment, number>>
  /** Which market it is part of, and what of. */
  readonly setting: Setting
}

/** Smallest bids of an item, kopecks. */
interface Floors {
  readonly search: number
  readonly recommendations: number
  readonly combined: number
}

/** Clusters are made when first looked at. */
export interface Item {
  readonly id: number
  readonly name: string
  readonly subject: Queries.Subject
  readonly priceKopecks: number
  readonly floors: Readonly<Record<Payment, Floors>>
  readonly clusters: ReadonlyArray<Traffic>
  readonly clusterIndex: ReadonlyMap<string, number>
  readonly recommendations: Traffic
}

/** Steps of bids, kopecks (getPromotionConfig). */
export const steps: Readonly<Record<Payment, number>> = { cpm: 100, cpc: 10 }

/** Rounds up to the bid step of a payment type. */
export const upToStep = (kopecks: number, payment: Payment): number =>
  Math.ceil(kopecks / steps[payment] - 1e-9) * steps[payment]

/** An item of the market by its id; the same id is the same item in every campaign. */
export const item = (
  seed: number,
  id: number,
  clusters: number,
  market: Model.Model | Kinds.MarketKind = Model.plain
): Item => {
  const model = Model.of(market)
  const own = Dice.roll(seed, 101, id)
  const subject = Dice.pick(Dice.mix(own, 1), Queries.subjects)
  const floors = floorsOf(seed, subject)
  const setting: Setting = { model, itemSeed: own, subjectSeed: Dice.roll(seed, 107, subject.id) }
  const list = Once.of(() => Array.from({ length: clusters }, (_, i) => cluster(setting, subject, floors, i)))
  const index = Once.of(() => new Map(list().map((c, i) => [c.text ?? "", i])))
  return {
    id,
    name: Queries.title(own, subject),
    subject,
    priceKopecks: Math.round(Dice.between(Dice.mix(own, 2), 900, 4900)) * 100,
    floors,
    recommendations: shelf(setting, floors),
    get clusters() {
      return list()
    },
    get clusterIndex() {
      return index()
    }
  }
}

const floorsOf = (seed: number, subject: Queries.Subject): Item["floors"] => {
  const search = 100 * Math.round(Dice.between(Dice.roll(seed, 103, subject.id), 90, 150))
  const click = 10 * Math.round(Dice.between(Dice.roll(seed, 104, subject.id), 40, 90))
  const around = (kopecks: number, payment: Payment): Floors => ({
    search: kopecks,
    recommendations: upToStep(kopecks * 0.7, payment),
    combined: upToStep(kopecks * 0.9, payment)
  })
  return { cpm: around(search, "cpm"), cpc: around(click, "cpc") }
}

const cluster = (
  setting: Setting,
  subject: Queries.Subject,
  floors: Item["floors"],
  index: number
): Traffic => {
  const { itemSeed, model } = setting
  const seed = Dice.roll(itemSeed, 105, index)
  const kind = Kinds.of(model.clusters, Dice.mix(seed, 1), index)
  return {
    text: Queries.query(itemSeed, subject, index),
    seed,
    archived: kind.archived,
    chance: model.clusters === "borderline" ? "binomial" : chanceOf(model),
    setting,
    ...numbers(seed, kind, floors, "search")
  }
}

const chanceOf = ({ counts }: Model.Model): Traffic["chance"] => (counts === "smooth" ? "smooth" : "binomial")

const shelf = (setting: Setting, floors: Item["floors"]): Traffic => {
  const seed = Dice.roll(setting.itemSeed, 106)
  const kind: Kinds.Kind = { demand: [150, 700], ctr: [0.008, 0.02], orderRate: [0.01, 0.02] }
  return {
    text: undefined,
    seed,
    archived: false,
    chance: chanceOf(setting.model),
    setting,
    ...numbers(seed, kind, floors, "recommendations")
  }
}

const numbers = (seed: number, kind: Kinds.Kind, floors: Item["floors"], place: keyof Floors) => {
  const orderRate = Dice.between(Dice.mix(seed, 4), ...kind.orderRate)
  const rivals = 1.15 * 2.35 ** Dice.unit(Dice.mix(seed, 5))
  return {
    demandPerDay: Dice.between(Dice.mix(seed, 2), ...kind.demand),
    ctr: Dice.between(Dice.mix(seed, 3), ...kind.ctr),
    ...rates(orderRate),
    rivalKopecks: { cpm: floors.cpm[place] * rivals, cpc: floors.cpc[place] * rivals },
    floorKopecks: { cpm: floors.cpm[place], cpc: floors.cpc[place] }
  }
}

/** Carts and orders per click. */
export const rates = (orderRate: number) => ({ orderRate, cartRate: orderRate * 2.5 + 0.02 })

/** How steeply the share of views rises with the bid, unless a market says otherwise. */
const cubic = 3

/** Share of a stream's views a bid wins: rises with the bid, never reaches 1. 0 bids win nothing. */
export const reach = (bidKopecks: number, rivalKopecks: number, exponent = cubic): number => {
  if (exponent !== cubic) return bidKopecks === 0 ? 0 : 1 / (1 + (rivalKopecks / bidKopecks) ** exponent)
  const bid = bidKopecks * bidKopecks * bidKopecks
  return bid === 0 ? 0 : bid / (bid + rivalKopecks * rivalKopecks * rivalKopecks)
}

/** Smallest bid on the step that wins at least this share, never below the floor. */
export const bidFor = (
  share: number,
  rivalKopecks: number,
  floor: number,
  payment: Payment,
  exponent = cubic
): number => Math.max(floor, upToStep(rivalKopecks * (share / (1 - share)) ** (1 / exponent), payment))
