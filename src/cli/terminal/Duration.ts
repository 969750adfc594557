/** Durations as people write them on the command line and in the configuration: `90s`, `10m`, `2h`, `1d`. */

const unitMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds, or undefined when the text is no duration. */
export const parse = (text: string): number | undefined => {
  const match = /^\s*(\d{1,6})\s*(s|m|h|d)\s*$/.exec(text)
  return match === null ? undefined : Number(match[1]) * (unitMs[match[2] ?? ""] ?? 0)
}

/** The largest two units: `2 min 5 s`, `3 h 20 min`, `45 s`. */
export const format = (ms: number): string => {
  const seconds = Math.ceil(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return two(minutes, "min", seconds % 60, "s")
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? two(hours, "h", minutes % 60, "min") : two(Math.floor(hours / 24), "d", hours % 24, "h")
}

/** As `format`, for the gap between two calls, which may be shorter than a second: `600 ms`. */
export const pace = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : format(ms))

const two = (large: number, largeUnit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${largeUnit}` : `${large} ${largeUnit} ${small} ${smallUnit}`
