/** `bidhelm resolve`: a person says what became of a parked deposit, or of a creation that nobody can find. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import { stop } from "../terminal/Stop.js"

const run = Flags.argument("run", "The run, as bidhelm history lists it")
const change = Flags.optionalArgument(
  "change",
  "The change, or its first characters; bidhelm history RUN shows them. None for a creation"
)
const paid = Flags.flag("paid", "The money has left the account")
const notPaid = Flags.flag("not-paid", "The money has not left the account")
const created = Flags.text("created", "What a call should have created is there, under this id")
const notCreated = Flags.flag("not-created", "What a call should have created is not there")

export const command = Command.make(
  "resolve",
  { run, change, paid, notPaid, created, notCreated, json: Flags.json, config: Flags.config },
  function* (flags) {
    const said = [flags.paid, flags.notPaid, Option.isSome(flags.created), flags.notCreated]
    if (said.filter(Boolean).length !== 1)
      return yield* stop(
        1,
        "say which it is: --paid or --not-paid of a deposit, --created ID or --not-created of what a call should have created"
      )
    if (!flags.paid && !flags.notPaid) return yield* creation(flags, Option.getOrUndefined(flags.created))
    const wanted = Option.getOrUndefined(flags.change)
    if (wanted === "") return yield* stop(1, "an empty name names no change")
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const Parked = yield* Effect.promise(() => import("../../engine/door/Parked.js"))
    const Lease = yield* Effect.promise(() => import("../../engine/door/Lease.js"))
    const Kinds = yield* Effect.promise(() => import("../../engine/kinds/Kinds.js"))
    const { CreationLog } = yield* Effect.promise(() => import("../../engine/door/CreationLog.js"))
    const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
    const Holder = yield* Effect.promise(() => import("../account/Holder.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const config = yield* Workspace.config(flags.config)
    const resolve = Effect.gen(function* () {
      if ((yield* (yield* CreationLog).one(flags.run)) !== undefined)
        return yield* stop(
          1,
          `${flags.run} is a call that creates something, and no deposit; say --created ID, or --not-created`
        )
      const rows = yield* (yield* Journal).rows(flags.run)
      if (rows.length === 0) return yield* stop(1, `there is no run ${flags.run}; bidhelm history lists them`)
      if (wanted === undefined)
        return yield* stop(1, `say which change; bidhelm history ${flags.run} shows them`)
      const [row, ...more] = rows.filter((one) => one.change.id.startsWith(wanted))
      if (row === undefined)
        return yield* stop(
          1,
          `run ${flags.run} has no change ${wanted}; bidhelm history ${flags.run} lists them`
        )
      if (more.length > 0)
        return yield* stop(
          1,
          `${wanted} is the beginning of ${more.length + 1} changes of the run; write more of it`
        )
      yield* Lease.hold(
        { account: row.account, lane: Kinds.laneOf([row.change]) },
        Holder.once("resolve"),
        Holder.abandoned
      )
      const refusal = yield* Parked.resolve(row, flags.paid, Person.name())
      if (refusal !== undefined) return yield* stop(1, refusal)
      const state = flags.paid ? "applied" : "not_applied"
      yield* flags.json
        ? Output.json("resolve", { runId: flags.run, change: row.change.id, state })
        : Output.text(`${wanted}: ${flags.paid ? "paid" : "not paid"}, as you say; noted in the journal`)
    })
    yield* Effect.scoped(Effect.provide(resolve, Store.layer(config)))
  }
)

/** Of a creation: its id is the id of the call. */
const creation = (
  flags: { readonly run: string; readonly json: boolean; readonly config: string },
  given: string | undefined
) =>
  Effect.gen(function* () {
    const foundId = given?.trim()
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const Create = yield* Effect.promise(() => import("../../engine/door/Create.js"))
    const Creations = yield* Effect.promise(() => import("../../engine/door/Creations.js"))
    const { CreationLog } = yield* Effect.promise(() => import("../../engine/door/CreationLog.js"))
    const Lease = yield* Effect.promise(() => import("../../engine/door/Lease.js"))
    const Recipes = yield* Effect.promise(() => import("../../marketplace/creates/Recipes.js"))
    const Holder = yield* Effect.promise(() => import("../account/Holder.js"))
    const Store = yield* Effect.promise(() => import("../store/Store.js"))
    const config = yield* Workspace.config(flags.config)
    const resolve = Effect.gen(function* () {
      const found = yield* (yield* CreationLog).one(flags.run)
      if (found === undefined)
        return yield* stop(
          1,
          `${flags.run} is no call that created something; bidhelm history lists the calls`
        )
      const wrong = foundId === undefined ? undefined : Recipes.objection(found, foundId)
      if (wrong !== undefined) return yield* stop(1, wrong)
      yield* Lease.hold(found, Holder.once("resolve"), Holder.abandoned)
      const over = yield* Create.resolve(found, foundId, Person.name())
      if (over !== undefined)
        return yield* stop(1, `the creation is ${over.replaceAll("_", " ")}; there is nothing to settle`)
      yield* Creations.ended(found, foundId === undefined ? "not_made" : "made")
      const state = foundId === undefined ? "not_applied" : "applied"
      yield* flags.json
        ? Output.json("resolve", { runId: flags.run, creation: found.marker, state })
        : Output.text(
            `${found.operation} "${found.marker}": ${foundId === undefined ? "not created" : `created (${foundId})`}, as you say; noted in the store`
          )
    })
    yield* Effect.scoped(Effect.provide(resolve, Store.layer(config)))
  })
