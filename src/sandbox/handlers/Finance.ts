/** Seed 001 "Finances". Amounts are whole roubles. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import type { Context } from "../Call.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import { status } from "../market/Blueprint.js"
import * as Purse from "../market/Purse.js"
import * as Statistics from "../market/Statistics.js"
import * as Traffic from "../market/Traffic.js"
import * as World from "../market/World.js"
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
      : Either.right(Answer.json(costRows(call, days)))
  },

  /** 204 when there is nothing (field note M32). */
  getPaymentHistory: (call) => {
    const to = call.query.to ?? Moscow.dayText(Moscow.dayOf(call.nowMs))
    const last = Moscow.parseDay(to)
    const from = call.query.from ?? (last === undefined ? to : Moscow.dayText(last - 30))
    const days = Statistics.daysOf(from, to, 31)
    if (days === undefined) return Either.left(refuse(400, "the period must be 1 to 31 days"))
    const rows = topUps(call.world, call.nowMs).filter(({ day }) => day >= days.from && day <= days.to)
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

// Documents of money: what campaigns cost by day, and top-ups of the account.

/** Rows of the cost history by day and campaign; today's have no document yet (field note M31). */
const costRows = (context: Context, days: Statistics.Days) => {
  const today = Moscow.dayOf(context.nowMs)
  const found = Array.from({ length: World.count(context.world) }, (_, i) => i).flatMap((index) => {
    const campaign = World.campaign(context.world, World.nativeId(context.world, index))
    return campaign === undefined ? [] : ofCampaign(context, campaign, days)
  })
  return found
    .sort((a, b) => a.day - b.day || a.campaign.id - b.campaign.id)
    .map(({ campaign, day, kopecks }) => ({
      updNum: day === today ? 0 : 10_000 + (Dice.uint(Dice.roll(campaign.id, 701, day)) % 1_000_000),
      updTime: day === today ? null : Moscow.timeText(Moscow.startOf(day + 1) - 60_000),
      updSum: Math.round(kopecks / 100),
      advertId: campaign.id,
      campName: Timeline.at(campaign.name, context.nowMs),
      advertType: 9,
      paymentType: "Баланс",
      advertStatus: Timeline.at(campaign.status, context.nowMs),
      currency: "RUB"
    }))
    .filter((row) => row.updSum > 0)
}

const ofCampaign = (context: Context, campaign: World.Campaign, days: Statistics.Days) => {
  Purse.settle(context.world, campaign, context.nowMs)
  const spent = new Map<number, number>()
  for (const itemId of new Set(campaign.items.steps.flatMap((step) => step.value))) {
    const item = World.item(context.world, itemId)
    for (const traffic of Traffic.streams(item))
      for (const { day, totals } of Statistics.byDay(context, campaign, item, traffic, days))
        spent.set(day, (spent.get(day) ?? 0) + totals.spend)
  }
  return [...spent].map(([day, kopecks]) => ({ campaign, day, kopecks }))
}

const topUpCount = 8

/** Top-ups, newest first: deposits to campaigns, and before the origin by card to the account, one every nine days. */
const topUps = (world: World.World, nowMs: number) => [...deposits(world, nowMs).reverse(), ...byCard(world)]

/** Once the database has them. No campaign is named beside them (seed 001, "top-up history row"). */
const deposits = (world: World.World, nowMs: number) =>
  world.paid
    .map(({ at, roubles, type }, i) => ({
      at,
      day: Moscow.dayOf(at),
      row: {
        id: 60_000_001 + i,
        date: Moscow.timeText(at).slice(0, 19),
        sum: roubles,
        type,
        statusId: 1,
        cardStatus: "",
        currency: "RUB"
      }
    }))
    .filter(({ at }) => at <= nowMs)

const byCard = (world: World.World) =>
  Array.from({ length: topUpCount }, (_, i) => {
    const day = Moscow.dayOf(world.originMs) - 3 - 9 * i
    const hash = Dice.roll(world.seed, 702, i)
    return {
      day,
      row: {
        id: 50_000_001 + topUpCount - i,
        date: Moscow.timeText(Moscow.startOf(day) + 10 * 3_600_000 + (Dice.uint(hash) % 3_600_000)).slice(
          0,
          19
        ),
        sum: 1000 * Math.round(Dice.between(Dice.mix(hash, 1), 20, 60)),
        type: 3,
        statusId: 1,
        cardStatus: "success",
        currency: "RUB"
      }
    }
  })
