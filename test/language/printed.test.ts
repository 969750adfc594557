/** The policies that the language was designed with, as they were printed, from YAML text to plan. */
import { describe, expect, it } from "vitest"
import * as Load from "../../src/engine/language/Load.js"
import * as Planned from "./Planned.js"
import { folder } from "./Rules.js"

const root = "test/language/printed/"
const files = folder(root).map(({ path, text }) => ({ path: path.slice(root.length), text }))

/** One printed policy beside the shared files. */
const printed = (name: string): Planned.Files =>
  Object.fromEntries(
    files
      .filter(({ path }) => path.startsWith("_shared/") || path === `${name}.yaml`)
      .map(({ path, text }) => [path.replace(".yaml", ""), text])
  )

type Story = Omit<Planned.Story, "files">

/** Changes and notices of each run; what matches and stays as it is is not the point here. */
const told = (name: string, story: Story) =>
  Planned.play({ files: printed(name), ...story }).map((lines) =>
    lines.filter((line) => !/^[^?!→]+ = /.test(line))
  )

const at = (day: number, time = "09:00") => `2026-09-0${day}T${time}+03:00`

interface Printed {
  readonly name: string
  readonly story: Story
  readonly plan: ReadonlyArray<ReadonlyArray<string>>
}

const all: ReadonlyArray<Printed> = [
  {
    name: "01-raise-to-reach-max",
    story: {
      rows: [
        "paying, orders: 3, cpo: 119 ₽, item.price: 1000 ₽, bid: 400 ₽, recommended.reach_max: 800 ₽",
        "near the cap, orders: 3, cpo: 80 ₽, item.price: 1000 ₽, bid: 440 ₽, recommended.reach_max: 800 ₽",
        "near reach, orders: 3, cpo: 80 ₽, item.price: 1000 ₽, bid: 400 ₽, recommended.reach_max: 410 ₽",
        "dear, orders: 3, cpo: 121 ₽, item.price: 1000 ₽, bid: 400 ₽, recommended.reach_max: 800 ₽",
        "no answer, orders: 3, cpo: 80 ₽, item.price: 1000 ₽, bid: 400 ₽, recommended.reach_max: missing",
        "standard bid, campaign.bid_type: unified, orders: 3, cpo: 80 ₽, item.price: 1000 ₽, bid: 400 ₽, recommended.reach_max: 800 ₽"
      ]
    },
    plan: [
      [
        "paying raise_bid 400 → 440",
        "near the cap raise_bid 440 → 450 (cap)",
        "near reach raise_bid 400 → 410 (toward)",
        "no answer ? bid < recommended.reach_max: the marketplace did not report it"
      ]
    ]
  },
  {
    name: "02-minus-low-ctr",
    story: {
      from: "2026-08-01",
      rows: [
        "ковёр, views: 50x40, clicks: 0x40, orders: 0x40",
        "редко, views: 10x40, clicks: 0x40, orders: 0x40",
        "кеды белые, views: 50x40, clicks: 0x40, orders: 0x40",
        "купили, views: 50x40, clicks: 0x40, orders: 1x40",
        ...Array.from({ length: 20 }, (_, n) => `other ${n}, views: 50x40, clicks: 9x40, orders: 0x40`)
      ],
      runs: [[at(1, "06:00")], [at(1, "18:00")], [at(2, "06:00")]]
    },
    plan: [[], [], ["ковёр add_minus false → true"]]
  },
  {
    name: "03-daily-budget-stop",
    story: {
      rows: [
        "spent, spend: 3000 ₽",
        "not yet, spend: 2999 ₽",
        "by hand, spend: 0 ₽, campaign.status: paused",
        "nobody knows, spend: unknown failed"
      ],
      runs: [[at(1, "15:00")], [at(2), "spent, spend: 1499 ₽", "by hand, spend: 1 ₽"]]
    },
    plan: [
      [
        "spent pause active → paused",
        "nobody knows ? spend >= $daily: could not be fetched",
        "nobody knows ! spend >= $daily: could not be fetched"
      ],
      [
        "spent start paused → active",
        "nobody knows ? spend >= $daily: could not be fetched",
        "nobody knows ! spend >= $daily: could not be fetched"
      ]
    ]
  },
  {
    name: "04-target-acos",
    story: {
      rows: [
        "burns, orders: 0, spend: 800 ₽, revenue: 0 ₽, views: 9000, bid: 300 ₽, min_bid: 100 ₽",
        "burns at the floor, orders: 0, spend: 800 ₽, revenue: 0 ₽, views: 9000, bid: 110 ₽, min_bid: 100 ₽",
        // cpm 100 ₽, acos 10%: 100 ₽ × 15% / 10% = 150 ₽, and one step is at most 15%.
        "steered, orders: 5, spend: 1000 ₽, revenue: 10000 ₽, views: 10000, bid: 100 ₽, min_bid: 50 ₽",
        "close enough, orders: 5, spend: 1000 ₽, revenue: 10000 ₽, views: 10000, bid: 145 ₽, min_bid: 50 ₽",
        "few orders, orders: 1, spend: 900 ₽, revenue: 100 ₽, views: 10000, bid: 145 ₽, min_bid: 50 ₽",
        "unknown, orders: missing, spend: 900 ₽, revenue: 100 ₽, views: 10000, bid: 145 ₽, min_bid: 50 ₽"
      ]
    },
    plan: [
      [
        "burns lower_bid 300 → 240",
        "burns at the floor lower_bid 110 → 100 (floor)",
        "steered set_bid 100 → 115 (max_step)",
        "unknown ? orders = 0 and spend >= $max_cpo * 2: the marketplace did not report it"
      ]
    ]
  },
  {
    name: "05-evening-boost",
    story: {
      rows: [
        'a, campaign.name: "Белые кеды", bid: 400 ₽, min_bid: 50 ₽',
        'dear, campaign.name: "кеды", bid: 550 ₽, min_bid: 50 ₽',
        'other, campaign.name: "боты", bid: 400 ₽, min_bid: 50 ₽'
      ],
      runs: [[at(1, "17:30")], [at(1, "18:00")], [at(1, "22:30")], [at(1, "23:00")], [at(5, "19:00")]]
    },
    plan: [
      [],
      ["a adjust_bid 400 → 480", "dear adjust_bid 550 → 600 (cap)"],
      [],
      ["a adjust_bid 480 → 400", "dear adjust_bid 600 → 550"],
      []
    ]
  },
  {
    name: "06-hold-position",
    story: {
      rows: [
        "кеды 1, avg_pos: 7, views: 100, bid: 400 ₽, min_bid: 50 ₽",
        "кеды 2, avg_pos: 2.9, views: 100, bid: 400 ₽, min_bid: 50 ₽",
        "кеды 3, avg_pos: 4, views: 100, bid: 400 ₽, min_bid: 50 ₽",
        "кеды 4, avg_pos: 9, views: 99, bid: 400 ₽, min_bid: 50 ₽",
        "боты, avg_pos: 9, views: 100, bid: 400 ₽, min_bid: 50 ₽",
        "кеды 5, avg_pos: missing, views: 100, bid: 400 ₽, min_bid: 50 ₽"
      ]
    },
    plan: [
      [
        "кеды 1 raise_bid 400 → 420",
        "кеды 2 lower_bid 400 → 388",
        "кеды 5 ? avg_pos > 6 and views >= 100: the marketplace did not report it"
      ]
    ]
  },
  {
    name: "07-stock-pause",
    story: {
      rows: [
        "out, items: [{item.id: 1, item.stock_days: 0}, {item.id: 2, item.stock_days: 2.9}]",
        "one left, items: [{item.id: 3, item.stock_days: 0}, {item.id: 4, item.stock_days: 3}]",
        "unread, items: [{item.id: 5, item.stock_days: 0}, {item.id: 6, item.stock_days: unknown failed}]",
        "by hand, campaign.status: paused, items: [{item.id: 7, item.stock_days: 20}]"
      ],
      runs: [
        [at(1)],
        [at(1, "10:00"), "out, items: [{item.id: 1, item.stock_days: 5}]"],
        [at(1, "11:00"), "out, items: [{item.id: 2, item.stock_days: 7}]"]
      ]
    },
    plan: [
      [
        "out pause active → paused",
        "unread ? all(item.stock_days < 3): could not be fetched",
        "unread ! all(item.stock_days < 3): could not be fetched"
      ],
      [
        "unread ? all(item.stock_days < 3): could not be fetched",
        "unread ! all(item.stock_days < 3): could not be fetched"
      ],
      [
        "out start paused → active",
        "unread ? all(item.stock_days < 3): could not be fetched",
        "unread ! all(item.stock_days < 3): could not be fetched"
      ]
    ]
  },
  {
    name: "08-budget-topup",
    story: {
      rows: [
        "low, spend: 1400 ₽, revenue: 14000 ₽, orders: 10, budget: 99 ₽, balance: 50000 ₽",
        "enough, spend: 1400 ₽, revenue: 14000 ₽, orders: 10, budget: 100 ₽, balance: 50000 ₽",
        "dear, spend: 1400 ₽, revenue: 9000 ₽, orders: 10, budget: 99 ₽, balance: 50000 ₽"
      ],
      runs: [
        [at(1)],
        [at(1, "12:00"), "low, budget: 50 ₽"],
        [at(1, "13:00")],
        [at(1, "17:00"), "low, budget: 50 ₽"],
        [at(1, "21:00"), "low, budget: 50 ₽"],
        [at(2), "low, budget: 50 ₽"]
      ]
    },
    plan: [
      ["low deposit 99 → 2099"],
      [],
      ["low deposit 50 → 2050"],
      ["low deposit 50 → 2050"],
      [expect.stringContaining("low deposit 50 → 2050 held: money_per_day")],
      ["low deposit 50 → 2050"]
    ]
  }
]

describe("the printed policies", () => {
  it("have no mistake, each by itself", () => {
    for (const { name } of all) {
      const given = Object.entries(printed(name)).map(([path, text]) => ({
        path: `rules/${path}.yaml`,
        text
      }))
      const found = Load.check(given).diagnostics.filter(({ severity }) => severity === "error")
      expect(found).toEqual([])
    }
    expect(files.filter(({ path }) => !path.startsWith("_shared/")).map(({ path }) => path)).toEqual(
      all.map(({ name }) => `${name}.yaml`)
    )
  })

  for (const { name, plan, story } of all) it(name, () => expect(told(name, story)).toEqual(plan))
})
