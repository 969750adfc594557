/** `bidhelm history`: runs, or the changes of one run. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

const run = Args.text({ name: "run" }).pipe(Args.optional)
const limit = Options.integer("limit").pipe(
  Options.withDefault(20),
  Options.withDescription("How many runs, the latest first")
)

export const command = Command.make(
  "history",
  { run, limit, json: Flags.json, config: Flags.config, account: Flags.account },
  (flags) =>
    Effect.gen(function* () {
      const Workspace = yield* Effect.promise(() => import("./Workspace.js"))
      const { Journal } = yield* Effect.promise(() => import("../engine/run/Ports.js"))
      const History = yield* Effect.promise(() => import("../reporting/History.js"))
      const Store = yield* Effect.promise(() => import("./Store.js"))
      const config = yield* Workspace.config(flags.config)
      const account = Option.isNone(flags.account)
        ? undefined
        : (yield* Workspace.account(config, flags.account)).name
      const read = Effect.gen(function* () {
        const journal = yield* Journal
        if (Option.isNone(flags.run)) {
          const runs = yield* journal.runs(account, Math.min(Math.max(flags.limit, 1), 10_000))
          return yield* flags.json ? Output.json("runs", { runs }) : Output.data(History.runs(runs))
        }
        const rows = yield* journal.rows(flags.run.value)
        if (rows.length === 0) {
          const known = yield* journal.runs(undefined, 10_000)
          if (!known.some(({ runId }) => runId === Option.getOrThrow(flags.run))) {
            return yield* stop(1, `there is no run ${flags.run.value}; bidhelm history lists them`)
          }
        }
        yield* flags.json
          ? Output.json("run", { runId: flags.run.value, changes: rows })
          : Output.data(History.changes(rows, config.currency))
      })
      yield* Effect.provide(read, Store.layer(config.storePath))
    })
).pipe(Command.withDescription(help("history")))
