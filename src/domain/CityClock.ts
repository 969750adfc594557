/** What a clock on the wall of a city shows: the day of the week and the minute of the day. */

/** The days as rules name them. */
export const week = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const

export interface Reading {
  /** Index in `week`. */
  readonly day: number
  /** From 0 to 1439. */
  readonly minute: number
}

/** Asking for a zone is slow, and rules name the same one again and again. */
const clocks = new Map<string, Intl.DateTimeFormat>()

/** `zone` is an IANA name, `epochMs` in milliseconds. */
export const at = (epochMs: number, zone: string): Reading => {
  const known = clocks.get(zone)
  const format =
    known ??
    new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23"
    })
  if (known === undefined) clocks.set(zone, format)
  const parts = new Map(format.formatToParts(epochMs).map(({ type, value }) => [type, value]))
  const day = (week as ReadonlyArray<string>).indexOf(parts.get("weekday")?.toLowerCase() ?? "")
  return { day, minute: Number(parts.get("hour")) * 60 + Number(parts.get("minute")) }
}
