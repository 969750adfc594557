/**
 * The innermost loops: from the rows still open to those that a test does not rule out. Without branches, since
 * whether a row passes is as good as chance to the processor; the busiest take eight rows a turn, which is about twice
 * as fast. An unknown value is NaN, for which no comparison holds: so a loop keeps what the opposite comparison does
 * not rule out. Each answers how many rows are left; `out` may be `rows`.
 */
import { False } from "../Kleene.js"

/** Keeps values up to `high`. `values` has one for each row of the table. */
export const atMost = (
  values: Float64Array,
  high: number,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  let i = 0
  for (; i + 8 <= count; i += 8) {
    const a = rows[i]!
    const b = rows[i + 1]!
    const c = rows[i + 2]!
    const d = rows[i + 3]!
    const e = rows[i + 4]!
    const f = rows[i + 5]!
    const g = rows[i + 6]!
    const h = rows[i + 7]!
    out[n] = a
    n += Number(!(values[a]! > high))
    out[n] = b
    n += Number(!(values[b]! > high))
    out[n] = c
    n += Number(!(values[c]! > high))
    out[n] = d
    n += Number(!(values[d]! > high))
    out[n] = e
    n += Number(!(values[e]! > high))
    out[n] = f
    n += Number(!(values[f]! > high))
    out[n] = g
    n += Number(!(values[g]! > high))
    out[n] = h
    n += Number(!(values[h]! > high))
  }
  for (; i < count; i++) {
    const row = rows[i]!
    out[n] = row
    n += Number(!(values[row]! > high))
  }
  return n
}

/** Keeps values from `low` on. */
export const atLeast = (
  values: Float64Array,
  low: number,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  let i = 0
  for (; i + 8 <= count; i += 8) {
    const a = rows[i]!
    const b = rows[i + 1]!
    const c = rows[i + 2]!
    const d = rows[i + 3]!
    const e = rows[i + 4]!
    const f = rows[i + 5]!
    const g = rows[i + 6]!
    const h = rows[i + 7]!
    out[n] = a
    n += Number(!(values[a]! < low))
    out[n] = b
    n += Number(!(values[b]! < low))
    out[n] = c
    n += Number(!(values[c]! < low))
    out[n] = d
    n += Number(!(values[d]! < low))
    out[n] = e
    n += Number(!(values[e]! < low))
    out[n] = f
    n += Number(!(values[f]! < low))
    out[n] = g
    n += Number(!(values[g]! < low))
    out[n] = h
    n += Number(!(values[h]! < low))
  }
  for (; i < count; i++) {
    const row = rows[i]!
    out[n] = row
    n += Number(!(values[row]! < low))
  }
  return n
}

/** Keeps values from `low` to `high`, both included. */
export const within = (
  values: Float64Array,
  low: number,
  high: number,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    const value = values[row]!
    out[n] = row
    n += Number(!(value < low)) & Number(!(value > high))
  }
  return n
}

/** Keeps every value but one. */
export const differs = (
  values: Float64Array,
  from: number,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    out[n] = row
    n += Number(values[row]! !== from)
  }
  return n
}

/**
 * For keys above the rows: `kept` has 1 for a key that is not ruled out, `at` the key of each row. `inRuns` when the
 * keys ascend: then one look at both ends tells of eight rows that have one key.
 */
export const marked = (
  kept: Uint8Array,
  at: Int32Array,
  inRuns: boolean,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  let i = 0
  for (; i + 8 <= count; i += 8) {
    if (inRuns && at[i] === at[i + 7] && kept[at[i]!] === 0) continue
    const a = rows[i]!
    const b = rows[i + 1]!
    const c = rows[i + 2]!
    const d = rows[i + 3]!
    const e = rows[i + 4]!
    const f = rows[i + 5]!
    const g = rows[i + 6]!
    const h = rows[i + 7]!
    out[n] = a
    n += kept[at[i]!]!
    out[n] = b
    n += kept[at[i + 1]!]!
    out[n] = c
    n += kept[at[i + 2]!]!
    out[n] = d
    n += kept[at[i + 3]!]!
    out[n] = e
    n += kept[at[i + 4]!]!
    out[n] = f
    n += kept[at[i + 5]!]!
    out[n] = g
    n += kept[at[i + 6]!]!
    out[n] = h
    n += kept[at[i + 7]!]!
  }
  for (; i < count; i++) {
    out[n] = rows[i]!
    n += kept[at[i]!]!
  }
  return n
}

/** What is remembered of a question about each distinct text. Where a text is unknown its code is NaN. */
export const notAsked = 0
export const no = 1
export const yes = 2

/** For dictionary codes: `memory` has the answers so far, `ask` adds one to it and answers it. */
export const texts = (
  codes: Float64Array,
  memory: Uint8Array,
  ask: (code: number) => number,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    const value = codes[row]!
    const code = value | 0
    const answer = memory[code]!
    out[n] = row
    n += ((answer === notAsked ? ask(code) : answer) >> 1) | Number(Number.isNaN(value))
  }
  return n
}

/** For rows whose `Kleene.Truth` is known already, one each. */
export const answered = (truth: Uint8Array, rows: Int32Array, count: number, out: Int32Array): number => {
  let n = 0
  for (let i = 0; i < count; i++) {
    out[n] = rows[i]!
    n += Number(truth[i] !== False)
  }
  return n
}
