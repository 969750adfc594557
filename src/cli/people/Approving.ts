/** From a person's yes to the changes: reloaded under today's rules and limits, bound to what was shown, applied. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Plural from "../../domain/Plural.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import { ApprovalStore } from "../../engine/planning/ApprovalStore.js"
import * as Approvals from "../../engine/planning/Approvals.js"
import * as Report from "../../reporting/people/Approvals.js"
import * as Account from "../account/Account.js"
import * as Applying from "../plan/Applying.js"
import * as Planning from "../plan/Planning.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import * as HoldScope from "./HoldScope.js"
import * as Orphans from "./Orphans.js"

export interface Asked {
  readonly id: string
  readonly only: ReadonlyArray<string> | undefined
  readonly why: string | undefined
  readonly json: boolean
}

export const run = ({ id, json, only, why }: Asked, chosen: Account.Chosen, rules: RuleSet) =>
  Effect.gen(function* () {
    yield* Lease.allowed(chosen.name)
    yield* Planning.limited(chosen, rules)
    const store = yield* ApprovalStore
    const asked = yield* store.find(chosen.name, id)
    yield* Applying.settle(chosen, Kinds.laneOf(asked === undefined ? [] : Approvals.changesOf(asked)))
    yield* Orphans.end(chosen.name, chosen.config.rulesFolder)
    const request = yield* store.find(chosen.name, id)
    if (request === undefined)
      return yield* stop(1, `there is no approval ${id}; bidhelm approvals lists them`)
    const askedAt = yield* Clock.currentTimeMillis
    const state = Approvals.stateAt(request, askedAt)
    if (state !== "requested") {
      const said = `nothing was sent${state === "applied" ? `. ${rest}` : ""}`
      const successor = yield* Approvals.successorOf(request)
      return yield* stop(1, Report.over(request, askedAt, said, successor, Account.among(chosen)))
    }
    const reviewed = yield* Planning.reload(chosen, rules, request.plan)
    const done = yield* Approvals.standing(request)
    const nowMs = yield* Clock.currentTimeMillis
    const bound = Approvals.bind(request, reviewed, { only, nowMs, done })
    if (Either.isLeft(bound))
      return yield* stop(1, `${Report.unbound(bound.left, request, Account.among(chosen))} Nothing was sent.`)
    const { chosen: ids, refused } = bound.right
    const leftOut = yield* Applying.tellRefused(refused, { ...request.plan, ...Account.among(chosen) })
    const by = HoldScope.person()
    const decision = { to: "approved" as const, by, nowMs, ids, ...(why === undefined ? {} : { why }) }
    if (!(yield* store.decide(chosen.name, request.id, decision)))
      return yield* stop(1, `approval ${request.id} was decided meanwhile; nothing was sent`)
    const changes = reviewed.plan.changes.filter((change) => ids.has(change.id))
    const unnamed = request.asked.length - ids.size - refused.length
    const told =
      unnamed > 0
        ? Output.note(`not named, so not made: ${Plural.of(unnamed, "change")}. ${rest}`)
        : Effect.void
    yield* Applying.run(reviewed, chosen, {
      yes: false,
      json,
      ids,
      leftOut,
      ...Applying.ofApproval(request, store, changes, told)
    })
  })

const rest = "The next plan asks anew for what was left out of it; bidhelm approvals lists it."
