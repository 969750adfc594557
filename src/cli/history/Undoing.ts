/** The work of `bidhelm undo`: find, plan, show, ask, apply, and say what stays. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import type { JournalRow } from "../../engine/door/Journal.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Undo from "../../engine/planning/Undo.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as PlanDocument from "../../reporting/PlanDocument.js"
import * as WayBackReasons from "../../reporting/WayBackReasons.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Applying from "../plan/Applying.js"
import * as PlanFile from "../plan/PlanFile.js"
import * as Planning from "../plan/Planning.js"
import * as Preview from "../plan/Preview.js"
import type { RulesRead } from "../rules/RuleFiles.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import * as Question from "../terminal/Question.js"
import { stop } from "../terminal/Stop.js"

interface Asked {
  readonly what: string
  readonly yes: boolean
  readonly json: boolean
  readonly out: Option.Option<string>
  /** Nothing is sent: it is a look, or a plan for later. */
  readonly isShown: boolean
  readonly part: Part
}

/** Which rows of a run are meant. */
type Part = (row: JournalRow) => boolean

/** What `--only` says. */
export const part = (only: Option.Option<string>) => {
  if (Option.isNone(only)) return Effect.succeed<Part>(() => true)
  const found = /^(policy|campaign)=(.+)$/.exec(only.value.trim())
  const [, key, value] = found ?? []
  if (key === "policy") return Effect.succeed<Part>(({ change }) => change.origin.name === value)
  if (key === "campaign" && /^\d+$/.test(value ?? ""))
    return Effect.succeed<Part>(({ change }) => change.subject.campaignId === Number(value))
  return Effect.fail(stop(1, `--only ${only.value}: write policy=01-raise-to-reach-max or campaign=777`))
}

/** `again` reads the rules once more. */
export const run = (asked: Asked, chosen: Account.Chosen, rules: RuleSet, again: RulesRead) =>
  Effect.gen(function* () {
    // What was mistyped is told first: nobody repeats it with --yes.
    yield* named(asked, chosen)
    if (!asked.isShown && !asked.yes && !Output.answerable())
      return yield* stop(1, "nobody is here to approve; give --yes, or look first with --dry-run")
    if (!asked.isShown) {
      yield* Lease.allowed(chosen.name)
      yield* Planning.limited(chosen, rules)
      // What is open cannot be taken back, so it is settled first, as before every plan that is applied.
      yield* Applying.settle(chosen)
    }
    const meant = yield* named(asked, chosen)
    const { tokenKind } = yield* MarketplaceClient
    const undoing = yield* ProgressBar.shown(
      Stopping.unlessAsked(Undo.plan(rules, meant, Planning.options(chosen, tokenKind)))
    )
    yield* Planning.tell(undoing.gathered)
    yield* Planning.sameCurrency(chosen, undoing.gathered.currency)
    yield* show(asked, undoing, chosen)
    if (asked.isShown) return
    const { reviewed } = undoing
    const count = reviewed.appliable.length
    const stays = staysOf(undoing)
    if (count === 0) {
      if (asked.json)
        yield* Output.json("apply", {
          runId: null,
          planId: reviewed.plan.id,
          changes: [],
          left: toldLeft(undoing)
        })
      else
        yield* Output.text(
          stays === 0 ? "Nothing to take back." : "Nothing can be taken back now; why, it says above."
        )
      return stays === 0 ? undefined : yield* partly(stays)
    }
    if (!asked.yes) yield* Question.consent(`Take ${Plural.of(count, "change")} back in ${chosen.name}?`)
    const ids = new Set(reviewed.appliable.map(({ id }) => id))
    const going = asked.yes
      ? undoing
      : { ...undoing, reviewed: (yield* Applying.confirmed(reviewed, chosen, ids, again)).reviewed }
    yield* Applying.run(going.reviewed, chosen, { ...asked, left: toldLeft(going) })
    if (staysOf(going) > 0) return yield* partly(staysOf(going))
  })

/** How many changes stay as they are though there is something to take back. */
const staysOf = ({ left, reviewed }: Undo.Undoing): number =>
  left.filter(({ isOver }) => !isOver).length + reviewed.plan.held.length

/** The changes that are meant. */
const named = (asked: Asked, chosen: Account.Chosen) =>
  Effect.gen(function* () {
    const rows = yield* Undo.find(chosen.name, asked.what).pipe(
      Effect.catchTag("UndoUnclear", ({ why }) => Effect.fail(stop(1, why)))
    )
    const meant = rows.filter(asked.part)
    return meant.length > 0
      ? meant
      : yield* stop(1, `--only leaves nothing of the ${Plural.of(rows.length, "change")} of ${asked.what}`)
  })

const partly = (stays: number) =>
  stop(4, `${Plural.of(stays, "change stays as it is", "changes stay as they are")}; the list says why`)

/** What stays, for programs: changes that cannot go back, and inverses that a limit holds. */
const toldLeft = ({ left, reviewed }: Undo.Undoing) => [
  ...left.map(({ because, change, isOver, runId }) => ({
    runId,
    changeId: change.id,
    why: WayBackReasons.text(because),
    code: because.code,
    because,
    isOver
  })),
  ...reviewed.plan.held.map((held) => ({
    runId: held.change.undoes?.runId ?? null,
    changeId: held.change.undoes?.changeId ?? null,
    why: HeldReasons.text(held, reviewed.plan),
    code: held.because.code,
    because: held.because,
    isOver: false
  }))
]

const show = (asked: Asked, undoing: Undo.Undoing, chosen: Account.Chosen) =>
  Effect.gen(function* () {
    const { plan } = undoing.reviewed
    if (!asked.json) {
      // What stays is what a person must know before agreeing, so none of it is only counted.
      const options = { all: true, colour: Output.coloured(), ...Account.among(chosen) }
      yield* Output.text(yield* Preview.print(plan, "text", options))
    } else if (asked.isShown) {
      yield* Output.json("undo", { plan: PlanDocument.of(plan), left: toldLeft(undoing) })
    }
    if (Option.isSome(asked.out)) {
      yield* PlanFile.write(asked.out.value, plan)
      yield* Output.note(
        `Saved. Apply exactly this within 24 hours: ${Account.told(chosen, `bidhelm apply ${asked.out.value}`)}`
      )
    }
  })
