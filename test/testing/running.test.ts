import { describe, expect, it } from "vitest"
import { Kopecks } from "../../src/domain/Money.js"
import * as Limits from "../../src/engine/language/check/Limits.js"
import * as Trials from "./Trials.js"

const { failures, header, oneCase } = Trials
const paying = "defaults: {orders: 5, cpo: 80 ₽, bid: 300 ₽}"

describe("a case", () => {
  it("passes when every row becomes what is expected", () => {
    expect(
      failures(oneCase(paying, "rows: [{id: a}, {id: b, orders: 1}]", "expect: [{id: a, set_bid: 330 ₽}]"))
    ).toEqual([])
  })

  it("fails on another amount, another reason, another action", () => {
    const expecting = (expected: string) =>
      failures(oneCase(paying, "rows: [{id: a, bid: 440 ₽}]", `expect: [{id: a, ${expected}}]`))
    expect(expecting("set_bid: 450 ₽, because: cap")).toEqual([])
    expect(expecting("set_bid: 484 ₽")).toEqual(["a: bid 484 ₽ / bid 440 ₽ → 450 ₽ because of cap"])
    expect(expecting("set_bid: 450 ₽, because: toward")).toEqual([
      "a: bid 450 ₽ because of toward / bid 440 ₽ → 450 ₽ because of cap"
    ])
    expect(expecting("do: pause")).toEqual(["a: pause / bid 440 ₽ → 450 ₽ because of cap"])
  })

  it("fails when a row that is not listed changes, or one that is listed does not", () => {
    expect(
      failures(oneCase(paying, "rows: [{id: a}, {id: b, orders: 1}]", "expect: [{id: b, set_bid: 330 ₽}]"))
    ).toEqual([
      "a: no change (the row is not listed) / bid 300 ₽ → 330 ₽",
      "b: bid 330 ₽ / no change: the conditions do not hold"
    ])
  })

  it("fails when a row is undecided and nobody said so: a fact left out must not look like a rule that holds back", () => {
    const text = oneCase("rows: [{id: a, orders: 5, bid: 300 ₽}]", "expect: []")
    const [failure] = Trials.run(text).cases[0]?.failures ?? []
    expect(failure?.got).toBe("undecided: cpo < 200 ₽: not fetched in this test")
    expect(failure?.why.map(({ value }) => value)).toContain("unknown (not fetched in this test)")
    expect(failure?.notes).toEqual(["the test does not say: cpo[7d]"])
    expect(failures(`${text}    undecided: [a]\n`)).toEqual([])
  })

  it("does not call a fact unsaid that the test says is unknown", () => {
    const text = oneCase("rows: [{id: a, orders: 5, bid: 300 ₽, cpo: unknown not fetched}]", "expect: []")
    expect(Trials.run(text).cases[0]?.failures[0]).toMatchObject({
      got: "undecided: cpo < 200 ₽: not fetched in this test",
      notes: []
    })
  })

  it("fails when a row is decided although it was to be undecided", () => {
    expect(failures(oneCase(paying, "rows: [{id: a, orders: 1}]", "expect: []", "undecided: [a]"))).toEqual([
      "a: undecided / no change: the conditions do not hold"
    ])
  })

  it("shows every condition with what it saw", () => {
    const text = oneCase(paying, "rows: [{id: a, orders: 2}]", "expect: [{id: a, set_bid: 330 ₽}]")
    expect(Trials.run(text).cases[0]?.failures[0]?.why).toEqual([
      { condition: "campaign.payment = cpm", value: "cpm", holds: "true" },
      { condition: "orders >= 3", value: "2", holds: "false" },
      { condition: "cpo < 200 ₽", value: "80 ₽", holds: "true" }
    ])
  })

  it("takes the bid step that it is given", () => {
    const text = oneCase(
      paying,
      "rows: [{id: a, bid_step: 20 ₽}]",
      "expect: [{id: a, set_bid: 320 ₽, because: step}]"
    )
    expect(failures(text)).toEqual([])
  })

  it("computes ratios from the sums it is given", () => {
    const rows = "rows: [{id: a, spend: 800 ₽}, {id: dear, spend: 1000 ₽}, {id: free, spend: 0 ₽}]"
    const text = oneCase(
      "defaults: {orders: 5, bid: 300 ₽}",
      rows,
      "expect: [{id: a, set_bid: 330 ₽}, {id: free, set_bid: 330 ₽}]"
    )
    expect(failures(text)).toEqual([])
  })

  it("runs a rule in preview as if it were turned on, and one policy alone", () => {
    expect(Trials.rules().policies[0]?.mode).toBe("preview")
    expect(failures(oneCase(paying, "rows: [{id: a}]", "expect: [{id: a, set_bid: 330 ₽}]"))).toEqual([])
  })
})

describe("the second run", () => {
  const restless = `version: 1
name: Restless
each: cluster
where: campaign.payment = cpm
when: bid < 400 ₽
do:
  raise_bid: {by: 10%, cap: 450 ₽}
cooldown: 1m
`

  it("comes at the same instant, so that a cooldown keeps it quiet", () => {
    const rules = Trials.rules(restless)
    expect(
      failures(oneCase("rows: [{id: a, bid: 300 ₽}]", "expect: [{id: a, set_bid: 330 ₽}]"), rules)
    ).toEqual([])
  })

  it("fails the case when the rule would change something again", () => {
    const again = `version: 1
name: Creeping
each: cluster
where: campaign.payment = cpm
when: bid < recommended.reach_max
do:
  set_bid: {to: recommended.reach_max, max_step: 10%, cap: 450 ₽}
`
    const facts = "rows: [{id: a, bid: 300 ₽, min_bid: 100 ₽, recommended.reach_max: 400 ₽}]"
    const text = oneCase(facts, "expect: [{id: a, set_bid: 330 ₽, because: max_step}]")
    expect(failures(text, Trials.rules(again))).toEqual([
      "a: no second change on the same facts / bid 330 ₽ → 363 ₽ because of max_step"
    ])
    expect(Trials.run(text, Trials.rules(again)).cases[0]?.failures[0]?.second).toBe(true)
  })
})

describe("limits", () => {
  const low = { ...Trials.rules(), limits: { ...Limits.none, maxBidKopecks: { cpm: Kopecks(31_000) } } }
  const text = (more: string) =>
    oneCase(more, paying, "rows: [{id: a}]", "expect: [{id: a, set_bid: 310 ₽, because: max_bid}]")

  it("of the account apply, unless the case says none", () => {
    expect(failures(text("limits: usual"), low)).toEqual([])
    expect(failures(text("limits: none"), low)).toEqual([
      "a: bid 310 ₽ because of max_bid / bid 300 ₽ → 330 ₽"
    ])
  })

  it("on the number of changes apply only where the rows are the whole account", () => {
    const counting = Trials.rules(Trials.raising("limits: {changes_per_run: 1}\n"))
    const both = "rows: [{id: a}, {id: b}]"
    expect(
      failures(oneCase(paying, both, "expect: [{id: a, set_bid: 330 ₽}, {id: b, set_bid: 330 ₽}]"), counting)
    ).toEqual([])
    const counted = Trials.run(oneCase("limits: counted", paying, both, "expect: []"), counting)
    expect(counted.cases[0]?.failures.map(({ got }) => got.includes("held by")).sort()).toEqual([false, true])
  })
})

describe("a case that walks through time", () => {
  const walk = (...runs: ReadonlyArray<string>) =>
    `${header}  - name: walks\n    from: 2026-08-25\n    rows: [{id: a, bid: 300 ₽, orders: 1x30, spend: 60x30 ₽}]\n    runs:\n${runs.map((one) => `      - ${one}\n`).join("")}`

  it("counts the windows from the days of the series, and starts each run from the bid of the one before", () => {
    expect(
      failures(
        walk(
          "{at: 2026-09-01T09:00+03:00, expect: [{id: a, set_bid: 330 ₽}]}",
          "{at: 2026-09-01T18:00+03:00, expect: []}",
          "{at: 2026-09-02T09:00+03:00, expect: [{id: a, set_bid: 363 ₽}]}",
          "{at: 2026-09-03T09:00+03:00, expect: [{id: a, set_bid: 399 ₽, because: step}]}",
          "{at: 2026-09-04T09:00+03:00, expect: [{id: a, set_bid: 438 ₽, because: step}]}",
          "{at: 2026-09-05T09:00+03:00, expect: [{id: a, set_bid: 450 ₽, because: cap}]}",
          "{at: 2026-09-06T09:00+03:00, expect: [], unchanged: [{id: a, because: no room to move}]}"
        )
      )
    ).toEqual([])
  })

  it("sums only the days that were reported, and knows nothing where none was", () => {
    const text = (series: string, more: string) =>
      `${header}  - name: gaps\n    from: 2026-08-25\n    rows: [{id: a, bid: 300 ₽, cpo: 80 ₽, orders: ${series}}]\n    runs: [{at: 2026-09-01T09:00+03:00, ${more}}]\n`
    expect(failures(text("1 _ 1 _ 1 missing 0", "expect: [{id: a, set_bid: 330 ₽}]"))).toEqual([])
    expect(failures(text("1 _x4 1 0", "expect: []"))).toEqual([])
    expect(failures(text("_x7 5", "expect: [], undecided: [a]"))).toEqual([])
  })

  it("takes facts that are new from a run on", () => {
    expect(
      failures(
        walk(
          "{at: 2026-09-01T09:00+03:00, rows: [{id: a, campaign.payment: cpc}], expect: []}",
          "{at: 2026-09-02T09:00+03:00, expect: []}",
          "{at: 2026-09-03T09:00+03:00, rows: [{id: a, campaign.payment: cpm, bid: 400 ₽}], expect: [{id: a, set_bid: 440 ₽}]}",
          "{at: 2026-09-04T09:00+03:00, expect: [{id: a, set_bid: 450 ₽}]}"
        )
      )
    ).toEqual([])
  })

  it("stops at the first run that fails, and says which it was", () => {
    const result = Trials.run(
      walk("{at: 2026-09-01T09:00+03:00, expect: []}", "{at: 2026-09-02T09:00+03:00, expect: []}")
    )
    expect(result.cases[0]?.failures.map(({ run, runs }) => `${run} of ${runs}`)).toEqual(["1 of 2"])
  })
})

describe("a rule with hold_for", () => {
  const rules = Trials.rules(Trials.raising("hold_for: 2 runs\n"))
  const held = (...runs: ReadonlyArray<string>) =>
    `${header}  - name: holds\n    from: 2026-08-25\n    rows: [{id: a, bid: 300 ₽, orders: 1x30, spend: 60x30 ₽}]\n    runs:\n${runs.map((one) => `      - ${one}\n`).join("")}`

  it("acts in the second run with new evidence, and the repetition counts as none", () => {
    const text = held(
      "{at: 2026-09-01T09:00+03:00, expect: [], unchanged: [{id: a, because: hold_for}]}",
      "{at: 2026-09-01T12:00+03:00, expect: [], unchanged: [{id: a, because: 1 of 2}]}",
      "{at: 2026-09-02T09:00+03:00, expect: [{id: a, set_bid: 330 ₽}]}"
    )
    expect(failures(text, rules)).toEqual([])
  })
})

describe("a funnel of rules", () => {
  const funnel = Trials.rules(`version: 1
name: Steer
each: cluster
where: campaign.payment = cpm
window: 7d
rules:
  - name: dear
    when: cpo > 300 ₽
    do:
      lower_bid: {by: 10%, floor: 100 ₽}
  - name: paying
    when: orders >= 3
    do:
      raise_bid: {by: 10%, cap: 450 ₽}
`)

  it("is tested and covered rule by rule", () => {
    const rows = "rows: [{id: a, cpo: 80 ₽}, {id: b, cpo: 80 ₽, orders: 1}, {id: c, cpo: missing}]"
    const text = oneCase(
      "defaults: {orders: 5, bid: 300 ₽, min_bid: 50 ₽}",
      rows,
      "expect: [{id: a, set_bid: 330 ₽}]",
      "undecided: [c]"
    )
    expect(failures(text, funnel)).toEqual([])
    const { coverage } = Trials.run(text, funnel)
    expect(coverage.rules.map(({ acted, rule }) => `${rule} ${acted}`)).toEqual(["dear false", "paying true"])
    expect(coverage.rules.map(({ conditions }) => conditions.map(({ decided }) => decided))).toEqual([
      [false, true],
      [false, true]
    ])
  })
})

describe("coverage", () => {
  it("tells which conditions never decided alone", () => {
    const { coverage } = Trials.run(
      oneCase(
        "rows: [{id: a, orders: 1, cpo: 80 ₽, bid: 300 ₽}, {id: b, orders: 1, cpo: 300 ₽, bid: 300 ₽}]",
        "expect: []"
      )
    )
    expect(coverage.rules.map(({ acted }) => acted)).toEqual([false])
    expect(coverage.rules[0]?.conditions.map(({ decided }) => decided)).toEqual([false, true, false])
    expect([coverage.seen, coverage.total]).toEqual([1, 4])
  })
})
