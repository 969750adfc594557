/** `bidhelm history` and `bidhelm history RUN`: the latest runs, and the changes of one. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import { CreationLog } from "../../engine/door/CreationLog.js"
import { Journal } from "../../engine/door/Journal.js"
import * as Pasts from "../../engine/door/Pasts.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import * as Undo from "../../engine/planning/Undo.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as CreationReasons from "../../reporting/CreationReasons.js"
import * as History from "../../reporting/history/History.js"
import * as RawCalls from "../../reporting/history/RawCalls.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

interface Page {
  readonly limit: number
  readonly before: string | undefined
  readonly json: boolean
  /** IANA name of the zone of all times shown. */
  readonly zone: string
}

/** A page of runs, of one account or of all. */
export const list = (account: string | undefined, { before, json, limit, zone }: Page) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const runs = yield* journal.runs(account, Math.min(Math.max(limit, 1), 10_000), before)
    if (before !== undefined && runs.length === 0)
      return yield* stop(
        1,
        `there is no run before ${before}, or no run of that name; bidhelm history lists them`
      )
    const late = yield* journal.overdue(account, yield* Clock.currentTimeMillis)
    if (late.length > 0) yield* Output.note(History.overdue(late))
    const undone = yield* (yield* ChangeLog).undone(runs.map(({ runId }) => runId))
    return yield* json ? Output.json("runs", { runs, undone }) : Output.text(History.runs(runs, undone, zone))
  })

/** Every change of a run, and whether it can be taken back; of a raw call, what became of that. */
export const one = (runId: string, currency: string, json: boolean) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const rows = yield* journal.rows(runId)
    const run =
      rows.length === 0
        ? (yield* journal.runs(undefined, 10_000)).find((known) => known.runId === runId)
        : undefined
    if (rows.length === 0 && run === undefined)
      return yield* stop(1, `there is no run ${runId}; bidhelm history lists them`)
    const call = run === undefined ? undefined : RawCalls.of(run)
    const undone = yield* (yield* ChangeLog).undone([runId])
    const sent = rows.filter(({ state }) => Pasts.standings[state] !== "none")
    const said = yield* Undo.verdicts(rows[0]?.account ?? "", sent)
    const verdicts = new Map(sent.map(({ change }, at) => [change.id, said[at]!]))
    const creation = yield* (yield* CreationLog).one(runId)
    if (json)
      return yield* Output.json("run", {
        runId,
        changes: rows.map((row) => ({ ...Reasons.withWords(row), madeId: Kinds.madeId(row) ?? null })),
        call:
          call === undefined
            ? null
            : { operation: call.operation, status: call.status, why: RawCalls.ends[call.end] },
        creation: creation === undefined ? null : CreationReasons.asJson(creation),
        undone
      })
    if (creation !== undefined) return yield* Output.text(cleanLine(CreationReasons.told(creation)))
    yield* Output.text(
      call === undefined ? History.changes(rows, currency, verdicts) : cleanLine(RawCalls.text(call))
    )
  })
