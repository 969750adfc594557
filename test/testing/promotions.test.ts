import { expect, it } from "vitest"
import * as Trials from "./Trials.js"

const rules = Trials.rules(`version: 1
name: tell
mode: preview
each: promotion
when: promotion.boost > 5%
do: {notify: "boost"}`)

it("tells the rows of promotions apart: what is undecided of one is not of another", () => {
  const file = (expected: string) =>
    Trials.oneCase(
      "rows: [{id: a, promotion.boost: missing}, {id: b, promotion.boost: 10%}, {id: c, promotion.boost: 1%}]",
      expected
    )
  expect(Trials.failures(file("expect: [{id: b, notify: boost}]\n    undecided: [a]"), rules)).toEqual([])
  expect(Trials.failures(file("expect: []\n    undecided: [a, b, c]"), rules)).not.toEqual([])
})
