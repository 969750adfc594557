/** `bidhelm history --campaign ...`: a page of the changes of all runs that fit. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ChangeLog, type ChangePlace } from "../../engine/door/ChangeLog.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as BrowsedChanges from "../../reporting/history/BrowsedChanges.js"
import * as Reasons from "../../reporting/Reasons.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import { usualLimit } from "./HistoryFilter.js"

interface Page {
  readonly limit: number
  readonly before: Option.Option<string>
  readonly json: boolean
  /** Path of the configuration, as it was given. */
  readonly config: string
}

/** Shows a page, and how to ask for the next one. */
export const show = (asked: BrowsedChanges.Asked, page: Page, currency: string) =>
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const keptSince = yield* log.keptSince(asked.account)
    const gone = BrowsedChanges.forgotten(keptSince, asked)
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
        ? BrowsedChanges.none(asked, before === undefined, gone === undefined)
        : BrowsedChanges.list(changes, currency, asked.zone)
    )
    if (next !== undefined) return yield* Output.note(`more: ${nextPage(asked, page, next)}`)
    if (changes.length === 0 && before === undefined && asked.policy !== undefined) {
      const known = yield* log.policies
      if (!known.includes(asked.policy)) yield* Output.note(BrowsedChanges.unknownPolicy(known))
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
  { account, campaignId, day, policy, state }: BrowsedChanges.Asked,
  { config, limit }: Page,
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
