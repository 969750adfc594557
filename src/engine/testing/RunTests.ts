/**
 * Runs cases: every run of a case is planned, compared, and planned once more after its changes were made. A rule
 * that changes something a second time on the same facts would do so for ever, so that fails too.
 */
import * as Print from "../facts/Print.js"
import type { Change } from "../kinds/Change.js"
import type { Policy } from "../language/Policy.js"
import * as Compare from "./Compare.js"
import * as Coverage from "./Coverage.js"
import * as Situation from "./Situation.js"
import type { Case, TestFile } from "./TestFile.js"
import * as Trial from "./Trial.js"

export interface CaseResult {
  readonly file: string
  readonly policy: string
  readonly name: string
  readonly line: number
  readonly failures: ReadonlyArray<RunFailure>
}

/** `run` counts from 1; `second` is the immediate repetition. */
export interface RunFailure extends Compare.Failure {
  readonly run: number
  readonly runs: number
  readonly second: boolean
}

export interface Result {
  /** In the order of files and cases. */
  readonly cases: ReadonlyArray<CaseResult>
  readonly coverage: Coverage.Coverage
}

export const run = (files: ReadonlyArray<TestFile>, around: Trial.Around): Result => {
  const coverage = new Coverage.Collector()
  const cases = files.flatMap((file) =>
    file.cases.map((tested) => ({
      file: file.file,
      policy: file.policy.id as string,
      name: tested.name,
      line: tested.span.line,
      failures: walk(tested, file.policy, around, coverage)
    }))
  )
  return { cases, coverage: coverage.of(around.rules.policies) }
}

/** One case through its runs. After the first run that fails the rest would only fail with it. */
const walk = (
  tested: Case,
  policy: Policy,
  around: Trial.Around,
  coverage: Coverage.Collector
): ReadonlyArray<RunFailure> => {
  const { zone } = around
  const rules = Trial.rulesFor(policy, tested.limits, around.rules)
  const sign = Print.currencySign(around.currency)
  const setting = { policy, limits: rules.limits }
  const made: Array<{ readonly run: number; readonly changes: ReadonlyArray<Change> }> = []
  let past = Trial.nothingYet
  for (const [index, one] of tested.runs.entries()) {
    const known = { ...past, slots: Trial.onDayOf(past.slots, one.atMs, zone) }
    const situation = Situation.at(tested, index, made, setting)
    const plan = Trial.plan(situation, rules, known, one.atMs, around)
    const facts = { policy, table: situation.table, rows: tested.rows, sign }
    coverage.see(policy, situation.table, plan)
    const failures = Compare.run(one, plan, facts)
    const place = { run: index + 1, runs: tested.runs.length }
    if (failures.length > 0) return failures.map((failure) => ({ ...failure, ...place, second: false }))
    made.push({ run: index, changes: plan.changes })
    const slots = Trial.history(known.slots, plan.changes, one.atMs, zone)
    const after = Situation.at(tested, index, made, setting)
    // The repetition counts no run for hold_for: it would turn a first change into a second one.
    const deposited = Trial.deposited(known.deposited, plan.changes, one.atMs)
    const again = Trial.plan(after, rules, { ...known, slots, deposited }, one.atMs, around)
    const repeated = Compare.repeated(again, { ...facts, table: after.table })
    if (repeated.length > 0) return repeated.map((failure) => ({ ...failure, ...place, second: true }))
    past = { slots, deposited, holds: Trial.counted(known.holds, plan, one.atMs) }
  }
  return []
}
