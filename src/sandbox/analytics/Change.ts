/** How a number changed against the past period. */

/** Whole percent of change; from nothing to something is 100. */
export const percent = (current: number, past: number): number =>
  past === 0 ? (current === 0 ? 0 : 100) : Math.round(((current - past) / Math.abs(past)) * 100)

/** Whole percent of a part (field note A08: percentages are whole numbers). */
export const share = (part: number, whole: number): number =>
  whole === 0 ? 0 : Math.round((part / whole) * 100)

/** A metric with its change; `dynamics` is left out without a past period (field note A12). */
export const pair = (current: number, past: number | undefined) => ({
  current,
  ...(past === undefined ? {} : { dynamics: percent(current, past) })
})

export const round2 = (value: number): number => Math.round(value * 100) / 100

/** Whole roubles of kopecks, as analytics prints money (field notes, "Units at a glance"). */
export const wholeRoubles = (kopecks: number): number => Math.round(kopecks / 100)
