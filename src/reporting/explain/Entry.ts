/** What a plan says of one target and one policy. */
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import type { HoldCounts, Plan } from "../../engine/decide/Plan.js"
import type { Change, Held } from "../../engine/kinds/Change.js"
import type { Policy } from "../../engine/language/Policy.js"
import * as RowReasons from "../RowReasons.js"
import * as Wording from "../Wording.js"

/**
 * `Agreed`: another policy's change, or what holds it, is what this one wants too; `mode` is that policy's. `Below` is of a policy that optimises, about a row with
 * many bids.
 */
export type Entry =
  | { readonly _tag: "Change"; readonly change: Change }
  | ({ readonly _tag: "Held" } & Held)
  | { readonly _tag: "Overruled"; readonly by: string }
  | {
      readonly _tag: "Agreed"
      readonly change: Change
      readonly by: string
      readonly mode: Policy["mode"] | undefined
      readonly held: Held | undefined
    }
  | { readonly _tag: "Unchanged"; readonly why: string }
  | { readonly _tag: "Unknown"; readonly why: string }
  | { readonly _tag: "Told"; readonly text: string }
  | {
      readonly _tag: "Below"
      readonly changes: number
      readonly held: number
      readonly why: string
      readonly told: ReadonlyArray<string>
    }
  | { readonly _tag: "Nothing" }

/** What a plan says of the rows of one policy. */
export interface Entries {
  /** Of a row, by the key of its target. */
  readonly of: (key: string) => Entry
  /** Of the target that is asked about, where the policy optimises: it is a bid below its row, or a row with many bids. */
  readonly below: Entry
  /** What `hold_for` counted of a row. */
  readonly runs: (key: string) => HoldCounts["rows"][number] | undefined
  /** What is said of the policy as a whole. */
  readonly whole: ReadonlyArray<string>
}

/** Looks through the plan once, for there may be many rows. */
export const of = (plan: Plan, policy: string, asked: Target.Subject): Entries => {
  const near = RowReasons.around(plan)
  const rows = new Map<string, Entry>()
  const enter = (subject: Target.Subject, entry: Entry): void => {
    const key = Target.key(subject)
    if (!rows.has(key)) rows.set(key, entry)
  }
  const isOwn = (row: { readonly policy: string }): boolean => row.policy === policy
  const ours = (change: Change): boolean => change.origin.name === policy
  const changes = plan.changes.filter(ours)
  const held = plan.held.filter((one) => ours(one.change))
  const unchanged = plan.unchanged.filter(isOwn)
  const unknown = plan.unknown.filter(isOwn)
  const notices = (plan.notices ?? []).filter(isOwn)
  const won: ReadonlyArray<Pick<Held, "change"> & { readonly held?: Held }> = [
    ...plan.changes.map((change) => ({ change })),
    ...plan.held.map((one) => ({ change: one.change, held: one }))
  ]
  for (const change of changes) enter(change.subject, { _tag: "Change", change })
  for (const one of held) enter(one.change.subject, { _tag: "Held", ...one })
  for (const { change } of won)
    if (change.overruled.includes(policy))
      enter(change.subject, { _tag: "Overruled", by: change.origin.name })
  for (const { change, held } of won) {
    if (change.agreed?.includes(policy) !== true) continue
    const by = change.origin.name
    const { mode } = plan.policies.find(({ id }) => id === by) ?? {}
    enter(change.subject, { _tag: "Agreed", change, by, mode, held })
  }
  for (const { because, subject } of unchanged)
    enter(subject, { _tag: "Unchanged", why: RowReasons.text(because, near) })
  for (const { because, subject } of unknown)
    enter(subject, { _tag: "Unknown", why: RowReasons.text(because, near) })
  for (const one of notices)
    if (one.subject !== undefined) enter(one.subject, { _tag: "Told", text: RowReasons.notice(one, near) })
  const counted = plan.holds?.find(isOwn)?.rows.map((one) => [one.row, one] as const)
  const runs = new Map(counted)
  return {
    of: (key) => rows.get(key) ?? { _tag: "Nothing" },
    below: rows.get(Target.key(asked)) ?? below(asked, { changes, held, unchanged, unknown }, near),
    runs: (key) => runs.get(key),
    whole: notices.flatMap((one) => (one.subject === undefined ? [RowReasons.notice(one, near)] : []))
  }
}

/** With no bid below it is nobody's: what no list shows, or what a campaign without such bids has. */
const below = (
  asked: Target.Subject,
  own: Pick<Plan, "changes" | "held" | "unchanged" | "unknown">,
  near: RowReasons.Around
): Entry => {
  const isBelow = ({ subject }: { readonly subject: Target.Subject }): boolean =>
    subject.campaignId === asked.campaignId &&
    (asked.itemId === undefined || subject.itemId === asked.itemId) &&
    asked.cluster === undefined
  const moved = own.changes.filter(isBelow)
  const kept = own.held.filter(({ change }) => isBelow(change))
  const open = own.unknown.filter(isBelow)
  const unchanged = own.unchanged.filter(isBelow).length
  const [changes, held, unknown] = [moved.length, kept.length, open.length]
  if (changes + held + unchanged + unknown === 0) return { _tag: "Nothing" }
  const parts = [
    `${Plural.of(changes, "change")} below it`,
    ...(held === 0 ? [] : [`${held} held`]),
    `${Plural.of(unchanged, "bid")} as ${Plural.choose(unchanged, "it is", "they are")}`,
    ...(unknown === 0 ? [] : [`${unknown} that nobody can decide on`])
  ]
  const why = `${parts.join(", ")}; ask for one of them by its item and cluster`
  const lines = [
    ...moved
      .toSorted(byMoney)
      .map((one) => `${Target.key(one.subject)}: ${Wording.effect(one, near.currency)}`),
    ...kept.map(
      (one) => `${Target.key(one.change.subject)}: held: ${Wording.effect(one.change, near.currency)}`
    ),
    ...open.map(({ because, subject }) => `${Target.key(subject)}: ${RowReasons.text(because, near)}`)
  ]
  const more = lines.slice(mostTold)
  const told = more.length === 0 ? lines : [...lines.slice(0, mostTold), `and ${more.length} more`]
  return { _tag: "Below", changes, held, why, told }
}

/** Bids below a target that are told before they are counted. */
const mostTold = 12

const byMoney = (a: Change, b: Change): number => moneyOf(b) - moneyOf(a)

const moneyOf = ({ moneyPerDayKopecks: money }: Change): number =>
  typeof money === "number" ? Math.abs(money) : 0
