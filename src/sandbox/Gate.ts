/** What every request passes before and after its handler: route, token, limit, permission, faults, counting. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Operation from "../services/Operation.js"
import * as Answer from "./Answer.js"
import * as Buckets from "./Buckets.js"
import * as Faults from "./Faults.js"
import * as Ledger from "./Ledger.js"
import * as Routes from "./Routes.js"
import * as SandboxToken from "./SandboxToken.js"
import type { Service } from "./Service.js"

/** A request, read whole. */
export interface Asked {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  readonly body: string
}

/** Now in whole milliseconds, and for the limits with fractions. */
export interface Now {
  readonly nowMs: number
  readonly preciseMs: number
}

export type Outcome =
  | { readonly _tag: "Answered"; readonly answer: Answer.Answer }
  | { readonly _tag: "Broken"; readonly half: Answer.Answer | undefined }

/** How long a request is on its way before it is looked at, milliseconds. */
export const delay = (sandbox: Service, asked: Asked): number => {
  const route = Routes.find(asked.method, asked.url.pathname)
  return route === undefined || route === "wrong method" ? 0 : Faults.delay(sandbox.faults, route.facts.id)
}

/** Answers a request at one instant, so that no other request comes between. */
export const pass = (sandbox: Service, asked: Asked, now: Now): Outcome => {
  const route = Routes.find(asked.method, asked.url.pathname)
  if (route === undefined) return answered(Answer.text("path not found", 404))
  if (route === "wrong method") return answered(Answer.text("method not allowed", 405))
  const outcome = routed(sandbox, route, asked, now)
  const answer = outcome._tag === "Answered" ? outcome.answer : outcome.half
  Ledger.countAnswer(sandbox.ledger, route.facts.id, answer?.status ?? 0)
  return outcome
}

const answered = (answer: Answer.Answer): Outcome => ({ _tag: "Answered", answer })

const routed = (sandbox: Service, route: Routes.Route, asked: Asked, now: Now): Outcome => {
  const { facts } = route
  const { nowMs } = now
  const bearer = Option.getOrUndefined(SandboxToken.read(asked.authorization))
  if (bearer === undefined)
    return answered(Answer.problem(Answer.refuse(401, "token is missing or malformed"), nowMs))
  if (bearer.expiresAtMs <= nowMs)
    return answered(Answer.problem(Answer.refuse(401, "token is expired"), nowMs))
  const forbidden = forbiddenBecause(facts, bearer)
  const limit = Operation.limitOf(facts, bearer.kind)
  if (forbidden !== undefined || limit === undefined)
    return answered(Answer.problem(Answer.refuse(403, forbidden ?? "token kind is not served"), nowMs))
  const key = `${bearer.seller} ${bearer.kind} ${facts.limitGroup}`
  const taken = Buckets.take(sandbox.buckets, key, limit, now.preciseMs)
  if (taken._tag === "Empty") return answered(throttled(taken, nowMs))
  const remaining = { "x-ratelimit-remaining": String(taken.remaining) }
  const headed = (answer: Answer.Answer): Answer.Answer =>
    answer.status === 429 ? answer : { ...answer, headers: { ...answer.headers, ...remaining } }
  const fault = Faults.strike(sandbox.faults, facts.id)
  const early = fault === undefined ? undefined : Faults.instead(fault, facts, nowMs)
  if (early !== undefined) return answered(headed(early))
  if (fault?.kind === "reset") return { _tag: "Broken", half: undefined }
  const world = sandbox.world(bearer.seller)
  const context = { operation: facts.id, world, ledger: sandbox.ledger, nowMs }
  const answer = headed(
    Either.match(route.answer(context, asked.url.pathname, asked.url.searchParams, asked.body), {
      onLeft: (refused) => Answer.refusal(facts, refused, nowMs),
      onRight: (accepted) => accepted
    })
  )
  if (fault === undefined) return answered(answer)
  if (fault.kind === "dropAnswer") return { _tag: "Broken", half: undefined }
  if (fault.kind === "halfBody") return { _tag: "Broken", half: answer }
  return answered(headed(Faults.spoil(fault, answer, nowMs)))
}

const forbiddenBecause = (facts: Operation.Facts, bearer: SandboxToken.Bearer): string | undefined => {
  if (!bearer.categories.has(facts.tokenCategory)) return `token has no category ${facts.tokenCategory}`
  if (facts.tokenKinds !== undefined && !facts.tokenKinds.includes(bearer.kind))
    return `token kind ${bearer.kind} is not served by this operation`
  return bearer.readOnly && facts.access === "write" ? "the token is for reading only" : undefined
}

const throttled = (empty: Extract<Buckets.Taken, { _tag: "Empty" }>, nowMs: number): Answer.Answer =>
  Answer.problem(Answer.refuse(429, "request limit exceeded: limited by the seller's account"), nowMs, {
    "x-ratelimit-retry": String(empty.retrySeconds),
    "x-ratelimit-reset": String(empty.resetSeconds),
    "x-ratelimit-limit": String(empty.limit)
  })
