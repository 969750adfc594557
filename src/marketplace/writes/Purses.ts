/** The money around a deposit: the account's sources, the campaign's budget, and what it was charged. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"
import type { Purse } from "../../engine/kinds/DepositProof.js"
import type * as Finance from "../../services/areas/advertising/Finance.js"

/** Undefined when any of it could not be read: half a proof is none. Charges count from the day `spentFrom`. */
export const read = (
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
