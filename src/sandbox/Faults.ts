/** Trouble on request: what goes wrong, for which operation, how often. Chance is by the sandbox's seed. */
import * as Schema from "effect/Schema"
import type { Facts } from "../services/Operation.js"
import * as Answer from "./Answer.js"
import * as Dice from "./Dice.js"

export const Kind = Schema.Literal(
  /** Waits `ms` and up to `jitterMs` more before anything is done. */
  "latency",
  /** The connection breaks before the request has any effect. */
  "reset",
  /** The request takes effect, then the connection breaks before the first byte of the answer. */
  "dropAnswer",
  /** The request takes effect; half of the answer arrives, then the connection breaks. */
  "halfBody",
  /** A web page with status 200 instead of an answer; no effect. */
  "html",
  /** `status` (502 unless stated) without effect, and after the effect. */
  "errorBefore",
  "errorAfter",
  /** `status` (403 unless stated) in the operation's own shape, without effect. */
  "refuse",
  /** A request whose body has one of `values` is refused with 400, and the refusal names none (field notes M06, M12, M14). */
  "unnamed",
  /** 429 although the bucket is not empty; headers unless `withHeaders` is false. */
  "throttle",
  /** Lists of the answer become null (field notes M03, M15, M16, M21). */
  "nulls",
  /** Optional fields of the answer are missing (T19, M20, M27). */
  "missing",
  /** A refusal object inside a 200 (T15, M21). */
  "embeddedRefusal",
  /** The right body under the wrong content type (T10). */
  "wrongContentType",
  /** The request takes effect; the body of the answer is empty (T15). */
  "emptyBody",
  /** Statistics say zero, for a `share` of the records (all unless stated). */
  "zeros",
  /** Orders are not counted to their days yet, of a `share` of the records (all unless stated); they come later. */
  "unattributed",
  /** Amounts of money in the answer are a hundred times what they are: the other unit. */
  "hundredfold",
  /** The answer names another currency than before. */
  "currency",
  /** A `share` of the records of the answer's lists is missing (all unless stated). */
  "omit",
  /**
   * An entry of the list `at` (as a declaration's `entries` names it), the `nth` of one that has so many (the first unless
   * stated), takes the fields of `put`; null takes a field away.
   */
  "oddEntry",
  /** The first path of an operation that has two is not found any more; the other one serves. */
  "retired",
  /**
   * A request that was answered before gets the same answer again, whatever has changed since, as from a cache; `Age`
   * says how old it is unless `withHeaders` is false.
   */
  "oldCopy",
  /** A task of promotion items is applied only after `ms` (an hour unless stated); its upload answers as ever. */
  "slowTask",
  /**
   * Of the items a task asks for those named by `items`, or else a `share` (all unless stated), silently do not enter;
   * only the list of those that are in shows it (field note P04).
   */
  "leftOut",
  /** Items without stock when a task is filed do not enter by it. */
  "soldOutLeftOut",
  // Faults of orders and supplies strike the orders named by `orders`, or else a `share` by seed (all unless stated).
  /** A batch with such an order is refused, and the refusal names none (field note O10). */
  "unfitOrders",
  /** Their stickers are silently missing until `ms` (an hour unless stated) after they came into assembly (O12, O13). */
  "lateSticker",
  /** The check of a label set now takes `ms` (as long as ever unless stated) and comes to `decision` (as ever) (O14). */
  "labelCheck",
  /** A supply that takes orders now is scanned `ms` (an hour unless stated) later, which closes it (O23). */
  "selfScan",
  /** The code of a supply is there only `ms` (a minute unless stated) after its hand-over (O19). */
  "lateCode",
  /** Lists and statuses of orders and supplies show what was `ms` (three seconds unless stated) ago (O28). */
  "lag"
)
export type Kind = typeof Kind.Type

/** Fires at most `count` times and with `probability`; both are unlimited unless stated. */
export const Fault = Schema.Struct({
  kind: Kind,
  /** Operation id; every operation when absent. */
  operation: Schema.optional(Schema.String),
  count: Schema.optional(Schema.Int.pipe(Schema.positive())),
  probability: Schema.optional(Schema.Number.pipe(Schema.between(0, 1))),
  /** Lets this many matching requests pass first. */
  skip: Schema.optional(Schema.Int.pipe(Schema.nonNegative())),
  ms: Schema.optional(Schema.Number.pipe(Schema.nonNegative())),
  jitterMs: Schema.optional(Schema.Number.pipe(Schema.nonNegative())),
  status: Schema.optional(Schema.Int.pipe(Schema.between(400, 599))),
  retrySeconds: Schema.optional(Schema.Int.pipe(Schema.positive())),
  withHeaders: Schema.optional(Schema.Boolean),
  share: Schema.optional(Schema.Number.pipe(Schema.between(0, 1))),
  at: Schema.optional(Schema.String),
  nth: Schema.optional(Schema.NonNegativeInt),
  items: Schema.optional(Schema.Array(Schema.Int)),
  orders: Schema.optional(Schema.Array(Schema.Int)),
  values: Schema.optional(Schema.Array(Schema.Union(Schema.Int, Schema.String))),
  /** What a label's check comes to, as the marketplace spells it. */
  decision: Schema.optional(Schema.NonEmptyString),
  /** The `code` of a refusal where the operation has one. */
  code: Schema.optional(Schema.NonEmptyString),
  put: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})
export type Fault = typeof Fault.Type

interface Armed {
  readonly fault: Fault
  seen: number
  fired: number
}

export interface Faults {
  readonly seed: number
  armed: Array<Armed>
  /** Draws so far; the key of chance. */
  drawn: number
  /** Answers that a cache has kept since the faults were armed, by request. */
  kept: Map<string, { readonly answer: Answer.Answer; readonly atMs: number }>
}

export const make = (seed: number): Faults => ({ seed, armed: [], drawn: 0, kept: new Map() })

/** Replaces every fault; an empty list heals the marketplace. */
export const arm = (faults: Faults, list: ReadonlyArray<Fault>): void => {
  faults.armed = list.map((fault) => ({ fault, seen: 0, fired: 0 }))
  faults.kept = new Map()
}

/** The faults and how often each has fired. */
export const report = (faults: Faults) =>
  faults.armed.map(({ fault, fired, seen }) => ({ ...fault, seen, fired }))

/** How long the next request of an operation is on its way, milliseconds: the sum of the latencies that fire. */
export const delay = (faults: Faults, operation: string): number => {
  let delayMs = 0
  for (const { fault, dice } of firing(faults, operation, (kind) => kind === "latency"))
    delayMs += (fault.ms ?? 0) + (fault.jitterMs ?? 0) * Dice.unit(Dice.mix(dice, 1))
  return delayMs
}

/** What else befalls a request that passed the gate: the first fault that fires, if any. */
export const strike = (faults: Faults, operation: string): Fault | undefined => {
  for (const { fault } of firing(faults, operation, (kind) => !apart.has(kind))) return fault
  return undefined
}

/** What befalls a task that a request files: every fault of tasks that fires. */
export const taskTroubles = (faults: Faults, operation: string): ReadonlyArray<Fault> =>
  faults.armed.some(({ fault }) => ofTasks.has(fault.kind))
    ? [...firing(faults, operation, (kind) => ofTasks.has(kind))].map(({ fault }) => fault)
    : []

/** What befalls orders and supplies by a request: every fault of one kind that fires. */
export const ofShop = (
  faults: Faults | undefined,
  operation: string,
  wanted: (typeof shopKinds)[number]
): ReadonlyArray<Fault> =>
  faults?.armed.some(({ fault }) => fault.kind === wanted) === true
    ? [...firing(faults, operation, (kind) => kind === wanted)].map(({ fault }) => fault)
    : []

/** Whether a fault of the shop strikes an order; the same one at every request. */
export const strikes = (seed: number, { orders, share = 1 }: Fault, orderId: number): boolean =>
  orders === undefined ? Dice.unit(Dice.roll(seed, 402, orderId)) < share : orders.includes(orderId)

const ofTasks = new Set<Kind>(["slowTask", "leftOut", "soldOutLeftOut"])
const shopKinds = [
  "unfitOrders",
  "lateSticker",
  "labelCheck",
  "selfScan",
  "lateCode",
  "lag"
] as const satisfies ReadonlyArray<Kind>
/** Kinds that strike elsewhere than at a request that passed the gate. */
const apart = new Set<Kind>(["latency", "retired", ...ofTasks, ...shopKinds])

/** Whether the first path of an operation is gone. */
export const isRetired = ({ armed }: Faults, operation: string): boolean =>
  armed.some(({ fault }) => fault.kind === "retired" && (fault.operation ?? operation) === operation)

/** Faults that fire for a request, in the order they were armed; each is drawn only when asked for. */
function* firing(faults: Faults, operation: string, wanted: (kind: Kind) => boolean) {
  faults.drawn++
  for (const [i, armed] of faults.armed.entries()) {
    const { fault } = armed
    if (!wanted(fault.kind) || (fault.operation !== undefined && fault.operation !== operation)) continue
    armed.seen++
    const dice = Dice.roll(faults.seed, 401, faults.drawn, i)
    if (armed.seen <= (fault.skip ?? 0)) continue
    if (armed.fired >= (fault.count ?? Number.POSITIVE_INFINITY)) continue
    if (Dice.unit(dice) >= (fault.probability ?? 1)) continue
    armed.fired++
    yield { fault, dice }
  }
}

/** Faults that come before the request has any effect, as the answer they give; undefined for the others. */
export const instead = (
  fault: Fault,
  facts: Facts,
  body: string,
  nowMs: number
): Answer.Answer | undefined => {
  switch (fault.kind) {
    case "unnamed":
      return holdsOne(body, fault.values ?? [])
        ? Answer.refusal(facts, Answer.refuse(400, "bad request"), nowMs)
        : undefined
    case "html":
      return {
        ...Answer.text("<html><body><h1>We will be back soon</h1></body></html>", 200),
        contentType: "text/html"
      }
    case "errorBefore":
      return {
        ...Answer.text("<html><body>upstream failed</body></html>", fault.status ?? 502),
        contentType: "text/html"
      }
    case "refuse":
      return Answer.refusal(
        facts,
        {
          ...Answer.refuse(fault.status ?? 403, "refused on request"),
          ...(fault.code === undefined ? {} : { code: fault.code })
        },
        nowMs
      )
    case "throttle": {
      const retry = String(fault.retrySeconds ?? 2)
      return Answer.problem(
        Answer.refuse(429, "request limit exceeded for the seller"),
        nowMs,
        fault.withHeaders === false
          ? {}
          : { "x-ratelimit-retry": retry, "x-ratelimit-reset": retry, "x-ratelimit-limit": "1" }
      )
    }
    default:
      return undefined
  }
}

const holdsOne = (body: string, values: ReadonlyArray<number | string>): boolean => {
  const held = (value: unknown): boolean =>
    values.some((one) => one === value) ||
    (typeof value === "object" && value !== null && Object.values(value).some(held))
  return body !== "" && held(JSON.parse(body))
}

/** Faults that spoil the answer of a request that had its effect. */
export const spoil = (fault: Fault, answer: Answer.Answer, nowMs: number): Answer.Answer => {
  switch (fault.kind) {
    case "errorAfter":
      return Answer.problem(Answer.refuse(fault.status ?? 502, "upstream failed"), nowMs)
    case "nulls":
      return rewritten(answer, nulled)
    case "missing":
      return rewritten(answer, thinned)
    case "embeddedRefusal":
      return Answer.json({
        status: 400,
        title: "bad request",
        detail: "there are no statistics for the period"
      })
    case "wrongContentType":
      return { ...answer, contentType: "text/plain" }
    case "emptyBody":
      return { ...answer, body: "" }
    case "zeros":
      return rewritten(answer, (body) => zeroed(body, fault.share ?? 1))
    case "unattributed":
      return rewritten(answer, (body) => unattributed(body, fault.share ?? 1))
    case "hundredfold":
      return rewritten(answer, hundredfold)
    case "currency":
      return rewritten(answer, inOtherCurrency)
    case "omit":
      return rewritten(answer, (body) => thinnedOut(body, fault.share ?? 1))
    case "oddEntry":
      return rewritten(answer, (body) =>
        withOddEntry(body, { at: fault.at ?? "", nth: fault.nth ?? 0, put: fault.put ?? {} })
      )
    default:
      return answer
  }
}

/** What a cache makes of an answer: the first one to this request, now and later. */
export const copied = (
  { kept }: Faults,
  fault: Fault,
  request: string,
  answer: Answer.Answer,
  nowMs: number
): Answer.Answer => {
  if (fault.kind !== "oldCopy" || answer.status !== 200) return answer
  const known = kept.get(request) ?? { answer, atMs: nowMs }
  kept.set(request, known)
  const age = { age: String(Math.floor((nowMs - known.atMs) / 1000)) }
  return {
    ...known.answer,
    headers: { ...known.answer.headers, ...(fault.withHeaders === false ? {} : age) }
  }
}

const rewritten = (answer: Answer.Answer, change: (body: unknown) => unknown): Answer.Answer =>
  answer.contentType !== "application/json" || answer.status !== 200 || typeof answer.body !== "string"
    ? answer
    : { ...answer, body: JSON.stringify(change(JSON.parse(answer.body))) }

/** The outermost lists become null. */
const nulled = (body: unknown): unknown => {
  if (Array.isArray(body)) return null
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(Object.entries(body).map(([key, value]) => [key, nulled(value)]))
}

const optional = new Set([
  "views",
  "ctr",
  "cpm",
  "avg_pos",
  "avgPos",
  "top2",
  "reachMin",
  "started",
  "currency",
  "updTime",
  "placements",
  "subject"
])

const thinned = (body: unknown): unknown => {
  if (Array.isArray(body)) return body.map(thinned)
  if (typeof body !== "object" || body === null) return body
  return Object.fromEntries(
    Object.entries(body).flatMap(([key, value]) => (optional.has(key) ? [] : [[key, thinned(value)]]))
  )
}

// Answers that are well formed and wrong: zeros, orders that are not counted yet, another unit, another currency,
// records left out. Pure.

const counts = new Set(["views", "clicks", "ctr", "cpc", "cpm", "cr", "atbs", "orders", "shks", "canceled"])
const ofOrders = new Set(["cr", "orders", "shks", "canceled", "sum_price"])
const money = new Set(["sum", "sum_price", "spend", "cpc", "cpm"])

/** Statistics of records become zero; which records is by their content, so that an answer is spoilt as a whole. */
const zeroed = (body: unknown, share: number): unknown =>
  walk(body, (record) =>
    isStruck(record, share)
      ? mapped(record, (key, value) => (counts.has(key) || money.has(key) ? 0 : value))
      : record
  )

/** Orders and their value are none yet; what was shown, clicked and spent stands. */
const unattributed = (body: unknown, share: number): unknown =>
  walk(body, (record) =>
    isStruck(record, share) ? mapped(record, (key, value) => (ofOrders.has(key) ? 0 : value)) : record
  )

/** Money of statistics times a hundred. */
const hundredfold = (body: unknown): unknown =>
  walk(body, (record) =>
    mapped(record, (key, value) => (money.has(key) && typeof value === "number" ? value * 100 : value))
  )

/** Every `currency` becomes another one. */
const inOtherCurrency = (body: unknown): unknown =>
  walk(body, (record) => mapped(record, (key, value) => (key === "currency" ? "KZT" : value)))

/** Records of lists are left out. */
const thinnedOut = (body: unknown, share: number): unknown => {
  if (Array.isArray(body))
    return body.filter((one) => !isRecord(one) || !isStruck(one, share)).map((one) => thinnedOut(one, share))
  return isRecord(body) ? mapped(body, (_, value) => thinnedOut(value, share)) : body
}

interface Oddity {
  readonly at: string
  readonly nth: number
  readonly put: Json
}

/** One entry of the first list at a place that has so many takes other fields, or loses those that are null. */
const withOddEntry = (body: unknown, { at, nth, put }: Oddity): unknown => {
  let isDone = false
  const changed = (list: ReadonlyArray<unknown>): unknown => {
    if (isDone || nth >= list.length) return list
    isDone = true
    return list.map((one, i) => (i === nth ? spoilt(one, put) : one))
  }
  const within = (value: unknown, [step, ...rest]: ReadonlyArray<string>): unknown => {
    if (step === undefined) return Array.isArray(value) ? changed(value) : value
    if (step === "*") return Array.isArray(value) ? value.map((one) => within(one, rest)) : value
    return isRecord(value) && step in value ? { ...value, [step]: within(value[step], rest) } : value
  }
  return within(body, at === "" ? [] : at.split("."))
}

/** What is no record becomes the first of the fields. */
const spoilt = (entry: unknown, put: Json): unknown =>
  isRecord(entry)
    ? Object.fromEntries(Object.entries({ ...entry, ...put }).filter(([key]) => put[key] !== null))
    : Object.values(put)[0]

type Json = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const mapped = (record: Json, change: (key: string, value: unknown) => unknown): Json =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(key, value)]))

/** Every record of a body, inner ones first. */
const walk = (body: unknown, change: (record: Json) => Json): unknown => {
  if (Array.isArray(body)) return body.map((one) => walk(one, change))
  return isRecord(body) ? change(mapped(body, (_, value) => walk(value, change))) : body
}

/** By the record's ids, so that the same record is struck in every answer of a window. */
const isStruck = (record: Json, share: number): boolean => {
  if (share >= 1) return true
  const ids = Object.entries(record)
    .filter(([key]) => /id$|^nm$|query/i.test(key))
    .map(([, value]) => String(value))
  return Dice.unit(Dice.ofText(7, ids.join("/"))) < share
}
