/**
 * Deposits: one campaign a request, sent once and never again (field note M28). Only the new total in the answer proves
 * one; without it nobody knows, and a person must look.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"
import * as Money from "../../domain/Money.js"
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import * as Deposits from "../../engine/decide/limits/Deposits.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import type { AdChange } from "../../engine/kinds/Change.js"
import type { Purse } from "../../engine/kinds/DepositProof.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import type { Live } from "../../engine/kinds/Seen.js"
import * as Finance from "../../services/areas/advertising/Finance.js"
import type { Client } from "../../services/MarketplaceClient.js"
import * as Outcomes from "./Outcomes.js"

/** The marketplace's words for the seller's (seed 001: type 0 account, 1 balance, 3 bonuses). */
const sources = { balance: "account", net: "balance", bonus: "bonuses" } as const

export const batches = (
  finance: ReturnType<typeof Finance.make>,
  changes: ReadonlyArray<AdChange>
): ReadonlyArray<WriteBatch> =>
  changes.map((change) => {
    const target = change.subject
    const from = Kinds.moneySourceOf(change)
    const kopecks = Deposits.amount(change)
    const body = { id: target.campaignId, kopecks, from }
    if (kopecks <= 0 || kopecks % 100 !== 0) {
      const refused: WriteOutcome = {
        _tag: "NotSent",
        reason: OutcomeReason.of("malformed")
      }
      return Outcomes.batch(operation, [change], body, Effect.succeed(Outcomes.forAll([change], refused)))
    }
    const sumRoubles = Money.Roubles(kopecks / 100)
    return Outcomes.batch(
      operation,
      [change],
      body,
      finance.deposit(target.campaignId, { sumRoubles, source: sources[from] }).pipe(
        Effect.map((total) => outcome(total, sumRoubles)),
        Effect.catchAll((error) => Effect.succeed(Outcomes.ofError(error))),
        Effect.map((one) => Outcomes.forAll([change], one))
      )
    )
  })

const operation = "depositCampaignBudget"

/** What a deposit pays. */
export const sum = (change: AdChange): Money.Roubles => Money.Roubles(Deposits.amount(change) / 100)

/** A new total that does not hold what was paid proves nothing. */
export const outcome = (total: Money.Roubles | undefined, sum: Money.Roubles): WriteOutcome =>
  total !== undefined && total >= sum
    ? Outcomes.accepted
    : {
        _tag: "Unknown",
        reason:
          total === undefined
            ? OutcomeReason.of("budget_not_answered")
            : { code: "budget_too_small", kopecks: Money.toKopecks(total) }
      }

/** Budgets of the deposits' campaigns as they are now, by campaign. */
export const budgets = (
  client: Client,
  changes: ReadonlyArray<AdChange>
): Effect.Effect<(change: AdChange) => Live> => {
  const ids: ReadonlyArray<CampaignId> = [...new Set(changes.map(({ subject: target }) => target.campaignId))]
  return Effect.map(Finance.make(client).budgets(ids), ({ failures, values }) => {
    const found = new Map<CampaignId, Live>(
      failures.flatMap(({ error, keys }) => keys.map((id) => [id, Outcomes.unreadable(error)] as const))
    )
    for (const { campaignId, totalRoubles } of values) {
      if (totalRoubles !== undefined)
        found.set(campaignId, { _tag: "Value", value: Money.toKopecks(totalRoubles) })
    }
    return ({ subject: target }) =>
      found.get(target.campaignId) ?? Outcomes.unreadable("the campaign's budget was not answered")
  })
}

/**
 * The money around a deposit: the account's sources, the campaign's budget, and what it was charged. Undefined when any of it
 * could not be read: half a proof is none. Charges count from the day `spentFrom`.
 */
export const purse = (
  finance: ReturnType<typeof Finance.make>,
  campaignId: CampaignId,
  spentFrom?: string
): Effect.Effect<Purse | undefined> =>
  Effect.gen(function* () {
    const today = Days.ofMarket(yield* Clock.currentTimeMillis)
    const from = spentFrom === undefined ? today : Days.Day(spentFrom)
    // The scarcest first: with some tokens each waits for its own limit, and all three must tell of about one moment.
    const charges = yield* finance.costHistory({ from, to: today })
    const { balanceRoubles, bonusRoubles, netRoubles } = yield* finance.balance
    const budget = yield* finance.budget(campaignId)
    const budgetRoubles = budget.totalRoubles
    if (
      budgetRoubles === undefined ||
      balanceRoubles === undefined ||
      netRoubles === undefined ||
      bonusRoubles === undefined ||
      charges.failures.length > 0
    ) {
      return undefined
    }
    const own = charges.values.filter((row) => row.campaignId === campaignId)
    if (own.some((row) => row.sumRoubles === undefined)) return undefined
    const spentRoubles = own.reduce((sum, row) => sum + (row.sumRoubles ?? 0), 0)
    return { balanceRoubles, netRoubles, bonusRoubles, budgetRoubles, spentRoubles, spentFrom: from }
  }).pipe(Effect.orElseSucceed(() => undefined))
