/** `bidhelm resolve`: a person says what became of a parked deposit. */
import { userInfo } from "node:os"
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

const run = Args.text({ name: "run" }).pipe(Args.withDescription("The run, as bidhelm history lists it"))
const change = Args.text({ name: "change" }).pipe(
  Args.withDescription("The change, or its first characters; bidhelm history RUN shows them")
)
const paid = Options.boolean("paid").pipe(Options.withDescription("The money has left the account"))
const notPaid = Options.boolean("not-paid").pipe(
  Options.withDescription("The money has not left the account")
)

export const command = Command.make(
  "resolve",
  { run, change, paid, notPaid, json: Flags.json, config: Flags.config },
  (flags) =>
    Effect.gen(function* () {
      if (flags.paid === flags.notPaid) return yield* stop(1, "say which it is: --paid or --not-paid")
      if (flags.change === "") return yield* stop(1, "an empty name names no change")
      const Workspace = yield* Effect.promise(() => import("./Workspace.js"))
      const Resolve = yield* Effect.promise(() => import("../engine/run/Resolve.js"))
      const Lease = yield* Effect.promise(() => import("../engine/run/Lease.js"))
      const { Journal } = yield* Effect.promise(() => import("../engine/run/Journal.js"))
      const Holder = yield* Effect.promise(() => import("./Holder.js"))
      const Store = yield* Effect.promise(() => import("./Store.js"))
      const config = yield* Workspace.config(flags.config)
      const resolve = Effect.gen(function* () {
        const rows = yield* (yield* Journal).rows(flags.run)
        if (rows.length === 0)
          return yield* stop(1, `there is no run ${flags.run}; bidhelm history lists them`)
        const [row, ...more] = rows.filter((one) => one.change.id.startsWith(flags.change))
        if (row === undefined)
          return yield* stop(
            1,
            `run ${flags.run} has no change ${flags.change}; bidhelm history ${flags.run} lists them`
          )
        if (more.length > 0)
          return yield* stop(
            1,
            `${flags.change} is the beginning of ${more.length + 1} changes of the run; write more of it`
          )
        yield* Lease.hold(row.account, Holder.once("resolve"), Holder.abandoned)
        const refusal = yield* Resolve.deposit(row, flags.paid, userInfo().username)
        if (refusal !== undefined) return yield* stop(1, refusal)
        const state = flags.paid ? "applied" : "not_applied"
        yield* flags.json
          ? Output.json("resolve", { runId: flags.run, change: row.change.id, state })
          : Output.data(
              `${flags.change}: ${flags.paid ? "paid" : "not paid"}, as you say; noted in the journal`
            )
      })
      yield* Effect.scoped(Effect.provide(resolve, Store.layer(config)))
    })
).pipe(Command.withDescription(help("resolve")))
