/** `bidhelm apply`: applies a saved plan exactly, or plans, shows, asks and applies. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Lane } from "../../domain/Lane.js"
import * as Plural from "../../domain/Plural.js"
import type { Plan } from "../../engine/decide/Plan.js"
import type { ReviewedPlan } from "../../engine/decide/Review.js"
import type { Change } from "../../engine/kinds/Change.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import type { Request } from "../../engine/planning/ApprovalStore.js"
import type { AfterPlan } from "../../engine/planning/Asking.js"
import type { Chosen } from "../account/Account.js"
import type { RulesRead } from "../rules/RuleFiles.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as Question from "../terminal/Question.js"
import { stop } from "../terminal/Stop.js"

const file = Flags.optionalArgument(
  "plan",
  "A file of bidhelm plan --out: exactly this plan is applied; without it a new one is made, shown and asked about"
)

const elsewhere = Flags.flag(
  "made-elsewhere",
  "Take a saved plan that this store did not make: a new plan is made, and only what is the same in both is applied"
)

export const command = Command.make(
  "apply",
  { file, elsewhere, lane: Flags.lane, yes: Flags.yes, ...Flags.view, rules: Flags.rules, ...Flags.session },
  function* (flags) {
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const PlanFile = yield* Effect.promise(() => import("./PlanFile.js"))
    const given = yield* Effect.transposeMapOption(flags.file, (path) =>
      PlanFile.read(path, Option.getOrUndefined(flags.account))
    )
    if (!flags.yes && !Output.answerable()) {
      return yield* stop(
        1,
        "nobody is here to approve; give --yes once the plan is reviewed. Nothing was sent"
      )
    }
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const load = RuleFiles.answering("apply", flags.json)
    const { again, chosen, rules, within } = yield* Planning.open(flags, load)
    yield* within(whole(flags, given, chosen, rules, again))
  }
)

interface Choices extends Flags.Viewed {
  readonly file: Option.Option<string>
  readonly elsewhere: boolean
  readonly lane: Lane
  readonly yes: boolean
  readonly json: boolean
}

/** `given` is the JSON of a saved plan; `again` reads the rules once more. */
const whole = (
  flags: Choices,
  given: Option.Option<unknown>,
  chosen: Chosen,
  rules: RuleSet,
  again: RulesRead
) =>
  Effect.gen(function* () {
    const Applying = yield* Effect.promise(() => import("./Applying.js"))
    const Lease = yield* Effect.promise(() => import("../../engine/door/Lease.js"))
    yield* Lease.allowed(chosen.name)
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    yield* Planning.limited(chosen, rules)
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    yield* RuleFiles.tellLimits(rules)
    const { isWhole, leftOut, reviewed } = Option.isSome(given)
      ? yield* saved(flags, given.value, chosen, rules)
      : { reviewed: yield* fresh(flags, chosen, rules), isWhole: true, leftOut: [] }
    const Asking = yield* Effect.promise(() => import("../../engine/planning/Asking.js"))
    const Orphans = yield* Effect.promise(() => import("../people/Orphans.js"))
    yield* Orphans.end(chosen.name, chosen.config.rulesFolder)
    const after = yield* Asking.afterPlan(reviewed, { isWhole, isElsewhere: !Planning.isOwn(chosen) })
    yield* tellWaiting(after, chosen, flags)
    const request = yield* agreedTo(after, flags)
    const waiting = after.waiting.map(({ change }) => change.id)
    const ids = request === undefined ? after.now : new Set([...after.now, ...waiting])
    const count = ids.size
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const near = { ...reviewed.plan, ...Account.among(chosen) }
    // Of a saved plan only what was to go is told; a new one has no file that names what it holds.
    const left = Option.isSome(given) ? [] : Applying.plainRefused(heldOf(reviewed.plan), near)
    const shown = reviewed.plan.changes.length - reviewed.appliable.length - reviewed.waiting.length
    const { observeOnly } = reviewed.plan
    if (shown > 0)
      yield* Output.note(
        observeOnly === undefined
          ? `${Plural.of(shown, "change is", "changes are")} of rules in mode preview: shown, not applied.`
          : `${Plural.of(shown, "change is", "changes are")} shown, not applied: ${onlyLooks(observeOnly, flags)}.`
      )
    if (count === 0) {
      const Cycle = yield* Effect.promise(() => import("../../engine/planning/Cycle.js"))
      yield* Cycle.count(reviewed)
      if (flags.json)
        yield* Output.json("apply", {
          runId: null,
          planId: reviewed.plan.id,
          changes: [],
          left: [...left, ...Applying.plainRefused(leftOut, near)],
          observeOnly
        })
      else
        yield* Output.text(
          after.request === undefined
            ? "Nothing to apply."
            : `Nothing was applied: what there is waits for a person (${Account.told(chosen, `bidhelm approve ${after.request.id}`)}).`
        )
      return leftOut.length === 0 ? undefined : yield* stop(1, Applying.leftOutText(leftOut))
    }
    if (flags.yes) return yield* Applying.run(reviewed, chosen, { ...flags, ids, left, leftOut })
    yield* tellMeant(reviewed.plan, ids)
    yield* Question.consent(`Apply ${Plural.of(count, "change")} to ${chosen.name}?`)
    const confirmed = yield* Applying.confirmed(reviewed, chosen, ids, again)
    const agreed = confirmed.reviewed.waiting
      .map(({ change }) => change)
      .filter(({ id }) => confirmed.ids.has(id) && !after.now.has(id))
    const ofApproval =
      request === undefined || agreed.length === 0 ? {} : yield* approve(request, agreed, chosen)
    return yield* Applying.run(confirmed.reviewed, chosen, {
      ...flags,
      ids: confirmed.ids,
      left,
      leftOut: [...leftOut, ...confirmed.leftOut],
      ...ofApproval
    })
  })

/** The preview has said why already; with `--json` there is none. */
const onlyLooks = (why: string, { json }: Choices): string => (json ? why : "this run only looks")

/** What waits for an approval, if whoever is here agrees to it. */
const agreedTo = ({ request, waiting }: AfterPlan, flags: Choices) =>
  Effect.gen(function* () {
    if (request === undefined || !isAsked(flags)) return undefined
    const count = Plural.of(waiting.length, "change that waits", "changes that wait")
    return (yield* Question.ask(`Approve the ${count}?`)) ? request : undefined
  })

/**
 * Writes down the yes to a request, last of all and of those changes alone that may still go: what nobody said yes to in the end waits
 * on. Ends the command where somebody decided meanwhile, or another plan took its place.
 */
const approve = (request: Request, changes: ReadonlyArray<Change>, chosen: Chosen) =>
  Effect.gen(function* () {
    const Applying = yield* Effect.promise(() => import("./Applying.js"))
    const { ApprovalStore } = yield* Effect.promise(() => import("../../engine/planning/ApprovalStore.js"))
    const HoldScope = yield* Effect.promise(() => import("../people/HoldScope.js"))
    const store = yield* ApprovalStore
    const nowMs = yield* Clock.currentTimeMillis
    const ids = new Set(changes.map(({ id }) => id))
    const decision = { to: "approved" as const, by: HoldScope.person(), nowMs, ids }
    if (!(yield* store.decide(chosen.name, request.id, decision)))
      return yield* stop(1, `approval ${request.id} was decided or replaced meanwhile; nothing was sent`)
    return Applying.ofApproval(request, store, changes)
  })

/** Whoever is here is asked for the yes at once. */
const isAsked = ({ yes }: Choices): boolean => !yes && Output.answerable()

/** Of more changes that wait, only how many, unless somebody is about to say yes to them. */
const mostShown = 10

/** What mode approve does by itself, and what it asks. */
const tellWaiting = (
  { automatic, late, now, rejected, request, waiting }: AfterPlan,
  chosen: Chosen,
  flags: Choices
) =>
  Effect.gen(function* () {
    if (automatic.length > 0)
      yield* Output.note(
        `${Plural.of(automatic.length, "change")} of rules in mode approve ${Plural.choose(automatic.length, "is small enough to go by itself", "are small enough to go by themselves")}.`
      )
    if (rejected.length > 0)
      yield* Output.note(
        `${Plural.of(rejected.length, "change was", "changes were")} rejected within the last day: not made, not asked again.`
      )
    if (late.length > 0)
      yield* Output.note(
        `${Plural.of(late.length, "change is", "changes are")} not asked for: the time ${Plural.choose(late.length, "it was", "they were")} planned for is over, as the day whose figures wanted a pause. Plan again.`
      )
    if (request === undefined) return
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const Report = yield* Effect.promise(() => import("../../reporting/people/Approvals.js"))
    const nowMs = yield* Clock.currentTimeMillis
    yield* Output.note(`${Plural.of(waiting.length, "change waits", "changes wait")} for approval:`)
    const zone = chosen.config.timeZone
    const known = { done: new Map([[request.id, now]]) }
    yield* Output.note(
      waiting.length > mostShown && !isAsked(flags)
        ? `${Report.list(chosen.name, [request], nowMs, zone, known)}\neach of them: ${Account.told(chosen, `bidhelm approvals ${request.id}`)}`
        : Report.preview(request, nowMs, zone, known, Account.among(chosen))
    )
  })

/** What a person is about to agree to, and nothing else of the plan: `Plan 1f2e…: savings 5 286 ₽ a day; pause 1`. */
const tellMeant = ({ changes, ...plan }: Plan, ids: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const Summary = yield* Effect.promise(() => import("../../engine/decide/Summary.js"))
    const Wording = yield* Effect.promise(() => import("../../reporting/Wording.js"))
    const meant = { ...plan, changes: changes.filter(({ id }) => ids.has(id)) }
    const [, money] = Wording.summary({ ...meant, summary: Summary.of(meant) })
    yield* Output.note(`Plan ${plan.id.slice(0, 12)} of ${plan.createdAt}: ${money}`)
  })

/**
 * The plan of a file, if it may still be applied as it is, and what of it is left out; of one made elsewhere, what the rules would do
 * here. That may be a part of what they would do (not `isWhole`).
 */
const saved = (flags: Choices, json: unknown, chosen: Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const Applying = yield* Effect.promise(() => import("./Applying.js"))
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const Review = yield* Effect.promise(() => import("../../engine/decide/Review.js"))
    const MaxBid = yield* Effect.promise(() => import("../../engine/language/MaxBid.js"))
    const nowMs = yield* Clock.currentTimeMillis
    const read = Review.read(json, { ...Account.among(chosen), nowMs, rules: MaxBid.added(rules) })
    const { clean } = yield* Effect.promise(() => import("../../reporting/Clean.js"))
    if (Either.isLeft(read)) return yield* stop(1, clean(`${read.left} Nothing was sent.`))
    const isOurs = yield* Planning.isOurs(chosen, read.right)
    if (!isOurs) {
      yield* trusted(flags, chosen, read.right)
      const Kinds = yield* Effect.promise(() => import("../../engine/kinds/Kinds.js"))
      yield* Applying.settle(chosen, Kinds.laneOf(read.right.changes))
    }
    const reviewed = yield* isOurs
      ? Planning.reload(chosen, rules, json)
      : Planning.judged(chosen, rules, read.right)
    const near = { ...reviewed.plan, ...Account.among(chosen) }
    const leftOut = yield* Applying.tellHeld({ changes: meantOf(read.right) }, near)
    const Undo = yield* Effect.promise(() => import("../../engine/planning/Undo.js"))
    const stray = yield* Undo.stray(reviewed.plan)
    if (stray === undefined) return { reviewed, isWhole: isOurs, leftOut }
    const WayBackReasons = yield* Effect.promise(() => import("../../reporting/WayBackReasons.js"))
    return yield* stop(1, `${WayBackReasons.stray(stray)}. Nothing was sent.`)
  })

/** What of a plan would be made or asked for if nothing held it. */
const heldOf = ({ held, ...plan }: Plan): Plan["held"] => {
  const meant = new Set(meantOf({ ...plan, changes: held.map(({ change }) => change) }))
  return held.filter(({ change }) => meant.has(change))
}

/** What of a plan is made or asked for when it is applied; the rest is only shown. */
const meantOf = ({
  changes,
  observeOnly,
  policies
}: Pick<Plan, "changes" | "observeOnly" | "policies">): ReadonlyArray<Change> => {
  const shown = new Set(policies.flatMap(({ id, mode }) => (mode === "preview" ? [id] : [])))
  return observeOnly === undefined ? changes.filter(({ origin }) => !shown.has(origin.name)) : []
}

/** A person's word for a plan that this store did not make; `--yes` is for what it made. */
const trusted = (flags: Choices, chosen: Chosen, plan: Plan) =>
  Effect.gen(function* () {
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const edited = yield* Planning.edited(chosen, plan)
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    for (const line of edited?.lines ?? []) yield* Output.note(line)
    const why =
      edited === undefined
        ? "This store did not make this plan: it comes from another machine, was changed, or the store was replaced."
        : `This store did not make this plan: it is plan ${edited.madeId.slice(0, 12)}, changed after it was made.`
    if (flags.elsewhere) return yield* Output.note(`${why} A new plan decides what of it is applied.`)
    if (flags.yes || !Output.answerable())
      return yield* stop(
        1,
        `${why} Nothing was sent. Make it here: ${Account.told(chosen, "bidhelm plan --out plan.json")}; or give --made-elsewhere, and what a new plan makes in exactly the same way is applied`
      )
    yield* Question.consent(`${why} Make a new plan, and apply what is exactly the same in both?`)
  })

/** A new plan, shown; what an earlier run left open is read back first, because the plan depends on it. */
const fresh = (flags: Choices, chosen: Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    const Applying = yield* Effect.promise(() => import("./Applying.js"))
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const Preview = yield* Effect.promise(() => import("./Preview.js"))
    yield* Applying.settle(chosen, flags.lane)
    const { reviewed } = yield* Planning.plan(chosen, rules, flags.lane)
    if (!flags.json) {
      const Account = yield* Effect.promise(() => import("../account/Account.js"))
      const view = { ...(yield* Flags.viewOf(flags)), ...Account.among(chosen) }
      yield* Preview.show(reviewed.plan, "text", view)
    }
    return reviewed satisfies ReviewedPlan
  })
