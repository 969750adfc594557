/** Every construct of conditions, from YAML text to plan: on which rows it acts, and which it leaves undecided. */
import { describe, expect, it } from "vitest"
import * as Planned from "./Planned.js"

interface Rows {
  /** Facts of rows on which the policy must act, must not act, and must be undecided. */
  readonly acts: ReadonlyArray<string>
  readonly not?: ReadonlyArray<string>
  readonly open?: ReadonlyArray<string>
}

const number = (name: string, rows: ReadonlyArray<string> = []) =>
  rows.map((facts, index) => `${name}${index}, ${facts}`)

/** Rows by what became of them. */
const outcome = (files: Planned.Files, { acts, not, open }: Rows, from?: string) => {
  const rows = [...number("acts", acts), ...number("not", not), ...number("open", open)]
  const [lines] = Planned.play({ files, rows, ...(from === undefined ? {} : { from }) })
  const of = (pattern: RegExp) =>
    lines!.flatMap((line) => (pattern.test(line) ? [line.slice(0, line.indexOf(" "))] : [])).sort()
  return { acts: of(/→/), open: of(/^\S+ \?/), rest: lines!.filter((line) => !/→|^\S+ \?/.test(line)) }
}

const expected = ({ acts, open = [] }: Rows) => ({
  acts: acts.map((_, index) => `acts${index}`),
  open: open.map((_, index) => `open${index}`),
  rest: []
})

const cluster = (when: string, more = "window: 7d") => `each: cluster
where: campaign.payment = cpm
${more}
when:
  - ${when}
do: add_minus`

type Entry = readonly [when: string, rows: Rows, more?: string]

const comparing: ReadonlyArray<Entry> = [
  ["views < 500", { acts: ["views: 499"], not: ["views: 500"], open: ["views: missing"] }],
  ["views <= 500", { acts: ["views: 500"], not: ["views: 501"], open: ["views: unknown failed"] }],
  ["views > 500", { acts: ["views: 501"], not: ["views: 500"], open: ["views: unknown stale"] }],
  ["views >= 500", { acts: ["views: 500"], not: ["views: 499"], open: ["clicks: 5"] }],
  ["views = 500", { acts: ["views: 500"], not: ["views: 499"], open: ["views: missing"] }],
  ["views != 500", { acts: ["views: 499"], not: ["views: 500"], open: ["views: missing"] }],
  [
    "ctr between 1% and 2%",
    { acts: ["ctr: 1%", "ctr: 1.5%", "ctr: 2%"], not: ["ctr: 0.99%", "ctr: 2.01%"], open: ["ctr: missing"] }
  ],
  [
    "campaign.status in [ready, paused]",
    {
      acts: ["campaign.status: paused"],
      not: ["campaign.status: active"],
      open: ["campaign.status: missing"]
    }
  ],
  [
    "campaign.status not in [ready, paused]",
    {
      acts: ["campaign.status: active"],
      not: ["campaign.status: paused"],
      open: ["campaign.status: missing"]
    }
  ],
  [
    'campaign.name matches "*кеды?"',
    {
      acts: ['campaign.name: "Белые КЕДЫ2"'],
      not: ["campaign.name: кеды", "campaign.name: боты"],
      open: ["campaign.name: missing"]
    }
  ],
  ['query contains "кед"', { acts: ["query: белые КЕДЫ"], not: ["query: боты"], open: ["query: missing"] }],
  ['query contains any ["кед", "бот"]', { acts: ["query: кеды", "query: боты"], not: ["query: туфли"] }],
  [
    "campaign.search",
    { acts: ["campaign.search: yes"], not: ["campaign.search: no"], open: ["campaign.search: missing"] }
  ],
  [
    "not campaign.search",
    { acts: ["campaign.search: no"], not: ["campaign.search: yes"], open: ["campaign.search: missing"] }
  ],
  [
    "(views >= 5 or orders >= 1) and not (clicks >= 3)",
    {
      acts: ["views: 5, orders: missing, clicks: 2", "views: 4, orders: 1, clicks: 0"],
      not: ["views: 4, orders: 0, clicks: missing", "views: missing, orders: missing, clicks: 3"],
      open: ["views: 4, orders: missing, clicks: 0", "views: 5, orders: 0, clicks: missing"]
    }
  ],
  [
    "spend / orders < 200 ₽ + 5 ₽",
    { acts: ["spend: 409 ₽, orders: 2"], not: ["spend: 410 ₽, orders: 2"], open: ["spend: 0 ₽, orders: 0"] }
  ],
  ["bid > min_bid * 120%", { acts: ["bid: 121 ₽, min_bid: 100 ₽"], not: ["bid: 120 ₽, min_bid: 100 ₽"] }],
  [
    "min(bid, min_bid) < 100 ₽",
    {
      acts: ["bid: 99 ₽, min_bid: 500 ₽"],
      not: ["bid: 100 ₽, min_bid: 100 ₽"],
      open: ["bid: 5 ₽, min_bid: missing"]
    }
  ],
  ["max(bid, min_bid) < 100 ₽", { acts: ["bid: 99 ₽, min_bid: 5 ₽"], not: ["bid: 9 ₽, min_bid: 100 ₽"] }]
]

const missing: ReadonlyArray<Entry> = [
  [
    "orders default 0 = 0",
    { acts: ["orders: missing", "orders: 0"], not: ["orders: 1"], open: ["orders: unknown failed"] }
  ],
  ["ctr default 5% > 4%", { acts: ["ctr: unknown 0/0"], not: ["ctr: 4%"], open: ["ctr: unknown stale"] }],
  [
    "avg_pos is known",
    { acts: ["avg_pos: 3"], not: ["avg_pos: missing"], open: ["avg_pos: unknown failed"] }
  ],
  [
    "avg_pos is not known",
    { acts: ["avg_pos: missing"], not: ["avg_pos: 3"], open: ["avg_pos: unknown not fetched"] }
  ],
  // Spend without an order is endlessly dear; nothing for nothing says nothing.
  [
    "cpo > 200 ₽",
    { acts: ["spend: 1 ₽, orders: 0"], not: ["spend: 0 ₽, orders: 1"], open: ["spend: 0 ₽, orders: 0"] }
  ]
]

const days = "1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384"

/** One more day each has twice the views of the day before; the last one is the running day, 1 September. */
const windows: ReadonlyArray<readonly [window: string, views: number]> = [
  ["views[7d]", 128 + 256 + 512 + 1024 + 2048 + 4096 + 8192],
  ["views[yesterday]", 8192],
  ["views[today]", 16_384],
  ["views[7d before 7d]", 127],
  ["views[2d before 1d]", 2048 + 4096],
  ["views[3d, settle 2d]", 512 + 1024 + 2048],
  ["views", 1024 + 2048 + 4096]
]

describe("a condition acts where it is true, and nowhere else", () => {
  for (const [when, rows, more] of [...comparing, ...missing])
    it(when, () => expect(outcome({ a: cluster(when, more) }, rows)).toEqual(expected(rows)))
})

describe("a window holds exactly its days", () => {
  for (const [fact, views] of windows)
    it(`${fact} are ${views} views`, () => {
      const rows = { acts: [`views: ${days}`], open: ["views: _x14"] }
      const more = "window: {last: 3d, settle: 1d}"
      expect(outcome({ a: cluster(`${fact} = ${views}`, more) }, rows, "2026-08-18")).toEqual(expected(rows))
    })

  it("days without a report add nothing", () => {
    const rows = { acts: ["views: 5 _x4 3"], open: ["views: _x6"] }
    expect(outcome({ a: cluster("views = 8") }, rows, "2026-08-25")).toEqual(expected(rows))
  })

  it("ratios are computed from the sums, places weighted by views", () => {
    // The mean of the daily ratios would be 43%, of the daily places 5.
    const ratio = { acts: ["views: 1000 10x6, clicks: 0 5x6"] }
    expect(outcome({ a: cluster("ctr < 3%") }, ratio, "2026-08-25")).toEqual(expected(ratio))
    const place = { acts: ["views: 900 100 0, avg_pos: 1 9 _"], not: ["views: 100 900 0, avg_pos: 1 9 _"] }
    expect(outcome({ a: cluster("avg_pos < 2") }, place, "2026-08-25")).toEqual(expected(place))
  })
})

describe("a change compares a window with the one before", () => {
  const before = "2026-08-18"
  it("change(ctr, 7d)", () => {
    const rows = {
      acts: ["views: 100x14, clicks: 10x6 7x6"],
      not: ["views: 100x14, clicks: 10x13"],
      open: ["views: 100x14, clicks: 0x13", "views: _x7 100x6, clicks: _x7 5x6"]
    }
    expect(outcome({ a: cluster("change(ctr, 7d) < -20%") }, rows, before)).toEqual(expected(rows))
  })

  it("change(orders, 7d): from nothing to something is beyond every bound", () => {
    const rows = { acts: ["orders: 0x6 1x6"], not: ["orders: 1x6 2x6"], open: ["orders: 0x13"] }
    expect(outcome({ a: cluster("change(orders, 7d) > 150%") }, rows, before)).toEqual(expected(rows))
  })

  it("change(views, 3d, settle 1d) leaves the newest day out", () => {
    const rows = { acts: ["views: 10x9 20x2 _"], not: ["views: 10x12 90"] }
    expect(outcome({ a: cluster("change(views, 3d, settle 1d) > 50%") }, rows, "2026-08-19")).toEqual(
      expected(rows)
    )
  })
})

describe("confidence asks for proof", () => {
  const few = (when: string, rows: Rows) =>
    expect(outcome({ a: cluster(when) }, rows)).toEqual(expected(rows))

  it("ctr < 1% with 95% confidence needs 299 views without a click, 473 with one", () =>
    few("ctr < 1% with 95% confidence", {
      acts: ["views: 299, clicks: 0", "views: 473, clicks: 1"],
      not: ["views: 298, clicks: 0", "views: 472, clicks: 1", "views: 0, clicks: 0"],
      open: ["views: missing, clicks: 0"]
    }))

  it("with 99% confidence 459", () =>
    few("ctr < 1% with 99% confidence", { acts: ["views: 459, clicks: 0"], not: ["views: 458, clicks: 0"] }))

  it("cr > 10% with 95% confidence looks at orders of clicks", () =>
    few("cr > 10% with 95% confidence", { acts: ["clicks: 2, orders: 2"], not: ["clicks: 1, orders: 1"] }))
})
