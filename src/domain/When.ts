/** Instants in messages: `2026-09-01 15:00` in the account's zone. */
import * as Days from "./Days.js"

export const text = (epochMs: number, zone: string): string =>
  `${Days.at(epochMs, zone)} ${clock(epochMs, zone)}`

/** `15:00`. */
export const clock = (epochMs: number, zone: string): string => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en-GB", { timeZone: zone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  formats.set(zone, format)
  return format.format(epochMs)
}

const formats = new Map<string, Intl.DateTimeFormat>()
