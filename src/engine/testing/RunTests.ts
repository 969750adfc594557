/**
 * Runs cases: every run of a case is planned, compared, and planned once more after its changes were made. A rule
 * that changes something a second time on the same facts would do so for ever, so that fails too.
 */

import * as Reason from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import type { Unchanged, Undecided } from "../decide/Plan.js"
import type { UnchangedReason, UnknownReason } from "../decide/RowReason.js"
import type { Draft } from "../decide/Summary.js"
import * as Print from "../facts/Print.js"
import type { Table } from "../facts/Table.js"
import * as Trace from "../facts/Trace.js"
import * as Bids from "../kinds/Bids.js"
import type { Change, Held, ReasonLine } from "../kinds/Change.js"
import type { HeldReason } from "../kinds/HeldReason.js"
import * as Kinds from "../kinds/Kinds.js"
import * as Placements from "../kinds/Placements.js"
import type { Policy, Span } from "../language/Policy.js"
import * as Coverage from "./Coverage.js"
import * as PolicyParts from "./PolicyParts.js"
import * as Situation from "./Situation.js"
import type { Case, Expected, Row, Run, TestFile } from "./TestFile.js"
import * as Trial from "./Trial.js"

export interface CaseResult {
  readonly file: string
  readonly policy: string
  readonly name: string
  readonly line: number
  readonly failures: ReadonlyArray<RunFailure>
}

/** `run` counts from 1; `second` is the immediate repetition. */
export interface RunFailure extends Failure {
  readonly run: number
  readonly runs: number
  readonly second: boolean
}

export interface Result {
  /** In the order of files and cases. */
  readonly cases: ReadonlyArray<CaseResult>
  readonly coverage: Coverage.Coverage
}

/** How what a row says becomes a sentence: a case may name words of it. `made` are those of what a change was made of. */
export interface Sentences {
  readonly row: (because: UnchangedReason | UnknownReason, near: Near) => string
  readonly held: (because: HeldReason, near: Near) => string
  readonly made: (change: Change, currency: string) => ReadonlyArray<string>
}

interface Near {
  readonly currency: string
  readonly nowMs: number
}

export const run = (files: ReadonlyArray<TestFile>, around: Trial.Around, sentences: Sentences): Result => {
  const coverage = new Coverage.Collector()
  const cases = files.flatMap((file) =>
    file.cases.map((tested) => ({
      file: file.file,
      policy: file.policy.id as string,
      name: tested.name,
      line: tested.span.line,
      failures: walk(tested, file.policy, around, sentences, coverage)
    }))
  )
  return { cases, coverage: coverage.of(around.rules.policies) }
}

/** One case through its runs. After the first run that fails the rest would only fail with it. */
const walk = (
  tested: Case,
  policy: Policy,
  around: Trial.Around,
  sentences: Sentences,
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
    const near = { currency: around.currency, nowMs: one.atMs }
    const say: Facts["say"] = (because) => sentences.row(because, near)
    const sayHeld: Facts["sayHeld"] = (because) => sentences.held(because, near)
    const sayMade: Facts["sayMade"] = (change) => sentences.made(change, around.currency)
    const facts = { policy, table: situation.table, rows: tested.rows, sign, say, sayHeld, sayMade }
    coverage.see(policy, situation.table, plan)
    const failures = comparedRun(one, plan, facts)
    const place = { run: index + 1, runs: tested.runs.length }
    if (failures.length > 0) return failures.map((failure) => ({ ...failure, ...place, second: false }))
    // Where nothing changed, the same facts make the same plan.
    if (plan.changes.length === 0) {
      past = { ...known, holds: Trial.counted(known.holds, plan, one.atMs) }
      continue
    }
    made.push({ run: index, changes: plan.changes })
    const slots = Trial.history(known.slots, plan.changes, one.atMs, zone)
    const after = Situation.at(tested, index, made, setting)
    // The repetition counts no run for hold_for: it would turn a first change into a second one.
    const deposited = Trial.deposited(known.deposited, plan.changes, one.atMs)
    const again = Trial.plan(after, rules, { ...known, slots, deposited }, one.atMs, around)
    const repeated = repeatedRows(again, { ...facts, table: after.table })
    if (repeated.length > 0) return repeated.map((failure) => ({ ...failure, ...place, second: true }))
    past = { slots, deposited, holds: Trial.counted(known.holds, plan, one.atMs) }
  }
  return []
}

// What a plan made of every row, held against what a run expects.

/** What became of a row. */
type Got =
  | { readonly _tag: "Changed"; readonly change: Change }
  | { readonly _tag: "Held"; readonly held: Held }
  | { readonly _tag: "Undecided"; readonly undecided: Undecided }
  | { readonly _tag: "Unchanged"; readonly unchanged: Unchanged }
  /** Nothing but a message. */
  | { readonly _tag: "Told"; readonly text: string }
  | { readonly _tag: "NotMatched" }

/** A row that did not become what was expected. Texts are for people. */
interface Failure {
  readonly row: string
  readonly span: Span
  readonly expected: string
  readonly got: string
  /** The conditions of the policy with what they saw. */
  readonly why: ReadonlyArray<ReasonLine>
  /** What a change was made of, what bent a bid on its way, and what the test leaves unsaid. */
  readonly notes: ReadonlyArray<string>
}

const gotOf = (row: Row, plan: Draft): Got => {
  const mine = ({ subject: target }: { readonly subject: Target.Subject }) =>
    Target.key(target) === Target.key(row.target) ||
    (target.itemId === undefined &&
      target.campaignId !== undefined &&
      target.campaignId === row.target.campaignId)
  const change = plan.changes.find(mine)
  if (change !== undefined) return { _tag: "Changed", change }
  const held = plan.held.find((one) => mine(one.change))
  if (held !== undefined) return { _tag: "Held", held }
  const undecided = plan.unknown.find(mine)
  if (undecided !== undefined) return { _tag: "Undecided", undecided }
  const unchanged = plan.unchanged.find(mine)
  if (unchanged !== undefined) return { _tag: "Unchanged", unchanged }
  const told = plan.notices?.find(
    ({ subject: target, text }) =>
      text !== undefined && target !== undefined && Target.key(target) === Target.key(row.target)
  )
  return told === undefined ? { _tag: "NotMatched" } : { _tag: "Told", text: told.text ?? "" }
}

interface Facts {
  readonly policy: Policy
  readonly table: Table
  readonly rows: ReadonlyArray<Row>
  readonly sign: string
  readonly say: (because: UnchangedReason | UnknownReason) => string
  readonly sayHeld: (because: HeldReason) => string
  readonly sayMade: (change: Change) => ReadonlyArray<string>
}

/** Every row that is not as expected, in the order of the rows. A row that is not listed must not change. */
const comparedRun = (run: Run, plan: Draft, facts: Facts): ReadonlyArray<Failure> =>
  facts.rows.flatMap((row, number) => {
    const got = gotOf(row, plan)
    const wanted = wantedOf(row, run, facts)
    if (wanted.fits(got)) return []
    const span = wanted.expected?.span ?? row.span
    return [{ row: row.id, span, expected: wanted.text(facts.sign), ...explained(got, number, facts) }]
  })

/** Rows that an immediate second run, on the same facts, changes once more. */
const repeatedRows = (again: Draft, facts: Facts): ReadonlyArray<Failure> =>
  facts.rows.flatMap((row, number) => {
    const got = gotOf(row, again)
    if (got._tag !== "Changed") return []
    const expected = "no second change on the same facts"
    return [{ row: row.id, span: row.span, expected, ...explained(got, number, facts) }]
  })

const explained = (got: Got, number: number, facts: Facts): Pick<Failure, "got" | "why" | "notes"> => {
  const clauses = PolicyParts.clauses(facts.policy)
  return {
    got: inTest(shown(got, facts)),
    why: Trace.lines(clauses, facts.table, number, facts.sign).map((one) => ({
      ...one,
      value: inTest(one.value)
    })),
    notes: notesOf(got, number, facts)
  }
}

/** No limit is asked in a test. */
const inTest = (words: string): string =>
  words.replaceAll(Reason.explain.notFetched, "not fetched in this test")

interface Wanted {
  readonly expected?: Expected
  readonly fits: (got: Got) => boolean
  readonly text: (sign: string) => string
}

const wantedOf = (row: Row, run: Run, { say }: Pick<Facts, "say">): Wanted => {
  const expected = run.expect.find(({ id }) => id === row.id)
  if (expected !== undefined) {
    return { expected, fits: (got) => becomes(got, expected), text: (sign) => wish(expected, sign) }
  }
  if (run.undecided.includes(row.id))
    return { fits: (got) => got._tag === "Undecided", text: () => "undecided" }
  if (run.held.includes(row.id)) return { fits: (got) => got._tag === "Held", text: () => "held by a limit" }
  const stays = run.unchanged.find(({ id }) => id === row.id)
  if (stays !== undefined) {
    const because = stays.because ?? ""
    return {
      fits: (got) =>
        got._tag === "Unchanged" && (because === "" || say(got.unchanged.because).includes(because)),
      text: () => `matched, and unchanged${because === "" ? "" : ` because ${because}`}`
    }
  }
  return {
    fits: (got) => got._tag === "NotMatched" || got._tag === "Unchanged",
    text: () => "no change (the row is not listed)"
  }
}

const becomes = (got: Got, { want }: Expected): boolean => {
  if (got._tag === "Told") return want._tag === "Notify" && got.text.includes(want.text)
  if (got._tag !== "Changed" || want._tag === "Notify") return false
  const { change } = got
  if (want._tag === "Placements") return change.kind === Placements.name && change.after === want.shown
  if (want._tag === "Do") return change.action === want.action
  if (want._tag === "Deposit") return Kinds.paysOf(change)?.amount(change) === want.kopecks
  if (!Kinds.isSteered(change) || change.after !== want.kopecks) return false
  if (want.byOverlay === true && !Bids.isEdge(change)) return false
  return want.because === undefined || boundOf(change).has(want.because)
}

/** What decided the value: the last bound that bent it, and the bid step where it bent it afterwards. */
const boundOf = ({ clamps }: Change): ReadonlySet<string> => {
  const last = clamps.findLast(({ by }) => by !== "step")
  return new Set([
    ...(last === undefined ? [] : [last.by]),
    ...(clamps.at(-1)?.by === "step" ? ["step"] : [])
  ])
}

const wish = ({ want }: Expected, sign: string): string => {
  if (want._tag === "Do") return want.action
  if (want._tag === "Placements") return `shown in ${want.shown}`
  if (want._tag === "Notify") return `told: ${want.text}`
  if (want._tag === "Deposit") return `a deposit of ${Print.money(want.kopecks, sign)}`
  const because = want.because === undefined ? "" : ` because of ${want.because}`
  const overlay = want.byOverlay === true ? " by adjust_bid" : ""
  return `bid ${Print.money(want.kopecks, sign)}${overlay}${because}`
}

const shown = (got: Got, { say, sayHeld, sign }: Facts): string => {
  switch (got._tag) {
    case "Changed":
      return changed(got.change, sign)
    case "Held":
      return `${changed(got.held.change, sign)}, held by ${sayHeld(got.held.because)}`
    case "Undecided":
      return `undecided: ${say(got.undecided.because)}`
    case "Unchanged":
      return `matched, and unchanged: ${say(got.unchanged.because)}`
    case "Told":
      return `told: ${got.text}`
    case "NotMatched":
      return "no change: the conditions do not hold"
  }
}

/** One change in a line: `bid 440 ₽ → 450 ₽ because of cap`, `pause`. */
const changed = (change: Change, sign: string): string => {
  const pays = Kinds.paysOf(change)
  if (pays !== undefined) return `a deposit of ${Print.money(pays.amount(change), sign)}`
  if (change.kind === Placements.name) return `shown in ${change.after}`
  if (typeof change.after !== "number" || typeof change.before !== "number") return change.action
  const bounds = [...boundOf(change)].join(" and ")
  const because = bounds === "" ? "" : ` because of ${bounds}`
  return `bid ${Print.money(change.before, sign)} → ${Print.money(change.after, sign)}${because}`
}

const notesOf = (got: Got, number: number, facts: Facts): ReadonlyArray<string> => {
  const { rows, sayMade, sign } = facts
  const made = got._tag === "Changed" ? sayMade(got.change) : []
  const clamps = got._tag === "Changed" ? got.change.clamps : []
  const bent = clamps.map(
    ({ by, from, to, where }) => `${by}: ${Print.money(from, sign)} → ${Print.money(to, sign)} (${where})`
  )
  const unstated = got._tag === "Undecided" ? Situation.unstated(number, rows[number]?.statements, facts) : []
  const unsaid = unstated.length === 0 ? [] : [`the test does not say: ${unstated.join(", ")}`]
  return [...made, ...bent, ...unsaid]
}
