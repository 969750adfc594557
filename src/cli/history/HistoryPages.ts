/** What `bidhelm history` shows: the latest runs, the changes of one, and a page of the changes of all runs that fit a question. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ChangeLog, type ChangePlace } from "../../engine/door/ChangeLog.js"
import { CreationLog } from "../../engine/door/CreationLog.js"
import { Journal } from "../../engine/door/Journal.js"
import * as Pasts from "../../engine/door/Pasts.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import * as Undo from "../../engine/planning/Undo.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as CreationReasons from "../../reporting/CreationReasons.js"
import * as History from "../../reporting/history/History.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import { usualLimit } from "./HistoryFilter.js"

interface RunsPage {
  readonly limit: number
  readonly before: string | undefined
  readonly json: boolean
  /** IANA name of the zone of all times shown. */
  readonly zone: string
}

/** A page of runs, of one account or of all. */
export const runs = (account: string | undefined, { before, json, limit, zone }: RunsPage) =>
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
export const run = (runId: string, currency: string, json: boolean) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const rows = yield* journal.rows(runId)
    const run =
      rows.length === 0
        ? (yield* journal.runs(undefined, 10_000)).find((known) => known.runId === runId)
        : undefined
    if (rows.length === 0 && run === undefined)
      return yield* stop(1, `there is no run ${runId}; bidhelm history lists them`)
    const call = run === undefined ? undefined : History.rawCall(run)
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
            : { operation: call.operation, status: call.status, why: History.rawEnds[call.end] },
        creation: creation === undefined ? null : CreationReasons.asJson(creation),
        undone
      })
    if (creation !== undefined) return yield* Output.text(cleanLine(CreationReasons.told(creation)))
    yield* Output.text(
      call === undefined ? History.changes(rows, currency, verdicts) : cleanLine(History.rawText(call))
    )
  })

interface ChangesPage {
  readonly limit: number
  readonly before: Option.Option<string>
  readonly json: boolean
  /** Path of the configuration, as it was given. */
  readonly config: string
}

/** A page of the changes of all runs that fit, and how to ask for the next one. */
export const changes = (asked: History.Asked, page: ChangesPage, currency: string) =>
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const keptSince = yield* log.keptSince(asked.account)
    const gone = History.forgotten(keptSince, asked)
    const before = Option.isNone(page.before) ? undefined : yield* placeOf(page.before.value, gone)
    const found = yield* log.browse(asked, page.limit + 1, before)
    const changes = found.slice(0, page.limit)
    const last = found.length > page.limit ? changes.at(-1) : undefined
    const next = last === undefined ? undefined : `${last.runId}/${last.change.id}`
    if (page.json) {
      const { account = null, campaignId = null, day = null, policy = null, state = null, zone } = asked
      return yield* Output.json("changes", {
        filter: { account, campaignId, policy, state, day, timeZone: zone },
        changes: changes.map(Reasons.withWords),
        next: next ?? null,
        keptSince: keptSince ?? null
      })
    }
    yield* Output.text(
      changes.length === 0
        ? History.noneFits(asked, before === undefined, gone === undefined)
        : History.browsed(changes, currency, asked.zone)
    )
    if (next !== undefined) return yield* Output.note(`more: ${nextPage(asked, page, next)}`)
    if (changes.length === 0 && before === undefined && asked.policy !== undefined) {
      const known = yield* log.policies
      if (!known.includes(asked.policy)) yield* Output.note(History.unknownPolicy(known))
    }
    if (gone !== undefined) yield* Output.note(gone)
  })

/** Where `RUN/CHANGE` stands, or the beginning of `RUN`. */
const placeOf = (text: string, gone: string | undefined) =>
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const at = text.lastIndexOf("/")
    const run = at < 0 ? text : text.slice(0, at)
    const change = at < 0 ? undefined : text.slice(at + 1)
    const [place, other]: ReadonlyArray<ChangePlace> = yield* log.places(run, change)
    if (place !== undefined && other === undefined) return place
    const why =
      place === undefined
        ? `there is no ${change === undefined ? `run ${run}` : `change ${change} of a run ${run}`}${gone === undefined ? "" : ", or it was purged"}`
        : `several changes of run ${run} begin with "${change}"; write more of it`
    return yield* stop(1, `--before ${cleanLine(`${text}: ${why}`)}. Write RUN/CHANGE or RUN`)
  })

/** The same question again, behind the last change shown. */
const nextPage = (
  { account, campaignId, day, policy, state }: History.Asked,
  { config, limit }: ChangesPage,
  next: string
): string => {
  const options: ReadonlyArray<readonly [string, string | undefined]> = [
    ["account", account],
    ["campaign", campaignId === undefined ? undefined : `${campaignId}`],
    ["policy", policy],
    ["state", state],
    ["day", day],
    ["limit", limit === usualLimit ? undefined : `${limit}`],
    ["config", config === "bidhelm.yaml" ? undefined : config],
    ["before", next]
  ]
  const words = options.flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name} ${quoted(value)}`]
  )
  return cleanLine(`bidhelm history ${words.join(" ")}`)
}

/** As a shell has to read it. */
const quoted = (text: string): string =>
  /^[\w./:@%+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
