/** What `bidhelm reconcile` looks at, and how it says it. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../domain/Days.js"
import { Journal } from "../engine/run/Journal.js"
import * as Lease from "../engine/run/Lease.js"
import * as Reconcile from "../engine/run/Reconcile.js"
import { cleanLine } from "../reporting/Clean.js"
import * as History from "../reporting/History.js"
import { MarketplaceClient } from "../services/MarketplaceClient.js"
import * as AuditSql from "../store/AuditSql.js"
import * as SerialMarker from "../store/SerialMarker.js"
import * as StoreMarks from "../store/StoreMarks.js"
import * as Transaction from "../store/Transaction.js"
import type { Chosen } from "./Account.js"
import * as Holder from "./Holder.js"
import * as Output from "./Output.js"
import * as Store from "./Store.js"

/** Why the account may only be looked at; undefined when it may be written to. */
export const marked = (account: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Transaction.run(sql, "read the marks of the store", StoreMarks.observeOnly(sql, account))
  )

/** Says after a plan that apply would send nothing. */
export const tellMarked = (chosen: Chosen) =>
  Effect.provide(marked(chosen.name), Store.client(chosen.config.store)).pipe(
    Effect.flatMap((mark) =>
      mark === undefined
        ? Effect.void
        : Output.note(`Only looking: ${mark.why}. apply sends nothing until "bidhelm reconcile".`)
    )
  )

/** Top-ups that the marketplace knows of and the journal does not. */
interface TopUp {
  readonly date: string
  readonly sumRoubles: number
}

/** Reads back and compares, under the account's lock; sends nothing. */
export const look = (chosen: Chosen, mark: StoreMarks.ObserveOnly) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* Lease.hold(chosen.name, Holder.name(), Holder.abandoned)
      const compared = yield* Reconcile.run(chosen.name)
      const topUps = yield* Effect.either(strangeTopUps(chosen, mark.at))
      return {
        ...compared,
        topUps: topUps._tag === "Right" ? topUps.right : [],
        topUpsUnread: topUps._tag === "Right" ? undefined : String(topUps.left)
      }
    })
  )

type Found = Effect.Effect.Success<ReturnType<typeof look>>

const dayMs = 86_400_000

/** Processed top-ups of the last 30 days whose sum no deposit of the journal has. */
const strangeTopUps = (chosen: Chosen, atMs: number) =>
  Effect.gen(function* () {
    const { api } = yield* MarketplaceClient
    const journal = yield* Journal
    const nowMs = Math.max(yield* Clock.currentTimeMillis, atMs)
    const today = Days.at(nowMs, chosen.config.timeZone)
    const rows = yield* api.finance.getPaymentHistory({
      urlParams: { from: Days.shift(today, -29), to: today }
    })
    const ours = (yield* journal.deposits(chosen.name, nowMs - 30 * dayMs)).map(({ kopecks }) => kopecks)
    const strange: Array<TopUp> = []
    for (const { date, statusId, sum } of rows) {
      if (sum === undefined) continue
      const at = ours.indexOf(sum * 100)
      if (at >= 0) ours.splice(at, 1)
      else if (statusId === 1) strange.push({ date: date ?? "", sumRoubles: sum })
    }
    return strange
  })

export const print = (found: Found): string => {
  const settled = History.counted(History.countStates(found.settled))
  const differences = [...found.moved, ...found.unread].map(
    ({ slot, why }) => `  ${cleanLine(slot)}: ${cleanLine(why)}`
  )
  return [
    `${found.settled.length} open changes read back${settled === "" ? "" : ` (${settled})`}.`,
    `${found.compared} slots of the last ${Reconcile.comparedDays} days compared: ${found.moved.length} show another value, ${found.unread.length} could not be read.`,
    ...differences,
    found.topUpsUnread === undefined
      ? `${found.topUps.length} top-ups are not in the journal${found.topUps.length === 0 ? "." : "; limits on deposits do not count them:"}`
      : `Top-ups could not be read (${cleanLine(found.topUpsUnread)}): look at them before the next apply.`,
    ...found.topUps.map(({ date, sumRoubles }) => `  ${cleanLine(date)}: ${sumRoubles} ₽`)
  ].join("\n")
}

/** Lifts the mark of the account and notes it in the chain and beside the store. */
export const lift = ({ config, name }: Chosen, who: string, nowMs: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Transaction.run(
      sql,
      "lift the mark of the store",
      Effect.gen(function* () {
        yield* StoreMarks.lift(sql, name, nowMs, who)
        yield* AuditSql.append(sql, name, [{ at: nowMs, who, what: "reconciled" }])
      })
    )
    yield* SerialMarker.note(Store.serialPath(config))
  })
