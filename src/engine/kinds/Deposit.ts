/** Money for a campaign's budget (seed 001, `budget/deposit`): paid once, ever, and never taken back. */
import * as Ids from "../../domain/Ids.js"
import { format, Kopecks } from "../../domain/Money.js"
import type { Target } from "../../domain/Target.js"
import type { Change, Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"
import type { MoneySource } from "./Parts.js"

export const name = "campaign_deposit" as const
export const prefix = "deposit"

export const slot = ({ campaignId }: Pick<Target, "campaignId">): string => `${prefix}:${campaignId}`

/** Amount of a deposit, kopecks. */
const amount = ({ after, before }: Pick<Change, "after" | "before">): number => Number(after) - Number(before)

const sources: Readonly<Record<MoneySource, string>> = {
  balance: "the balance",
  net: "the settlement limit",
  bonus: "the bonuses"
}

/** `from the balance`, or `(700 ₽ from the balance, 300 ₽ from promo bonuses)`. */
const payers = (change: Pick<Of<typeof name>, "after" | "before" | "details">, sign: string): string => {
  const { cashbackKopecks = 0, from } = change.details
  if (cashbackKopecks === 0) return `from ${sources[from]}`
  const rest = print(amount(change) - cashbackKopecks, sign)
  return `(${rest} from ${sources[from]}, ${print(cashbackKopecks, sign)} from promo bonuses)`
}

const forGood = "money that was paid in stays in the campaign"

const print: Kind["print"] = (value, sign) => format(Kopecks(Number(value)), sign)

/** A deposit that left, or may have left, this machine and was not refused. */
export interface Deposited {
  readonly slot: string
  readonly policy: string
  /** Other policies that wanted it; absent where there is none. */
  readonly agreed?: ReadonlyArray<string>
  readonly kopecks: number
  readonly from: MoneySource
  /** Epoch milliseconds. */
  readonly at: number
}

/** How a person settles a deposit that nothing else can, of a run. */
export const resolveWith = (runId: string, { id }: Pick<Change, "id">): string =>
  `bidhelm resolve ${runId} ${Ids.shortChange(id)} --paid, or --not-paid`

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.campaignOf,
  shownBy: () => ({ each: "campaign", fact: "campaign.budget" }),
  // A budget falls by itself, so that no value of it is anybody's edit.
  live: () => undefined,
  leaves: ({ after }) => ({ "campaign.budget": after }),
  order: 0,
  writeClass: "D",
  // The money may take until `DepositProof.decideMs` and two readings more.
  deadlineMs: deadlines.database + 2 * 60_000,
  operations: () => ["depositCampaignBudget"],
  // Only more money than the plan saw speaks against a deposit.
  compare: ({ before }, { value }) =>
    Number(value) <= Number(before)
      ? { _tag: "Before" }
      : {
          _tag: "Other",
          reason: { code: "budget_grown", was: before, now: value }
        },
  pays: {
    amount,
    source: ({ details }) => details.from,
    available: ({ details }) => details.balanceKopecks,
    cashback: ({ details }) => details.cashbackKopecks ?? 0,
    status: ({ details }) => details.status,
    open:
      "an earlier deposit to this campaign may or may not have been paid, and none is sent until that is known: " +
      "compare the campaign's budget with its top-ups, see bidhelm history"
  },
  isSteered: false,
  isDearer: () => true,
  // Of deposits the largest, not the sum.
  price: ({ after }) => 0 - Number(after),
  unforeseen: "a deposit is no spend until the campaign spends it",
  risk: "irreversible",
  yieldsTo: ({ subject: target }) => `money of ${target.campaignId}`,
  irreversible: () => forGood,
  inverse: () => forGood,
  backwards: () => "deposit",
  print,
  effect: (change, sign) => {
    const bare = format(Kopecks(Number(change.before)), "").trim()
    return `deposit ${print(amount(change), sign)} ${payers(change, sign)} (budget ${bare} → ${print(change.after, sign)})`
  }
}
