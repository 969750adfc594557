/** What was deposited today, for the limits of a plan: by the journal, and by the marketplace's list where it forgets. */

import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Deposits from "../decide/limits/Deposits.js"
import * as FirstDay from "../decide/limits/FirstDay.js"
import { Journal } from "../door/Journal.js"
import { FactSource } from "../gather/FactSource.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { RuleSet } from "../language/Policy.js"
import { RuleMemory } from "./RuleMemory.js"

/**
 * Deposits that count against the day's limits, and those that the balance may not show yet. Asks the marketplace (one
 * call) only when the store does not know the whole day and one of these changes could go.
 */
export const read = (
  changes: ReadonlyArray<Change>,
  rules: RuleSet,
  nowMs: number,
  zone: string
): Effect.Effect<Deposits.Made, StoreFailure, Journal | RuleMemory | FactSource> =>
  Effect.gen(function* () {
    const { account, clockAheadMs } = yield* FactSource
    const aheadMs = yield* clockAheadMs ?? Effect.succeed(undefined)
    const journal = yield* Journal
    const dayStartMs = startOfDay(nowMs, zone)
    const deposited = yield* journal.deposits(account, dayStartMs - Deposits.settlingMs)
    const memory: FirstDay.Memory = {
      account,
      zone,
      ...(yield* (yield* RuleMemory).depositMemory(account, nowMs))
    }
    const made = { dayStartMs, nowMs, deposited, memory, ...(aheadMs === undefined ? {} : { aheadMs }) }
    if (!FirstDay.needsList(memory, made)) return made
    const atBest = { ...made, memory: { ...memory, listed: { kopecks: 0 } } }
    const deposits = changes.filter(Kinds.isPayment)
    if (Deposits.settle(deposits, rules, atBest).goes.size === 0) return atBest
    return { ...made, memory: { ...memory, listed: yield* listed(made) } }
  })

/** What the marketplace lists of today and the journal does not know; or why it could not be read. */
const listed = ({
  dayStartMs,
  deposited,
  nowMs
}: Deposits.Made): Effect.Effect<FirstDay.Listed, never, FactSource> =>
  Effect.gen(function* () {
    const { topUps } = yield* FactSource
    if (topUps === undefined) return { unread: "nobody can be asked" }
    const found = yield* topUps({ from: Days.ofMarket(dayStartMs), to: Days.ofMarket(nowMs) })
    return "unread" in found ? found : { kopecks: FirstDay.unknownKopecks(found, deposited, { dayStartMs }) }
  })

/** Epoch milliseconds at which the business day began. */
export const startOfDay = (nowMs: number, zone: string): number =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.unsafeMakeZoned(nowMs, { timeZone: zone }), "day"))
