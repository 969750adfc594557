/**
 * Campaigns that stand still while a budget is shared out, and will spend of it all the same: a rule starts them in this very plan, or paused them and lets
 * them go on by itself. A rule over active campaigns does not see them, and shared out their money too (decision 0125).
 */
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import * as Window from "../../../domain/Window.js"
import * as Charges from "../../facts/Charges.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as FactRefs from "../../facts/FactRefs.js"
import { False } from "../../facts/Kleene.js"
import * as Print from "../../facts/Print.js"
import { factKey, type Table } from "../../facts/Table.js"
import * as Deposit from "../../kinds/Deposit.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import * as Status from "../../kinds/Status.js"
import { acts } from "../../language/Mode.js"
import type { Clause, Condition, Optimise, Policy } from "../../language/Policy.js"
import type { Ground, Intent } from "../intents/Intent.js"
import type { Notice } from "../Plan.js"
import type { UnknownReason } from "../RowReason.js"
import * as Past from "./Past.js"

/** How each of them comes to spend: a pause that stands was written at `pausedAt`, epoch milliseconds; `funded`: money comes, which starts nothing. */
export type Coming = ReadonlyMap<CampaignId, Way>

type Way = "started" | "funded" | { readonly pausedAt: number }

/** By what the rules of one run want, and by pauses that stand. What is only shown starts nothing. */
export const of = (
  intents: ReadonlyArray<Intent>,
  slots: ReadonlyMap<string, SlotHistory>,
  policies: ReadonlyArray<Policy>
): Coming => {
  const found = new Map<CampaignId, Way>()
  const resuming = new Set(
    policies.filter((one) => acts(one) && one.rules.some(resumes)).map(({ id }) => `${id}`)
  )
  for (const { lastWritten, slot } of slots.values()) {
    if (!slot.startsWith(`${Status.prefix}:`) || lastWritten?.after !== "paused") continue
    const campaignId = Kinds.targetOf(slot)?.campaignId
    if (campaignId !== undefined && resuming.has(lastWritten.policy))
      found.set(campaignId, { pausedAt: lastWritten.at })
  }
  const fund = (campaignId: CampaignId | undefined) => {
    if (campaignId !== undefined && !found.has(campaignId)) found.set(campaignId, "funded")
  }
  for (const { pendingSince, slot } of slots.values())
    if (pendingSince !== undefined && slot.startsWith(`${Deposit.prefix}:`))
      fund(Kinds.targetOf(slot)?.campaignId)
  for (const { ground, outcome, target } of intents) {
    const { campaignId } = target
    if (campaignId === undefined || outcome._tag !== "Move" || !acts(ground.policy)) continue
    if (outcome.setting.kind === Status.name && outcome.setting.after === "active")
      found.set(campaignId, "started")
    if (outcome.setting.kind === Deposit.name) fund(campaignId)
  }
  return found
}

const resumes = ({ action }: Policy["rules"][number]): boolean =>
  action._tag === "Revert" || action._tag === "Start"

/** What is kept of the account's budget for them, kopecks a day. */
export interface Kept {
  readonly kopecks: number
  /** Why nobody knows how much one of them will spend. */
  readonly unknown: UnknownReason | undefined
  readonly notices: ReadonlyArray<Notice>
}

const none: Kept = { kopecks: 0, unknown: undefined, notices: [] }

/** Of a rule with one budget for all, whose campaigns `own` are. One of a campaign's own pays for nothing else. */
export const kept = (
  { budgetOf, window }: Optimise,
  own: readonly [Ground, ...ReadonlyArray<Ground>],
  coming: Coming,
  past: Past.Past
): Kept => {
  if (budgetOf !== "account") return none
  const [ground] = own
  const { policy, sign, table } = ground
  const seen = new Set(own.map(({ target }) => target.campaignId))
  const found = { kopecks: 0, unknown: none.unknown, notices: [] as Notice[] }
  for (const [campaignId, way] of coming) {
    if (way === "funded") continue
    const row = seen.has(campaignId) ? undefined : table.indexOf({ campaignId })
    if (row === undefined || !isOf(ground, row)) continue
    const range = Window.resolve(window, ground.nowMs)
    const need = needOf(campaignId, way, row, { ground, window, range, past })
    if (need._tag === "Unknown") {
      found.unknown ??= { code: "spend_to_come_unknown", campaignId }
      continue
    }
    if (need._tag === "Daily") found.kopecks += need.kopecks
    const name = table.get(row, "campaign.name")
    found.notices.push({
      policy: policy.id,
      subject: { campaignId },
      campaignName: name._tag === "Known" ? String(name.value) : "",
      text:
        need._tag === "Rested"
          ? "nothing of the account's budget is kept for it until it goes on: a rule has paused it for longer than this one looks back"
          : `${Print.money(need.kopecks, sign)} a day of the account's budget are kept for it: ${way === "started" ? "this plan starts it" : "its pause ends by itself"}`
    })
  }
  return found
}

/** Whether a campaign would be the rule's if it were active. What nobody knows may be. */
const isOf = ({ policy, rule, table }: Ground, row: number): boolean => {
  const status = table.get(row, "campaign.status")
  if (status._tag === "Known" && status.value === "active") return false
  return [...policy.where, ...rule.when].every(({ condition }: Clause) => mayHold(condition, table, row))
}

const mayHold = (condition: Condition, table: Table, row: number): boolean => {
  if (condition._tag === "And") return condition.all.every((one) => mayHold(one, table, row))
  if (condition._tag === "Or") return condition.any.some((one) => mayHold(one, table, row))
  if (FactRefs.ofCondition(condition).some(({ id }) => id === "campaign.status")) return true
  return Evaluate.condition(condition, table, [row]).truth[0] !== False
}

/** What is kept for one of them: kopecks a day, nothing as long as its rule has had it rest throughout the window, or nobody knows. */
type Need =
  | { readonly _tag: "Daily"; readonly kopecks: number }
  | { readonly _tag: "Rested" }
  | { readonly _tag: "Unknown" }

const needOf = (campaignId: CampaignId, way: Exclude<Way, "funded">, row: number, looking: Looking): Need => {
  if (way !== "started" && way.pausedAt <= Days.startOfMarket(looking.range.from)) return { _tag: "Rested" }
  const kopecks = dailySpend(campaignId, row, looking)
  return kopecks === undefined ? { _tag: "Unknown" } : { _tag: "Daily", kopecks }
}

/**
 * What it was charged, or what its statistics tell where that is more, by the days of the window in which no rule had paused it; and what
 * the rule itself has expected of bids and minus phrases since. Nothing proves that it will spend nothing.
 */
const dailySpend = (
  campaignId: CampaignId,
  row: number,
  { ground, past: { charges, pauses, steps }, range, window }: Looking
): number | undefined => {
  const toMs = Days.startOfMarket(Days.shift(range.to, 1))
  const daysSince = (fromMs: number): number =>
    (toMs - fromMs) / Days.dayMs - Past.overlapDays(pauses.get(campaignId) ?? [], { fromMs, toMs })
  const fromMs = Days.startOfMarket(range.from)
  const days = daysSince(fromMs)
  const told = ground.table.get(row, factKey({ id: "campaign.spend", window }))
  const spent = Math.max(
    charges.get(Charges.keyOf(range))?.get(campaignId)?.kopecks ?? 0,
    told._tag === "Known" ? Number(told.value) : 0
  )
  if (days < 1 || !(spent > 0)) return undefined
  const more = (steps.get(campaignId) ?? []).reduce((sum, { atMs, moreKopecks }) => {
    const isTold = atMs >= toMs ? 0 : daysSince(Math.max(atMs, fromMs)) / days
    return sum + moreKopecks * (1 - isTold)
  }, 0)
  return Math.max(0, Math.ceil(spent / days + more))
}

interface Looking {
  readonly ground: Ground
  readonly window: Optimise["window"]
  readonly range: Days.DayRange
  readonly past: Past.Past
}
