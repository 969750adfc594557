/** An explanation for a terminal. */
import { clean } from "./Clean.js"
import type { Crowd, Explained, Explanation } from "./Explanation.js"

export const render = (explanation: Explanation): string =>
  clean(
    [
      `${explanation.target}${explanation.campaignName === "" ? "" : `  in campaign "${explanation.campaignName}"`}`,
      ...explanation.policies.flatMap((one) => ["", ...policyLines(one, "")]),
      ...explanation.crowds.flatMap((one) => ["", ...crowdLines(one)]),
      ""
    ].join("\n")
  )

const policyLines = (one: Explained, indent: string): ReadonlyArray<string> => {
  const width = Math.max(0, ...one.conditions.map((line) => line.condition.length))
  return [
    `${indent}${one.policy}${one.rule === undefined ? "" : `, ${one.rule}`}: ${one.verdict}: ${one.why}`,
    ...one.conditions.map(
      (line) => `${indent}  ${line.holds.padEnd(7)}  ${line.condition.padEnd(width)}  ${line.value}`
    ),
    ...one.notes.map((note) => `${indent}  ${note}`)
  ]
}

const crowdLines = (crowd: Crowd): ReadonlyArray<string> => {
  const counts = Object.entries(crowd.verdicts).map(([verdict, n]) => `${n} ${verdict}`)
  return [
    `${crowd.policy}: ${crowd.rows} rows below: ${counts.length === 0 ? "none" : counts.join(", ")}`,
    ...crowd.nearest.flatMap((one) => [`  nearest miss ${one.target}`, ...policyLines(one, "    ").slice(0)])
  ]
}
