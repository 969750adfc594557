/** `bidhelm history`: runs, or the changes of one run. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

const run = Args.text({ name: "run" }).pipe(
  Args.withDescription("The run to show with its changes; without it the runs are listed"),
  Args.optional
)
const limit = Options.integer("limit").pipe(
  Options.withDefault(20),
  Options.withDescription("How many runs, the latest first")
)
const before = Options.text("before").pipe(
  Options.optional,
  Options.withDescription("Runs before this one: the next page")
)

const verify = Options.boolean("verify").pipe(
  Options.withDescription("Check the audit chain; ends with 1 when something was changed behind it")
)
const exported = Options.text("export").pipe(
  Options.optional,
  Options.withDescription("Write everything as lines of JSON to a new file, or to - for stdout")
)

export const command = Command.make(
  "history",
  { run, limit, before, verify, exported, json: Flags.json, config: Flags.config, account: Flags.account },
  (flags) =>
    Effect.gen(function* () {
      const Workspace = yield* Effect.promise(() => import("./Workspace.js"))
      const { Journal } = yield* Effect.promise(() => import("../engine/run/Journal.js"))
      const { ChangeLog } = yield* Effect.promise(() => import("../engine/run/ChangeLog.js"))
      const Pasts = yield* Effect.promise(() => import("../engine/run/Pasts.js"))
      const Undo = yield* Effect.promise(() => import("../engine/run/Undo.js"))
      const History = yield* Effect.promise(() => import("../reporting/History.js"))
      const Store = yield* Effect.promise(() => import("./Store.js"))
      const config = yield* Workspace.config(flags.config)
      const account = Option.isNone(flags.account)
        ? undefined
        : (yield* Workspace.account(config, flags.account)).name
      const read = Effect.gen(function* () {
        const journal = yield* Journal
        if (Option.isNone(flags.run)) {
          const before = Option.getOrUndefined(flags.before)
          const runs = yield* journal.runs(account, Math.min(Math.max(flags.limit, 1), 10_000), before)
          if (before !== undefined && runs.length === 0)
            return yield* stop(
              1,
              `there is no run before ${before}, or no run of that name; bidhelm history lists them`
            )
          const late = yield* journal.overdue(account, yield* Clock.currentTimeMillis)
          if (late.length > 0) yield* Output.note(History.overdue(late))
          const undone = yield* (yield* ChangeLog).undone(runs.map(({ runId }) => runId))
          return yield* flags.json
            ? Output.json("runs", { runs, undone })
            : Output.data(History.runs(runs, undone))
        }
        const rows = yield* journal.rows(flags.run.value)
        if (rows.length === 0) {
          const known = yield* journal.runs(undefined, 10_000)
          if (!known.some(({ runId }) => runId === Option.getOrThrow(flags.run))) {
            return yield* stop(1, `there is no run ${flags.run.value}; bidhelm history lists them`)
          }
        }
        const undone = yield* (yield* ChangeLog).undone([flags.run.value])
        const sent = rows.filter(({ state }) => Pasts.standings[state] !== "none")
        const said = yield* Undo.verdicts(rows[0]?.account ?? "", sent)
        const verdicts = new Map(sent.map(({ change }, at) => [change.id, said[at]!]))
        yield* flags.json
          ? Output.json("run", { runId: flags.run.value, changes: rows, undone })
          : Output.data(History.changes(rows, config.currency, verdicts))
      })
      if (flags.verify || Option.isSome(flags.exported)) {
        const Audit = yield* Effect.promise(() => import("./HistoryAudit.js"))
        const work = Option.match(flags.exported, {
          onNone: () => Audit.verify(account, flags.json),
          onSome: (place) => Audit.exportTo(place, account)
        })
        yield* Effect.provide(Store.migrate(config.store), Store.client(config.store))
        return yield* Effect.provide(work, Store.reading(config.store))
      }
      yield* Effect.provide(read, Store.layer(config))
    })
).pipe(Command.withDescription(help("history")))
