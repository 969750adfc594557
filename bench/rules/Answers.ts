/** What every contender answers: the rows each rule holds for, as a fingerprint that costs nobody much. */

/** Per rule: how many rows match, and the sum of their numbers. */
export interface Answers {
  readonly counts: Float64Array
  readonly sums: Float64Array
}

export const empty = (rules: number): Answers => ({
  counts: new Float64Array(rules),
  sums: new Float64Array(rules)
})

export const add = (answers: Answers, rule: number, row: number): void => {
  answers.counts[rule]! += 1
  answers.sums[rule]! += row
}

/** Throws when two contenders disagree: a fast wrong answer is worth nothing. */
export const mustEqual = (name: string, given: Answers, expected: Answers): void => {
  for (let rule = 0; rule < expected.counts.length; rule++) {
    if (given.counts[rule] === expected.counts[rule] && given.sums[rule] === expected.sums[rule]) continue
    throw new Error(
      `${name}: rule ${rule} matches ${given.counts[rule]} rows (sum ${given.sums[rule]}), ` +
        `not ${expected.counts[rule]} (sum ${expected.sums[rule]})`
    )
  }
}
