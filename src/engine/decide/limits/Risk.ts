/**
 * Which changes of a policy in mode `approve` need a person. Small and reversible ones go by themselves as far as the
 * policy's `auto_approve:` says; what cannot be taken back always waits. Pure.
 */

import * as Print from "../../facts/Print.js"
import * as Bids from "../../kinds/Bids.js"
import * as BudgetRoom from "../../kinds/BudgetRoom.js"
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { AutoApprove } from "../../language/Mode.js"
import * as Inverse from "../Inverse.js"
import type { Plan } from "../Plan.js"
import type { Waiting } from "../Review.js"

/** `small` goes by itself, `notable` waits, `irreversible` waits whatever the policy says. */
export type Tier = "small" | "notable" | "irreversible"

export interface Assessed {
  readonly change: Change
  readonly tier: Tier
  /** Why it waits, or why it need not. */
  readonly why: string
}

/** What automatic moves are measured from. */
export interface Bases {
  /** Bids that a person approved in the last seven days, kopecks, by slot. */
  readonly approved: ReadonlyMap<string, number>
  /** Bids as they were before the first change of the last seven days, kopecks, by slot. */
  readonly weekAgo: ReadonlyMap<string, number>
}

/** Automatic moves add up over this long. */
export const driftMs = 7 * 86_400_000

/**
 * One verdict per change, in their order. A policy's small changes that together cost too much all wait. What it wants and others do in
 * their name counts too (decision 0122); `changes` are those of the whole plan.
 */
export const assess = (
  waiting: ReadonlyArray<Waiting>,
  bases: Bases,
  currency: string,
  changes: ReadonlyArray<Change>
): ReadonlyArray<Assessed> => {
  const sign = Print.currencySign(currency)
  const single = waiting.map((one) => ({ ...one, ...judge(one, bases, sign) }))
  const spent = new Map<string, number>()
  const spend = (policy: string, kopecks: number) => spent.set(policy, (spent.get(policy) ?? 0) + kopecks)
  for (const { change, tier } of single) if (tier === "small") spend(change.origin.name, adds(change))
  for (const change of changes) for (const policy of change.agreed ?? []) spend(policy, mayAdd(change))
  return single.map(({ auto, change, tier, why }) => {
    const most = auto?.moneyPerDayKopecks
    const sum = spent.get(change.origin.name) ?? 0
    const isOver = tier === "small" && most !== undefined && sum > most && adds(change) > 0
    return isOver
      ? {
          change,
          tier: "notable" as const,
          why: Number.isFinite(sum)
            ? `the small changes together would add about ${Print.money(sum, sign)} a day; ${Print.money(most, sign)} go by themselves`
            : "nobody can estimate what others that want the same add"
        }
      : { change, tier, why }
  })
}

/**
 * What makes a budget dearer goes by itself only with what pays for it (decision 0109): where that waits for a person, or a person said
 * no to it, both wait. `appliable` are the changes of the plan that go anyway.
 */
export const withPayers = (
  assessed: ReadonlyArray<Assessed>,
  plan: Pick<Plan, "changes" | "forecasts" | "held">,
  appliable: ReadonlyArray<Change>
): ReadonlyArray<Assessed> => {
  const automatic = assessed.flatMap(({ change, tier }) => (tier === "small" ? [change] : []))
  const noRoom = BudgetRoom.without({
    open: [...appliable, ...automatic],
    all: [...plan.changes, ...plan.held.map(({ change }) => change)],
    absent: BudgetRoom.absentOf(plan.forecasts)
  })
  return assessed.map((one) =>
    one.tier === "small" && noRoom.has(one.change)
      ? { ...one, tier: "notable" as const, why: "what makes room for it in its budget waits" }
      : one
  )
}

type Verdict = Pick<Assessed, "tier" | "why">

/** Of what cannot be taken back a person is asked whatever a policy approves by itself. */
export const isForGood = (change: Change): boolean =>
  Kinds.of(change).risk === "irreversible" || !change.reversible

const judge = ({ auto, change }: Waiting, bases: Bases, sign: string): Verdict => {
  const { risk } = Kinds.of(change)
  if (isForGood(change)) return { tier: "irreversible", why: "it cannot be undone" }
  // Whoever approved an overlay approved its end.
  if (Bids.endsOverlay(change)) return { tier: "small", why: "its overlay ends" }
  if (auto === undefined) return { tier: "notable", why: "the policy approves nothing by itself" }
  // Of changes that take back, those of `watch:` name what they undo.
  if (Inverse.takesBack(change)) return { tier: "small", why: "it takes back what the policy did" }
  if (risk === "notable") return { tier: "notable", why: "only moves of bids go by themselves" }
  return moved(change, auto, bases, sign)
}

const moved = (change: Change, auto: AutoApprove, bases: Bases, sign: string): Verdict => {
  const most = auto.bidChangeBasisPoints ?? 0
  const base = baseOf(change, bases, most)
  const after = Bids.baseAfter(change)
  const isOverlay = Bids.isEdge(change)
  const share = isOverlay ? Math.abs(Bids.overlayOf(change)?.basisPoints ?? 0) : shareOf(after, base)
  if (!(share <= most)) {
    const far = `${Math.round(share) / 100}%`
    return {
      tier: "notable",
      why: isOverlay
        ? `its overlay is ${far}; ${most / 100}% go by themselves`
        : `it is ${far} from ${Print.money(base, sign)}, where seven days or the last approval began; ${most / 100}% go by themselves`
    }
  }
  const off = isOverlay ? 0 : shareOf(Bids.baseBefore(change), base)
  if (off > most) {
    return {
      tier: "notable",
      why: `somebody has moved it since: it stands ${Math.round(off) / 100}% from ${Print.money(base, sign)}, where seven days began; ${most / 100}% go by themselves`
    }
  }
  if (
    auto.moneyPerDayKopecks !== undefined &&
    isDearer(change) &&
    typeof change.moneyPerDayKopecks !== "number"
  ) {
    return { tier: "notable", why: "nobody can estimate what it costs" }
  }
  return { tier: "small", why: `it is within ${most / 100}% of ${Print.money(base, sign)}` }
}

/**
 * The value that the next seven days of automatic moves are measured from, kopecks. Small moves keep a bid near what was
 * approved; where it is farther off, somebody else has moved it, and the approval was of another way.
 */
const baseOf = (change: Change, { approved, weekAgo }: Bases, most: number): number => {
  const slot = Kinds.slotOf(change)
  const now = Bids.baseBefore(change)
  const asked = approved.get(slot)
  const stands = asked !== undefined && shareOf(now, asked) <= most
  return (stands ? asked : undefined) ?? weekAgo.get(slot) ?? now
}

/** How far a bid is from a base, basis points. */
const shareOf = (kopecks: number, base: number): number =>
  Math.ceil((Math.abs(kopecks - base) * 10_000) / base)

const isDearer = ({ after, before }: Change): boolean => Number(after) > Number(before)

const adds = ({ moneyPerDayKopecks }: Change): number =>
  typeof moneyPerDayKopecks === "number" ? Math.max(0, moneyPerDayKopecks) : 0

/** Of what is done in another policy's name: what nobody can estimate may cost anything. */
const mayAdd = (change: Change): number =>
  typeof change.moneyPerDayKopecks !== "number" && isDearer(change) ? Number.POSITIVE_INFINITY : adds(change)

/** The gravest of several tiers. */
export const gravest = (tiers: ReadonlyArray<Tier>): Tier =>
  tiers.includes("irreversible") ? "irreversible" : tiers.includes("notable") ? "notable" : "small"
