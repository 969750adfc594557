/** `bidhelm reconcile`: after a restore, looks what happened meanwhile and lets the account be written to again. */
import * as Effect from "effect/Effect"
import * as Wording from "../../reporting/Wording.js"
import type { Chosen } from "../account/Account.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as Person from "../terminal/Person.js"
import { limited, stop } from "../terminal/Stop.js"

const acceptUnread = Flags.flag(
  "accept-unread",
  "Let apply send again although something could not be read, such as a deleted campaign"
)

export const command = Command.make("reconcile", { ...Flags.session, acceptUnread }, function* (flags) {
  const Account = yield* Effect.promise(() => import("../account/Account.js"))
  const Planning = yield* Effect.promise(() => import("../plan/Planning.js"))
  const chosen = yield* Account.choose(flags)
  const found = yield* Account.during(chosen, Effect.provide(look(chosen, flags), Planning.layer(chosen)))
  if (found === undefined) {
    return yield* flags.json
      ? Output.json("reconcile", { lifted: false, marked: false })
      : Output.text(`Nothing to do: ${chosen.name} may be written to.`)
  }
  const Reconciling = yield* Effect.promise(() => import("./Reconciling.js"))
  const isWhole = Reconciling.isWhole(found)
  const lifts = isWhole || flags.acceptUnread
  if (lifts) {
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const note = isWhole ? "everything could be read" : "accepted although not everything could be read"
    const lifting = Reconciling.lift(chosen, Person.name(), note)
    yield* Account.during(chosen, Effect.provide(lifting, Store.client(chosen.config.store)))
  }
  yield* flags.json
    ? Output.json("reconcile", { lifted: lifts, marked: true, ...Reconciling.json(found) })
    : Output.text(
        Reconciling.print(
          found,
          chosen.config.timeZone,
          Wording.sign(chosen.config.currency),
          lifts ? Account.among(chosen) : undefined
        )
      )
  if (lifts)
    return yield* Output.note(
      `${chosen.name} may be written to again; look at "${Account.told(chosen, "bidhelm plan")}" first.`
    )
  const why = `not everything could be read, so apply still sends nothing; run it again. What is gone for good, such as a deleted campaign: ${Account.told(chosen, "bidhelm reconcile --accept-unread")}`
  return yield* found.isLimited ? limited(why) : stop(1, why)
})

/** Undefined when the account may be written to. */
const look = (chosen: Chosen, { acceptUnread, json }: Record<"acceptUnread" | "json", boolean>) =>
  Effect.gen(function* () {
    const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
    const Reconciling = yield* Effect.promise(() => import("./Reconciling.js"))
    const mark = yield* (yield* Journal).observeOnly(chosen.name)
    if (mark === undefined) return undefined
    yield* Output.note(`${mark.why}.`)
    const found = yield* Reconciling.look(chosen, json)
    const lifts = acceptUnread || Reconciling.isWhole(found)
    return lifts ? yield* Reconciling.hold(chosen, found, Person.name()) : found
  })
