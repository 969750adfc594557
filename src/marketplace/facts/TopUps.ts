/** Top-ups by the marketplace's own list (seed 001 "Finances", field note M32). */
import * as Effect from "effect/Effect"
import type * as Days from "../../domain/Days.js"
import * as Money from "../../domain/Money.js"
import type { TopUp } from "../../engine/decide/limits/FirstDay.js"
import type * as Finance from "../../services/areas/advertising/Finance.js"
import * as ReportTask from "../../services/areas/reports/ReportTask.js"
import { isLimit } from "../../services/MarketplaceError.js"

type Payment = Effect.Effect.Success<
  ReturnType<ReturnType<typeof Finance.make>["payments"]>
>["values"][number]

/** Why a list cannot be told, and whether that is for a call limit. */
interface Unread {
  readonly unread: string
  readonly isLimited?: boolean
}

/** Those of these days that may have been deposits to campaigns, or why they cannot be told: half a list is none. */
export const read = (
  finance: ReturnType<typeof Finance.make>,
  days: Days.DayRange
): Effect.Effect<ReadonlyArray<TopUp> | Unread> =>
  Effect.map(finance.payments(days), ({ failures, values }) => {
    const [failed] = failures
    return failed === undefined
      ? ofPayments(values)
      : { unread: failed.error.message, isLimited: isLimit(failed.error) }
  })

/** As `read`, of payments that were read. One of them without its sum makes the sum of all unknown. */
export const ofPayments = (payments: ReadonlyArray<Payment>): ReadonlyArray<TopUp> | Unread => {
  const found: Array<TopUp> = []
  for (const payment of payments.filter(mayBeDeposit)) {
    if (payment.sumRoubles === undefined) return { unread: "a top-up is listed without its sum" }
    found.push({
      kopecks: Money.toKopecks(payment.sumRoubles),
      at: ReportTask.moscowTime(payment.paidAt)
    })
  }
  return found
}

/**
 * False of what failed (statusId 0) and of what a card paid to the account (type 3 with a card's status; not-shown gives the
 * same number to bonuses as a source of deposits, which have no card).
 */
export const mayBeDeposit = ({ cardStatus = "", processed, type }: Payment): boolean =>
  processed !== false && !(type === card && cardStatus !== "")

const card = 3
