/** `bidhelm approvals`: what waits for a person, or the preview of one request. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Ends } from "../../reporting/people/Approvals.js"
import { help } from "../terminal/Help.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"

const id = Args.text({ name: "id" }).pipe(
  Args.withDescription("The request to show in full; bidhelm approvals lists them"),
  Args.optional
)

export const command = Command.make("approvals", { id, ...HoldScope.place }, (flags) =>
  HoldScope.during(flags, (account, zone) =>
    Effect.gen(function* () {
      const { ApprovalStore } = yield* Effect.promise(() => import("../../engine/run/PersonPorts.js"))
      const Report = yield* Effect.promise(() => import("../../reporting/people/Approvals.js"))
      const { Journal } = yield* Effect.promise(() => import("../../engine/run/Journal.js"))
      const store = yield* ApprovalStore
      const nowMs = yield* Clock.currentTimeMillis
      const runs = yield* (yield* Journal).runs(account, 1000)
      const ends: Ends = new Map(runs.map(({ runId, status }) => [runId, status]))
      if (Option.isNone(flags.id)) {
        const requests = yield* store.list(account, 50)
        return yield* flags.json
          ? Output.json("approvals", { approvals: requests.map((one) => Report.plain(one, nowMs, ends)) })
          : Output.text(Report.list(account, requests, nowMs, zone, ends))
      }
      const request = yield* store.find(account, flags.id.value)
      if (request === undefined)
        return yield* stop(1, `there is no approval ${flags.id.value}; bidhelm approvals lists them`)
      yield* flags.json
        ? Output.json("approval", { ...Report.plain(request, nowMs, ends), plan: request.plan })
        : Output.text(Report.preview(request, nowMs, zone, ends))
    })
  )
).pipe(Command.withDescription(help("approvals")))
