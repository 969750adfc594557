/** What every request passes before and after its handler: route, token, limit, permission, faults, counting. */

import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as Operation from "../services/Operation.js"
import * as Answer from "./Answer.js"
import { type Refusal, refuseCode } from "./Answer.js"
import * as Buckets from "./Buckets.js"
import type * as Call from "./Call.js"
import * as Faults from "./Faults.js"
import * as Ledger from "./Ledger.js"
import type { Route } from "./Routes.js"
import * as Routes from "./Routes.js"
import * as SandboxToken from "./SandboxToken.js"
import type { Service } from "./Service.js"
import * as Orders from "./shop/Orders.js"
import * as Play from "./shop/Play.js"
import * as Sales from "./shop/Sales.js"
import * as Staging from "./shop/Staging.js"
import * as Supplies from "./shop/Supplies.js"

/** A request, read whole. */
export interface Asked {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  /** The header of that name; whoever sends none takes what comes. */
  readonly accept: string | undefined
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
  const route = routeOf(sandbox, asked)
  return route === undefined || route === "wrong method" ? 0 : Faults.delay(sandbox.faults, route.facts.id)
}

/**
 * Answers a request at one instant, so that no other request comes between. The test environment knows only the paths
 * it serves; the others are not found there, as on a host that never had them.
 */
export const pass = (sandbox: Service, asked: Asked, now: Now): Outcome => {
  const route = routeOf(sandbox, asked)
  if (route === undefined) return answered(Answer.text("path not found", 404))
  if (route === "wrong method") return answered(Answer.text("method not allowed", 405))
  if (sandbox.testEnvironment && !route.facts.testHost) return answered(Answer.text("path not found", 404))
  const { altPath, id } = route.facts
  if (altPath !== undefined && route.path !== altPath && Faults.isRetired(sandbox.faults, id))
    return answered(Answer.text("path not found", 404))
  const outcome = routed(sandbox, route, asked, now)
  const answer = outcome._tag === "Answered" ? outcome.answer : outcome.half
  Ledger.countAnswer(sandbox.ledger, id, answer?.status ?? 0)
  return outcome
}

const routeOf = (sandbox: Service, { method, url }: Asked) =>
  (sandbox.testEnvironment ? find(method, url.pathname) : undefined) ?? Routes.find(method, url.pathname)

const answered = (answer: Answer.Answer): Outcome => ({ _tag: "Answered", answer })

const routed = (sandbox: Service, route: Routes.Route, asked: Asked, now: Now): Outcome => {
  const { facts } = route
  const { nowMs } = now
  const refused = (status: number, text: string) =>
    answered(Answer.problem(Answer.refuse(status, text), nowMs))
  const bearer = Option.getOrUndefined(SandboxToken.read(asked.authorization))
  if (bearer === undefined) return refused(401, "token is missing or malformed")
  if (bearer.expiresAtMs <= nowMs) return refused(401, "token is expired")
  if (bearer.test !== sandbox.testEnvironment) return refused(401, "token is of the other environment")
  const drawn = bucketOf(facts, bearer)
  if (drawn === undefined) return answered(forbidden(facts, `token kind ${bearer.kind} is not served`, nowMs))
  const taken = Buckets.take(sandbox.buckets, drawn.key, drawn.limit, now.preciseMs)
  if (taken._tag === "Empty") {
    Ledger.countBreach(sandbox.ledger, facts.id)
    return answered(throttled(taken, nowMs))
  }
  const { decided, outcome, throttled: isThrottled } = served(sandbox, route, asked, bearer, nowMs)
  const more = isThrottled === true ? -1 : isRefusal(decided) ? facts.cost4xx - 1 : 0
  return headed(outcome, Buckets.charge(sandbox.buckets, drawn.key, drawn.limit, now.preciseMs, more))
}

/** What the marketplace decides, whose status the limit counts, and what of it reaches the caller. */
interface Served {
  readonly decided: number | undefined
  readonly outcome: Outcome
  /** The limit itself refused it, by a fault: as on an empty bucket no token is lost, else its own "retry" would be a lie. */
  readonly throttled?: boolean
}

const served = (
  sandbox: Service,
  route: Routes.Route,
  asked: Asked,
  bearer: SandboxToken.Bearer,
  nowMs: number
): Served => {
  const { facts } = route
  const barred = forbiddenBecause(facts, bearer)
  if (barred !== undefined) return { decided: 403, outcome: answered(forbidden(facts, barred, nowMs)) }
  if (!isAccepted(typeOf(facts), asked.accept))
    return { decided: 406, outcome: answered(Answer.text(`this answers ${typeOf(facts)}`, 406)) }
  const fault = Faults.strike(sandbox.faults, facts.id)
  const early = fault === undefined ? undefined : Faults.instead(fault, facts, asked.body, nowMs)
  if (early !== undefined)
    return { decided: early.status, outcome: answered(early), throttled: fault?.kind === "throttle" }
  if (fault?.kind === "reset") return { decided: undefined, outcome: { _tag: "Broken", half: undefined } }
  const world = sandbox.world(bearer.seller)
  const context = { operation: facts.id, world, ledger: sandbox.ledger, nowMs, faults: sandbox.faults }
  const answer = Either.match(route.answer(context, asked.url.pathname, asked.url.searchParams, asked.body), {
    onLeft: (refused) => Answer.refusal(facts, refused, nowMs),
    onRight: (accepted) => accepted
  })
  if (answer.status === 429) Ledger.countBreach(sandbox.ledger, facts.id)
  if (fault === undefined) return { decided: answer.status, outcome: answered(answer) }
  const broken = fault.kind === "dropAnswer" || fault.kind === "halfBody"
  if (broken) {
    const half = fault.kind === "halfBody" ? answer : undefined
    return { decided: answer.status, outcome: { _tag: "Broken", half } }
  }
  const request = `${bearer.seller} ${asked.method} ${asked.url.pathname}${asked.url.search} ${asked.body}`
  const copy = Faults.copied(sandbox.faults, fault, request, answer, nowMs)
  const spoilt = Faults.spoil(fault, copy, nowMs)
  return { decided: isRefusal(answer.status) ? answer.status : spoilt.status, outcome: answered(spoilt) }
}

const typeOf = ({ file }: Operation.Facts): string =>
  file === undefined ? "application/json" : "application/zip"

/** RFC 9110, 12.5.1, without weights: what is named at all is taken. */
const isAccepted = (type: string, accept: string | undefined): boolean =>
  accept === undefined ||
  accept
    .split(",")
    .map((range) => range.split(";")[0]?.trim())
    .some((range) => range === "*/*" || range === type || range === type.replace(/[^/]*$/, "*"))

/** A 429 weighs nothing here; whether it weighs ten as other 4xx do is stated nowhere (not-shown §2). */
const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 429

/** With the tokens left, except on a 429. */
const headed = (outcome: Outcome, left: number): Outcome => {
  const told = (answer: Answer.Answer): Answer.Answer =>
    answer.status === 429
      ? answer
      : { ...answer, headers: { ...answer.headers, "x-ratelimit-remaining": String(left) } }
  if (outcome._tag === "Answered") return answered(told(outcome.answer))
  return { _tag: "Broken", half: outcome.half === undefined ? undefined : told(outcome.half) }
}

const testLimit = { limitGroup: "marketplace.test", burst: 1, intervalMs: 1000 } as const

/** In the test environment the operations of the marketplace host share one request per second (seed 000 "Limits"). */
const bucketOf = (facts: Operation.Facts, bearer: SandboxToken.Bearer) => {
  const stated = Operation.limitOf(facts, bearer.kind)
  if (stated === undefined) return undefined
  const limit =
    bearer.test && facts.host === "marketplace" ? testLimit : { limitGroup: facts.limitGroup, ...stated }
  return { key: `${bearer.seller} ${bearer.kind} ${limit.limitGroup}`, limit }
}

const forbidden = (facts: Operation.Facts, because: string, nowMs: number): Answer.Answer =>
  Answer.refusal(facts, Answer.refuse(403, because), nowMs)

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

// Operations that emulate users, known to the test environment only (not-shown §5): orders are made by hand, and
// buyer and platform are played. Nothing happens there by itself. They pass the same gate as every other operation.

/** The route that emulates a user, if the request names one. */
const find = (method: string, path: string): Route | undefined =>
  routes.find((route) => route.method === method && valuesOf(route.path, path) !== undefined)

const prefix = "/api/v3/test/fbs/"

/** The segments of a path that stand where the template has a `:name`. */
const valuesOf = (template: string, path: string): ReadonlyArray<string> | undefined => {
  const wanted = template.split("/")
  const found = path.replace(/\/$/, "").split("/")
  const fits =
    wanted.length === found.length && wanted.every((part, i) => part.startsWith(":") || part === found[i])
  return fits ? found.filter((_, i) => wanted[i]?.startsWith(":")) : undefined
}

type Emulate = (
  context: Call.Context,
  values: ReadonlyArray<string>,
  body: string
) => Either.Either<void, Refusal>

const route = (id: string, method: "POST" | "PATCH", path: string, emulate: Emulate): Route => ({
  method,
  path: prefix + path,
  facts: {
    id,
    area: "orders",
    host: "marketplace",
    tokenCategory: "marketplace",
    access: "write",
    retry: "manual",
    sideEffectGet: false,
    limitGroup: "marketplace.general",
    limits: { personal: Operation.limit("1 min", 60, 1), base: "same" },
    cost4xx: 10,
    success: [204],
    errors: [400, 401, 403, 404, 409, 429],
    errorShape: "code",
    testHost: true,
    notes: []
  },
  answer: (context, asked, _query, body) =>
    Either.map(emulate(context, valuesOf(prefix + path, asked) ?? [], body), () => Answer.empty(204))
})

const Made = Schema.Struct({
  orders: Schema.Array(
    Schema.Struct({ sku: Schema.String, amount: Schema.Int.pipe(Schema.between(1, 100)) })
  ).pipe(Schema.minItems(1), Schema.maxItems(10))
})

const makeOrders: Emulate = (context, _values, body) =>
  Either.gen(function* () {
    const { orders } = yield* decoded(Made, body)
    const sizes = orders.map(({ sku }) => Sales.sizeOfSku(context.world, sku))
    const unknown = orders[sizes.indexOf(undefined)]
    if (unknown !== undefined)
      return yield* Either.left(refuseCode(400, "IncorrectParameter", `no goods have the sku ${unknown.sku}`))
    for (const [i, size] of sizes.entries())
      for (let n = 0; n < (orders[i]?.amount ?? 0); n++)
        if (size !== undefined) Orders.file(context.world, Staging.sale(context.world, size, context.nowMs))
  })

const Code = Schema.Struct({
  code: Schema.Union(Schema.NonEmptyString, Schema.Int)
})

const playOrder =
  (what: Play.What): Emulate =>
  (context, [id], body) =>
    Either.gen(function* () {
      if (what === "receive" || what === "reject") yield* decoded(Code, body)
      const order = Orders.find(context.world, Number(id), context.nowMs)
      if (order === undefined)
        return yield* Either.left(refuseCode(404, "NotFound", `order ${id} does not exist`))
      const problem = Play.order(context.world, order, what, context.nowMs)
      if (problem !== undefined) yield* Either.left(refuseCode(409, "StatusMismatch", problem))
    })

const Unscanned = Schema.Struct({
  orders: Schema.optionalWith(Schema.Array(Schema.Int), { nullable: true, default: () => [] })
})

const closeSupply: Emulate = (context, [id], body) =>
  Either.gen(function* () {
    const { orders } = yield* decoded(Unscanned, body === "" ? "{}" : body)
    const supply = Supplies.find(context.world, id ?? "", context.nowMs)
    if (supply === undefined)
      return yield* Either.left(refuseCode(404, "NotFound", `supply ${id} does not exist`))
    const problem = Play.scan(context.world, supply, { ...Play.whole, unscanned: orders }, context.nowMs)
    if (problem !== undefined) yield* Either.left(refuseCode(409, "StatusMismatch", problem))
  })

const decoded = <A, I>(schema: Schema.Schema<A, I>, body: string): Either.Either<A, Refusal> =>
  Either.mapLeft(Schema.decodeUnknownEither(Schema.parseJson(schema))(body), (error) =>
    refuseCode(400, "IncorrectRequestBody", ParseResult.TreeFormatter.formatErrorSync(error))
  )

const routes: ReadonlyArray<Route> = [
  route("test.makeOrders", "POST", "orders/make", makeOrders),
  ...Play.whats.map((what) =>
    route(`test.${what}Order`, "PATCH", `orders/:orderId/${what}`, playOrder(what))
  ),
  route("test.closeSupply", "PATCH", "supplies/:supplyId/close", closeSupply)
]
