/** What `bidhelm reconcile` looks at, and how it says it. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Money from "../../domain/Money.js"
import * as Plural from "../../domain/Plural.js"
import * as When from "../../domain/When.js"
import * as FirstDay from "../../engine/decide/limits/FirstDay.js"
import { Holdings } from "../../engine/door/HoldStore.js"
import { Journal } from "../../engine/door/Journal.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Reconcile from "../../engine/door/Reconcile.js"
import * as HandOver from "../../engine/fulfilment/HandOver.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import * as Policy from "../../engine/language/Policy.js"
import * as TopUps from "../../marketplace/facts/TopUps.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as HandOverWords from "../../reporting/fulfilment/HandOverWords.js"
import * as History from "../../reporting/history/History.js"
import * as Finance from "../../services/areas/advertising/Finance.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as AuditSql from "../../store/audit/AuditSql.js"
import * as SerialMarker from "../../store/audit/SerialMarker.js"
import * as StoreMarks from "../../store/audit/StoreMarks.js"
import * as Transaction from "../../store/clients/Transaction.js"
import * as ApprovalsSql from "../../store/people/ApprovalsSql.js"
import type { Chosen } from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Output from "../terminal/Output.js"
import * as ForgottenMarks from "./ForgottenMarks.js"
import * as Store from "./Store.js"
import * as UnknownSince from "./UnknownSince.js"

const none: ReadonlyArray<OperatorHold.OperatorHold> = []

/** Reads back and compares, under the locks of all lanes, and keeps what orders have; sends nothing. */
export const look = (chosen: Chosen, isJson: boolean) =>
  Effect.scoped(
    Effect.gen(function* () {
      const rules = yield* RuleFiles.answering("reconcile", isJson)(chosen.config.rulesFolder)
      yield* Lease.holdAll(chosen.name, Holder.once("reconcile"), Holder.abandoned)
      const compared = yield* Reconcile.run(chosen.name)
      const { isListLimited, ...read } = yield* strangeTopUps(chosen)
      const marks = yield* ForgottenMarks.keep(chosen)
      const unknown = yield* UnknownSince.look(chosen, rules)
      const paying = rules.policies.filter(Policy.paysDeposits).map(({ id }) => id)
      return {
        ...compared,
        ...read,
        isLimited: compared.isLimited || isListLimited || marks.isLimited || unknown.isLimited,
        unknown,
        marksFound: marks.found,
        marksElsewhere: marks.elsewhere,
        marksUnread: marks.unread,
        /** The marketplace does not tell which campaign got money when, so their limits cannot count it. */
        toHold: paying,
        /** Holds that stood on these and gave way, once they are held. */
        replaced: none
      }
    })
  )

/**
 * Holds the policies that might pay once more, until somebody has looked. What the account was paid before counts from now on
 * as of a store that has lost its memory: for whoever lifts a hold, and for policies that come later. Call it before `lift`.
 * Nobody's hold is shortened: these end by no clock. Answers what was found, with the holds that gave way.
 */
export const hold = (chosen: Chosen, found: Found, by: string) =>
  Effect.gen(function* () {
    const holdings = yield* Holdings
    const since = yield* Clock.currentTimeMillis
    yield* holdings.doubtDeposits(chosen.name, "reconciled", since)
    const paid = "nobody can tell what it paid that the restored journal does not know"
    const laid = "nobody can tell which of its overlays are on that the restored journal does not know"
    const holds = [
      ...found.toHold.map((what) => ({ what, why: paid })),
      ...overlaid(found).map((what) => ({ what, why: laid }))
    ]
    const replaced = yield* Effect.forEach(holds, ({ what, why }) =>
      holdings.place({ account: chosen.name, kind: "policy", what, since, by, why })
    )
    return { ...found, replaced: replaced.filter((before) => before !== undefined) } satisfies Found
  })

/** What was found; see `look`. */
export type Found = Effect.Effect.Success<ReturnType<typeof look>>

/** True when nothing is left that could not be read: only then the mark is lifted by itself. */
export const isWhole = ({ marksUnread, topUpsUnread, unknown, unread }: Found): boolean =>
  unread.length === 0 &&
  topUpsUnread === undefined &&
  marksUnread === undefined &&
  unknown.unread === undefined

/** Policies to hold for their overlays alone. */
const overlaid = ({ toHold, unknown }: Found) => unknown.overlays.filter((id) => !toHold.includes(id))

/** Top-ups since the day of the journal's last run, at most 30 days, that are no deposits of it; or why they cannot be read. */
const strangeTopUps = (chosen: Chosen) =>
  Effect.gen(function* () {
    const finance = Finance.make(yield* MarketplaceClient)
    const journal = yield* Journal
    const nowMs = yield* Clock.currentTimeMillis
    const today = Days.ofMarket(nowMs)
    const [last] = yield* journal.runs(chosen.name, 1)
    const earliest = Days.shift(today, -29)
    const lastDay = last === undefined ? earliest : Days.ofMarket(last.startedAt)
    const isLastDay = last !== undefined && lastDay >= earliest && lastDay <= today
    const from = isLastDay ? lastDay : earliest
    const since = { topUpsFrom: from, isLastDay, isListLimited: false }
    const found = yield* TopUps.read(finance, { from, to: today })
    if ("unread" in found)
      return { ...since, topUps: [], topUpsUnread: found.unread, isListLimited: found.isLimited === true }
    const dayStartMs = Days.startOfMarket(from)
    const ours = yield* journal.deposits(chosen.name, dayStartMs)
    return { ...since, topUps: FirstDay.unknown(found, ours, { dayStartMs }), topUpsUnread: undefined }
  })

/** What was found, as JSON has it: instants in ISO 8601, undefined where the marketplace does not tell them. */
export const json = ({ isLastDay: _, isLimited: __, topUps, ...found }: Found) => ({
  ...found,
  topUps: topUps.map(({ at, kopecks }) => ({
    date: at === undefined ? undefined : new Date(at).toISOString(),
    sumRoubles: kopecks / 100
  }))
})

/**
 * The same in words; instants in `zone`, amounts with the `sign` of the account's currency. `held` is the account when the
 * policies were put on hold.
 */
export const print = (
  found: Found,
  zone: string,
  sign: string,
  held: OperatorHold.Among | undefined
): string => {
  const settled = History.counted(History.countStates(found.settled))
  const differences = [...found.moved, ...found.unread].map(
    ({ slot, why }) => `  ${cleanLine(slot)}: ${cleanLine(why)}`
  )
  return [
    `${Plural.of(found.settled.length, "open change")} read back${settled === "" ? "" : ` (${settled})`}.`,
    `${Plural.of(found.compared, "slot")} of the last ${Reconcile.comparedDays} days compared: ${Plural.of(found.moved.length, "shows", "show")} another value, ${found.unread.length} could not be read${found.over === 0 ? "" : `; ${found.over} of orders and supplies ${Plural.choose(found.over, "has", "have")} gone on meanwhile`}.`,
    ...differences,
    ...(found.moved.length === 0
      ? []
      : [
          "  The next plan takes what it still finds so for values that somebody set by hand, and the rules leave them alone for a while: bidhelm holds lists them then, bidhelm resume gives them back."
        ]),
    found.topUpsUnread === undefined
      ? `${Plural.of(found.topUps.length, "top-up")} since ${since(found)} ${Plural.choose(found.topUps.length, "is", "are")} not in the journal${found.topUps.length === 0 ? "." : ":"}`
      : `Top-ups could not be read (${cleanLine(found.topUpsUnread)}): run it again.`,
    ...found.topUps.map(
      ({ at, kopecks }) =>
        `  ${at === undefined ? "not told when" : When.text(at, zone)}: ${Money.format(Money.Kopecks(kopecks), sign)}`
    ),
    ...(found.marksFound === 0
      ? []
      : [
          `${Plural.of(found.marksFound, "mark")} that orders have ${Plural.choose(found.marksFound, "was", "were")} not known here, and ${Plural.choose(found.marksFound, "is", "are")} now: none goes on another order.`
        ]),
    ...found.marksElsewhere.map(
      ({ key, orderId, otherOrderId }) =>
        `  The ${OrderMark.called[key]} that waited for order ${orderId} is on order ${otherOrderId} by now: no turn sets it, give order ${orderId} its own.`
    ),
    ...(found.marksUnread === undefined
      ? []
      : [
          `Which marks orders have by now could not be read (${cleanLine(found.marksUnread)}): run it again, else one may go on two orders.`
        ]),
    ...found.unknown.paused.map(
      (campaignId) =>
        `Campaign ${campaignId} is paused, and nobody knows by whom: no rule starts it again. Look at it, and start what shall run.`
    ),
    ...found.unknown.supplies.map((supplyId) =>
      cleanLine(HandOverWords.ofStop(HandOver.stopped(supplyId, [{ code: "wave_unknown" }]), zone))
    ),
    ...(found.unknown.unread === undefined
      ? []
      : [
          `Campaigns or supplies of since the backup could not be read (${cleanLine(found.unknown.unread)}): run it again.`
        ]),
    ...(held === undefined
      ? []
      : overlaid(found).flatMap((id) => [
          `${id} lays its share over bids, and which are raised already cannot be seen: it is on hold, so that no share is laid over another. Look at the bids, then: ${OperatorHold.resumeWith({ kind: "policy", what: id }, held)}`,
          ...gaveWay(found, id, zone)
        ])),
    ...(held === undefined || found.toHold.length === 0
      ? []
      : [
          ...found.toHold.flatMap((id) => [
            `${id} pays deposits, and what it paid meanwhile cannot be seen: it is on hold. Look at the budgets, then: ${OperatorHold.resumeWith({ kind: "policy", what: id }, held)}`,
            ...gaveWay(found, id, zone)
          ]),
          `What the account was paid today may be forgotten too: for a day no rule makes a deposit, or until you have looked and said: bidhelm account deposits ${held.account} --allow. The top-ups of today count against every limit of a day then.`
        ])
  ].join("\n")
}

/** Whose hold the one on this policy took the place of. */
const gaveWay = ({ replaced }: Found, id: string, zone: string): ReadonlyArray<string> =>
  replaced
    .filter(({ what }) => what === id)
    .map((before) => `  ${cleanLine(OperatorHold.replacedText(before, undefined, zone))}`)

/** Where the list of top-ups begins; days are the marketplace's. */
const since = ({ isLastDay, topUpsFrom }: Found): string =>
  `the beginning of ${topUpsFrom}${isLastDay ? ", the day of the journal's last run," : ""}`

/** Lifts the mark of the account and notes it in the chain and beside the store. */
export const lift = ({ config, name }: Chosen, who: string, why: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const nowMs = yield* Clock.currentTimeMillis
    yield* Transaction.run(sql, "lift the mark of the store", function* () {
      yield* StoreMarks.lift(sql, name, nowMs, who)
      yield* ApprovalsSql.supersedeAll(sql, name, "the store was reconciled")
      yield* AuditSql.append(sql, name, [{ at: nowMs, who, what: "reconciled", why }])
    })
    // It is lifted by now, and what is noted after the next run will do.
    yield* SerialMarker.note(Store.serialPath(config)).pipe(
      Effect.catchAll(({ message }) => Output.note(`${message}; ${SerialMarker.unnoticed}`))
    )
  })
