/** Seed 001 "Finances". Amounts are whole roubles. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Moscow from "../Moscow.js"
import { status } from "../market/Blueprint.js"
import * as Costs from "../market/Costs.js"
import * as Purse from "../market/Purse.js"
import * as Statistics from "../market/Statistics.js"
import type * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

/** Least deposit, roubles, and the share of it that promo bonuses may pay. */
const leastDeposit = 1000
const cashbackPercent = 30
const sources = { 0: "balance", 1: "net", 3: "bonus" } as const

export const handlers: Call.Handlers<
  "getBalance" | "getCampaignBudget" | "depositCampaignBudget" | "getCostHistory" | "getPaymentHistory"
> = {
  getBalance: (call) => {
    const { balance, net, bonus, cashback } = Timeline.at(call.world.balance, call.nowMs)
    const expires = Moscow.utcText(call.world.originMs + 30 * 86_400_000)
    const cashbacks =
      cashback === 0 ? null : [{ sum: cashback, percent: cashbackPercent, expiration_date: expires }]
    return Either.right(Answer.json({ balance, net, currency: "RUB", bonus, cashbacks }))
  },

  getCampaignBudget: (call) =>
    Either.map(Call.campaign(call, call.query.id), (campaign) =>
      Answer.json({ cash: 0, netting: 0, total: Purse.leftRoubles(campaign.purse), currency: "RUB" })
    ),

  depositCampaignBudget: (call) =>
    Either.gen(function* () {
      const campaign = yield* Call.campaign(call, call.query.id)
      const after = yield* paid(call, campaign)
      const effectiveAt = call.nowMs + Timeline.delays.database
      const before = Purse.promisedRoubles(campaign.purse)
      Timeline.write(call.world.balance, call.nowMs, Timeline.delays.database, after)
      campaign.purse.deposits.push({ at: effectiveAt, kopecks: call.payload.sum * 100 })
      call.world.paid.push({ at: effectiveAt, roubles: call.payload.sum, type: call.payload.type })
      const total = before + call.payload.sum
      Call.record(call, {
        slot: "budget",
        target: { campaignId: campaign.id },
        before,
        after: total,
        effectiveAt
      })
      return call.payload.return === true ? Answer.json({ total, currency: "RUB" }) : Answer.empty()
    }),

  getCostHistory: (call) => {
    const days = Statistics.daysOf(call.query.from, call.query.to, 31)
    return days === undefined
      ? Either.left(refuse(400, "the period must be 1 to 31 days"))
      : Either.right(Answer.json(Costs.rows(call, days)))
  },

  /** 204 when there is nothing (field note M32). */
  getPaymentHistory: (call) => {
    const to = call.query.to ?? Moscow.dayText(Moscow.dayOf(call.nowMs))
    const last = Moscow.parseDay(to)
    const from = call.query.from ?? (last === undefined ? to : Moscow.dayText(last - 30))
    const days = Statistics.daysOf(from, to, 31)
    if (days === undefined) return Either.left(refuse(400, "the period must be 1 to 31 days"))
    const rows = Costs.topUps(call.world, call.nowMs).filter(({ day }) => day >= days.from && day <= days.to)
    return Either.right(rows.length === 0 ? Answer.empty(204) : Answer.json(rows.map(({ row }) => row)))
  }
}

/** The account after paying a deposit; the left side when it cannot be paid. */
const paid = (
  call: Call.Call<"depositCampaignBudget">,
  campaign: World.Campaign
): Either.Either<World.Balance, Refusal> => {
  const { sum, cashback_sum = 0, cashback_percent, type } = call.payload
  const now = Timeline.latest(campaign.status)
  if (![status.ready, status.active, status.paused].some((s) => s === now))
    return Either.left(refuse(400, "invalid campaign status"))
  if (sum < leastDeposit) return Either.left(refuse(400, `the sum must be at least ${leastDeposit}`))
  const before = Timeline.latest(call.world.balance)
  if (cashback_sum > 0 && cashback_percent !== cashbackPercent)
    return Either.left(refuse(400, "cashback_percent is not among the percents of the balance"))
  if (cashback_sum > Math.min(before.cashback, Math.floor((sum * cashbackPercent) / 100)))
    return Either.left(refuse(400, "cashback_sum is more than the promo bonuses may pay"))
  const source = sources[type]
  const due = sum - cashback_sum
  if (before[source] < due) return Either.left(refuse(400, "not enough money on the chosen source"))
  return Either.right({
    ...before,
    [source]: before[source] - due,
    cashback: before.cashback - cashback_sum
  })
}
