/** Static analysis of a rule set: what is wrong although every file, taken by itself, is well-formed. */
import type { AccountLimits, Policy } from "../Policy.js"
import { compare, type Diagnostic, usedHere } from "../problems/Diagnostic.js"
import * as Boxes from "./Boxes.js"
import * as Capability from "./Capability.js"
import * as Ceilings from "./Ceilings.js"
import * as Chases from "./Chases.js"
import * as Contradictions from "./Contradictions.js"
import * as Fights from "./Fights.js"
import { type Finding, line } from "./Finding.js"
import * as Showing from "./Showing.js"
import * as Subject from "./Subject.js"

/**
 * Problems of policies and between them, sorted, each once. Errors are proved; a fight is shown by a row that both rules
 * match. `limits` is absent when they could not be read.
 */
export const all = (
  policies: ReadonlyArray<Policy>,
  limits: AccountLimits | undefined
): ReadonlyArray<Diagnostic> => {
  const subjects = policies.map(Subject.of)
  const single = subjects.flatMap((subject) =>
    ofOne(subject, limits).map((finding) => placed(finding, subject.policy))
  )
  const found = [...single, ...fights(subjects), ...chases(subjects)]
  return [...new Map(found.map((one) => [keyOf(one), one])).values()].sort(compare)
}

/** In the file the finding points at, which may be the templates': then with the place of use. */
const placed = (finding: Finding, { file, use }: Policy): Diagnostic => {
  const isElsewhere = finding.span.file !== file && use !== undefined
  const related = isElsewhere ? { related: [{ span: use, message: usedHere }] } : {}
  return { ...finding, file: finding.span.file, ...related }
}

const keyOf = ({ code, file, message, related, span }: Diagnostic): string =>
  `${file}:${span.line}:${span.column}:${code}:${message}:${related?.[0]?.span.file ?? ""}`

const ofOne = (subject: Subject.Subject, limits: AccountLimits | undefined): ReadonlyArray<Finding> => {
  const contradictions = subject.rules.flatMap(({ clauses }) => Contradictions.among(clauses))
  const isNever = contradictions.some(({ code }) => code === "S02")
  return [
    ...contradictions,
    ...(isNever ? [] : shadowed(subject)),
    ...(isNever ? [] : Chases.of(subject)),
    ...(isNever ? [] : Capability.of(subject)),
    ...Ceilings.of(subject, limits)
  ]
}

/** S07: rules of a funnel whose rows are all taken by the rules before them. */
const shadowed = ({ rules }: Subject.Subject): ReadonlyArray<Finding> =>
  rules.flatMap(({ action, clauses }, at): ReadonlyArray<Finding> => {
    const earlier = rules.slice(0, at)
    if (
      at === 0 ||
      !Boxes.isCovered(
        clauses,
        earlier.map((rule) => rule.clauses)
      )
    )
      return []
    const span = clauses.at(-1)?.span ?? action.span
    const last = earlier.at(-1)!.action.span
    const message = `Never has its turn: every row it matches is taken by a rule before it (${line(last, span)} or above).`
    return [{ code: "S07", severity: "warning", span, message }]
  })

/** S03, once for two policies: in the file of the rule that does not get its way, which names the other. */
const fights = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> => {
  const named = new Map<string, number>()
  return Fights.among(subjects).flatMap(({ loser, row, winner }): ReadonlyArray<Diagnostic> => {
    const { file } = loser.policy
    const count = (named.get(file) ?? 0) + 1
    named.set(file, count)
    if (count > Fights.mostPerPolicy) return []
    const { span } = winner.rule.action
    const message = `This ${Showing.verb(loser.rule.action)}, ${span.file}:${span.line} ${Showing.verb(winner.rule.action, "it")}; both match ${Showing.row(row)}.`
    const fix = "a condition that keeps the two rules apart, or tier: for the one that goes first"
    const related = [
      { span, message: `${Showing.verb(winner.rule.action)}; of two outcomes the cheaper one wins` }
    ]
    return [{ code: "S03", severity: "warning", file, span: loser.rule.action.span, message, fix, related }]
  })
}

/** S11, named in both files. */
const chases = (subjects: ReadonlyArray<Subject.Subject>): ReadonlyArray<Diagnostic> =>
  Chases.among(subjects).flatMap(({ left, right }) =>
    [[left, right] as const, [right, left] as const].map(([own, other]): Diagnostic => {
      const { span } = own.rule.action
      const at = other.rule.action.span
      const message = `This ${Showing.verb(own.rule.action)}; as soon as its condition no longer holds, ${at.file}:${at.line} ${Showing.verb(other.rule.action, "it")}, and nothing slows the two down: a value near the border would be changed back and forth.`
      const fix = "a gap between the two conditions, or cooldown: 6h"
      return { code: "S11", severity: "warning", file: own.policy.file, span, message, fix }
    })
  )
