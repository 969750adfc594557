import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { testCodes } from "../../src/engine/language/problems/Codes.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as TestSchema from "../../src/engine/testing/TestSchema.js"
import * as Trials from "./Trials.js"

const { header, oneCase, problems } = Trials
const row = "rows: [{id: a, orders: 5, cpo: 80 ₽, bid: 300 ₽}]"
const message = (text: string) => Trials.read(text).diagnostics.map((d) => d.message)

/** One mistake each, by code and exact place. */
const mistakes: Readonly<Record<string, readonly [text: string, problem: string]>> = {
  "a misspelt policy": [
    "version: 1\nkind: tests\npolicy: 01-rase\ncases:\n  - {name: x, now: 2026-09-01T09:00Z, rows: [{id: a}], expect: []}\n",
    "T01@3:9"
  ],
  "no cases": ["version: 1\nkind: tests\npolicy: 01-raise\ncases: []\n", "T02@4:1"],
  "no rows": [oneCase("rows: []", "expect: []"), "T02@7:5"],
  "no runs": [`${header}  - name: x\n    ${row}\n    runs: []\n`, "T02@7:5"],
  "nothing expected": [oneCase(row), "T03@5:5"],
  "an expectation that says nothing": [oneCase(row, "expect: [{id: a}]"), "T03@8:15"],
  "an expectation that says two things": [
    oneCase(row, "expect: [{id: a, do: pause, set_bid: 5 ₽}]"),
    "T03@8:15"
  ],
  "a row twice": [oneCase("rows: [{id: a}, {id: a}]", "expect: []"), "T04@7:26"],
  "a row expected twice": [oneCase(row, "expect: [{id: a, do: pause}, {id: a, do: start}]"), "T04@8:39"],
  "a row in two lists": [oneCase(row, "expect: []", "undecided: [a]", "held: [a]"), "T04@10:12"],
  "two rows of the same numbers": [
    oneCase(
      "rows: [{id: a, campaign.id: 7, campaign.name: x}, {id: b, campaign.id: 7, campaign.name: y}]",
      "expect: []"
    ),
    "T07@7:60"
  ],
  "a case twice": [
    `${oneCase(row, "expect: []")}${oneCase(row, "expect: []").slice(header.length)}`,
    "T04@9:11"
  ],
  "a row that is not there": [oneCase(row, "expect: [{id: z, do: pause}]"), "T05@8:19"],
  "an undecided row that is not there": [oneCase(row, "expect: []", "undecided: [z]"), "T05@9:17"],
  "a field as a value": [oneCase("rows: [{id: a, bid: min_bid}]", "expect: []"), "T07@7:25"],
  "a calculation as a value": [oneCase("rows: [{id: a, bid: 2 * 5 ₽}]", "expect: []"), "T07@7:25"],
  "an unknown without its reason": [oneCase("rows: [{id: a, bid: unknown}]", "expect: []"), "T07@7:25"],
  "a series of a ratio": [oneCase("rows: [{id: a, cpo: 1x3 ₽}]", "expect: []"), "T07@7:25"],
  "a series of a setting": [oneCase("rows: [{id: a, bid: 1x3 ₽}]", "expect: []"), "T07@7:25"],
  "a series that starts nowhere": [oneCase("rows: [{id: a, orders: 1x3}]", "expect: []"), "T07@5:5"],
  "a broken series": [
    oneCase("from: 2026-08-25", "rows: [{id: a, orders: 1x3 2y3}]", "expect: []"),
    "T07@8:32"
  ],
  "a series of money without its sign": [
    oneCase("from: 2026-08-25", "rows: [{id: a, spend: 10x3}]", "expect: []"),
    "E04@8:27"
  ],
  "a day that does not exist": [oneCase("from: 2026-02-30", row, "expect: []"), "T08@7:11"],
  "an instant without an offset": [
    `${header}  - name: x\n    now: 2026-09-01T09:00\n    ${row}\n    expect: []\n`,
    "T08@6:10"
  ],
  "an hour that does not exist": [
    `${header}  - name: x\n    now: 2026-09-01T24:30Z\n    ${row}\n    expect: []\n`,
    "T08@6:10"
  ],
  "no instant": [`${header}  - name: x\n    ${row}\n    expect: []\n`, "K13@5:5"],
  "runs that go back": [
    `${header}  - name: x\n    ${row}\n    runs:\n      - {at: 2026-09-02T09:00Z, expect: []}\n      - {at: 2026-09-01T09:00Z, expect: []}\n`,
    "T08@9:14"
  ],
  "one expectation for several runs": [
    `${header}  - name: x\n    ${row}\n    expect: []\n    runs: [{at: 2026-09-02T09:00Z, expect: []}]\n`,
    "K01@7:5"
  ],
  "an unknown field": [oneCase("rows: [{id: a, ordrs: 5}]", "expect: []"), "E01@7:20"],
  "a field of another level": [oneCase("rows: [{id: a, acos: 5%}]", "expect: []"), "E02@7:20"],
  "a bare number as money": [oneCase("rows: [{id: a, bid: 300}]", "expect: []"), "E04@7:25"],
  "a number with a space": [oneCase("rows: [{id: a, orders: 1 000}]", "expect: []"), "E06@7:28"],
  "money as a count": [oneCase("rows: [{id: a, orders: 5 ₽}]", "expect: []"), "K09@7:28"],
  "a word the fact does not have": [
    oneCase("rows: [{id: a, campaign.status: actve}]", "expect: []"),
    "E13@7:37"
  ],
  "a bare expected bid": [oneCase(row, "expect: [{id: a, set_bid: 330}]"), "E04@8:31"],
  "an action as a key": [oneCase(row, "expect: [{id: a, pause: yes, do: pause}]"), "K01@8:22"],
  "an unknown action": [oneCase(row, "expect: [{id: a, do: puase}]"), "K04@8:26"],
  "an unknown reason": [oneCase(row, "expect: [{id: a, set_bid: 330 ₽, because: capp}]"), "K04@8:47"],
  "a reason for a plain action": [oneCase(row, "expect: [{id: a, do: pause, because: cap}]"), "K04@8:42"],
  "an unknown key of a case": [oneCase(row, "expct: []", "expect: []"), "K01@8:5"],
  "an unknown word of limits": [oneCase(row, "limits: nothing", "expect: []"), "K04@8:13"],
  "another step": [oneCase(row, "step: 1h", "expect: []"), "K04@8:11"],
  "another kind": [
    "version: 1\nkind: test\npolicy: 01-raise\ncases:\n  - {name: x, now: 2026-09-01T09:00Z, rows: [{id: a}], expect: []}\n",
    "K04@2:7"
  ],
  "another version": [
    "version: 2\nkind: tests\npolicy: 01-raise\ncases:\n  - {name: x, now: 2026-09-01T09:00Z, rows: [{id: a}], expect: []}\n",
    "K17@1:10"
  ],
  "a list as a value": [oneCase("rows: [{id: a, orders: [5]}]", "expect: []"), "K16@7:28"],
  "a row with two ends": [oneCase(row, "expect: [{id: a, do: pause}]", "unchanged: [a]"), "T04@9:17"],
  "defaults that are a list": [oneCase("defaults: [orders]", row, "expect: []"), "K16@7:15"],
  "an id for every row": [oneCase("defaults: {id: a}", row, "expect: []"), "K01@7:16"],
  "a series in a run that starts nowhere": [
    `${header}  - name: x\n    ${row}\n    runs: [{at: 2026-09-02T09:00Z, rows: [{id: a, orders: 1x3}], expect: []}]\n`,
    "T07@5:5"
  ],
  "a fact without a value": [oneCase("rows:", "  - id: a", "    orders:", "expect: []"), "K16@9:9"],
  "a window that the policy does not read": [
    oneCase('rows: [{id: a, "orders[30d]": 5}]', "expect: []"),
    "T09@7:20"
  ],
  "a statistic that the policy does not read": [
    oneCase("rows: [{id: a, carts: 5}]", "expect: []"),
    "T09@7:20"
  ]
}

describe("a broken test file", () => {
  for (const [name, [text, problem]] of Object.entries(mistakes)) {
    it(`says once, and where: ${name}`, () => {
      expect(problems(text)).toEqual([problem])
    })
  }

  it.each([
    ["orders: 100 150", "One number? Remove the space: 100150. Several days? Write 100x0 150"],
    ["spend: 100 150 200 ₽", "One number? Remove the space: 100150200 ₽. Several days? Write 100x0 150 200 ₽"]
  ])("asks whether %s is one number or several days", (fact, said) => {
    const text = oneCase("from: 2026-08-25", `rows: [{id: a, ${fact}}]`, "expect: []")
    expect(message(text)).toContain(said)
  })

  it.each(["440 ₽", "440 руб", "440 руб.", "440 рублей", "440р", "440 RUB"])(
    "takes %s for an amount",
    (amount) => {
      const more = `from: 2026-08-25\n    rows: [{id: a, bid: ${amount}, spend: 100+50x6 ${amount.replace("440", "")}}]`
      expect(problems(oneCase(more, `expect: [{id: a, set_bid: ${amount}}]`))).toEqual([])
    }
  )

  it("takes days of three digits for a series where the first says x0", () => {
    const days = oneCase("from: 2026-08-25", "rows: [{id: a, orders: 100x0 150}]", "expect: []")
    expect(problems(days)).toEqual([])
  })

  it("has an example of every code of tests", () => {
    const shown = new Set(Object.values(mistakes).map(([, problem]) => problem.slice(0, 3)))
    expect(Object.keys(testCodes).filter((code) => !shown.has(code))).toEqual(["T06"])
  })

  it("is not run when its name does not say that it holds tests", () => {
    expect(problems(oneCase(row, "expect: []"), Trials.rules(), "rules/tests/01.yaml")).toEqual(["T06@1:1"])
  })

  it("shows all its problems at once", () => {
    const text = oneCase("rows: [{id: a, ordrs: 5, bid: 300}, {id: a}]", "expect: [{id: z, do: puase}]")
    expect(problems(text)).toEqual(["E01@7:20", "E04@7:35", "T04@7:46", "T05@8:19", "K04@8:26"])
  })

  it("guesses which policy was meant, from the beginning of its name", () => {
    const rules = Trials.rules(Trials.raising(), "01-raise-to-reach-max")
    const text = oneCase(row, "expect: []").replace("01-raise", "01-rase")
    expect(Trials.read(text, rules).diagnostics.map((d) => d.message)).toEqual([
      'No policy "01-rase". Did you mean 01-raise-to-reach-max?'
    ])
  })

  it("asks which window is meant when the policy reads several", () => {
    const rules = Trials.rules(Trials.raising().replace("  - cpo", "  - orders[30d] >= 10\n  - cpo"))
    expect(problems(oneCase("rows: [{id: a, orders: 5}]", "expect: []"), rules)).toEqual(["T07@7:20"])
    expect(
      problems(oneCase('rows: [{id: a, "orders[7d]": 5, "orders[30d]": 12}]', "expect: []"), rules)
    ).toEqual([])
  })

  it("tells how to write what it does not understand", () => {
    expect(message(oneCase("rows: [{id: a, orders: 1 000}]", "expect: []"))[0]).toContain("1000")
    expect(message(oneCase("rows: [{id: a, bid: 300}]", "expect: []"))[0]).toContain("money")
  })

  it("is judged by the same keys as in the editor", () => {
    const schema = JSON.parse(TestSchema.print()) as {
      properties: { cases: { items: { properties: Record<string, unknown> } } }
    }
    const keys = Object.keys(schema.properties.cases.items.properties)
    expect(keys).toContain("runs")
    for (const key of keys) {
      const codes = Trials.read(`${header}  - ${key}: x\n`).diagnostics.filter(({ code }) => code === "K01")
      expect(codes, key).toEqual([])
    }
  })

  it("never breaks the reader, whatever the text", () => {
    const pieces = fc.constantFrom(
      "version: 1\n",
      "kind: tests\n",
      "policy: 01-raise\n",
      "cases:\n",
      "  - name: x\n",
      "    rows: [{id: a}]\n",
      "    rows:\n",
      "      - id: a\n",
      "        orders: 1x3\n",
      "    expect: []\n",
      "    runs: [{at: 1}]\n",
      "    now: x\n",
      "    defaults: [1]\n",
      "{",
      "[",
      "a: b\n",
      "- \n",
      "\t",
      "?",
      "    expect: [{id: a, because: 1}]\n",
      "    undecided: {a: 1}\n",
      "    from: 2026-08-25\n"
    )
    const text = fc.array(fc.oneof({ weight: 9, arbitrary: pieces }, fc.string({ maxLength: 6 })), {
      maxLength: 20
    })
    const rules = Trials.rules()
    fc.assert(
      fc.property(text, (parts) => {
        const read = ReadTests.read([{ path: "rules/tests/a.test.yaml", text: parts.join("") }], rules)
        expect(read.files !== undefined || read.diagnostics.length > 0).toBe(true)
      }),
      { numRuns: 2000 }
    )
  })
})
