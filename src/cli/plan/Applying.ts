/** Carries out a reviewed plan that somebody approved, and says what became of it. */

import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { AccountLane, Lane } from "../../domain/Lane.js"
import type { OutcomeReason } from "../../domain/OutcomeReason.js"
import * as Plural from "../../domain/Plural.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type * as Review from "../../engine/decide/Review.js"
import type * as Apply from "../../engine/door/Apply.js"
import * as Creations from "../../engine/door/Creations.js"
import { Journal, type JournalRow, openStates } from "../../engine/door/Journal.js"
import * as JournalPoints from "../../engine/door/JournalPoints.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Recover from "../../engine/door/Recover.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import type { ApprovalStore, Request } from "../../engine/planning/ApprovalStore.js"
import * as Approvals from "../../engine/planning/Approvals.js"
import * as Cycle from "../../engine/planning/Cycle.js"
import * as Undo from "../../engine/planning/Undo.js"
import * as CreationReasons from "../../reporting/CreationReasons.js"
import type * as HeldReasons from "../../reporting/HeldReasons.js"
import * as History from "../../reporting/history/History.js"
import * as ApprovalReport from "../../reporting/people/Approvals.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as WayBackReasons from "../../reporting/WayBackReasons.js"
import * as Wording from "../../reporting/Wording.js"
import * as Account from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import type { RulesRead } from "../rules/RuleFiles.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { limited, type Stop, stop } from "../terminal/Stop.js"
import * as Planning from "./Planning.js"

type Refused = Approvals.Bound["refused"]

export interface Choices {
  readonly yes: boolean
  readonly json: boolean
  /** What an undo, a turn of assembly or a new plan leaves as it is, for the JSON. */
  readonly left?: ReadonlyArray<unknown>
  /** Reviewed by a person, and refused since (`tellRefused`): when all the rest is made, something is left still. */
  readonly leftOut?: Refused
  /** Exactly these changes; those in mode `apply` when absent. */
  readonly ids?: ReadonlySet<string>
  /** Told the run once it is over, before anything is said of it; answers what else a person must know of it. */
  readonly over?: (
    report: Apply.ApplyReport
  ) => Effect.Effect<string | undefined, StoreFailure, ApprovalStore>
  /** Done when another run has the account, so that this one never begins. */
  readonly refused?: Effect.Effect<void, StoreFailure>
}

/**
 * Of a run that carries out an approval, or of it these changes: one that sends nothing of it, or never begins, leaves it waiting.
 * `then` comes after any other.
 */
export const ofApproval = (
  request: Request,
  store: Context.Tag.Service<ApprovalStore>,
  changes?: ReadonlyArray<Change>,
  then: Effect.Effect<void> = Effect.void
): Pick<Choices, "over" | "refused"> => ({
  refused: store.reopen(request.account, request.id),
  over: (report) =>
    Effect.flatMap(Approvals.ended(request, report, changes), (waits) =>
      waits ? Effect.succeed(Approvals.waitsAgain(request)) : Effect.as(then, undefined)
    )
})

/** Applies a reviewed plan in somebody's name. Whoever interrupts it is told how far it came. */
export const carryOut = (
  reviewed: Review.ReviewedPlan,
  chosen: Account.Chosen,
  approvedBy: string,
  ids?: ReadonlySet<string>
) =>
  Effect.flatMap(Clock.currentTimeMillis, (sinceMs) =>
    ProgressBar.shown(
      Cycle.apply(
        reviewed,
        { approvedBy, account: chosen.name, ...(ids === undefined ? {} : { chosen: ids }) },
        { holder: Holder.name(), abandoned: Holder.abandoned }
      )
    ).pipe(Effect.onInterrupt(() => Effect.ignoreLogged(tellCut(reviewed.plan, sinceMs))))
  )

/** What was sent, may have been, and was not. */
const tellCut = ({ account, changes, currency, id }: Plan, sinceMs: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    // Other lanes may have begun many runs since; in this one nobody could.
    const run = (yield* journal.runs(account, 9, undefined, Kinds.laneOf(changes))).find(
      ({ planId, startedAt }) => planId === id && startedAt >= sinceMs
    )
    if (run === undefined) return yield* Output.note("Interrupted before anything was sent.")
    const { runId } = run
    const rows = yield* journal.rows(runId)
    yield* Output.note(History.outcomes(runId, rows, currency))
    yield* Output.note(
      `${runId}: interrupted (${History.counted(History.countStates(rows))}). What may have been sent is read back before anything else is sent; what is planned was not sent.`
    )
  })

/** Applies; ends with 4 when only a part has its new value or something was left out, with 5 when limits stopped it. */
export const run = (reviewed: Review.ReviewedPlan, chosen: Account.Chosen, choices: Choices) =>
  Effect.gen(function* () {
    const { ids, json, left = [], leftOut = [], over, refused = Effect.void, yes } = choices
    const approvedBy = yes ? `${Person.name()} (--yes)` : Person.name()
    const report = yield* carryOut(reviewed, chosen, approvedBy, ids).pipe(
      Effect.tapErrorTag("ApplyBusy", () => refused)
    )
    const besides = over === undefined ? undefined : yield* over(report)
    // What is open still is no news: it was told where it was settled before the plan.
    yield* tellRecovered(report.recovered.filter(({ state }) => !openStates.includes(state)))
    if (json) {
      const { counts, recovered, rows, runId, status, stopped } = report
      const changes = rows.map(plain)
      const { id: planId, observeOnly } = reviewed.plan
      yield* Output.json("apply", {
        runId,
        planId,
        status,
        counts,
        stopped: stopped === undefined ? undefined : Reasons.stop(stopped),
        stoppedBy: stopped,
        changes,
        recovered: recovered.map(plain),
        observeOnly,
        left: [...left, ...plainRefused(leftOut, { ...reviewed.plan, ...Account.among(chosen) })]
      })
    } else yield* tell(report, reviewed)
    const missed = "not every change has its new value; the list says why"
    yield* end(report, missed, besides === undefined ? "" : `; ${besides}`)
    if (leftOut.length > 0) return yield* stop(4, leftOutText(leftOut))
  })

/** What became of every change, for people. */
export const tell = ({ counts, rows, runId, status }: Apply.ApplyReport, { plan }: Review.ReviewedPlan) =>
  Effect.zipRight(
    Output.text(History.outcomes(runId, rows, plan.currency)),
    Output.text(`${runId}: ${status} (${History.counted(counts)})`)
  )

/** How a run ends its command: with 4 when only a part came about, with 5 when limits stopped it, with 1 when nothing did. */
export const end = (report: Apply.ApplyReport, missed: string, besides = ""): Effect.Effect<void, Stop> => {
  if (report.status === "done") return Effect.void
  const why = `${report.stopped === undefined ? missed : Reasons.stop(report.stopped)}${besides}`
  return isLimited(report) ? limited(why) : stop(report.status === "partial" ? 4 : 1, why)
}

/** Whether a call limit kept some of a run's changes back, and nothing else stopped it. */
export const isLimited = ({ rows, stopped }: Apply.ApplyReport): boolean =>
  stopped === undefined && rows.some(({ reason }) => reason !== undefined && ofLimits.has(reason.code))

/** Reasons of changes that a call limit kept back. */
const ofLimits: ReadonlySet<string> = new Set<OutcomeReason["code"]>([
  "limit_gave_no_turn",
  "limit_left_no_room",
  "throttled"
])

/**
 * A plan that a person has just said yes to, as it is now, for the question may have stood there for hours: held against today's rules
 * and limits, as a saved plan is. `ids` are the changes meant, `again` reads the rules; answered are those that may still go.
 */
export const confirmed = (
  { plan }: Review.ReviewedPlan,
  chosen: Account.Chosen,
  ids: ReadonlySet<string>,
  again: RulesRead
) =>
  Effect.gen(function* () {
    const rules = yield* again
    yield* Planning.limited(chosen, rules)
    const reviewed = yield* Planning.reload(chosen, rules, plan)
    const meant = plan.changes.filter(({ id }) => ids.has(id))
    const near = { ...reviewed.plan, ...Account.among(chosen) }
    const held = yield* tellHeld({ changes: meant }, near)
    const stray = yield* Undo.stray(reviewed.plan)
    if (stray !== undefined) return yield* stop(1, `${WayBackReasons.stray(stray)}. Nothing was sent.`)
    const done = yield* Approvals.standing({ account: chosen.name, plan })
    const { chosen: left, refused } = Approvals.still(reviewed, ids, done)
    const leftOut = [...held, ...(yield* tellRefused(refused, near))]
    if (left.size > 0) return { reviewed, ids: left, leftOut }
    return yield* stop(1, "nothing of it may go any more; nothing was sent")
  })

/** Tells and answers what is held by now of the changes of a plan made earlier. */
export const tellHeld = (
  { changes }: Pick<Plan, "changes">,
  reviewed: Plan & Pick<HeldReasons.Around, "accounts">
) =>
  Effect.gen(function* () {
    const ids = new Set(changes.map(({ id }) => id))
    return yield* tellRefused(
      reviewed.held.filter(({ change }) => ids.has(change.id)),
      reviewed
    )
  })

/** Tells and answers what of a plan may not go any more. */
export const tellRefused = (refused: Refused, near: HeldReasons.Around) =>
  Effect.as(
    Effect.forEach(refused, ({ because, change }) =>
      Output.note(
        `left out: ${Wording.effectOn(change, near.currency)} (${change.origin.name}): ${ApprovalReport.refused(because, near)}`
      )
    ),
    refused
  )

/** The same for a program. */
export const plainRefused = (refused: Refused, near: HeldReasons.Around) =>
  refused.map(({ because, change }) => ({
    change,
    why: ApprovalReport.refused(because, near),
    code: because.code,
    because
  }))

export const leftOutText = ({ length }: Refused): string =>
  `${Plural.of(length, "change was", "changes were")} left out; why, it says above`

/** Settles what an earlier run left open, under the lock of its lane: changes, creations, and approvals cut short. Answers the changes. */
export const settle = (chosen: Account.Chosen, lane: Lane = "ads") =>
  Effect.gen(function* () {
    const here = { account: chosen.name, lane }
    const open = yield* Recover.open(here)
    const unended = yield* Recover.unended(here.account, here.lane)
    const creations = yield* Creations.open(here)
    const approvals = yield* Approvals.cutShort(here)
    if (open.length + unended.length + creations.length + approvals.length === 0) return []
    const settled = yield* Effect.scoped(
      Effect.gen(function* () {
        const lease = yield* Lease.hold(here, Holder.once("settle"), Holder.abandoned)
        yield* JournalPoints.pass("locked")
        yield* tellOpen(here)
        const created = yield* Creations.settle(here)
        const rows = yield* ProgressBar.shown(Recover.settle(chosen.name, lease))
        const resumed = yield* Approvals.settle(here)
        yield* JournalPoints.pass("recovered")
        return { created, rows, approvals: resumed }
      })
    )
    for (const one of settled.created) yield* Output.note(`${CreationReasons.settled(one)}.`)
    yield* tellRecovered(settled.rows)
    for (const { id, runId } of settled.approvals)
      yield* Output.note(
        runId === undefined
          ? `Approval ${id} was given and nothing of it was sent: it waits again.`
          : `Approval ${id} led to ${runId}.`
      )
    return settled.rows
  })

/** What is open under the lock, where it is nobody's who still works: until then it may be a run's that lives. */
const tellOpen = (here: AccountLane) =>
  Effect.gen(function* () {
    const open = yield* Recover.open(here)
    if (open.length > 0)
      yield* Output.note(
        `${Plural.of(open.length, "change")} of an earlier run ${Plural.choose(open.length, "is", "are")} open; reading ${Plural.choose(open.length, "it", "them")} back first.`
      )
    if ((yield* Creations.open(here)).length > 0)
      yield* Output.note("What an earlier call may have created is not settled yet; looking for it first.")
  })

const tellRecovered = (rows: ReadonlyArray<JournalRow>) =>
  rows.length === 0
    ? Effect.void
    : Output.note(`Of an earlier run: ${History.counted(History.countStates(rows))}.`)

/** A row for a program. */
export const plain = (row: JournalRow) => {
  const { change, code, detail, operation, reason, state } = Reasons.withWords(row)
  return { change, state, operation, code, reason, detail }
}
