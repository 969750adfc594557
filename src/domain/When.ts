/** Instants in messages: `2026-09-01 15:00` in the account's zone. */
import * as Days from "./Days.js"

export const text = (epochMs: number, zone: string): string => {
  const time = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23"
  }).format(epochMs)
  return `${Days.at(epochMs, zone)} ${time}`
}
