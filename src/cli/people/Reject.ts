/** `bidhelm reject`: says no to what waits for a person. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../reporting/Plural.js"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"

export const command = Command.make(
  "reject",
  {
    id: Args.text({ name: "id" }).pipe(Args.withDescription("The request; bidhelm approvals lists them")),
    why: HoldScope.why("kept with the answer in the audit chain"),
    ...HoldScope.place
  },
  (flags) =>
    HoldScope.during(flags, (account) =>
      Effect.gen(function* () {
        const { ApprovalStore } = yield* Effect.promise(() => import("../../engine/run/PersonPorts.js"))
        const { stateAt } = yield* Effect.promise(() => import("../../engine/run/Approvals.js"))
        const store = yield* ApprovalStore
        const request = yield* store.find(account, flags.id)
        if (request === undefined)
          return yield* stop(1, `there is no approval ${flags.id}; bidhelm approvals lists them`)
        const nowMs = yield* Clock.currentTimeMillis
        const why = Option.isNone(flags.why) ? {} : { why: flags.why.value }
        const by = HoldScope.person()
        const done = yield* store.decide(account, request.id, { to: "rejected", by, nowMs, ...why })
        if (!done)
          return yield* stop(
            1,
            `approval ${request.id} is ${stateAt(request, nowMs)} already; nothing changed`
          )
        yield* flags.json
          ? Output.json("reject", { id: request.id, by })
          : Output.text(
              `rejected ${request.id}: ${Plural.of(request.asked.length, "change is", "changes are")} not made, nor asked again for a day`
            )
      })
    )
).pipe(Command.withDescription(help("reject")))
