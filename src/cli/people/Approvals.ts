/** `bidhelm approvals`, `approve` and `reject`: what waits for a person, and what one says to it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import type { RunRecord } from "../../engine/door/Journal.js"
import type { Request } from "../../engine/planning/ApprovalStore.js"
import * as PlanDocument from "../../reporting/PlanDocument.js"
import type { Known } from "../../reporting/people/Approvals.js"
import * as Command from "../terminal/Command.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"

const id = Flags.optionalArgument("id", "The request to show in full; bidhelm approvals lists them")

export const command = Command.make("approvals", { id, ...HoldScope.place }, function* (flags) {
  yield* HoldScope.during(flags, (account, zone, _store, accounts) =>
    Effect.gen(function* () {
      const { ApprovalStore } = yield* Effect.promise(() => import("../../engine/planning/ApprovalStore.js"))
      const Report = yield* Effect.promise(() => import("../../reporting/people/Approvals.js"))
      const { Journal } = yield* Effect.promise(() => import("../../engine/door/Journal.js"))
      const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
      const Orphans = yield* Effect.promise(() => import("./Orphans.js"))
      const { rulesFolder } = yield* Workspace.config(flags.config)
      const rules = yield* Orphans.end(account, rulesFolder)
      const store = yield* ApprovalStore
      const nowMs = yield* Clock.currentTimeMillis
      const runs = yield* (yield* Journal).runs(account, 1000)
      const Approvals = yield* Effect.promise(() => import("../../engine/planning/Approvals.js"))
      const known = (requests: ReadonlyArray<Request>, among = requests) =>
        Effect.gen(function* () {
          const ends = new Map<string, RunRecord["status"]>()
          const done = new Map<string, ReadonlySet<string>>()
          const successors = new Map<string, string>()
          const outdated = new Set(
            requests.flatMap((one) => (Approvals.isOutdated(one, rules) ? [one.id] : []))
          )
          for (const one of requests) {
            const end = yield* Approvals.endedAs(one, runs)
            if (end !== undefined) ends.set(one.id, end)
            if (one.state === "requested") done.set(one.id, yield* Approvals.done(one))
            const successor = Approvals.successorIn(one, among, nowMs)
            if (successor !== undefined) successors.set(one.id, successor)
          }
          return { ends, done, successors, outdated } satisfies Known
        })
      if (Option.isNone(flags.id)) {
        const requests = yield* store.list(account, 50)
        const all = yield* known(requests)
        return yield* flags.json
          ? Output.json("approvals", { approvals: requests.map((one) => Report.plain(one, nowMs, all)) })
          : Output.text(Report.list(account, requests, nowMs, zone, all))
      }
      const request = yield* store.find(account, flags.id.value)
      if (request === undefined)
        return yield* stop(1, `there is no approval ${flags.id.value}; bidhelm approvals lists them`)
      const its = yield* known([request], [request, ...(yield* store.list(account, 0))])
      yield* flags.json
        ? Output.json("approval", {
            ...Report.plain(request, nowMs, its),
            plan: PlanDocument.of(request.plan)
          })
        : Output.text(Report.preview(request, nowMs, zone, its, { account, accounts }))
    })
  )
})

// `bidhelm approve`: makes exactly the changes of a request, if they may still be made.

const only = Flags.text("only", "Some of its changes: the first characters of their ids, separated by commas")

export const approveCommand = Command.make(
  "approve",
  {
    id: Flags.argument("id", "The request; bidhelm approvals lists them"),
    only,
    why: HoldScope.why("kept with the answer in the audit chain"),
    rules: Flags.rules,
    ...Flags.session
  },
  function* (flags) {
    const Approving = yield* Effect.promise(() => import("./Approving.js"))
    const Planning = yield* Effect.promise(() => import("../plan/Planning.js"))
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const load = RuleFiles.answering("approve", flags.json)
    const { chosen, rules, within } = yield* Planning.open(flags, load)
    const asked = {
      id: flags.id,
      only: Option.getOrUndefined(Option.map(flags.only, (text) => text.split(",").map((one) => one.trim()))),
      why: Option.getOrUndefined(flags.why),
      json: flags.json
    }
    yield* within(Approving.run(asked, chosen, rules))
  }
)

// `bidhelm reject`: says no to what waits for a person.

export const rejectCommand = Command.make(
  "reject",
  {
    id: Flags.argument("id", "The request; bidhelm approvals lists them"),
    why: HoldScope.why("kept with the answer in the audit chain"),
    ...HoldScope.place
  },
  function* (flags) {
    yield* HoldScope.during(flags, (account, _zone, _store, accounts) =>
      Effect.gen(function* () {
        const { ApprovalStore } = yield* Effect.promise(
          () => import("../../engine/planning/ApprovalStore.js")
        )
        const { successorOf } = yield* Effect.promise(() => import("../../engine/planning/Approvals.js"))
        const { over } = yield* Effect.promise(() => import("../../reporting/people/Approvals.js"))
        const store = yield* ApprovalStore
        const request = yield* store.find(account, flags.id)
        if (request === undefined)
          return yield* stop(1, `there is no approval ${flags.id}; bidhelm approvals lists them`)
        const nowMs = yield* Clock.currentTimeMillis
        const why = Option.isNone(flags.why) ? {} : { why: flags.why.value }
        const by = HoldScope.person()
        const done = yield* store.decide(account, request.id, { to: "rejected", by, nowMs, ...why })
        if (!done) {
          const now = (yield* store.find(account, request.id)) ?? request
          const successor = yield* successorOf(now)
          return yield* stop(1, over(now, nowMs, "nothing changed", successor, { account, accounts }))
        }
        yield* flags.json
          ? Output.json("reject", { id: request.id, by })
          : Output.text(
              `rejected ${request.id}: ${Plural.of(request.asked.length, "change is", "changes are")} neither asked again nor made for a day, but by a rule in mode apply that wants the same`
            )
      })
    )
  }
)
