/**
 * The network between a life and the marketplace: notes every request, asks the journal's committed rows when a write
 * leaves, and repeats, delays or answers from an old copy when it is told to. The marketplace lives in true time.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberRef from "effect/FiberRef"
import * as Option from "effect/Option"
import type { Lane } from "../../../src/domain/Lane.js"
import * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Routes from "../../../src/sandbox/Routes.js"
import * as SandboxToken from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import type { Chance } from "./Chance.js"
import type { NetworkKind } from "./Events.js"
import type { Disk, Life } from "./Machine.js"
import { type Claimed, type Cycle, current, type Record, type Request } from "./Record.js"
import * as ShopLook from "./ShopLook.js"
import * as Trouble from "./Trouble.js"

export interface Network {
  /** What the network does now, and to which share of the requests. */
  trouble: { readonly kind: NetworkKind; readonly share: number } | undefined
  /** Deposits arrive after the caller gave up. */
  lateDeposits: boolean
  readonly chance: Chance
  /** Of what is asked of the promo calendar, so that the rest goes its way whether anything is or not. */
  readonly calendar: Chance
  /** Of what is asked of orders and supplies, likewise. */
  readonly orders: Chance
  /** Statistics as they were when they were first asked for in a window of stale answers. */
  readonly copies: Map<string, { readonly status: number; readonly text: string }>
}

/** What somebody waits for who acts at the very moment. */
export interface Watching {
  /** Told of every request whose changes wait for their call limit. */
  readonly claimed: Set<(operation: string | undefined) => void>
}

export interface Wire {
  readonly sandbox: Service
  readonly base: HttpClient.HttpClient
  readonly time: VirtualClock.VirtualTime
  readonly disk: Disk
  readonly record: Record
  readonly network: Network
}

/** The network as one life sees it. */
export const client = (wire: Wire, life: Life): HttpClient.HttpClient =>
  HttpClient.make((request, url) => life.call("network", pass(wire, life, request, url)))

const pass = (wire: Wire, life: Life, request: HttpClientRequest.HttpClientRequest, url: URL) =>
  Effect.flatMap(FiberRef.get(current), (cycle) => {
    const { network, record, sandbox } = wire
    const noted = note(wire, life, request, url, cycle)
    record.requests.push(noted)
    const kind = network.trouble?.kind
    const isStruck = kind !== undefined && chanceOf(wire, noted).happens(network.trouble?.share ?? 0)
    const send = sending(wire, request, noted)
    if (isStruck && kind === "stale" && isStatistics(noted.operation))
      return stale(wire, request, url, noted, send)
    if (isStruck && kind === "late") return late(wire, request, noted, [1, 120])
    if (network.lateDeposits && noted.operation === "depositCampaignBudget")
      return late(wire, request, noted, [60, 170])
    if (!isStruck || kind !== "duplicate") return send
    return Effect.flatMap(Effect.exit(send), (first) => {
      const from = Ledger.last(sandbox.ledger)
      return Effect.zipRight(
        Effect.exit(reach(wire, request)),
        Effect.suspend(() => {
          for (const { seq } of Ledger.after(sandbox.ledger, from)) record.echoed.add(seq)
          return first
        })
      )
    })
  })

const reach = ({ base, time }: Wire, request: HttpClientRequest.HttpClientRequest) =>
  Effect.withClock(base.execute(request), time.clock)

/** The way back takes a while, so that things overlap. */
const underWay = (wire: Wire, noted: Request) =>
  Effect.suspend(() => Effect.withClock(Effect.sleep(chanceOf(wire, noted).int(10, 400)), wire.time.clock))

const chanceOf = ({ network }: Wire, { operation, url }: Request): Chance => {
  if (ShopLook.isOfOrders(operation)) return network.orders
  return url.startsWith("/api/v1/calendar/") ? network.calendar : network.chance
}

const sending = (wire: Wire, request: HttpClientRequest.HttpClientRequest, noted: Request) =>
  Effect.suspend(() => {
    const { sandbox, time } = wire
    const from = Ledger.last(sandbox.ledger)
    const before = state(sandbox, noted.operation)
    const noting = Effect.onExit(reach(wire, request), (exit) =>
      Effect.sync(() => {
        const after = state(sandbox, noted.operation)
        noted.status = Exit.isSuccess(exit) ? exit.value.status : undefined
        noted.isBreach = after.breaches > before.breaches
        const { status } = noted
        noted.isClear =
          isRefusal(status) || (status !== undefined && status < 500 && after.struck === before.struck)
        noted.entries = Ledger.after(sandbox.ledger, from)
          .filter(({ operation }) => operation === noted.operation)
          .map(({ seq }) => seq)
        wire.record.trace.push(
          `${time.now()} ${noted.operation} ${noted.status ?? "broken"}${noted.isWrite ? ` ${noted.body}` : ""}`
        )
      })
    )
    const kept = isStatistics(noted.operation)
      ? Effect.tap(noting, (answer) => Effect.ignore(Effect.map(answer.text, (text) => keep(noted, text))))
      : noting
    return Effect.ensuring(
      kept,
      Effect.zipRight(
        underWay(wire, noted),
        Effect.sync(() => {
          noted.endedAt = time.now()
        })
      )
    )
  })

/** What an answer says that reached the program. */
const keep = (noted: Request, text: string): void => {
  if (noted.status === 200) noted.answer = text
}

/** The caller gives up; the request arrives all the same, later. */
const late = (
  wire: Wire,
  request: HttpClientRequest.HttpClientRequest,
  noted: Request,
  [least, most]: readonly [number, number]
) =>
  Effect.gen(function* () {
    const { record, sandbox, time } = wire
    const delayMs = chanceOf(wire, noted).int(least, most) * 1000
    const arriving = Effect.gen(function* () {
      yield* Effect.sleep(delayMs)
      const from = Ledger.last(sandbox.ledger)
      yield* Effect.exit(reach(wire, request))
      noted.lateEntries = Ledger.after(sandbox.ledger, from).map(({ seq }) => seq)
      for (const seq of noted.lateEntries) record.echoed.add(seq)
    })
    yield* Effect.forkDaemon(Effect.withClock(arriving, time.clock))
    yield* Effect.withClock(Effect.sleep(1000), time.clock)
    noted.endedAt = time.now()
    record.trace.push(`${time.now()} ${noted.operation} late by ${delayMs}`)
    return yield* new HttpClientError.RequestError({
      request,
      reason: "Transport",
      description: "connection lost"
    })
  })

const stale = (
  { network }: Wire,
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  noted: Request,
  send: ReturnType<typeof sending>
) =>
  Effect.gen(function* () {
    const key = `${noted.operation} ${url.search} ${noted.body}`
    const copy = network.copies.get(key)
    if (copy === undefined) {
      const answer = yield* send
      const text = yield* answer.text
      if (answer.status === 200) network.copies.set(key, { status: 200, text })
      return answered(request, answer.status, text)
    }
    noted.status = copy.status
    keep(noted, copy.text)
    noted.isClear = true
    return answered(request, copy.status, copy.text)
  })

const answered = (request: HttpClientRequest.HttpClientRequest, status: number, text: string) =>
  HttpClientResponse.fromWeb(
    request,
    new Response(text, { status, headers: { "content-type": "application/json" } })
  )

const isStatistics = (operation: string): boolean => Trouble.statistics.some((one) => one === operation)

/** How often an operation was refused for its limit, and how often a fault has struck at all. */
const state = ({ faults, ledger }: Service, operation: string) => ({
  breaches: ledger.counters.get(operation)?.breaches ?? 0,
  struck: faults.armed.reduce((sum, { fault, fired }) => sum + (honest.has(fault.kind) ? 0 : fired), 0)
})

/** A plain no, whatever befell its body: 408 and 499 tell of somebody on the way who gave up. */
const isRefusal = (status: number | undefined): boolean =>
  status !== undefined && status >= 400 && status < 500 && status !== 408 && status !== 499

/**
 * Faults whose answer says truly what was done, under another content type too, or that only take time; and another
 * currency, which no answer to a write names.
 */
const honest: ReadonlySet<string> = new Set(["latency", "throttle", "refuse", "currency", "wrongContentType"])

const note = (
  { disk, sandbox, time }: Wire,
  life: Life,
  request: HttpClientRequest.HttpClientRequest,
  url: URL,
  cycle: Cycle | undefined
): Request => {
  const route = Routes.find(request.method, url.pathname)
  const facts = route === undefined || route === "wrong method" ? undefined : route.facts
  const isWrite = facts?.access === "write"
  const bearer = Option.getOrUndefined(SandboxToken.read(request.headers.authorization))
  const shop =
    isWrite && ShopLook.isOfOrders(facts.id)
      ? ShopLook.of(sandbox, facts.id, `${url.pathname} ${bodyOf(request)}`, time.now())
      : undefined
  return {
    at: time.now(),
    life: life.number,
    operation: facts?.id ?? url.pathname,
    isWrite,
    seller: bearer?.seller,
    url: `${url.pathname}${url.search}`,
    body: bodyOf(request),
    claimed: isWrite ? committed(disk) : [],
    ...(isWrite ? { lockedBy: holder(disk, laneOf(facts?.id ?? "")) } : {}),
    ...(shop === undefined ? {} : { shop }),
    endedAt: undefined,
    status: undefined,
    isClear: false,
    isBreach: false,
    entries: [],
    cycle
  }
}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

/** Rows on their way, as somebody else reads them: what is not committed is not there. */
const committed = (disk: Disk): ReadonlyArray<Claimed> =>
  disk
    .read(
      `SELECT run_id, slot, state, operation, request_hash, change FROM changes
       WHERE state IN ('claimed', 'dispatching', 'accepted', 'unknown')`
    )
    .map(claimed)

/** In which lane an operation that writes is sent. */
const laneOf = (operation: string): Lane => {
  if (ShopLook.isOfOrders(operation)) return "orders"
  return operation === "uploadPromotionItems" ? "promotions" : "ads"
}

/** Who holds the lock of a lane, as somebody else reads it. */
const holder = (disk: Disk, lane: Lane): string =>
  disk
    .read(`SELECT holder FROM locks WHERE lane = '${lane}'`)
    .map((row) => String(row.holder))
    .join(" ")

/** A row as it is read. */
export const claimed = (row: { readonly [column: string]: unknown }): Claimed => ({
  runId: String(row.run_id),
  slot: String(row.slot),
  state: String(row.state),
  operation: row.operation === null ? null : String(row.operation),
  hash: row.request_hash === null ? null : String(row.request_hash),
  after: JSON.parse(String(row.change)).after
})
