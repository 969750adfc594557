/**
 * Which of several policies that want the very same of a slot does it (decision 0122): one that nothing of its own holds, and of these the
 * one that asks nobody, then what counts in a budget. Names decide only in whose name it is done, where nothing else of the plan hangs on
 * that. Pure.
 */
import * as Groups from "../../../domain/Groups.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as BudgetRoom from "../../kinds/BudgetRoom.js"
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { Policy, RuleSet } from "../../language/Policy.js"
import * as Board from "../Board.js"
import * as Inverse from "../Inverse.js"
import type { Draft } from "../Summary.js"
import * as Going from "./Going.js"

/** One change for each slot, and who else may make it. */
export interface Agreeing {
  /** In the order of a plan; a slot's is held where all that want it are. */
  readonly chosen: ReadonlyArray<Change>
  /** The chosen one, then the others that nothing of their own holds; the best come first. */
  readonly withOthers: (change: Change) => ReadonlyArray<Change>
}

/** `wishes` are all that stand, of which `held` are held for their own part. Without others that agree all stay as they are. */
export const of = (
  { equals = [] }: Pick<Draft, "equals">,
  wishes: ReadonlyArray<Change>,
  held: ReadonlyMap<Change, unknown>,
  rules: RuleSet
): Agreeing => {
  if (equals.length === 0) return { chosen: wishes, withOthers: (change) => [change] }
  const shared = new Set(equals.map(Kinds.slotOf))
  const isShared = (change: Change): boolean => shared.has(Kinds.slotOf(change))
  const slots = Groups.by(wishes.filter(isShared), Kinds.slotOf)
  const free = new Map<string, ReadonlyArray<Change>>()
  const chosen = new Map<string, Change>()
  for (const [slot, all] of slots) {
    const sorted = inOrder(all, rules)
    const open = sorted.filter((change) => !held.has(change))
    free.set(slot, open)
    chosen.set(slot, open[0] ?? sorted[0]!)
  }
  return {
    chosen: [...wishes.filter((change) => !isShared(change)), ...chosen.values()].sort(Board.bySlot),
    withOthers: (change) => free.get(Kinds.slotOf(change)) ?? [change]
  }
}

/** Who makes a change that a budget has no room for: one that stands in no budget. */
export const outsideBudgets = (agreeing: Agreeing, change: Change): Change =>
  agreeing.withOthers(change).find((one) => BudgetRoom.shareOf(one) === undefined) ?? change

const inOrder = (changes: ReadonlyArray<Change>, rules: RuleSet): ReadonlyArray<Change> =>
  changes
    .map((change) => ({ change, ranks: ranksOf(change, rules) }))
    .sort((a, b) => byRank(a.ranks, b.ranks) || byContent(a.change, b.change))
    .map(({ change }) => change)

/** The name of an action orders what the account's limits leave, as part of an id; that of a policy comes last. */
const byContent = (a: Change, b: Change): number =>
  TextOrder.compare(a.id, b.id) || TextOrder.compare(a.origin.name, b.origin.name)

const byRank = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const at = a.findIndex((rank, i) => rank !== b[i])
  return at < 0 ? 0 : a[at]! - b[at]!
}

/**
 * Smaller comes first: who asks nobody; what counts in a budget, which is planned as a whole; what takes an earlier change back, since its
 * policy remembers that; who asks least; what goes without the rest of its rule; who may take it back later; then, for the limits of the
 * account, the larger spend.
 */
const ranksOf = (change: Change, rules: RuleSet): ReadonlyArray<number> => {
  const policy = Going.policyOf(change, rules)
  const { autoApprove: auto } = policy ?? {}
  return [
    Going.turns.indexOf(Going.wayOf(change, rules)),
    Number(BudgetRoom.shareOf(change) === undefined),
    Number(!Inverse.takesBack(change)),
    0 - (auto?.bidChangeBasisPoints ?? (auto === undefined ? -1 : 0)),
    0 - (auto === undefined ? 0 : (auto.moneyPerDayKopecks ?? Number.MAX_SAFE_INTEGER)),
    Number(!Going.goesAlone(change, rules)),
    Number(!mayTakeBack(policy)),
    0 - (change.spendPerDayKopecks ?? 0),
    purses.indexOf(Kinds.paysOf(change) === undefined ? undefined : Kinds.moneySourceOf(change))
  ]
}

const mayTakeBack = (policy: Policy | undefined): boolean =>
  policy !== undefined &&
  (policy.watch !== undefined || policy.rules.some(({ action }) => action._tag === "Revert"))

/** What the seller owes, then what is paid already, then what was given. */
const purses: ReadonlyArray<string | undefined> = [undefined, "net", "balance", "bonus"]
