/** Results of rule tests for people: what failed and why, and what the tests have not seen of the rules. */
import * as Coverage from "../../engine/testing/Coverage.js"
import type { CaseResult, Result, RunFailure } from "../../engine/testing/RunTests.js"
import * as Plural from "../../reporting/Plural.js"

/** Failing cases with their reasons, then the table of coverage. Plain text. */
export const text = ({ cases, coverage }: Result): string =>
  [...cases.filter((one) => one.failures.length > 0).map(failed), table(coverage)].join("\n\n")

/** `12 cases passed`, or `2 of 14 cases failed`, and the coverage. */
export const summary = ({ cases, coverage }: Result): string => {
  const bad = cases.filter((one) => one.failures.length > 0).length
  const files = new Set(cases.map(({ file }) => file)).size
  const counted = `${Plural.of(cases.length, "case")} in ${Plural.of(files, "file")}`
  const verdict = bad === 0 ? `${counted}: all passed` : `${bad} of ${counted} failed`
  return `${verdict}; ${Coverage.percent(coverage)}% of the rules' conditions and actions seen at work`
}

const failed = ({ failures, file, line, name }: CaseResult): string =>
  [`FAILED  ${visible(file)}:${line}  ${visible(name)}`, ...failures.map(failure)].join("\n")

/** One row: expected, got, and the conditions with what they saw. */
export const failure = (one: RunFailure): string => {
  const run = one.runs === 1 ? "" : `, run ${one.run} of ${one.runs}`
  const second = one.second ? ", run a second time" : ""
  const width = Math.max(0, ...one.why.map(({ condition }) => visible(condition).length))
  return [
    `  row ${visible(one.row)} (${visible(one.span.file)}:${one.span.line}${run}${second})`,
    `    expected  ${visible(one.expected)}`,
    `    got       ${visible(one.got)}`,
    ...one.why.map(
      ({ condition, holds, value }) =>
        `    ${holds.padEnd(7)}   ${visible(condition).padEnd(width)}   ${visible(value)}`
    ),
    ...one.notes.map((note) => `    ${visible(note)}`)
  ].join("\n")
}

const table = ({ rules }: Coverage.Coverage): string => {
  const rows = rules.map((one) => {
    const decided = one.conditions.filter((condition) => condition.decided).length
    const unseen = one.conditions.filter((condition) => !condition.decided)
    return {
      name: visible(one.rule === "" ? one.policy : `${one.policy}: ${one.rule}`),
      acted: one.acted ? "yes" : "no",
      decided: `${decided} of ${one.conditions.length}`,
      unseen: unseen.map((condition) => `line ${condition.line}: ${visible(condition.text)}`).join("; ")
    }
  })
  const head = { name: "rule", acted: "acted", decided: "conditions", unseen: "never the one that decided" }
  const complete = rows.every(({ unseen }) => unseen === "")
  const all = [complete ? { ...head, unseen: "" } : head, ...rows]
  const width = (key: "name" | "acted" | "decided") => Math.max(...all.map((row) => row[key].length))
  return all
    .map((row) =>
      [
        row.name.padEnd(width("name")),
        row.acted.padEnd(width("acted")),
        row.decided.padEnd(width("decided")),
        row.unseen
      ]
        .join("  ")
        .trimEnd()
    )
    .join("\n")
}

/** Control characters never reach a terminal. */
const visible = (part: string): string => part.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "·")
