/**
 * A plan arranged for reading: a big one as its totals and its largest changes, any other change by change; then what is
 * held, unknown and unchanged. Formats (`TextPreview`, `MarkdownPreview`, `HtmlPreview`) only print it.
 */
import * as Codes from "../../domain/Coded.js"
import * as Groups from "../../domain/Groups.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type * as Elsewhere from "../../engine/decide/Elsewhere.js"
import type { Notice, Plan } from "../../engine/decide/Plan.js"
import * as Print from "../../engine/facts/Print.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import { cleanLine } from "../Clean.js"
import * as HeldReasons from "../HeldReasons.js"
import * as RowReasons from "../RowReasons.js"
import * as Wording from "../Wording.js"
import * as BudgetLines from "./BudgetLines.js"
import * as ChangeRows from "./ChangeRows.js"
import * as SetLines from "./SetLines.js"
import * as Totals from "./Totals.js"
import type { Grouping, Sorting, View } from "./View.js"

/** A plan of more changes is folded unless asked otherwise; what waits on two screens is still read. */
export const mostWhole = 40
/** Changes that a folded plan shows. */
const usualTop = 20
/** Groups that totals list before they add the others up. */
const mostGroups = 20

/** Rows under one heading; a campaign's are parted by item where they stand in the order of targets. */
export interface Section {
  readonly title: string
  readonly parts: ReadonlyArray<{
    readonly itemId: number | undefined
    readonly rows: ReadonlyArray<ChangeRows.Row>
  }>
  /** True when the rows' names are the whole ones, for they may be of any campaign. */
  readonly mixed: boolean
}

/** Rows with one reason, counted; `targets` are sorted and complete. */
export interface Tally {
  readonly policy: string
  readonly why: string
  readonly targets: ReadonlyArray<string>
}

export interface HeldGroup {
  readonly limit: string
  /** How far over the limit, where all rows say the same. */
  readonly over: string | undefined
  readonly rows: ReadonlyArray<{ readonly target: string; readonly effect: string; readonly over: string }>
}

export interface Preview {
  readonly planId: string
  readonly account: string
  readonly createdAt: string
  readonly summary: ReadonlyArray<string>
  /** What policies want a person to know. */
  readonly notices: ReadonlyArray<Tally>
  readonly policies: ReadonlyArray<string>
  /** What rules that reach for a tier made of each promotion. */
  readonly sets: ReadonlyArray<string>
  /** What is expected of each budget of a rule that optimises. */
  readonly budgets: ReadonlyArray<string>
  readonly totals: ReadonlyArray<Totals.Table>
  readonly sections: ReadonlyArray<Section>
  /** Changes that no section has; 0 when the plan is shown whole. */
  readonly folded: number
  readonly held: ReadonlyArray<HeldGroup>
  readonly unknown: ReadonlyArray<Tally>
  readonly unchanged: ReadonlyArray<Tally>
  readonly calls: ReadonlyArray<string>
}

/** Arranges a plan. Equal plans give equal previews. */
export const make = (plan: Plan, view: View = {}): Preview => {
  const alike = view.all !== true
  const gathered = alike ? ChangeRows.gather(plan) : undefined
  const { grouping, most, sorting } = shapeOf(plan, gathered?.length ?? plan.changes.length, view)
  const groupings = view.group === undefined ? (["rule", "campaign"] as const) : [view.group]
  const shown = ChangeRows.of(plan, sorting, most, gathered)
  const folded = shown.reduce((left, { row }) => left - Math.max(1, row.each.length), plan.changes.length)
  const near = {
    ...RowReasons.around(plan),
    ...(view.accounts === undefined ? {} : { accounts: view.accounts })
  }
  return {
    planId: plan.id,
    account: plan.account,
    createdAt: plan.createdAt,
    summary: Wording.summary(plan),
    notices: notices(plan.notices ?? [], near, alike),
    policies: plan.policies.map(policyLine),
    sets: SetLines.of(plan),
    budgets: BudgetLines.of(plan),
    totals:
      folded > 0 || view.group !== undefined
        ? groupings.map((by) => Totals.table(Totals.of(plan, by, mostGroups), plan.currency))
        : [],
    sections:
      grouping === undefined
        ? [
            whole(
              shown,
              `${headings[sorting](plan.changes.length - folded)} of ${Plural.of(plan.changes.length, "change")}`
            )
          ]
        : sections(shown, grouping, sorting),
    folded,
    held: held(plan, near),
    unknown: tallies(reasoned(plan.unknown, near), alike),
    unchanged: tallies(reasoned(plan.unchanged, near), alike),
    calls: sortedBy(Object.entries(plan.calls.perOperation), ([operation]) => operation)
      .filter(([, n]) => n > 0)
      .map(([operation, n]) => `${operation} ${n}`)
  }
}

const headings: Readonly<Record<Sorting, (count: number) => string>> = {
  money: (count) => `The ${count} largest by money`,
  change: (count) => `The ${count} that change most`,
  target: (count) => `The first ${count}`
}

/** How many of its rows are shown, in which order, under which headings; without a grouping they are one list. */
const shapeOf = ({ changes }: Plan, rows: number, { all = false, group, sort, top }: View) => {
  const most = all ? rows : (top ?? (rows > mostWhole ? usualTop : rows))
  const isFolded = rows > most
  const isAboutMoney = changes.some((change) => Kinds.of(change).isFree !== true)
  return {
    most,
    sorting: sort ?? (isFolded && isAboutMoney ? ("money" as const) : ("target" as const)),
    grouping: group ?? (isFolded ? undefined : ("campaign" as const))
  }
}

const policyLine = (policy: Plan["policies"][number]): string => {
  const rows = `${policy.rowsMatched} of ${Plural.of(policy.rowsInScope, "row")} match`
  const unknown = policy.rowsUnknown === 0 ? "" : `, ${policy.rowsUnknown} unknown`
  return `${policy.id} (${policy.mode}): ${policy.name}: ${rows}${unknown}, ${Plural.of(policy.changes, "change")}`
}

const whole = (shown: ReadonlyArray<ChangeRows.Entry>, title: string): Section => ({
  title,
  parts: [{ itemId: undefined, rows: shown.map(({ row }) => row) }],
  mixed: true
})

/** Under one heading per group; the groups in the order in which they first come. */
const sections = (
  shown: ReadonlyArray<ChangeRows.Entry>,
  by: Grouping,
  sorting: Sorting
): ReadonlyArray<Section> =>
  groups(shown, ({ change }) =>
    by === "campaign" ? Wording.container(Wording.place(change)) : Totals.nameOf(change, by)
  ).map((own) => {
    const name = Totals.nameOf(own[0].change, by)
    if (by !== "campaign") return whole(own, `${by === "rule" ? "Rule" : "Kind"} ${name}`)
    const title = cleanLine(
      `${Wording.container(Wording.place(own[0].change))} ${own[0].change.campaignName}`
    ).trim()
    if (sorting !== "target") return whole(own, title)
    // What is made stands before what goes into it.
    const inTurn = own.toSorted((a, b) => turnOf(a) - turnOf(b))
    const parts = groups(inTurn, ({ row }) => `${row.itemId}`).map((rows) => ({
      itemId: rows[0].row.itemId,
      rows: rows.map(({ row }) => row)
    }))
    return { title, parts, mixed: false }
  })

const turnOf = ({ change }: ChangeRows.Entry): number => {
  const { isFree, order } = Kinds.of(change)
  return isFree === true ? order : 0
}

const held = (plan: Plan, near: RowReasons.Around): ReadonlyArray<HeldGroup> => {
  // The reason of a hold is as somebody typed it.
  const rows = plan.held.map((one) => {
    const told = HeldReasons.withWords(one, near)
    return { ...told, limit: cleanLine(told.limit), over: cleanLine(told.over) }
  })
  const heading = ({ by, limit }: (typeof rows)[number]) => `${by}: ${limit}`
  return groups(sortedBy(rows, heading), heading).map((own) => ({
    limit: heading(own[0]),
    over: own.length > 1 && own.every(({ over }) => over === own[0].over) ? own[0].over : undefined,
    rows: own
      .toSorted((a, b) => Wording.bySubject(a.change, b.change))
      .map((h) => ({
        target: cleanLine(Target.key(h.change.subject)),
        effect: Wording.effect(h.change, plan.currency),
        over: h.over
      }))
  }))
}

interface Reasoned {
  readonly policy: string
  /** Equal for rows of one reason, and for those of reasons that differ in figures alone. */
  readonly same: string
  readonly alike: string
  readonly why: string
  readonly subject: Target.Subject
}

const reasoned = (
  rows: ReadonlyArray<{
    readonly policy: string
    readonly subject: Target.Subject
    readonly because: RowReasons.Because
  }>,
  near: RowReasons.Around
): ReadonlyArray<Reasoned> =>
  rows.map(({ because, policy, subject }) => ({
    policy,
    subject,
    same: Codes.key(because),
    alike: Codes.keyWithoutNumbers(because),
    why: RowReasons.text(because, near)
  }))

/** Most frequent reason first, so that a long list opens with what matters. */
const tallies = (rows: ReadonlyArray<Reasoned>, alike: boolean): ReadonlyArray<Tally> => {
  const equal = groups(
    sortedBy(rows, (r) => `${r.policy}\u0000${r.why}`),
    (r) => `${r.policy}\u0000${r.same}`
  ).map((own) => ({ ...own[0], rows: own }))
  const words = groups(equal, (r) => `${r.policy}\u0000${r.alike}`)
  const reasons = alike ? words.flatMap((own) => (own.length > mostAlike ? [sameWords(own)] : own)) : equal
  return reasons
    .map(({ policy, rows, why }) => ({
      policy,
      why,
      targets: rows.toSorted(Wording.bySubject).map((r) => cleanLine(Wording.rowName(r.subject)))
    }))
    .sort(
      (a, b) =>
        b.targets.length - a.targets.length ||
        TextOrder.compare(a.policy, b.policy) ||
        TextOrder.compare(a.why, b.why)
    )
}

/** Reasons that differ in figures alone and are listed each; more are one line. */
const mostAlike = 3

/** An amount, a share, a number of a line. */
const figure = /\d+(?:[ .,:]\d+)*/g

interface Reason extends Omit<Reasoned, "subject"> {
  readonly rows: ReadonlyArray<Reasoned>
}

/** Several reasons as one: `no room to move: bid … ₽, cap 450 ₽`. */
const sameWords = (own: readonly [Reason, ...Array<Reason>]): Reason => {
  const figures = own.map(({ why }) => why.match(figure) ?? [])
  let at = -1
  const why = own[0].why.replace(figure, (first) => {
    at += 1
    return figures.every((others) => others[at] === first) ? first : "…"
  })
  return { ...own[0], why, rows: own.flatMap(({ rows }) => rows) }
}

/** Those about a whole policy first; they have no targets. */
const notices = (
  all: ReadonlyArray<Notice>,
  near: RowReasons.Around,
  alike: boolean
): ReadonlyArray<Tally> => [
  ...all.flatMap((notice) =>
    notice.subject === undefined
      ? [{ policy: notice.policy, why: RowReasons.notice(notice, near), targets: [] }]
      : []
  ),
  ...tallies(
    all.flatMap((notice) => messages(notice, near)),
    alike
  )
]

/** A rule's own message has its words alone. */
const messages = (notice: Notice, near: RowReasons.Around): ReadonlyArray<Reasoned> => {
  const { because, policy, subject } = notice
  // Names of the account are in it.
  const text = cleanLine(notice.text ?? "")
  if (subject === undefined) return []
  if (because !== undefined) return reasoned([{ because, policy, subject }], near)
  return [{ policy, subject, why: text, same: text, alike: text.replace(figure, "") }]
}

const sortedBy = <T>(rows: ReadonlyArray<T>, key: (row: T) => string): ReadonlyArray<T> =>
  rows.toSorted(TextOrder.by(key))

const groups = <T>(rows: ReadonlyArray<T>, key: (row: T) => string) => [...Groups.by(rows, key).values()]

// How a saved plan differs from one that was made here, for a terminal. Its file may hold anything, in every field.

/** Changes that are named before the rest is only counted. */
const mostNamed = 20

/** One line for each change: whose it says it is, what the file says, and what the rules make of the slot. */
export const lines = (
  strays: ReadonlyArray<Elsewhere.Stray>,
  near: RowReasons.Around
): ReadonlyArray<string> => [
  ...strays.slice(0, mostNamed).map((stray) => cleanLine(line(stray, near))),
  ...(strays.length > mostNamed ? [`and ${strays.length - mostNamed} more`] : [])
]

const line = ({ change, made }: Elsewhere.Stray, near: RowReasons.Around): string =>
  `${change.action} of ${Target.key(change.subject)} by ${change.origin.name}: the file says ${move(change, near.currency)}; ${said(made, change.origin.name, near)}`

const said = (made: Elsewhere.Made, policy: string, near: RowReasons.Around): string => {
  const { currency } = near
  switch (made._tag) {
    case "Otherwise":
      return made.fields.includes("before") || made.fields.includes("after")
        ? `${policy} makes it ${move(made.change, currency)}${bounds(made.change, currency)}`
        : `${policy} makes it with another ${made.fields.join(", ")}`
    case "ByAnother":
      return `it is ${made.change.origin.name} (${made.mode}) that changes this, ${move(made.change, currency)}`
    case "Held":
      return `held by ${HeldReasons.line(made.because, near)}`
    case "TakenBack":
      return "what is taken back stands in the store that did it; make it there: bidhelm undo"
    case "Nothing":
      return `${policy} does not make this change${made.because === undefined ? "" : `: ${RowReasons.text(made.because, near)}`}`
  }
}

/** What bound the value, and where that is written; that bids end on a step bounds them all. */
const bounds = ({ clamps }: Change, currency: string): string => {
  const told = clamps.filter(({ by }) => by !== "step").map((one) => Wording.clamp(one, currency))
  return told.length === 0 ? "" : ` (${told.join("; ")})`
}

/** Not what a preview says: nothing of a file needs to fit anything else in it. */
const move = (change: Change, currency: string): string =>
  `${value(change, change.before, currency)} → ${value(change, change.after, currency)}`

const value = (change: Change, one: Change["before"], currency: string): string =>
  Kinds.of(change).print(one, Print.currencySign(currency))
