/**
 * What was deposited today, for the limits of a plan: by the journal, and by the marketplace's own list where the journal
 * may not know all of it. The list names no campaign, so what the journal does not know counts against the account's
 * limit alone, and against every limit in the account's first day.
 */
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Deposits from "../decide/Deposits.js"
import * as FirstDay from "../decide/FirstDay.js"
import type { Change } from "../decide/Plan.js"
import type { AccountLimits } from "../language/Policy.js"
import { Journal } from "./Journal.js"
import { FactSource, type PaidIn } from "./Ports.js"

/** Asks the marketplace only when some of the changes are deposits and a limit would count its answer. */
export const read = (
  changes: ReadonlyArray<Pick<Change, "after" | "before" | "unit">>,
  limits: Pick<AccountLimits, "moneyPerDayKopecks">,
  nowMs: number,
  zone: string
) =>
  Effect.gen(function* () {
    const { account, paidIn } = yield* FactSource
    const journal = yield* Journal
    const dayStartMs = startOfDay(nowMs, zone)
    const since = Math.min(dayStartMs, nowMs - Deposits.settlingMs)
    const deposited = yield* journal.deposits(account, since)
    const known = yield* journal.acquaintance(account, nowMs)
    const firstDay = FirstDay.waiting(account, known, nowMs, zone)
    const made: Deposits.Made = {
      dayStartMs,
      nowMs,
      deposited,
      ...(firstDay === undefined ? {} : { firstDay })
    }
    const isNew = !FirstDay.isOver(known, nowMs, zone)
    const roomKopecks = isNew ? Number.POSITIVE_INFINITY : roomOf(limits, made)
    const mayGo = changes.some(
      (change) => change.unit === "kopecks_deposit" && Deposits.amount(change) <= roomKopecks
    )
    if (!mayGo || firstDay !== undefined || paidIn === undefined) return made
    const listed = yield* paidIn({ from: Days.ofMarket(dayStartMs), to: Days.ofMarket(nowMs) })
    const kopecks = "unread" in listed ? listed : unknownTo(deposited, listed, dayStartMs)
    return { ...made, elsewhere: { kopecks, ofAll: isNew } } satisfies Deposits.Made
  })

/** What the account's limit leaves by the journal alone; nothing where no limit would count the marketplace's list. */
const roomOf = (
  { moneyPerDayKopecks }: Pick<AccountLimits, "moneyPerDayKopecks">,
  { dayStartMs, deposited }: Deposits.Made
): number => {
  if (moneyPerDayKopecks === undefined) return 0
  const today = deposited.filter(({ at }) => at >= dayStartMs)
  return moneyPerDayKopecks - today.reduce((sum, { kopecks }) => sum + kopecks, 0)
}

/** What is listed of the day and has no deposit of the same sum in the journal, kopecks. */
export const unknownTo = (
  deposited: ReadonlyArray<Pick<Deposits.Deposited, "kopecks">>,
  listed: ReadonlyArray<PaidIn>,
  dayStartMs: number
): number => {
  const ours = deposited.map(({ kopecks }) => kopecks)
  let left = 0
  for (const { at, kopecks } of listed) {
    if (at !== undefined && at < dayStartMs) continue
    const place = ours.indexOf(kopecks)
    if (place >= 0) ours.splice(place, 1)
    else left += kopecks
  }
  return left
}

/** Epoch milliseconds at which the business day began. */
export const startOfDay = (nowMs: number, zone: string): number =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.unsafeMakeZoned(nowMs, { timeZone: zone }), "day"))
