/** `bidhelm store purge`: forgets what is older than the configuration keeps it. */
import * as Command from "@effect/cli/Command"
import * as Effect from "effect/Effect"
import { group, part } from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"

const dryRun = Flags.flag("dry-run", "Only count what would be forgotten")

const purge = part(
  "store",
  "purge",
  { dryRun, json: Flags.json, config: Flags.config },
  function* ({ config: path, dryRun: only, json }) {
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const Retention = yield* Effect.promise(() => import("../../store/retention/Retention.js"))
    const config = yield* Workspace.config(path)
    const Account = yield* Effect.promise(() => import("../account/Account.js"))
    const nowMs = yield* Account.earliestMs(config)
    const work = only ? Retention.dryRun(nowMs, config.keep) : Retention.purge(nowMs, config.keep)
    const counts = yield* Effect.provide(
      Effect.zipRight(Store.migrate(config.store), work),
      Store.client(config.store)
    )
    if (json) return yield* Output.json("purge", { dryRun: only, ...counts })
    const list = Object.entries(counts).flatMap(([what, n]) => (n > 0 ? [`${what} ${n}`] : []))
    yield* Output.text(
      list.length === 0
        ? "Nothing is old enough to be forgotten."
        : `${only ? "Would forget" : "Forgotten"}: ${list.join(", ")}.`
    )
  }
)

export const command = group("store", "store").pipe(Command.withSubcommands([purge]))
