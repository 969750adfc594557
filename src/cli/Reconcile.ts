/** `bidhelm reconcile`: after a restore, looks what happened meanwhile and lets the account be written to again. */
import { userInfo } from "node:os"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import { stop } from "./Stop.js"

export const command = Command.make("reconcile", { ...Flags.session, yes: Flags.yes }, (flags) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("./Account.js"))
    const Planning = yield* Effect.promise(() => import("./Planning.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const Reconciling = yield* Effect.promise(() => import("./Reconciling.js"))
    const Migrations = yield* Effect.promise(() => import("../store/Migrations.js"))
    const chosen = yield* Account.choose(flags)
    const database = Store.client(chosen.config.store)
    const mark = yield* Effect.provide(
      Effect.zipRight(Migrations.migrate, Reconciling.marked(chosen.name)),
      database
    )
    if (mark === undefined) return yield* Output.data(`Nothing to do: ${chosen.name} may be written to.`)
    yield* Output.note(`${mark.why}.`)
    const found = yield* Account.during(
      chosen,
      Effect.provide(Reconciling.look(chosen, mark), Planning.layer(chosen))
    )
    yield* flags.json ? Output.json("reconcile", { ...found }) : Output.data(Reconciling.print(found))
    if (found.unread.length > 0) {
      return yield* stop(1, "not everything could be read, so nothing was lifted; run it again")
    }
    const nowMs = yield* Clock.currentTimeMillis
    yield* Effect.provide(Reconciling.lift(chosen, userInfo().username, nowMs), database)
    yield* Output.note(`${chosen.name} may be written to again; look at "bidhelm plan" first.`)
  })
).pipe(Command.withDescription(help("reconcile")))
