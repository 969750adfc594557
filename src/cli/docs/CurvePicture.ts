/**
 * The picture of `docs/rules/optimise.md`: views a day by the bid, and what the next thousand of them cost, drawn with the curve that
 * `optimise` thinks by (`Allocate.viewsAt`, `Rows.marginal`), for a made-up cluster.
 */
import * as Allocate from "../../engine/optimise/Allocate.js"
import * as Rows from "../../engine/optimise/Rows.js"

/** A cluster of middling size, in roubles: half of its 1200 views a day are won at 260 ₽ for 1000 views. The whole bid is paid. */
const made = {
  exponent: Float64Array.of(2.2),
  half: Float64Array.of(260),
  demand: Float64Array.of(1200),
  clickExponent: 0,
  paysClicks: Uint8Array.of(0)
}

/** What 1000 views leave before advertising, and the most that the next 1000 may cost while the last rouble of the budget earns 1.6. */
const worthRoubles = 1200
const shortOfMoney = 1.6

const most = { bid: 500, cost: 2000 }

const views = (bid: number): number => Allocate.viewsAt(made, 0, bid)
const nextThousand = (bid: number): number => Rows.marginal(made, 0, bid, 1)

/** The bid at which the next 1000 views cost so much. */
const bidAt = (cost: number): number => {
  let [low, high] = [0, most.bid]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (nextThousand(middle) < cost) low = middle
    else high = middle
  }
  return Math.round(low)
}

interface Panel {
  /** Left end of its axis of bids, in points. */
  readonly left: number
  readonly title: string
  readonly of: (bid: number) => number
  readonly most: number
  readonly marks: ReadonlyArray<number>
}

const [width, height, top] = [280, 200, 40]
const bottom = top + height

const x = ({ left }: Panel, bid: number): number => round(left + (bid / most.bid) * width)
const y = (panel: Panel, value: number): number => round(bottom - (value / panel.most) * height)
const round = (value: number): number => Math.round(value * 10) / 10

const line = (x1: number, y1: number, x2: number, y2: number, style: string): string =>
  `<line x1="${x1}" y1="${y1}" x2="${x2}" y2="${y2}" ${style}/>`
const text = (at: number, from: number, words: string, style = ""): string =>
  `<text x="${at}" y="${from}"${style === "" ? "" : ` ${style}`}>${words}</text>`

const thin = 'stroke="#999"'
const dashed = 'stroke="#999" stroke-dasharray="4 3"'

const panel = (one: Panel): ReadonlyArray<string> => {
  const bids = Array.from({ length: 97 }, (_, i) => 20 + 5 * i)
  const points = bids
    .filter((bid) => one.of(bid) <= one.most)
    .map((bid) => `${x(one, bid)},${y(one, one.of(bid))}`)
  return [
    text(one.left, 24, one.title, 'font-weight="bold"'),
    line(one.left, bottom, one.left + width, bottom, thin),
    line(one.left, top, one.left, bottom, thin),
    ...[100, 200, 300, 400, 500].map((bid) =>
      text(x(one, bid), bottom + 16, `${bid}`, 'text-anchor="middle"')
    ),
    text(one.left + width / 2, bottom + 34, "bid, ₽ per 1000 views", 'text-anchor="middle"'),
    ...one.marks.map((mark) => text(one.left - 6, y(one, mark) + 4, `${mark}`, 'text-anchor="end"')),
    `<polyline points="${points.join(" ")}" fill="none" stroke="#2563eb" stroke-width="2"/>`
  ]
}

const ofViews: Panel = { left: 50, title: "Views a day", of: views, most: 1200, marks: [400, 800, 1200] }
const ofCost: Panel = {
  left: 400,
  title: "What the next 1000 views cost, ₽",
  of: nextThousand,
  most: most.cost,
  marks: [500, 1000, 1500, 2000]
}

/** Where the next 1000 views cost what they may. */
const best = (cost: number, words: string): ReadonlyArray<string> => {
  const bid = bidAt(cost)
  const [right, under] = [ofCost.left + width, y(ofCost, cost)]
  return [
    line(ofCost.left, under, right, under, dashed),
    text(ofCost.left + 6, under - 5, words),
    line(x(ofCost, bid), under, x(ofCost, bid), bottom, dashed),
    `<circle cx="${x(ofCost, bid)}" cy="${under}" r="4" fill="#dc2626"/>`,
    text(x(ofCost, bid) + 6, bottom - 6, `${bid} ₽`, 'fill="#dc2626"'),
    `<circle cx="${x(ofViews, bid)}" cy="${y(ofViews, views(bid))}" r="4" fill="#dc2626"/>`
  ]
}

/** An SVG file. */
export const svg = (): string =>
  [
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 700 290" font-family="sans-serif" font-size="12" fill="#333">',
    "<title>Views a day by the bid, and what the next 1000 views cost</title>",
    '<rect width="700" height="290" fill="#fff"/>',
    ...panel(ofViews),
    ...panel(ofCost),
    ...best(worthRoubles, `worth ${worthRoubles} ₽: money enough`),
    ...best(worthRoubles / shortOfMoney, "while the last rouble earns 1.6"),
    "</svg>",
    ""
  ].join("\n")
