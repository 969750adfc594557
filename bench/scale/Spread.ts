/** What a list of measured numbers says. */

/** The value that the given share of the values does not exceed; 0 of none. */
export const at = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0
}

/** `p50 1.2 s, p95 3.4 s, max 5.6 s` of milliseconds. */
export const tail = (ms: ReadonlyArray<number>): string =>
  `p50 ${seconds(at(ms, 0.5))}, p95 ${seconds(at(ms, 0.95))}, max ${seconds(at(ms, 1))}`

/** `min 1.2 s, median 3.4 s, max 5.6 s (5 times)` of milliseconds. */
export const range = (ms: ReadonlyArray<number>): string =>
  `min ${seconds(Math.min(...ms))}, median ${seconds(at(ms, 0.5))}, max ${seconds(Math.max(...ms))} (${ms.length} times)`

export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`
