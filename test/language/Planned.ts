/**
 * From YAML text to plan without a marketplace: policies and rows as text, the plan's lists as short lines. Rows are
 * written as in rule tests, and runs follow one another as there: each starts from what the one before left behind.
 */
import * as Days from "../../src/domain/Days.js"
import * as Target from "../../src/domain/Target.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as DailySpend from "../../src/engine/decide/limits/DailySpend.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import { factKey } from "../../src/engine/facts/Table.js"
import * as Match from "../../src/engine/gather/Match.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Load from "../../src/engine/language/Load.js"
import * as MaxBid from "../../src/engine/language/MaxBid.js"
import type { Policy, RuleSet } from "../../src/engine/language/Policy.js"
import * as PolicyParts from "../../src/engine/testing/PolicyParts.js"
import * as ReadTests from "../../src/engine/testing/ReadTests.js"
import * as Situation from "../../src/engine/testing/Situation.js"
import type { Case } from "../../src/engine/testing/TestFile.js"
import * as Trial from "../../src/engine/testing/Trial.js"
import * as Said from "../reporting/Said.js"

/** Text of each file by its path under `rules/`; a policy may leave out `version` and `name`. */
export type Files = Readonly<Record<string, string>>

export interface Story {
  /** The first policy by name says what the rows are. */
  readonly files: Files
  /** `a, orders: 5` is the row a; facts as in rule tests. */
  readonly rows: ReadonlyArray<string>
  /** First day of series. */
  readonly from?: string
  /** Instants, with what is new of some rows. */
  readonly runs?: ReadonlyArray<readonly [at: string, ...rows: ReadonlyArray<string>]>
}

export const tuesday = "2026-09-01T09:00+03:00"

/** Paths that end so are shared files. */
const isShared = (path: string) => path.startsWith("_shared/")

export const ruleSet = (files: Files): RuleSet => {
  const given = Object.entries(files).map(([path, text]) => {
    const whole = isShared(path) || text.startsWith("version:") || text.startsWith("#")
    return { path: `rules/${path}.yaml`, text: whole ? text : `version: 1\nname: ${path}\n${text}\n` }
  })
  const { diagnostics, ruleSet: made } = Load.check(given)
  if (made === undefined) throw new Error(JSON.stringify(diagnostics.map((d) => [d.code, d.message, d.fix])))
  return MaxBid.added({ ...made, policies: made.policies.map(PolicyParts.turnedOn) })
}

/** What each run plans. Right after each run the same is asked once more: lines of that begin with "again". */
export const play = (story: Story): ReadonlyArray<ReadonlyArray<string>> => {
  const rules = ruleSet(story.files)
  const own = rules.policies.filter(({ isOfLimits }) => isOfLimits !== true)
  const tested = read(story, rules, own[0]!)
  const reads: Policy = {
    ...own[0]!,
    where: own.flatMap(({ where }) => where),
    rules: own.flatMap((one) => one.rules)
  }
  const setting = { policy: reads, limits: rules.limits, zone }
  const made: Array<{ readonly run: number; readonly changes: ReadonlyArray<Change> }> = []
  let past = Trial.nothingYet
  return tested.runs.map(({ atMs }, run) => {
    const slots = Trial.onDayOf(past.slots, atMs, zone)
    const plan = planned(Situation.at(tested, run, made, setting), rules, { ...past, slots }, atMs)
    const deposited = Trial.deposited(past.deposited, plan.changes, atMs)
    made.push({ run, changes: plan.changes })
    const after = Trial.history(slots, plan.changes, atMs, zone)
    const holds = Trial.counted(past.holds, plan, atMs)
    const again = planned(
      Situation.at(tested, run, made, setting),
      rules,
      { slots: after, holds: past.holds, deposited },
      atMs
    )
    past = { slots: after, holds, deposited }
    return [...lines(plan, tested), ...again.changes.map((one) => `again: ${changeLine(one, tested)}`)]
  })
}

/** The lines of a story with one run. */
export const lines1 = (files: Files, ...rows: ReadonlyArray<string>): ReadonlyArray<string> =>
  play({ files, rows })[0]!

const zone = "Europe/Moscow"

const read = ({ from, rows, runs = [[tuesday]] }: Story, rules: RuleSet, policy: Policy): Case => {
  const row = (text: string) => `{id: ${text}}`
  const text = [
    `version: 1\nkind: tests\npolicy: ${policy.id}\ncases:\n  - name: a case`,
    ...(from === undefined ? [] : [`    from: ${from}`]),
    "    rows:",
    ...rows.map((one) => `      - ${row(one)}`),
    "    runs:",
    ...runs.map(([at, ...news]) => `      - {at: "${at}", rows: [${news.map(row).join(", ")}], expect: []}`)
  ].join("\n")
  const found = ReadTests.read([{ path: "rules/tests/a.test.yaml", text: `${text}\n` }], rules)
  const tested = found.files?.[0]?.cases[0]
  if (tested === undefined)
    throw new Error(
      `${JSON.stringify(found.diagnostics.map((d) => [d.code, d.span.line, d.message]))}\n${text}`
    )
  return tested
}

const spentToday = factKey(DailySpend.spend)

const planned = (
  { campaigns, table }: Situation.Situation,
  rules: RuleSet,
  past: Trial.Past,
  nowMs: number
): Plan => {
  const draft = Decide.plan({
    account: "tests",
    currency: "RUB",
    nowMs,
    zone,
    rules,
    gathered: Match.all(rules.policies, { table: (each) => table.view(each) }),
    slots: past.slots,
    holds: past.holds,
    calls: {}
  })
  const dayStartMs = Date.parse(`${Days.at(nowMs, zone)}T00:00+03:00`)
  const made = { dayStartMs, nowMs, deposited: past.deposited }
  // Nothing has been spent today unless a row says so.
  for (const row of campaigns.rows.keys()) {
    const known = campaigns.get(row, spentToday)._tag === "Known"
    if (!known && rules.limits.spendPerDayKopecks !== undefined)
      campaigns.set(row, spentToday, Cells.known(0))
  }
  return Review.review(draft, { rules, campaigns, campaignsUnread: 0, spentByCompleted: 0, zone, made }).plan
}

const nameOf = ({ rows }: Case, target: Target.Subject | undefined): string => {
  if (target === undefined) return "all"
  const key = Target.key(target)
  const row = rows.find((one) => Target.key(one.target) === key)
  if (row !== undefined) return row.id
  const under = rows.find((one) => one.below.some((below) => Target.key(below.target) === key))
  return under === undefined ? key : `${under.id}'s ${key}`
}

const shown = (value: Change["after"]): string =>
  typeof value === "number" ? `${value / 100}` : String(value)

const changeLine = (change: Change, tested: Case): string => {
  const { action, after, before, clamps, subject: target } = change
  const by = clamps.length === 0 ? "" : ` (${[...new Set(clamps.map((one) => one.by))].join(", ")})`
  return `${nameOf(tested, target)} ${action} ${shown(before)} → ${shown(after)}${by}`
}

/** Rows that only the policies of the limits look at. */
const isAside = ({ policy }: { readonly policy: string }): boolean => policy.startsWith("limits/")

/** Changes, `held`, `?` for undecided rows with why, `=` for rows that match and stay, `!` for notices. */
const lines = (plan: Plan, tested: Case): ReadonlyArray<string> => [
  ...plan.changes.map((one) => changeLine(one, tested)),
  ...Said.held(plan.held).map(
    ({ by, change, limit }) => `${changeLine(change, tested)} held: ${by} ${limit}`
  ),
  ...plan.unknown
    .filter((one) => !isAside(one))
    .map(({ subject: target, because }) => `${nameOf(tested, target)} ? ${Said.why({ because })}`),
  ...plan.unchanged
    .filter((one) => !isAside(one))
    .map(({ subject: target, because }) => `${nameOf(tested, target)} = ${Said.why({ because })}`),
  ...(plan.notices ?? []).map((notice) => `${nameOf(tested, notice.subject)} ! ${Said.notice(notice)}`)
]
