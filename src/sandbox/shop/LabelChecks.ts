/**
 * Label identifiers of an order and what the marketplace finds out about them (seed 000 "Label identifiers",
 * not-shown §4.5). IMEI, UIN and marking codes are looked up: the decision is `pending` for 20 to 120 seconds, for a
 * UIN for 28 to 32 minutes, and then stands. The other keys are taken as they are: `filled` at once.
 *
 * Nearly every well-formed value becomes `filled`; one in fifty is found wanting, by value and seed. A test steers:
 * a marking code by a word anywhere in it (`steeredSgtin`), an IMEI or UIN by its first four digits
 * (`steeredImei`, `steeredUin`), and a value holding `7777` is always `filled`.
 */

import * as Days from "../../domain/Days.js"
import * as Dice from "../Dice.js"
import type * as World from "../market/World.js"
import type { Label, LabelKey, Order } from "./State.js"

/** As the marketplace answers it; several marking codes are joined by commas. */
export interface Detail {
  readonly key: LabelKey
  readonly value: string | null
  readonly decision: string
}

/** In the order answers list them. */
export const keys: ReadonlyArray<LabelKey> = [
  "imei",
  "uin",
  "gtin",
  "sgtin",
  "expiration",
  "customsDeclaration"
]

/** Word in a marking code, and the decision it comes to. */
export const steeredSgtin: Readonly<Record<string, string>> = {
  SOLD: "sgtinWithdrawn",
  BUSINESS: "sgtinSoldB2B",
  INTRODUCED: "sgtinIntroduced",
  EMITTED: "sgtinEmitted",
  UNPAID: "sgtinAppliedNotPaid",
  APPLIED: "sgtinApplied",
  WRITTENOFF: "sgtinWrittenOff",
  RETIRED: "sgtinRetired",
  SPLIT: "sgtinDisaggregated",
  UNKNOWN: "sgtinNotFound",
  LATE: "deadlineExceeded"
}

/** First four digits of an IMEI, and the decision it comes to. */
export const steeredImei: Readonly<Record<string, string>> = {
  "9001": "imeiAlreadySold",
  "9002": "imeiMaySell",
  "9003": "imeiSoldB2B",
  "9004": "deadlineExceeded"
}

/** First four digits of a UIN. `9001` is not found until it is deleted and set again (field note O16). */
export const steeredUin: Readonly<Record<string, string>> = {
  "9001": "uinNotFound",
  "9002": "uinBadStatus",
  "9003": "uinBadProcess",
  "9004": "uinBadStatusAndBadProcess",
  "9005": "uinMaySell",
  "9006": "deadlineExceeded"
}

const allowing: ReadonlySet<string> = new Set([
  "filled",
  "optional",
  "deadlineExceeded",
  "imeiMaySell",
  "imeiSoldB2B",
  "uinMaySell",
  "sgtinIntroduced",
  "sgtinSoldB2B"
])

/** True where a decision keeps the supply from being handed over. */
export const blocks = (decision: string): boolean => !allowing.has(decision)

export const exposes = (order: Order, key: LabelKey): boolean =>
  order.required.includes(key) || order.optional.includes(key)

/** What a reader sees of every key the order exposes. */
export const details = (world: World.World, order: Order, nowMs: number): ReadonlyArray<Detail> =>
  keys.filter((key) => exposes(order, key)).map((key) => detail(world, order, key, nowMs))

/** What a reader sees of one key. */
export const detail = (world: World.World, order: Order, key: LabelKey, nowMs: number): Detail => {
  const label = order.labels.get(key)
  if (label === undefined || label.values.length === 0)
    return { key, value: null, decision: order.required.includes(key) ? "required" : "optional" }
  return { key, value: label.values.join(","), decision: decisionOf(world.seed, key, label, nowMs) }
}

/** Stores values; their check starts now. Answers what was there before. */
export const set = (
  world: World.World,
  order: Order,
  key: LabelKey,
  values: ReadonlyArray<string>,
  nowMs: number,
  check: Pick<Label, "checkMs" | "verdict"> = {}
): ReadonlyArray<string> => {
  const before = order.labels.get(key)
  const stands = before === undefined ? undefined : detail(world, order, key, nowMs).decision
  const afterDelete = before?.values.length === 0
  order.labels.set(key, {
    values,
    setAt: nowMs,
    ...check,
    ...(afterDelete ? { afterDelete } : {}),
    ...(stands === "uinNotFound" ? { stale: stands } : {})
  })
  return before?.values ?? []
}

/** Removes all values of a key. Answers what was there before. */
export const remove = (order: Order, key: LabelKey, nowMs: number): ReadonlyArray<string> => {
  const before = order.labels.get(key)?.values ?? []
  if (before.length > 0) order.labels.set(key, { values: [], setAt: nowMs })
  return before
}

/** How long a check takes. */
const checkMs = (seed: number, key: LabelKey, label: Label): number => {
  const hash = Dice.ofText(Dice.roll(seed, 601, label.setAt / 1000), label.values.join(","))
  return key === "uin"
    ? Dice.between(hash, 28 * Days.minuteMs, 32 * Days.minuteMs)
    : Dice.between(hash, Days.minuteMs / 3, 2 * Days.minuteMs)
}

const decisionOf = (seed: number, key: LabelKey, label: Label, nowMs: number): string => {
  const isLookedUp = key === "imei" || key === "uin" || key === "sgtin"
  const usualMs = isLookedUp ? checkMs(seed, key, label) : 0
  if (label.stale !== undefined) return label.stale
  if (nowMs < label.setAt + (label.checkMs ?? usualMs)) return "pending"
  // Only what is looked up somewhere can take too long there.
  if (!isLookedUp && label.verdict === "deadlineExceeded") return "filled"
  if (label.verdict !== undefined || !isLookedUp) return label.verdict ?? "filled"
  const results = label.values.map((value) => resultOf(seed, key, value, label.afterDelete === true))
  return results.find(blocks) ?? results.find((result) => result !== "filled") ?? "filled"
}

const resultOf = (seed: number, key: "imei" | "uin" | "sgtin", value: string, afresh: boolean): string => {
  if (key === "sgtin") return sgtinResult(seed, value)
  if (!/^\d+$/.test(value)) return `${key}InvalidFormat`
  const table = key === "imei" ? steeredImei : steeredUin
  const doubt = key === "imei" ? "imeiAlreadySold" : "uinNotFound"
  const result = table[value.slice(0, 4)] ?? (isDoubted(seed, value) ? doubt : "filled")
  return result === "uinNotFound" && afresh ? "filled" : result
}

const groupSeparator = "\u001d"

const sgtinResult = (seed: number, value: string): string => {
  if (value.length < 16 || value.length > 135) return "sgtinInvalidFormat"
  if (/[^\p{ASCII}]/u.test(value)) return "sgtinHasNonLatinSymbols"
  if (!value.includes(groupSeparator)) return "sgtinNoGS"
  const parts = value.split(groupSeparator)
  if (!parts.every((part) => /^[!-~]*$/.test(part))) return "sgtinHasInvalidSymbols"
  if (!/^01\d{14}21[!-~]+$/.test(parts[0] ?? "")) return "sgtinInvalidPattern"
  const steered = Object.entries(steeredSgtin).find(([word]) => value.includes(word))?.[1]
  return steered ?? (isDoubted(seed, value) ? "sgtinNotFound" : "filled")
}

/** One value in fifty is not what it claims to be. */
const isDoubted = (seed: number, value: string): boolean =>
  !value.includes("7777") && Dice.uint(Dice.ofText(seed, value)) % 50 === 0
