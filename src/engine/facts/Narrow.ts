/**
 * The innermost loops: from the rows still open to those that a test does not rule out. Without branches, since
 * whether a row passes is as good as chance to the processor. An unknown value is NaN, for which no comparison
 * holds: so a loop keeps what the opposite comparison does not rule out. Each answers how many rows are left.
 */
import type { CompareOp } from "../language/Policy.js"
import { False } from "./Kleene.js"

/** `at` tells where each row's value lies in `values`. */
export const numbers = (
  op: CompareOp,
  values: Float64Array,
  limit: number,
  at: Int32Array,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  if (op === "<")
    for (let i = 0; i < count; i++) {
      out[n] = rows[i]!
      n += Number(!(values[at[i]!]! >= limit))
    }
  else if (op === "<=")
    for (let i = 0; i < count; i++) {
      out[n] = rows[i]!
      n += Number(!(values[at[i]!]! > limit))
    }
  else if (op === ">")
    for (let i = 0; i < count; i++) {
      out[n] = rows[i]!
      n += Number(!(values[at[i]!]! <= limit))
    }
  else if (op === ">=")
    for (let i = 0; i < count; i++) {
      out[n] = rows[i]!
      n += Number(!(values[at[i]!]! < limit))
    }
  else if (op === "=")
    for (let i = 0; i < count; i++) {
      const value = values[at[i]!]!
      out[n] = rows[i]!
      n += Number(value === limit) | Number(Number.isNaN(value))
    }
  else
    for (let i = 0; i < count; i++) {
      out[n] = rows[i]!
      n += Number(values[at[i]!]! !== limit)
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
  at: Int32Array,
  rows: Int32Array,
  count: number,
  out: Int32Array
): number => {
  let n = 0
  for (let i = 0; i < count; i++) {
    const value = codes[at[i]!]!
    const code = value | 0
    const answer = memory[code]!
    out[n] = rows[i]!
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
