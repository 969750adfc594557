/** `schedule:`: when a policy is due. */

import * as Days from "../../../domain/Days.js"
import { type Schedule, week } from "../../../domain/Schedule.js"
import type { Problems } from "../problems/Diagnostic.js"
import type { MapNode, Node, ScalarNode } from "../yaml/Node.js"
import { entry, get, scalars } from "../yaml/Node.js"
import * as Amounts from "./Amounts.js"

/** The days that are named, in the order of the week. */
export const daysOf = (node: Node): ReadonlyArray<(typeof week)[number]> => {
  const chosen = new Set(scalars(get(node, "days")).map((day) => day.text))
  return week.filter((day) => chosen.has(day))
}

/** The schedule, or undefined when there is none or something was reported. */
export const read = (node: Node | undefined, problems: Problems): Schedule | undefined => {
  if (node?._tag !== "Map") return undefined
  const before = problems.count
  const every = Amounts.milliseconds(Amounts.keyed(node, "every"), Days.minuteMs, 31 * Days.dayMs, problems)
  const at = get(node, "at") === undefined ? undefined : times(get(node, "at"), problems)
  const between = partOfDay(scalars(get(node, "between"))[0], problems)
  const days = daysOf(node)
  const tz = zone(node, problems)
  exactlyOne(node, problems)
  if (problems.count > before) return undefined
  return {
    ...(every === undefined ? {} : { every }),
    ...(at === undefined ? {} : { at }),
    ...(days.length === 0 ? {} : { days }),
    ...(between === undefined ? {} : { between }),
    tz: tz ?? "UTC"
  }
}

const exactlyOne = (node: MapNode, problems: Problems): void => {
  const every = entry(node, "every")
  const at = entry(node, "at")
  if (
    every === undefined &&
    at === undefined &&
    node.entries.every(({ key }) => /^(days|between|tz)$/.test(key))
  ) {
    problems.error("K13", node.range, "schedule: needs every: 3h or at: 06:00.")
  }
  if (every !== undefined && at !== undefined) {
    problems.error("K16", at.keyRange, "schedule: takes every: or at:, not both.")
  }
  const between = entry(node, "between")
  if (between !== undefined && at !== undefined && every === undefined) {
    problems.error("K16", between.keyRange, "between: goes with every:. With at: name the times.")
  }
}

const times = (node: Node | undefined, problems: Problems): ReadonlyArray<number> => {
  const minutes = scalars(node).flatMap((scalar) => {
    const minute = time(scalar, problems)
    return minute === undefined ? [] : [minute]
  })
  return [...new Set(minutes)].sort((a, b) => a - b)
}

/** A time of day as its minute; undefined when it is none, which is reported. */
export const time = (node: ScalarNode, problems: Problems): number | undefined => {
  const minute = minuteOf(node.text)
  if (minute === undefined) notATime(node, node.text.trim(), problems)
  return minute
}

/** `18:30` as a minute of the day. */
const minuteOf = (text: string): number | undefined => {
  const match = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text.trim())
  return match === null ? undefined : Number(match[1]) * 60 + Number(match[2])
}

const notATime = (node: ScalarNode, text: string, problems: Problems): void => {
  const [, hour, minute = "00"] = /^(\d{1,2})(?:[.,-](\d\d))?$/.exec(text) ?? []
  const meant = hour === undefined ? "" : `${hour.padStart(2, "0")}:${minute}`
  problems.error(
    "K06",
    node.range,
    text === "24:00"
      ? "A day ends at the next one's 00:00: write 00:00 for 24:00."
      : `${text} is not a time. 00:00 to 23:59.`,
    node.text.trim() === text && minuteOf(meant) !== undefined ? `"${meant}"` : undefined
  )
}

/** `08:00-23:00`; one that ends before it begins goes on past midnight. */
export const partOfDay = (node: ScalarNode | undefined, problems: Problems): Schedule["between"] => {
  if (node === undefined) return undefined
  const parts = node.text.split(/\s*[-–—]\s*/)
  const [from, to] = parts.map(minuteOf)
  if (parts.length !== 2 || from === undefined || to === undefined) {
    const wrong = parts.length === 2 ? parts.find((part) => minuteOf(part) === undefined) : undefined
    if (wrong !== undefined) notATime(node, wrong.trim(), problems)
    else problems.error("K06", node.range, "Write a part of the day as 08:00-23:00.")
    return undefined
  }
  if (from !== to) return { fromMinute: from, toMinute: to }
  return problems.error("K06", node.range, "It ends when it begins. Write a part of the day as 18:00-23:00.")
}

/** A time of day needs a zone; a bare `every:` does not. */
const zone = (node: MapNode, problems: Problems): string | undefined => {
  const given = Amounts.keyed(node, "tz")?.node
  if (given !== undefined) return city(given, problems)
  const needs = ["at", "days", "between"].map((key) => entry(node, key)).find((found) => found !== undefined)
  if (needs !== undefined && entry(node, "tz") === undefined) {
    problems.error(
      "K13",
      needs.keyRange,
      `tz: is missing: ${needs.key} in which city's time? Name it, such as tz: Europe/Moscow`
    )
  }
  return undefined
}

/** The zone that a city names; undefined when there is none, which is reported. */
export const city = (node: ScalarNode, problems: Problems): string | undefined => {
  if (isZone(node.text)) return node.text
  const isMoscow = /^(?:MSK|МСК|Moscow|Москва|Europe\/Moskow)$/i.test(node.text)
  const message = `"${node.text}" is not a time zone. Name a city, such as Europe/Moscow`
  return problems.error("K05", node.range, message, isMoscow ? "Europe/Moscow" : undefined)
}

/** Sellers' usual zones are known; asking for the first one takes a tenth of a whole `check`. */
export const usualZones: ReadonlyArray<string> = [
  "Europe/Kaliningrad",
  "Europe/Moscow",
  "Europe/Samara",
  "Asia/Yekaterinburg",
  "Asia/Omsk",
  "Asia/Krasnoyarsk",
  "Asia/Irkutsk",
  "Asia/Yakutsk",
  "Asia/Vladivostok",
  "Asia/Magadan",
  "Asia/Kamchatka"
]

/** A folder of rules names the same zone again and again. */
const zones = new Map<string, boolean>(usualZones.map((zone) => [zone, true]))

const isZone = (text: string): boolean => {
  const known = zones.get(text) ?? asksZone(text)
  if (zones.size < 1000) zones.set(text, known)
  return known
}

const asksZone = (text: string): boolean => {
  if (text !== "UTC" && !/^[A-Z][A-Za-z]+\/[A-Za-z_/+-]+$/.test(text)) return false
  try {
    return Intl.DateTimeFormat("en", { timeZone: text }).resolvedOptions().timeZone.length > 0
  } catch {
    return false
  }
}
