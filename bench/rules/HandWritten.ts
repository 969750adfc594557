/**
 * The yardstick: what a programmer would write by hand for exactly these rules. Columns, blocks of 2,048 rows, the
 * common `where` once per block, and a selection vector that every test narrows. An unknown number is NaN, so
 * each test on it is false; no reasons are kept.
 */
import { type Answers, empty } from "./Answers.js"
import type { Rows } from "./Rows.js"
import { figures, type Rule } from "./Rules.js"

const block = 2048

export const run = (rows: Rows, rules: ReadonlyArray<Rule>): Answers => {
  const answers = empty(rules.length)
  const known = rules.map((rule) => ({ rule, figures: figures(rule.step), has: wordTable(rows, rule) }))
  const scope = new Int32Array(block)
  const open = new Int32Array(block)
  for (let start = 0; start < rows.size; start += block) {
    const end = Math.min(start + block, rows.size)
    const size = inScope(rows, start, end, scope)
    for (let index = 0; index < known.length; index++) {
      const { rule, figures, has } = known[index]!
      let left = 0
      if (rule.family === "raise") left = raise(rows, scope, size, open, figures.raise)
      else if (rule.family === "minus") left = minus(rows, scope, size, open, figures.minus, has)
      else if (rule.family === "lower") left = lower(rows, scope, size, open, figures.lower)
      else if (rule.family === "place") left = place(rows, scope, size, open, figures.place)
      else left = brand(rows, scope, size, open, figures.brand, has)
      let sum = 0
      for (let i = 0; i < left; i++) sum += open[i]!
      answers.counts[index]! += left
      answers.sums[index]! += sum
    }
  }
  return answers
}

type Figures = ReturnType<typeof figures>

/** Whether each distinct text has the rule's word. */
const wordTable = (rows: Rows, rule: Rule): Uint8Array => {
  const word = figures(rule.step).brand.word
  return rule.family === "minus" || rule.family === "brand"
    ? Uint8Array.from(rows.texts, (text) => (text.includes(word) ? 1 : 0))
    : new Uint8Array(0)
}

const inScope = ({ active, cpm }: Rows, start: number, end: number, out: Int32Array): number => {
  let n = 0
  for (let row = start; row < end; row++) {
    out[n] = row
    n += active[row]! & cpm[row]!
  }
  return n
}

const raise = (rows: Rows, from: Int32Array, size: number, out: Int32Array, f: Figures["raise"]): number => {
  const { orders, cpo, bid } = rows.numbers
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    if (orders[row]! >= f.orders) out[n++] = row
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    if (cpo[row]! < f.cpo) out[m++] = row
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    if (bid[row]! < f.bid) out[k++] = row
  }
  return k
}

const minus = (
  rows: Rows,
  from: Int32Array,
  size: number,
  out: Int32Array,
  f: Figures["minus"],
  has: Uint8Array
): number => {
  const { views, ctr, orders } = rows.numbers
  const { query } = rows
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    if (views[row]! >= f.views) out[n++] = row
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    if (ctr[row]! < f.ctr) out[m++] = row
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    if (orders[row] === 0) out[k++] = row
  }
  let j = 0
  for (let i = 0; i < k; i++) {
    const row = out[i]!
    const code = query[row]!
    if (code >= 0 && has[code] === 0) out[j++] = row
  }
  return j
}

const lower = (rows: Rows, from: Int32Array, size: number, out: Int32Array, f: Figures["lower"]): number => {
  const { cpo, orders, bid, min_bid } = rows.numbers
  const times = f.percent / 100
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    if (cpo[row]! > f.cpo) out[n++] = row
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    if (orders[row]! >= 1) out[m++] = row
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    if (bid[row]! > min_bid[row]! * times) out[k++] = row
  }
  return k
}

const place = (rows: Rows, from: Int32Array, size: number, out: Int32Array, f: Figures["place"]): number => {
  const { avg_pos, views, spend } = rows.numbers
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    if (avg_pos[row]! > f.avgPos) out[n++] = row
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    if (views[row]! >= f.views) out[m++] = row
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    if (spend[row]! < f.spend) out[k++] = row
  }
  return k
}

const brand = (
  rows: Rows,
  from: Int32Array,
  size: number,
  out: Int32Array,
  f: Figures["brand"],
  has: Uint8Array
): number => {
  const { bid, spend } = rows.numbers
  const { query } = rows
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    const code = query[row]!
    if (code >= 0 && has[code] === 1) out[n++] = row
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    if (bid[row]! < f.bid) out[m++] = row
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    if (spend[row]! > f.spend) out[k++] = row
  }
  return k
}
