/**
 * What deposits may still bring today. Deposits that may have been made count like those that were, and a deposit goes
 * whole or not at all.
 */
import type { CampaignId } from "../../../domain/Ids.js"
import type { Table } from "../../facts/Table.js"
import type { Change } from "../../kinds/Change.js"
import type { Deposited } from "../../kinds/Deposit.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { Policy, RuleSet } from "../../language/Policy.js"
import * as FirstDay from "./FirstDay.js"
import * as StartNeeds from "./StartNeeds.js"

/** Deposits since the day's beginning, or for longer. */
export interface Made extends FirstDay.Today {
  readonly deposited: ReadonlyArray<Deposited>
  /** How far back the store's memory of deposits goes; absent where there is no store to forget anything. */
  readonly memory?: FirstDay.Memory
  /** Milliseconds that the clock which says what day it is, is ahead of the marketplace's; absent where they agree. */
  readonly aheadMs?: number
}

/** So long a balance may go on showing money that has been paid out: as old as it may be, and as late as it is shown. */
export const settlingMs = 20 * 60_000

/** Amount of a deposit, kopecks; of other changes 0. */
export const amount = (change: Pick<Change, "kind" | "after" | "before">): number =>
  Kinds.paysOf(change)?.amount(change) ?? 0

/** What goes, at most one for each campaign, and what holds others. */
export interface Settled {
  readonly goes: ReadonlySet<Change>
  readonly held: ReadonlyMap<Change, HeldReason>
}

/**
 * Which deposits go, and what holds the others; `changes` in the order in which they may take what is left. Several may want the very
 * same of one campaign: then the first that may is made. A deposit counts for all policies that want it, whoever makes it.
 */
export const settle = (changes: ReadonlyArray<Change>, rules: RuleSet, made: Made | undefined): Settled => {
  const deposits = changes.filter(Kinds.isPayment)
  const all = (because: HeldReason): Settled => ({
    goes: new Set(),
    held: new Map(deposits.map((change) => [change, because]))
  })
  if (made === undefined) return all({ code: "deposits_unknown" })
  const { aheadMs, memory } = made
  // By another clock it may be another day, on which all of it could be made again.
  if (aheadMs !== undefined) return all({ code: "clock_apart", aheadMs })
  const forgetful = memory === undefined ? undefined : FirstDay.verdict(memory, made)
  if (forgetful !== undefined) return all(forgetful)
  const sums = new Sums(FirstDay.beside(memory))
  for (const one of made.deposited) {
    if (one.at >= made.dayStartMs) sums.add(one, ["slot", "policy", "account"])
    if (one.at > made.nowMs - settlingMs) sums.add(one, ["source"])
  }
  const held = new Map<Change, HeldReason>()
  const goes = new Set<Change>()
  const slots = new Set<string>()
  for (const change of deposits) {
    const one = asDeposited(change)
    if (slots.has(one.slot)) continue
    const policy = rules.policies.find(({ id }) => id === change.origin.name)
    const bound = boundsOf(change, policy, rules).find(
      ({ kopecks, of }) => sums.of(one, of) + one.kopecks > kopecks
    )
    if (bound === undefined) {
      sums.add(one, ["slot", "policy", "account", "source"])
      goes.add(change)
      slots.add(one.slot)
    } else held.set(change, verdict(bound, sums, one))
  }
  return { goes, held }
}

/** What campaigns are by now; their budgets, of those that were asked for. */
export interface Now {
  readonly campaigns: Table
  readonly budgets?: StartNeeds.Budgets
}

/**
 * Holds a payment to a campaign that ran when it was planned and that somebody has stopped, ended or deleted since: a yes may come hours
 * later, and money that was paid in stays in it. One without money stands still by itself, and that is what a deposit is for.
 */
export const stopped = (change: Change, { budgets, campaigns }: Now): HeldReason | undefined => {
  if (Kinds.paysOf(change)?.status(change) !== "active") return undefined
  const status = statusOf(change, campaigns)
  if (status === "active") return undefined
  const { campaignId } = change.subject
  const kopecks = campaignId === undefined ? undefined : budgets?.get(campaignId)
  if (status === "paused" && kopecks !== undefined && kopecks < StartNeeds.leastKopecks) return undefined
  return { code: "campaign_stopped", ...(status === undefined ? {} : { status }) }
}

/** Campaigns whose budgets say whether a person paused them, or that they ran out of money. */
export const doubtful = (changes: ReadonlyArray<Change>, campaigns: Table): ReadonlyArray<CampaignId> =>
  changes.flatMap((change) =>
    Kinds.paysOf(change)?.status(change) === "active" && statusOf(change, campaigns) === "paused"
      ? (change.subject.campaignId ?? [])
      : []
  )

const statusOf = ({ subject }: Change, campaigns: Table): string | undefined => {
  const row = campaigns.indexOf(subject)
  const cell = row === undefined ? undefined : campaigns.get(row, "campaign.status")
  return cell?._tag === "Known" ? String(cell.value) : undefined
}

/** What a limit adds up: deposits to one campaign, of one policy, of the account, or from one purse. */
type Group = "slot" | "policy" | "account" | "source"

class Sums {
  private readonly kopecks = new Map<string, number>()

  /** `listedKopecks` may have gone to any campaign by any rule. */
  constructor(private readonly listedKopecks: number) {}

  add(one: Omit<Deposited, "at">, groups: ReadonlyArray<Group>): void {
    for (const name of groups.flatMap((group) => namesOf(one, group)))
      this.kopecks.set(name, this.own(name) + one.kopecks)
  }

  /** Of the group that this deposit belongs to. */
  of(one: Omit<Deposited, "at">, group: Group): number {
    return this.own(namesOf(one, group)[0]!) + this.listedIn(group)
  }

  /** The part of it that the marketplace lists and the store does not know. A balance has lost it already. */
  listedIn(group: Group): number {
    return group === "source" ? 0 : this.listedKopecks
  }

  private own(name: string): number {
    return this.kopecks.get(name) ?? 0
  }
}

/** The sums that a deposit counts in; of the policies first that of its own. */
const namesOf = (
  { agreed = [], from, policy, slot }: Omit<Deposited, "at">,
  group: Group
): ReadonlyArray<string> => {
  switch (group) {
    case "slot":
      return [`slot ${slot}`]
    case "policy":
      return [policy, ...agreed].map((one) => `policy ${one}`)
    case "account":
      return ["account"]
    case "source":
      return [`source ${from}`]
  }
}

type Limit = "money_per_day" | "policy_money_per_day" | "balance"

interface Bound {
  readonly by: Limit
  /** Of a limit where it is written, of a balance which one it is. */
  readonly place: string
  readonly kopecks: number
  readonly of: Group
}

const boundsOf = (change: Change, policy: Policy | undefined, { limits }: RuleSet): ReadonlyArray<Bound> => {
  const { moneyPerDayKopecks: perCampaign, policyMoneyPerDayKopecks: ofPolicy } = policy?.limits ?? {}
  const bound = (by: Limit, place: string, kopecks: number | undefined, of: Group): ReadonlyArray<Bound> =>
    kopecks === undefined ? [] : [{ by, place, kopecks, of }]
  return [
    // A deposit without a limit of its own was never checked: nothing may go.
    ...bound("money_per_day", `${policy?.file} limits.money_per_day`, perCampaign ?? 0, "slot"),
    ...bound("policy_money_per_day", `${policy?.file} limits.policy_money_per_day`, ofPolicy, "policy"),
    ...bound(
      "money_per_day",
      "_shared/limits.yaml account.money_per_day",
      limits.moneyPerDayKopecks,
      "account"
    ),
    ...bound(
      "balance",
      `${Kinds.moneySourceOf(change)}`,
      Kinds.paysOf(change)?.available(change) ?? 0,
      "source"
    )
  ]
}

const verdict = ({ by, kopecks, of, place }: Bound, sums: Sums, one: Omit<Deposited, "at">): HeldReason => {
  const figures = {
    kopecks,
    beforeKopecks: sums.of(one, of),
    listedKopecks: sums.listedIn(of),
    moreKopecks: one.kopecks
  }
  return by === "balance" ? { code: by, from: place, ...figures } : { code: by, where: place, ...figures }
}

/** A change as what it pays in, all but when. */
export const asDeposited = (change: Change): Omit<Deposited, "at"> => ({
  slot: Kinds.slotOf(change),
  policy: change.origin.name,
  ...(change.agreed === undefined ? {} : { agreed: change.agreed }),
  kopecks: amount(change),
  from: Kinds.moneySourceOf(change)
})
