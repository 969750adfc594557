/** The changes of a plan as rows: how each is said, and in which order. */
import * as Groups from "../../domain/Groups.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import * as Inverse from "../../engine/decide/Inverse.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Stakes from "../../engine/decide/Stakes.js"
import * as Bids from "../../engine/kinds/Bids.js"
import type { Change, ReasonLine } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import { cleanLine } from "../Clean.js"
import * as OptimiseWords from "../OptimiseWords.js"
import * as Wording from "../Wording.js"
import type { Sorting } from "./View.js"

export interface Row {
  readonly symbol: "+" | "~" | "-"
  readonly itemId: number | undefined
  /** Name inside its campaign and item. */
  readonly subject: string
  /** Name that says it all: `1000001/200000001/красные перчатки`, of a campaign with its name. */
  readonly name: string
  /** Names of all that it is about, where those are several that differ in nothing else; else none. */
  readonly each: ReadonlyArray<string>
  readonly effect: string
  /** Empty for what spends no advertising money. */
  readonly stake: string
  /** Policy and line; for what a person takes back, whose change it was. */
  readonly rule: string
  readonly conditions: ReadonlyArray<ReasonLine>
  /** What bound the value on its way. */
  readonly clamps: ReadonlyArray<string>
  /** Of `optimise`: what the change was made of. Every change's own. */
  readonly told: ReadonlyArray<string>
  /** Inheritance, overruled and agreeing policies, irreversibility: sentences that many changes share. */
  readonly notes: ReadonlyArray<string>
}

/** A change with how it is said, in the order that was asked for. */
export interface Entry {
  readonly change: Change
  readonly stake: Stakes.Stake
  readonly row: Row
}

/** The first changes in an order, `most` rows of them, with how each is said. */
export const of = (
  plan: Plan,
  sorting: Sorting,
  most: number = Number.POSITIVE_INFINITY,
  gathered: Gathered = plan.changes.map((change) => [change])
): ReadonlyArray<Entry> => {
  const judge = Stakes.judge(plan)
  const judged = gathered.map((changes) => ({ change: changes[0], changes, stake: judge(changes[0]) }))
  return judged
    .sort(orders[sorting])
    .slice(0, most)
    .map(({ change, changes, stake }) => ({
      change,
      stake,
      row: row(changes, stake, plan.currency)
    }))
}

/** Changes that one row tells, by their subjects. */
export type Gathered = ReadonlyArray<readonly [Change, ...Array<Change>]>

/** Those that differ in nothing but their order, and go into one supply, told together; each other one alone. */
export const gather = ({ changes, currency }: Pick<Plan, "changes" | "currency">): Gathered => {
  const alone: Array<readonly [Change]> = []
  const groups = new Map<string, [Change, ...Array<Change>]>()
  for (const change of changes) {
    const into = Kinds.of(change).into?.(change)
    if (into === undefined) {
      alone.push([change])
      continue
    }
    // Whatever else it says must be the same, or one row would hide it.
    const shared = { ...change, id: "", subject: {}, before: "", details: {} }
    Groups.add(groups, JSON.stringify([into, Wording.effect(change, currency), shared]), change)
  }
  for (const own of groups.values()) own.sort(Wording.bySubject)
  return [...alone, ...groups.values()]
}

type Judged = Omit<Entry, "row">

const inPlace = (a: Judged, b: Judged): number =>
  Wording.bySubject(a.change, b.change) || TextOrder.compare(a.change.id, b.change.id)

const orders: Readonly<Record<Sorting, (a: Judged, b: Judged) => number>> = {
  money: (a, b) => weight(b) - weight(a) || inPlace(a, b),
  change: (a, b) => move(b) - move(a) || inPlace(a, b),
  target: inPlace
}

/** Kopecks that are at stake either way. What nobody can estimate stands before what counts nothing. */
const weight = ({ stake }: Judged): number =>
  stake._tag === "Unknown" ? 0 : stake._tag === "Paused" || stake._tag === "Free" ? -1 : stake.kopecks

/** How far a value moves, as a share of what it was; what is switched or paid moves wholly. */
const move = ({ change }: Judged): number => {
  const { after, before } = change
  return Kinds.isSteered(change) && typeof after === "number" && typeof before === "number" && before > 0
    ? Math.abs(after - before) / before
    : Number.MAX_VALUE
}

const nameOf = ({ campaignName, subject }: Change): string =>
  cleanLine(
    subject.itemId === undefined
      ? `${Wording.containerId(subject)} ${campaignName}`.trim()
      : Target.key(subject)
  )

const namesOf = ([change, ...others]: readonly [Change, ...Array<Change>]): Pick<
  Row,
  "each" | "name" | "subject"
> => {
  if (others.length > 0) {
    const name = Plural.of(others.length + 1, Wording.placeNoun(change.subject))
    return { subject: name, name, each: [change, ...others].map(nameOf) }
  }
  return { subject: cleanLine(Wording.subject(change)), name: nameOf(change), each: [] }
}

const row = (
  [change, ...others]: readonly [Change, ...Array<Change>],
  stake: Stakes.Stake,
  currency: string
): Row => ({
  symbol: Wording.symbol(change),
  itemId: change.subject.itemId,
  ...namesOf([change, ...others]),
  effect: `${others.length === 0 ? "" : "each "}${Wording.effect(change, currency)}`,
  stake: Wording.stake(stake, currency),
  ...reasonOf(change),
  clamps: change.clamps.map((bound) => Wording.clamp(bound, currency)),
  told: OptimiseWords.lines(change, currency),
  notes: [
    ...(Bids.detailsOf(change).inherited === true
      ? ["has no bid of its own yet: the item's bid in search held until now"]
      : []),
    ...(Inverse.isRevert(change) ? ["takes back what this policy did before, and nothing else"] : []),
    ...change.overruled.map((policy) => `overrules ${policy}`),
    ...(change.agreed ?? []).map((policy) => `${policy} wants the same`),
    ...(change.undoes === undefined || Inverse.isByPerson(change)
      ? []
      : [`takes back what ${change.undoes.policy} did`]),
    ...(change.reversible
      ? []
      : [`irreversible${change.irreversible === undefined ? "" : `: ${change.irreversible}`}`])
  ]
})

/** What a person takes back is one sentence, whose run stands in the plan; all else has its rule and conditions. */
const reasonOf = (change: Change): Pick<Row, "rule" | "conditions"> => {
  const conditions = change.reason.map((line) => ({ ...line, value: cleanLine(line.value) }))
  const [origin, ...others] = conditions
  return Inverse.isByPerson(change) && origin !== undefined
    ? { rule: `takes back ${origin.value}`, conditions: others }
    : { rule: `${Wording.ruleOf(change)}: ${change.action}`, conditions }
}
