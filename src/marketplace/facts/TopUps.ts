/** What was paid in, by the marketplace's own list (seed 001 "Finances", field note M32). */
import * as Effect from "effect/Effect"
import type * as Days from "../../domain/Days.js"
import * as Money from "../../domain/Money.js"
import type { PaidIn } from "../../engine/run/Ports.js"
import type * as Finance from "../../services/areas/Finance.js"
import * as ReportStatus from "../../services/areas/ReportStatus.js"

/**
 * Payments of these days that may be deposits to campaigns, or why they could not be read: half a list is none, and
 * neither is one with a sum left out. What a card paid went to the account, and what the marketplace calls an error was not paid.
 */
export const read = (
  finance: ReturnType<typeof Finance.make>,
  days: Days.DayRange
): Effect.Effect<ReadonlyArray<PaidIn> | { readonly unread: string }> =>
  Effect.map(finance.payments(days), ({ failures, values }) => {
    const [failed] = failures
    if (failed !== undefined) return { unread: failed.error.message }
    const paid: Array<PaidIn> = []
    for (const { cardStatus = "", paidAt, processed, sumRoubles, type } of values) {
      if (processed === false || (type === card && cardStatus !== "")) continue
      if (sumRoubles === undefined) return { unread: "a payment was listed without its sum" }
      paid.push({ kopecks: Money.toKopecks(sumRoubles), at: ReportStatus.moscowTime(paidAt) })
    }
    return paid
  })

/** Bonuses have the same number as a source of deposits, and no card. */
const card = 3
