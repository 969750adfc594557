/**
 * A call by hand whose operation a kind of change covers: a plan of its changes, through the same door as every other.
 * What the marketplace answered is told as it came; what became of the changes stands in the history.
 */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Lane } from "../../domain/Lane.js"
import * as Plural from "../../domain/Plural.js"
import type * as Apply from "../../engine/door/Apply.js"
import type { JournalRow } from "../../engine/door/Journal.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Stopping from "../../engine/door/Stopping.js"
import { Writer } from "../../engine/door/Writer.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import * as CallPlan from "../../engine/planning/CallPlan.js"
import * as Cycle from "../../engine/planning/Cycle.js"
import * as Calls from "../../marketplace/Calls.js"
import * as Recipes from "../../marketplace/creates/Recipes.js"
import * as Writers from "../../marketplace/Writers.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import * as History from "../../reporting/history/History.js"
import * as Reasons from "../../reporting/Reasons.js"
import type { Entry } from "../../services/Catalogue.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { effectOf, ofWrite } from "../../services/MarketplaceError.js"
import * as Account from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import * as StopAt from "../account/StopAt.js"
import * as StopFile from "../account/StopFile.js"
import * as Applying from "../plan/Applying.js"
import * as Preview from "../plan/Preview.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { limited, stop } from "../terminal/Stop.js"
import type { Request } from "./CallRequest.js"
import * as CallRequest from "./CallRequest.js"
import * as CallWait from "./CallWait.js"

/** True for operations whose requests are read as changes. */
export const covers = ({ id }: Entry): boolean => Object.hasOwn(Calls.readings, id)

/** What came of it: the answer as the wire spells it, the run, and what there is to say besides. */
export interface Outcome {
  /** Undefined when none came. */
  readonly answer: unknown
  readonly run: string | undefined
  /** Said where no answer came and it was done all the same; `answer` is then what was found of it, if anything. */
  readonly found: string | undefined
  /** How the command ends once the answer is told; undefined when all is as asked. */
  readonly end: Effect.Effect<void, Error>
}

/** Plans it, and only shows the plan. */
export const shown = (entry: Entry, request: Request, chosen: Account.Chosen, json: boolean) =>
  Effect.gen(function* () {
    const planned = yield* plan(entry, request, chosen)
    if (planned === undefined) return yield* Output.note(nothing)
    yield* Preview.show(planned.reviewed.plan, json ? "json" : "text", {
      all: true,
      ...Account.among(chosen)
    })
  }).pipe(Effect.provide(layer(chosen)))

/** Plans it and sends it. Only for calls that a person confirmed. */
export const run = (entry: Entry, request: Request, chosen: Account.Chosen) =>
  Effect.gen(function* () {
    yield* Lease.allowed(chosen.name)
    const settled = yield* Applying.settle(chosen, lanes[entry.area] ?? "ads")
    const planned = yield* plan(entry, request, chosen)
    if (planned === undefined) {
      yield* Output.note(nothing)
      return { answer: undefined, run: undefined, found: undefined, end: Effect.void } satisfies Outcome
    }
    const { reviewed } = planned
    const paid = paidNow(reviewed.plan.changes, settled)
    if (paid !== undefined)
      return yield* stop(
        1,
        `nothing was sent: the deposit of ${paid.runId} to campaign ${paid.change.subject.campaignId} was found paid only now; call again if you want another one`
      )
    const [held] = reviewed.plan.held
    if (held !== undefined)
      return yield* stop(
        1,
        cleanLine(`not sent: ${HeldReasons.text(held, { ...reviewed.plan, ...Account.among(chosen) })}`)
      )
    yield* CallWait.told(entry, chosen)
    const heard: Calls.Heard = {}
    const client = yield* MarketplaceClient
    const call = { ...planned, operation: entry.id, request, changes: reviewed.appliable }
    const report = yield* ProgressBar.shown(
      Cycle.apply(
        reviewed,
        { approvedBy: `${Person.name()} (--yes)`, account: chosen.name },
        { holder: Holder.name(), abandoned: Holder.abandoned, whole: true }
      )
    ).pipe(
      Effect.provideServiceEffect(
        Writer,
        Effect.flatMap(Writer, (own) => Calls.writer(own, client, call, heard))
      ),
      // What came of the call must reach the person all the same: who hears nothing of it makes it again.
      Effect.catchTag("StoreFailure", (failure) =>
        heard.answer === undefined
          ? Effect.fail(failure)
          : Effect.as(
              Output.note(`The end of this call could not be written down: ${failure.message}`),
              undefined
            )
      )
    )
    const isDone = report?.status === "done"
    const found = isDone && heard.isUnanswered === true ? foundDone : undefined
    const told = found === undefined ? heard.answer : yield* Calls.found(client, entry.id, request)
    const isAnswered = (isDone && found === undefined) || told !== undefined
    const answer = isAnswered ? (CallRequest.spelt(entry)(told) ?? null) : undefined
    if (isDone) yield* Output.note(wayBack(report, found, chosen))
    return { answer, run: report?.runId, found, end: ending(heard, report) } satisfies Outcome
  }).pipe(Effect.provide(layer(chosen)))

/** A payment of an earlier run that this call may only be made to repeat: whoever made it never heard of its end. */
const paidNow = (changes: ReadonlyArray<Change>, settled: ReadonlyArray<JournalRow>) => {
  const slots = new Set(changes.filter(Kinds.isPayment).map(Kinds.slotOf))
  return settled.find(({ slot, state }) => slots.has(slot) && state === "applied")
}

/** Where what is called by hand goes on; the rest is advertising. */
const lanes: Readonly<Record<string, Lane>> = {
  promo: "promotions",
  orders: "orders",
  labels: "orders",
  supplies: "orders",
  passes: "orders"
}

const foundDone = "no answer came; it was found done"
const nothing = "Everything is as asked for already; nothing was sent."

/** Undefined when there is nothing to change; ends the command when nobody can tell. */
const plan = (entry: Entry, request: Request, chosen: Account.Chosen) =>
  Effect.gen(function* () {
    const client = yield* MarketplaceClient
    const { config, name } = chosen
    const call = {
      account: name,
      operation: entry.id,
      currency: config.currency,
      zone: config.timeZone
    }
    const planned = yield* ProgressBar.shown(
      Stopping.unlessAsked(
        Effect.flatMap(Calls.wanted(client, entry.id, request), (wanted) => CallPlan.make(call, wanted))
      )
    )
    switch (planned._tag) {
      case "Unclear": {
        const why = `nothing was sent: ${planned.why.join("\n")}`
        return yield* planned.isLimited === true ? limited(why) : stop(1, why)
      }
      case "There":
        return undefined
      case "Plan":
        return planned
    }
  })

/** What a person may do next. */
const wayBack = (
  { counts, rows, runId }: Apply.ApplyReport,
  found: string | undefined,
  chosen: Account.Chosen
): string =>
  `${runId}: ${found ?? "done"} (${History.counted(counts)})${rows.every(({ change }) => change.reversible) ? `; take it back with ${Account.told(chosen, `bidhelm undo ${runId}`)}` : ""}`

/** All is well when every change is in place; else the answer says what the marketplace said, and this what we found. */
const ending = (
  { answer, error, refused }: Calls.Heard,
  report: Apply.ApplyReport | undefined
): Effect.Effect<void, Error> => {
  if (report === undefined || report.status === "done") return Effect.void
  // Beside what was refused, the others only say that they did not go without it.
  const row =
    report.rows.find(({ state }) => state === "rejected") ??
    report.rows.find(({ state }) => state !== "applied")
  const why =
    row === undefined
      ? undefined
      : Reasons.ofRow(refused === undefined ? row : { ...row, state: "rejected", reason: refused })
  const said = why === undefined ? undefined : cleanLine(why)
  const left = error !== undefined && effectOf(error) === "none"
  if (left && error._tag !== "Withheld") return Effect.fail(error)
  if (answer === undefined && report.rows.every(isUnsent)) {
    const nothing = `${report.runId}: ${said ?? "nothing was sent"}`
    return Applying.isLimited(report) ? limited(nothing) : stop(1, nothing)
  }
  const states = `${History.counted(report.counts)} of ${Plural.of(report.rows.length, "change")}`
  const failed =
    error === undefined || row?.reason?.code === "no_answer" ? undefined : ofWrite(error, "told").message
  const parts = [states, said, failed].filter((part) => part !== undefined)
  return stop(4, `${report.runId}: ${parts.join("; ")}`)
}

const isUnsent = ({ state }: JournalRow): boolean => state === "skipped" || state === "rejected"

const layer = ({ config, name }: Account.Chosen) =>
  Layer.mergeAll(Writers.layer(), Recipes.layerWhereabouts, StopFile.guarding(config, name), StopAt.layer)
