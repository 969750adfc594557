/** Reads the recorded days one after another, has the rules answer each, and prints what they say as they come. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Progress from "../../domain/Progress.js"
import * as Backtest from "../../engine/backtest/Backtest.js"
import * as Recall from "../../engine/backtest/Recall.js"
import { Totals } from "../../engine/backtest/Totals.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import { Snapshots, type Taken } from "../../engine/planning/Snapshots.js"
import * as Report from "../../reporting/BacktestReport.js"
import * as Workspace from "../config/Workspace.js"
import * as Store from "../store/Store.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as RuleFiles from "./RuleFiles.js"

interface Asked {
  readonly rules: Option.Option<string>
  readonly from: Option.Option<string>
  readonly to: Option.Option<string>
  readonly policy: ReadonlyArray<string>
  readonly all: boolean
  readonly json: boolean
  readonly config: string
  readonly account: Option.Option<string>
}

export const run = (asked: Asked) =>
  Effect.gen(function* () {
    const from = yield* dayOf("--from", asked.from)
    const to = yield* dayOf("--to", asked.to)
    if (from !== undefined && to !== undefined && from > to) {
      return yield* stop(1, `--from ${from} is after --to ${to}`)
    }
    const config = yield* Workspace.config(asked.config)
    const account = yield* Workspace.account(config, asked.account)
    const load = RuleFiles.answering("backtest", asked.json)
    const rules = yield* load(Option.getOrElse(asked.rules, () => config.rulesFolder))
    const chosen = yield* only(rules, asked.policy)
    const told = Effect.gen(function* () {
      const store = yield* Snapshots
      const kept = yield* store.days(account.name)
      const range = kept.filter(({ day }) => (from ?? day) <= day && day <= (to ?? day))
      if (range.length === 0) return yield* stop(1, nothing(account.name, kept, from, to))
      yield* tell(asked, account.name, chosen, store, range, {
        from: from ?? range[0]!.day,
        to: to ?? range.at(-1)!.day
      })
    })
    yield* Effect.provide(told, Store.layer(config))
  })

const dayOf = (flag: string, text: Option.Option<string>) =>
  Option.match(text, {
    onNone: () => Effect.succeed(undefined),
    onSome: (written) => {
      const day = Days.parse(written)
      return day === undefined
        ? Effect.fail(stop(1, `${flag} ${written}: write a day of the calendar, such as 2026-11-01`))
        : Effect.succeed(day)
    }
  })

const only = (rules: RuleSet, ids: ReadonlyArray<string>) => {
  const on = Backtest.prepare(rules, new Set()).policies
  const missing = ids.filter((id) => !on.some((policy) => policy.id === id))
  if (missing.length > 0) {
    const known = on.flatMap(({ id, isOfLimits }) => (isOfLimits === true ? [] : [id])).join(", ")
    return Effect.fail(
      stop(1, `there is no policy ${missing.join(", ")} that is switched on; there is: ${known || "none"}`)
    )
  }
  if (on.length === 0) return Effect.fail(stop(1, "no policy is switched on, so nothing would have fired"))
  return Effect.succeed(Backtest.prepare(rules, new Set(ids)))
}

const nothing = (
  account: string,
  kept: ReadonlyArray<Taken>,
  from: Days.Day | undefined,
  to: Days.Day | undefined
): string => {
  const how = "bidhelm plan and bidhelm apply keep one snapshot of what they read per day"
  const [first] = kept
  if (first === undefined) return `there are no snapshots of ${account} yet; ${how}`
  const range = `between ${from ?? "the beginning"} and ${to ?? "today"}`
  return `there are no snapshots of ${account} ${range}; the first is of ${first.day}, the last of ${kept.at(-1)?.day}. ${how}`
}

const tell = (
  asked: Asked,
  account: string,
  rules: RuleSet,
  store: Context.Tag.Service<Snapshots>,
  kept: ReadonlyArray<Taken>,
  range: Days.DayRange
) =>
  Effect.gen(function* () {
    const totals = new Totals()
    const days: Array<ReturnType<typeof Report.dayJson>> = []
    const unreadable: Array<{ readonly day: Days.Day; readonly why: string }> = []
    if (!asked.json) yield* Output.text(`${Report.head(account, rules, range, kept.length)}\n`)
    let past = Backtest.nothingYet
    const each = ({ day }: Taken, done: number) =>
      Effect.gen(function* () {
        // Days that are printed as they come are progress enough.
        if (asked.json) yield* Progress.report({ stage: "backtest", done, total: kept.length })
        const recalled = Recall.recall(yield* store.read(account, day))
        if (Either.isLeft(recalled)) {
          unreadable.push({ day, why: recalled.left })
          return
        }
        const { after, told } = Backtest.day(rules, recalled.right, past)
        past = after
        totals.add(told)
        if (asked.json) days.push(Report.dayJson(told, asked))
        else yield* Output.text(`${Report.day(told, asked)}\n`)
      })
    yield* ProgressBar.shown(Effect.forEach(kept, each, { discard: true }))
    const without = gaps(range, kept)
    if (asked.json) {
      return yield* Output.json("backtest", {
        account,
        ...range,
        caveat: Report.caveat,
        rulesHash: rules.hash,
        days,
        withoutSnapshot: without,
        unreadable,
        ...Report.totalsJson(totals)
      })
    }
    yield* Output.text(Report.totals(totals, asked))
    for (const { day, why } of unreadable) {
      yield* Output.note(`the snapshot of ${day} was left out: ${why}`)
    }
    if (without.length > 0) yield* Output.note(Report.without(without))
  })

const gaps = ({ from, to }: Days.DayRange, kept: ReadonlyArray<Taken>): ReadonlyArray<Days.Day> => {
  const there = new Set(kept.map(({ day }) => day))
  const count = Days.length({ from, to })
  return Array.from({ length: count }, (_, n) => Days.shift(from, n)).filter((day) => !there.has(day))
}
