/**
 * The yardstick: what a programmer would write by hand for exactly these rules. Columns, blocks of 2,048 rows, the
 * common `where` once per block, and a selection vector that every test narrows without a branch. It finds what
 * Bidhelm finds: matched rows, and the rows that an unknown fact leaves undecided, with the first test that is
 * unknown and its reason. An unknown number is NaN, so a test keeps what the opposite test does not rule out.
 */
import { Lists } from "./Lists.js"
import type { Rows } from "./Rows.js"
import { figures, type Rule } from "./Rules.js"

const block = 2048

export const run = (rows: Rows, rules: ReadonlyArray<Rule>): ReadonlyArray<Lists> => {
  const known = rules.map((rule) => ({ rule, figures: figures(rule.step), has: wordTable(rows, rule) }))
  const found = rules.map(() => new Lists())
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
      if (rows.withUnknown) split(rows, rule, open, left, found[index]!)
      else keep(open, left, found[index]!)
    }
  }
  return found
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

const keep = (open: Int32Array, size: number, found: Lists): void => {
  found.reserve(size)
  const { holds } = found
  let { held } = found
  for (let i = 0; i < size; i++) holds[held++] = open[i]!
  found.held = held
}

/** The tests of each family after the common two, in the order written. */
const asked = {
  raise: ["orders", "cpo", "bid"],
  minus: ["views", "ctr", "orders", "query"],
  lower: ["cpo", "orders", "bid", "min_bid"],
  place: ["avg_pos", "views", "spend"],
  brand: ["query", "bid", "spend"]
} as const

const split = ({ reasons }: Rows, { family }: Rule, open: Int32Array, size: number, found: Lists): void => {
  found.reserve(size)
  const [a, b, c, d] = asked[family]
  const [first, second, third] = [reasons[a], reasons[b], reasons[c]]
  const fourth = d === undefined ? undefined : reasons[d]
  const fourthTest = d === "min_bid" ? 4 : 5
  const { holds, rows, tests, reasons: why } = found
  let { held, left } = found
  for (let i = 0; i < size; i++) {
    const row = open[i]!
    let test = 2
    let reason = first[row]!
    if (reason === 0) {
      test = 3
      reason = second[row]!
      if (reason === 0) {
        test = 4
        reason = third[row]!
        if (reason === 0 && fourth !== undefined) {
          test = fourthTest
          reason = fourth[row]!
        }
      }
    }
    // Written to both lists; only one of them moves on.
    holds[held] = row
    rows[left] = row
    tests[left] = test
    why[left] = reason
    held += Number(reason === 0)
    left += Number(reason !== 0)
  }
  found.held = held
  found.left = left
}

const raise = (rows: Rows, from: Int32Array, size: number, out: Int32Array, f: Figures["raise"]): number => {
  const { orders, cpo, bid } = rows.numbers
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    out[n] = row
    n += Number(!(orders[row]! < f.orders))
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    out[m] = row
    m += Number(!(cpo[row]! >= f.cpo))
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    out[k] = row
    k += Number(!(bid[row]! >= f.bid))
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
    out[n] = row
    n += Number(!(views[row]! < f.views))
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    out[m] = row
    m += Number(!(ctr[row]! >= f.ctr))
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    out[k] = row
    k += Number(!(orders[row]! > 0 || orders[row]! < 0))
  }
  let j = 0
  for (let i = 0; i < k; i++) {
    const row = out[i]!
    const code = query[row]!
    out[j] = row
    j += Number(code < 0 || has[code] === 0)
  }
  return j
}

const lower = (rows: Rows, from: Int32Array, size: number, out: Int32Array, f: Figures["lower"]): number => {
  const { cpo, orders, bid, min_bid } = rows.numbers
  const times = f.percent / 100
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    out[n] = row
    n += Number(!(cpo[row]! <= f.cpo))
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    out[m] = row
    m += Number(!(orders[row]! < 1))
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    out[k] = row
    k += Number(!(bid[row]! <= min_bid[row]! * times))
  }
  return k
}

const place = (rows: Rows, from: Int32Array, size: number, out: Int32Array, f: Figures["place"]): number => {
  const { avg_pos, views, spend } = rows.numbers
  let n = 0
  for (let i = 0; i < size; i++) {
    const row = from[i]!
    out[n] = row
    n += Number(!(avg_pos[row]! <= f.avgPos))
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    out[m] = row
    m += Number(!(views[row]! < f.views))
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    out[k] = row
    k += Number(!(spend[row]! >= f.spend))
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
    out[n] = row
    n += Number(code < 0 || has[code] === 1)
  }
  let m = 0
  for (let i = 0; i < n; i++) {
    const row = out[i]!
    out[m] = row
    m += Number(!(bid[row]! >= f.bid))
  }
  let k = 0
  for (let i = 0; i < m; i++) {
    const row = out[i]!
    out[k] = row
    k += Number(!(spend[row]! <= f.spend))
  }
  return k
}
