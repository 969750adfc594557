/**
 * What a person wants of orders, supplies or passes: planned, shown, asked about, looked at again after a yes, applied through the same
 * door as every change, read back and told. Needs the layers of `Planning`.
 */
import * as Effect from "effect/Effect"
import * as Hash from "../../domain/Hash.js"
import type { ReviewedPlan } from "../../engine/decide/Review.js"
import type * as Apply from "../../engine/door/Apply.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as CallPlan from "../../engine/planning/CallPlan.js"
import type * as LeftWords from "../../reporting/fulfilment/LeftWords.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Wording from "../../reporting/Wording.js"
import * as Account from "../account/Account.js"
import * as Applying from "../plan/Applying.js"
import * as PlanFile from "../plan/PlanFile.js"
import * as Planning from "../plan/Planning.js"
import * as Preview from "../plan/Preview.js"
import type { RulesRead } from "../rules/RuleFiles.js"
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
  readonly again: Again<E, R>
  /** Done once a person has agreed, before anything is sent. */
  readonly agreed?: Effect.Effect<void, E, R>
}

/** What is read once more after a yes, for its question may have stood there for hours. */
export interface Again<E = never, R = never> {
  readonly rules: RulesRead
  /** What is wanted by what is there now. Ends the command where nothing of it may be sent any more. */
  readonly wanted: Effect.Effect<ReadonlyArray<CallPlan.Wanted>, E, R>
}

export type Carried =
  /** Everything is as wanted already; `left` of what was asked about, since it is not to be sent any more. */
  | { readonly _tag: "There"; readonly left: ReadonlyArray<Change> }
  /** Only shown. */
  | { readonly _tag: "Shown" }
  | {
      readonly _tag: "Done"
      readonly reviewed: ReviewedPlan
      readonly report: Apply.ApplyReport
      readonly left: ReadonlyArray<Change>
    }

/** Ends before anything is read where a question could not be answered. */
export const answerable = ({ plan, yes }: Choices) =>
  plan || yes || Output.answerable()
    ? Effect.void
    : stop(1, "nobody is here to agree; look with --plan, then give --yes. Nothing was sent")

/**
 * Reads back what an earlier run left open: a plan depends on it. Ends before that what would send where nothing may be sent for the
 * account, or while its limits are gone: their kill switch may have been pulled.
 */
export const settled = (chosen: Account.Chosen, rules: RuleSet, { plan }: Choices) =>
  Effect.gen(function* () {
    if (plan) return
    yield* Lease.allowed(chosen.name)
    yield* Planning.limited(chosen, rules)
    yield* Applying.settle(chosen, "orders")
  })

/**
 * Plans what is wanted, shows it, asks, applies it. Nothing is said yet of what became of it: `tell` and `end` do. `before` is what was
 * left alone before there was a plan.
 */
export const carry = <E = never, R = never>(
  chosen: Account.Chosen,
  wish: Wish<E, R>,
  choices: Choices,
  before?: ReadonlyArray<LeftWords.Asked>
) =>
  Effect.gen(function* () {
    const reviewed = yield* planned(chosen, wish.operation, wish.wanted)
    return reviewed === undefined
      ? yield* there(wish, [])
      : yield* sent(chosen, reviewed, wish, choices, before)
  })

/** The plan of what is wanted; undefined where everything is so already. */
const planned = (chosen: Account.Chosen, operation: string, wanted: ReadonlyArray<CallPlan.Wanted>) =>
  Effect.gen(function* () {
    const { config, name: account } = chosen
    const call = { account, operation, currency: config.currency, zone: config.timeZone }
    const made = yield* ProgressBar.shown(Stopping.unlessAsked(CallPlan.make(call, wanted)))
    if (made._tag === "Unclear") return yield* stop(1, `nothing was sent: ${made.why.join("\n")}`)
    return made._tag === "There" ? undefined : made.reviewed
  })

const there = <E, R>({ agreed = Effect.void }: Pick<Wish<E, R>, "agreed">, left: ReadonlyArray<Change>) =>
  Effect.as(agreed, { _tag: "There", left } satisfies Carried as Carried)

/** Shows a reviewed plan, asks, applies all that may go. */
const sent = <E = never, R = never>(
  chosen: Account.Chosen,
  reviewed: ReviewedPlan,
  wish: Wish<E, R>,
  choices: Choices,
  before?: ReadonlyArray<LeftWords.Asked>
) =>
  Effect.gen(function* () {
    yield* show(chosen, reviewed, choices, before)
    if (choices.plan) return { _tag: "Shown" } satisfies Carried as Carried
    yield* free(reviewed, chosen)
    yield* consent(wish.question, choices)
    const { going, left } = choices.yes
      ? { going: reviewed, left: [] }
      : yield* confirmed(chosen, reviewed, wish)
    if (going === undefined) return yield* there(wish, left)
    yield* wish.agreed ?? Effect.void
    const report = yield* Applying.carryOut(going, chosen, approver(choices))
    return { _tag: "Done", reviewed: going, report, left } satisfies Carried as Carried
  })

/** Ends the command where a hold or the kill switch is in the way. */
const free = ({ plan }: ReviewedPlan, chosen: Account.Chosen) => {
  const [held] = plan.held
  return held === undefined
    ? Effect.void
    : Effect.fail(stop(1, `not sent: ${HeldReasons.text(held, { ...plan, ...Account.among(chosen) })}`))
}

/**
 * The plan of what a person has just said yes to, by what is there now: what came about meanwhile is left out, and anything else than
 * was asked about ends the command. `going` is undefined where everything is as wanted by now.
 */
const confirmed = <E, R>(
  chosen: Account.Chosen,
  { plan }: ReviewedPlan,
  { again, operation }: Pick<Wish<E, R>, "again" | "operation">
) =>
  Effect.gen(function* () {
    yield* Planning.limited(chosen, yield* again.rules)
    const now = yield* planned(chosen, operation, yield* again.wanted)
    const changes =
      now === undefined ? [] : [...now.plan.changes, ...now.plan.held.map(({ change }) => change)]
    const others = changes.filter((change) => !plan.changes.some((one) => isSame(one, change)))
    if (others.length > 0)
      return yield* changed(others.map((change) => insteadOf(change, plan.changes, plan.currency)))
    if (now !== undefined) yield* free(now, chosen)
    const slots = new Set(changes.map(Kinds.slotOf))
    const left = plan.changes.filter((change) => !slots.has(Kinds.slotOf(change)))
    for (const change of left)
      yield* Output.note(
        `left out: ${Wording.effectOn(change, plan.currency)}: it is not to be sent any more`
      )
    return { going: now, left }
  })

/** Ends the command where something else is there than what a person has said yes to; `how` in a sentence each. */
export const changed = (how: ReadonlyArray<string>) =>
  stop(
    1,
    `nothing was sent: what was asked about has changed since: ${how.join("; ")}. Run the command again to see it as it is`
  )

const isSame = (asked: Change, now: Change): boolean =>
  asked.id === now.id && Hash.of(asked.details) === Hash.of(now.details)

const insteadOf = (now: Change, asked: ReadonlyArray<Change>, currency: string): string => {
  const before = asked.find((one) => Kinds.slotOf(one) === Kinds.slotOf(now))
  return `${Wording.effectOn(now, currency)}${before === undefined ? "" : `, which was asked about as: ${Wording.effect(before, currency)}`}`
}

/**
 * The plan as a person reads it: whole, but what many orders share stands once. A program that only looks gets it with what is `left`
 * alone, and one that sends hears afterwards what came of it.
 */
export const show = (
  chosen: Account.Chosen,
  { plan }: ReviewedPlan,
  choices: Pick<Choices, "json" | "plan">,
  left?: ReadonlyArray<unknown>
) => {
  if (!choices.json)
    return Preview.show(plan, "text", { top: Number.POSITIVE_INFINITY, ...Account.among(chosen) })
  return choices.plan ? Effect.flatMap(PlanFile.text(plan, left), Output.data) : Effect.void
}

/** Who agreed, for the journal. */
const approver = ({ yes }: Choices): string => (yes ? `${Person.name()} (--yes)` : Person.name())

/** Asks, unless `--yes` says so; a no ends the command. */
export const consent = (question: string, { yes }: Choices) =>
  yes ? Effect.void : Question.consent(question)

/** What became of every change, for people. */
export const tell = ({ report, reviewed }: Extract<Carried, { readonly _tag: "Done" }>) =>
  Applying.tell(report, reviewed)

/** The same for a program. */
export const asJson = ({ counts, rows, runId, status, stopped }: Apply.ApplyReport) => ({
  runId,
  status,
  counts,
  stopped: stopped === undefined ? null : Reasons.stop(stopped),
  changes: rows.map(Applying.plain)
})

/** As `Applying.end`, in the words of orders and supplies. */
export const end = (report: Apply.ApplyReport, besides = "") =>
  Applying.end(report, "not every change came about; the list says why", besides)

const changedSince = ({ subject }: Change) =>
  ({ ...subject, why: "changed_since_asked" }) satisfies LeftWords.Asked

/** Carries a wish out and tells it, of a command that has nothing more to say; `left` is what it left alone, for the JSON. */
export const run = <E = never, R = never>(
  kind: string,
  chosen: Account.Chosen,
  wish: Wish<E, R>,
  choices: Choices,
  left: ReadonlyArray<LeftWords.Asked> = []
) =>
  Effect.gen(function* () {
    const carried = yield* carry(chosen, wish, choices, left)
    if (carried._tag === "Shown") return
    const report = carried._tag === "Done" ? carried.report : undefined
    if (choices.json)
      yield* Output.json(kind, {
        account: chosen.name,
        run: report === undefined ? null : asJson(report),
        left: [...left, ...carried.left.map(changedSince)]
      })
    else if (carried._tag === "Done") yield* tell(carried)
    else yield* Output.text("Everything is as wanted already; nothing was sent.")
    if (report !== undefined) yield* end(report)
  })
