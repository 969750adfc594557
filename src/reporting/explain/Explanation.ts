/** Why each rule did, or did not, act on a target: every condition with its value, the nearest miss first. */
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Daytime from "../../engine/decide/intents/Daytime.js"
import * as Overlays from "../../engine/decide/intents/Overlays.js"
import * as Limits from "../../engine/decide/limits/Limits.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Level from "../../engine/facts/Level.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import type { Each, Policy } from "../../engine/language/Policy.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import * as Entry from "./Entry.js"
import type { Explained, Verdict } from "./Explained.js"
import * as Row from "./Explained.js"
import * as Moments from "./Moments.js"
import * as Watched from "./Watched.js"

/** What is explained, and what of the plan's limits was not looked at. */
export interface Input extends Omit<Row.Input, "alone" | "entries"> {
  /** By policy that did not get its way: the plan it would have made alone. */
  readonly alone: ReadonlyMap<string, Plan>
  /** Changes of the policies that `watch:` looks at again; none when absent. */
  readonly watched?: ReadonlyArray<Watched.Due>
  /** Names of a policy's limits that count more rows than were read; none when absent. */
  readonly uncounted?: (policy: Policy, onlyTakesBack: boolean) => ReadonlyArray<string>
  /** For the commands that are named; as if there were but one account when absent. */
  readonly among?: OperatorHold.Among
}

/** What a target finer than this one would be asked for: rows of one policy, counted by verdict. */
export interface Crowd {
  readonly policy: string
  readonly name: string
  readonly rows: number
  readonly verdicts: Readonly<Record<string, number>>
  /** The rows that missed by least, at most three. */
  readonly nearest: ReadonlyArray<Explained>
  /** Of an item's rows in promotions those whose conditions hold, what acts first. */
  readonly matched: ReadonlyArray<Explained>
  /** What was not looked at. */
  readonly notes: ReadonlyArray<string>
}

/** The body of `bidhelm explain --json`, see `docs/rules/explain.md`. */
export interface Explanation {
  readonly target: string
  readonly campaignName: string
  /** Instant of the facts in the account's zone: `21 Nov 2026 13:40 (Europe/Moscow)`. */
  readonly at: string
  readonly policies: ReadonlyArray<Explained>
  readonly crowds: ReadonlyArray<Crowd>
}

/** The level of a target; policies of finer rows are told as crowds. */
export const levelOf = ({ campaignId, cluster, itemId }: Target.Subject): Each => {
  if (campaignId === undefined) return itemId === undefined ? "account" : "item"
  return itemId === undefined ? "campaign" : cluster === undefined ? "campaign_item" : "cluster"
}

export const make = (asked: Input): Explanation => {
  const { target, zone } = asked
  const lookedThrough = (plan: Plan, policy: string) => [policy, Entry.of(plan, policy, target)] as const
  const input: Looked = {
    ...asked,
    entries: new Map(asked.policies.map(({ id }) => lookedThrough(asked.plan, id))),
    alone: new Map([...asked.alone].map(([id, plan]) => lookedThrough(plan, id)))
  }
  const level = levelOf(target)
  const isOwn = (policy: Policy) => Level.reaches(level, policy.each)
  const own = input.policies.filter(isOwn)
  const finer = input.policies.filter((policy) => Level.reaches(policy.each, level) && !isOwn(policy))
  return {
    target: Target.key(target),
    campaignName: campaignName(input),
    at: `${Moments.instant(Date.parse(input.plan.createdAt), zone)} (${zone})`,
    policies: own.map((policy) => ofTarget(input, policy)).sort(nearestFirst),
    crowds: finer.map((policy) => crowd(input, policy))
  }
}

type Looked = Row.Input & Pick<Input, "among" | "watched" | "uncounted">

const campaignName = ({ table, target }: Looked): string => {
  const campaigns = table("campaign")
  const at =
    target.campaignId === undefined ? undefined : campaigns.indexOf({ campaignId: target.campaignId })
  const name = at === undefined ? undefined : campaigns.get(at, "campaign.name")
  return name?._tag === "Known" ? String(name.value) : ""
}

const ofTarget = (input: Looked, policy: Policy): Explained => {
  const wanted = cut(input.target, policy.each)
  const row = input.table(policy.each).indexOf(wanted)
  return row === undefined
    ? Row.unlisted(policy, Target.key(wanted))
    : ofRow(input, policy, Watched.of(input, policy), row)
}

/** A row with what `watch:` says of it, and with the limits that might still hold it. */
const ofRow = (
  input: Looked,
  policy: Policy,
  watched: Watched.Said,
  row: number,
  isOneOfMany = false
): Explained => {
  const target = input.table(policy.each).target(row)
  const told = Row.ofRow(input, watched.asked(target), row, isOneOfMany)
  const watch = watched.notes(target).filter((note) => note !== told.why)
  return { ...told, notes: [...told.notes, ...watch, ...uncounted(input, policy, [told])] }
}

const uncounted = (
  input: Looked,
  policy: Policy,
  rows: ReadonlyArray<Pick<Explained, "target" | "verdict">>
): ReadonlyArray<string> => {
  const acting = rows.filter(({ verdict }) => verdict === "acts" || verdict === "shown")
  if (acting.length === 0) return []
  const entries = input.entries.get(policy.id)
  const isBack = acting.every(({ target }) => {
    const entry = entries?.of(target)
    return entry?._tag === "Change" && Limits.isReturn(entry.change)
  })
  const names = input.uncounted?.(policy, isBack) ?? []
  if (names.length === 0) return []
  const lane = PolicyJobs.laneOf(policy)
  const plan = lane === "ads" ? "bidhelm plan" : `bidhelm plan --lane ${lane}`
  return [
    `not counted over the whole account here: ${names.join(", ")}; ${OperatorHold.command(plan, input.among)} shows what they hold`
  ]
}

/** A plan asks nothing of rows of an overlay outside of its time, so none of its clusters may be listed. */
const asleep = ({ plan, zone }: Looked, policy: Policy): ReadonlyArray<string> =>
  policy.during === undefined || Overlays.isAwake(policy, Date.parse(plan.createdAt), zone)
    ? []
    : [`outside of its during ${Daytime.text(policy.during)}: a plan asks nothing of its rows`]

/** A target as rows of a coarser policy see it. */
const cut = ({ campaignId, cluster, itemId }: Target.Subject, each: Each): Target.Subject => ({
  ...(each === "account" || each === "item" || campaignId === undefined ? {} : { campaignId }),
  ...(each === "campaign" || each === "account" || itemId === undefined ? {} : { itemId }),
  ...(each !== "cluster" || cluster === undefined ? {} : { cluster })
})

const crowd = (input: Looked, policy: Policy): Crowd => {
  const watched = Watched.of(input, policy)
  const rows = input
    .table(policy.each)
    .rowsUnder(input.target)
    .map((row) => ofRow(input, policy, watched, row, true))
  const verdicts: Record<string, number> = {}
  for (const { verdict } of rows) verdicts[verdict] = (verdicts[verdict] ?? 0) + 1
  const isMissed = ({ verdict }: Explained) => verdict === "does not act" || verdict === "unknown"
  const isOfItem = policy.each === "promotion_item" && input.target.itemId !== undefined
  return {
    policy: policy.id,
    name: policy.name,
    rows: rows.length,
    verdicts: Object.fromEntries(Object.entries(verdicts).sort(TextOrder.byKey)),
    nearest: rows.filter(isMissed).sort(nearestFirst).slice(0, 3),
    matched: isOfItem
      ? rows.filter((row) => !isMissed(row) && row.verdict !== "disabled").sort(nearestFirst)
      : [],
    notes: [...asleep(input, policy), ...uncounted(input, policy, rows)]
  }
}

const rank: Readonly<Record<Verdict, number>> = {
  acts: 0,
  shown: 1,
  tells: 1,
  held: 2,
  unchanged: 3,
  unknown: 4,
  "does not act": 4,
  disabled: 5
}

/** Acting rules first, then those that missed by the fewest conditions; a false one weighs more than an unknown one. */
const nearestFirst = (a: Explained, b: Explained): number =>
  rank[a.verdict] - rank[b.verdict] ||
  distance(a) - distance(b) ||
  TextOrder.compare(a.policy, b.policy) ||
  TextOrder.compare(a.target, b.target)

const distance = ({ conditions }: Explained): number =>
  conditions.length === 0
    ? Number.MAX_SAFE_INTEGER
    : conditions.reduce((sum, { holds }) => sum + (holds === "false" ? 2 : holds === "unknown" ? 1 : 0), 0)
