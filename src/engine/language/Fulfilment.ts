/**
 * A checked policy of `kind: fulfilment`: in which waves the orders of a warehouse are gathered, packed and handed over.
 * Plain data; made only by `check/Fulfilment.ts`. What is done by it belongs to the lane of orders.
 */
import type { PolicyId } from "../../domain/Ids.js"
import type { Schedule, week } from "../../domain/Schedule.js"
import type { Mode } from "./Mode.js"

/** A day as schedules name it. */
type Weekday = (typeof week)[number]

/** Orders that are gathered until one minute of a day and handed over until a later one of the same day. */
export interface Wave {
  /** No other wave of the policy has it. */
  readonly name: string
  /** Minutes of the day in `zone`; orders created from this minute on are of the next wave. */
  readonly collectUntilMinutes: number
  /** After `collectUntilMinutes`. */
  readonly handOverByMinutes: number
  /** In the order of the week, at least one. */
  readonly days: ReadonlyArray<Weekday>
  /** IANA name; all waves of a policy have the same. */
  readonly zone: string
}

/** What labels and lists may be sorted by. */
export const sortKeys = ["cell", "article", "size"] as const
type SortKey = (typeof sortKeys)[number]

/** What a page of our own between the marketplace's labels may say. */
export const pageFields = ["article", "name", "size", "colour", "order", "mark"] as const
type PageField = (typeof pageFields)[number]

/** Driver and car of the passes, as the marketplace takes them (seed 000 "Pass"). */
export interface Passes {
  /** Together with `lastName` 6 to 100 characters. */
  readonly firstName: string
  readonly lastName: string
  /** 1 to 100 characters. */
  readonly carModel: string
  /** 6 to 9 letters and digits. */
  readonly carNumber: string
  /** The office that asks for a pass. */
  readonly officeId: number
  /** How long before a hand-over its pass is made, milliseconds; a pass holds 48 hours. */
  readonly bookBeforeMs: number
}

export interface FulfilmentPolicy {
  /** The stem of the file's name; no other policy of the folder has it. */
  readonly id: PolicyId
  readonly file: string
  readonly name: string
  readonly mode: Mode
  readonly schedule: Schedule
  /** As written, each once; no other policy that is switched on has one of them. */
  readonly warehouseIds: ReadonlyArray<number>
  /** By `collectUntilMinutes`, then by name. */
  readonly waves: ReadonlyArray<Wave>
  /** How long an order is left alone after its creation: the buyer may still cancel. */
  readonly confirmAfterMs: number
  readonly supply: {
    /** For `nameOf`. */
    readonly nameTemplate: string
    /** A supply with so many orders is full; the next ones go into another. */
    readonly maxOrders: number
  }
  readonly labels: {
    /** Millimetres, width by height. */
    readonly size: "58x40" | "40x30"
    /** First to last, each once. */
    readonly sort: ReadonlyArray<SortKey>
    /** A page that names the supply between two of them. */
    readonly separators: boolean
    /** Empty: only the marketplace's labels are printed. */
    readonly ownPage: ReadonlyArray<PageField>
  }
  /** Absent where the policy books no passes. */
  readonly passes?: Passes
  /** Whether a hand-over needs a person even in mode `apply`. */
  readonly deliver: "approve" | "apply"
  /** Hash of the meaning: not of comments, layout, the file's or the policy's name, mode and schedule. */
  readonly hash: string
}

/** What `{…}` in the name of a supply stands for. */
export interface SupplyWords {
  /** The warehouse's number. */
  readonly warehouse: string
  /** Day of the hand-over, `YYYY-MM-DD`. */
  readonly date: string
  readonly wave: string
  /** `small`, `oversize`, `bulky`, or the marketplace's own number of another type. */
  readonly cargo: string
  /** `domestic` or `cross-border`. */
  readonly border: string
  /** `business` or `private`. */
  readonly buyer: string
  /** Counts the supplies of a wave whose orders are of one warehouse, cargo, border and buyer, from 1. */
  readonly n: string
}

/** The most characters that a supply's name has at the marketplace (seed 000 "Supply"). */
export const longestName = 128

/** Left free behind the name, for the marker by which a creation is found again. */
export const markerRoom = 12

/** The longest that each word may be, in the order they are told. */
export const longestWords = (
  warehouseIds: ReadonlyArray<number>,
  waves: ReadonlyArray<Pick<Wave, "name">>
): SupplyWords => ({
  warehouse: longest(warehouseIds.map(String)),
  date: "2026-12-31",
  wave: longest(waves.map(({ name }) => name)),
  cargo: "oversize",
  border: "cross-border",
  buyer: "business",
  n: "9999"
})

/** The name that a template makes; words that it does not know stay as they are written. */
export const nameOf = (template: string, words: SupplyWords): string => {
  const known = new Map<string, string>(Object.entries(words))
  return template.replace(placeholder, (written, word: string) => known.get(word) ?? written).trim()
}

/** `{word}` in a template; the word is the first group. */
export const placeholder = /\{([^{}]*)\}/g

const longest = (texts: ReadonlyArray<string>): string =>
  texts.reduce((most, text) => (text.length > most.length ? text : most), "")
