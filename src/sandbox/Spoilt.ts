/** Answers that are well formed and wrong: zeros, orders that are not counted yet, another unit, another currency, records left out. Pure. */
import * as Dice from "./Dice.js"

const counts = new Set(["views", "clicks", "ctr", "cpc", "cpm", "cr", "atbs", "orders", "shks", "canceled"])
const ofOrders = new Set(["cr", "orders", "shks", "canceled", "sum_price"])
const money = new Set(["sum", "sum_price", "spend", "cpc", "cpm"])

/** Statistics of records become zero; which records is by their content, so that an answer is spoilt as a whole. */
export const zeroed = (body: unknown, share: number): unknown =>
  walk(body, (record) =>
    isStruck(record, share)
      ? mapped(record, (key, value) => (counts.has(key) || money.has(key) ? 0 : value))
      : record
  )

/** Orders and their value are none yet; what was shown, clicked and spent stands. */
export const unattributed = (body: unknown, share: number): unknown =>
  walk(body, (record) =>
    isStruck(record, share) ? mapped(record, (key, value) => (ofOrders.has(key) ? 0 : value)) : record
  )

/** Money of statistics times a hundred. */
export const hundredfold = (body: unknown): unknown =>
  walk(body, (record) =>
    mapped(record, (key, value) => (money.has(key) && typeof value === "number" ? value * 100 : value))
  )

/** Every `currency` becomes another one. */
export const inOtherCurrency = (body: unknown): unknown =>
  walk(body, (record) => mapped(record, (key, value) => (key === "currency" ? "KZT" : value)))

/** Records of lists are left out. */
export const thinnedOut = (body: unknown, share: number): unknown => {
  if (Array.isArray(body))
    return body.filter((one) => !isRecord(one) || !isStruck(one, share)).map((one) => thinnedOut(one, share))
  return isRecord(body) ? mapped(body, (_, value) => thinnedOut(value, share)) : body
}

interface Oddity {
  readonly at: string
  readonly nth: number
  readonly put: Json
}

/** One entry of the first list at a place that has so many takes other fields, or loses those that are null. */
export const withOddEntry = (body: unknown, { at, nth, put }: Oddity): unknown => {
  let isDone = false
  const changed = (list: ReadonlyArray<unknown>): unknown => {
    if (isDone || nth >= list.length) return list
    isDone = true
    return list.map((one, i) => (i === nth ? spoilt(one, put) : one))
  }
  const within = (value: unknown, [step, ...rest]: ReadonlyArray<string>): unknown => {
    if (step === undefined) return Array.isArray(value) ? changed(value) : value
    if (step === "*") return Array.isArray(value) ? value.map((one) => within(one, rest)) : value
    return isRecord(value) && step in value ? { ...value, [step]: within(value[step], rest) } : value
  }
  return within(body, at === "" ? [] : at.split("."))
}

/** What is no record becomes the first of the fields. */
const spoilt = (entry: unknown, put: Json): unknown =>
  isRecord(entry)
    ? Object.fromEntries(Object.entries({ ...entry, ...put }).filter(([key]) => put[key] !== null))
    : Object.values(put)[0]

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mapped = (record: Json, change: (key: string, value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))

/** Every record of a body, inner ones first. */
const walk = (body: unknown, change: (record: Json) => Json): unknown => {
  if (Array.isArray(body)) return body.map((one) => walk(one, change))
  return isRecord(body) ? change(mapped(body, (_, value) => walk(value, change))) : body
}

/** By the record's ids, so that the same record is struck in every answer of a window. */
const isStruck = (record: Json, share: number): boolean => {
  if (share >= 1) return true
  const ids = Object.entries(record)
    .filter(([key]) => /id$|^nm$|query/i.test(key))
    .map(([, value]) => String(value))
  return Dice.unit(Dice.ofText(7, ids.join("/"))) < share
}
