/**
 * What a person wants of orders, supplies or passes: planned, shown, asked about, applied through the same door as every
 * change, read back and told. Needs the layers of `Planning`.
 */
import * as Effect from "effect/Effect"
import type { ReviewedPlan } from "../../engine/decide/Review.js"
import type * as Apply from "../../engine/door/Apply.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as CallPlan from "../../engine/planning/CallPlan.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as History from "../../reporting/history/History.js"
import * as Reasons from "../../reporting/Reasons.js"
import type { Chosen } from "../account/Account.js"
import * as Applying from "../plan/Applying.js"
import * as Planning from "../plan/Planning.js"
import * as Preview from "../plan/Preview.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import * as Question from "../terminal/Question.js"
import { stop } from "../terminal/Stop.js"

/** What every command takes that writes in a person's name. */
export const flags = {
  yes: Flags.yes,
  plan: Flags.flag("plan", "Only show what would be sent; send nothing"),
  rules: Flags.rules,
  ...Flags.session
}

/** The values of `flags` that this file asks. */
export interface Choices {
  readonly yes: boolean
  readonly plan: boolean
  readonly json: boolean
}

export interface Wish<E = never, R = never> {
  /** The operation that stands for it in the history. */
  readonly operation: string
  readonly wanted: ReadonlyArray<CallPlan.Wanted>
  /** What a person says yes to: `Cancel 2 orders of main?` */
  readonly question: string
  /** Done once a person has agreed, before anything is sent. */
  readonly agreed?: Effect.Effect<void, E, R>
}

export type Carried =
  /** Everything is as wanted already. */
  | { readonly _tag: "There" }
  /** Only shown. */
  | { readonly _tag: "Shown" }
  | { readonly _tag: "Done"; readonly reviewed: ReviewedPlan; readonly report: Apply.ApplyReport }

/** Ends before anything is read where a question could not be answered. */
export const answerable = ({ plan, yes }: Choices) =>
  plan || yes || Output.answerable()
    ? Effect.void
    : stop(1, "nobody is here to agree; look with --plan, then give --yes. Nothing was sent")

/**
 * Reads back what an earlier run left open: a plan depends on it. Ends before that what would send while the limits of the
 * account are gone: their kill switch may have been pulled.
 */
export const settled = (chosen: Chosen, rules: RuleSet, { plan }: Choices) =>
  plan ? Effect.void : Effect.zipRight(Planning.limited(chosen, rules), Applying.settle(chosen, "orders"))

/** Plans what is wanted, shows it, asks, applies it. Nothing is said yet of what became of it: `tell` and `end` do. */
export const carry = <E = never, R = never>(chosen: Chosen, wish: Wish<E, R>, choices: Choices) =>
  Effect.gen(function* () {
    const { config, name: account } = chosen
    const call = { account, operation: wish.operation, currency: config.currency, zone: config.timeZone }
    const planned = yield* ProgressBar.shown(Stopping.unlessAsked(CallPlan.make(call, wish.wanted)))
    if (planned._tag === "Unclear") return yield* stop(1, `nothing was sent: ${planned.why.join("\n")}`)
    if (planned._tag === "There") {
      yield* wish.agreed ?? Effect.void
      return { _tag: "There" } satisfies Carried as Carried
    }
    return yield* sent(chosen, planned.reviewed, wish, choices)
  })

/** Shows a reviewed plan, asks, applies all that may go. */
const sent = <E = never, R = never>(
  chosen: Chosen,
  reviewed: ReviewedPlan,
  { agreed = Effect.void, question }: Pick<Wish<E, R>, "agreed" | "question">,
  choices: Choices
) =>
  Effect.gen(function* () {
    const [held] = reviewed.plan.held
    if (choices.plan || !choices.json)
      yield* Preview.show(reviewed.plan, choices.json ? "json" : "text", shown)
    if (choices.plan) return { _tag: "Shown" } satisfies Carried as Carried
    if (held !== undefined) return yield* stop(1, `not sent: ${HeldReasons.text(held, reviewed.plan)}`)
    yield* consent(question, choices)
    yield* agreed
    const report = yield* Applying.carryOut(reviewed, chosen, approver(choices))
    return { _tag: "Done", reviewed, report } satisfies Carried as Carried
  })

/** Whole, but what many orders share stands once. */
export const shown = { top: Number.POSITIVE_INFINITY }

/** Who agreed, for the journal. */
const approver = ({ yes }: Choices): string => (yes ? `${Person.name()} (--yes)` : Person.name())

/** Asks, unless `--yes` says so; a no ends the command. */
export const consent = (question: string, { yes }: Choices) =>
  yes ? Effect.void : Question.consent(question)

/** What became of every change, for people. */
export const tell = ({ report, reviewed }: Extract<Carried, { readonly _tag: "Done" }>) =>
  Effect.gen(function* () {
    yield* Output.text(History.outcomes(report.runId, report.rows, reviewed.plan.currency))
    yield* Output.text(`${report.runId}: ${report.status} (${History.counted(report.counts)})`)
  })

/** The same for a program. */
export const asJson = ({ counts, rows, runId, status, stopped }: Apply.ApplyReport) => ({
  runId,
  status,
  counts,
  stopped: stopped === undefined ? null : Reasons.stop(stopped),
  changes: rows.map((row) => {
    const { change, code, detail, operation, reason, state } = Reasons.withWords(row)
    return { change, state, operation, code, reason, detail }
  })
})

/** Ends with 4 when only a part came about, with 5 when limits stopped it, with 1 when nothing did. */
export const end = (report: Apply.ApplyReport, besides = "") =>
  report.status === "done"
    ? Effect.void
    : stop(
        report.rows.some((row) => row.reason?.code === "limit_left_no_room")
          ? 5
          : report.status === "partial"
            ? 4
            : 1,
        `${report.stopped === undefined ? "not every change came about; the list says why" : Reasons.stop(report.stopped)}${besides}`
      )

/** Carries a wish out and tells it, of a command that has nothing more to say; `left` is what it left alone, for the JSON. */
export const run = <E = never, R = never>(
  kind: string,
  chosen: Chosen,
  wish: Wish<E, R>,
  choices: Choices,
  left: ReadonlyArray<unknown> = []
) =>
  Effect.gen(function* () {
    const carried = yield* carry(chosen, wish, choices)
    if (carried._tag === "Shown") return
    const report = carried._tag === "Done" ? carried.report : undefined
    if (choices.json)
      yield* Output.json(kind, {
        account: chosen.name,
        run: report === undefined ? null : asJson(report),
        left
      })
    else if (carried._tag === "Done") yield* tell(carried)
    else yield* Output.text("Everything is as wanted already; nothing was sent.")
    if (report !== undefined) yield* end(report)
  })
