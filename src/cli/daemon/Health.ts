/**
 * Health for whoever watches over the program: `WatchApi` at the address `runner: http`. `/healthz` answers while it
 * lives, `/readyz` only while it takes up what is due; `/metrics` has the figures for Prometheus. What it tells holds no
 * secret; with a key, figures and reasons are for those who show it, and everybody else hears yes or no. Pages in browsers
 * hear nothing.
 */
import { isIP } from "node:net"
import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as NodeHttpServerRequest from "@effect/platform-node/NodeHttpServerRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import { notLooking, type Standing } from "../../engine/schedule/RunnerStatus.js"
import type { Address } from "../config/Config.js"
import { isLoopback } from "../config/ConfigFields.js"
import * as Secrets from "../config/Secrets.js"
import * as HttpListener from "./HttpListener.js"
import { KeyMissing, WatchApi } from "./RunnerApi.js"

/** What the endpoints ask, with every question. */
export interface Told {
  readonly standing: Effect.Effect<Standing>
  /** In the text format of Prometheus. */
  readonly figures: Effect.Effect<string>
  /** The accounts'; the machine's when absent. */
  readonly clock?: Clock.Clock
}

/** Whom it is told to. */
export interface Audience {
  /** Without one everybody who reaches the address hears everything. */
  readonly key?: Redacted.Redacted | undefined
  /** Names that the address is asked for by, besides those of `refusal`. */
  readonly names?: ReadonlyArray<string> | undefined
}

/** Serves at the address for the scope. */
export const serve = (address: Address, told: Told, { key, names = [] }: Audience = {}) => {
  const isShown = Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ headers }) => key === undefined || Secrets.isShown(key, headers.authorization)
  )
  const implemented = Layer.provide(HttpApiBuilder.api(WatchApi), [
    health(told, isShown),
    metrics(told, isShown)
  ])
  return HttpListener.serve(implemented, {
    place: { _tag: "Tcp", ...address },
    guard: (app) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const { headers, headersDistinct } = NodeHttpServerRequest.toIncomingMessage(request)
        const asked = { hosts: headersDistinct.host ?? [], origin: headers.origin }
        const refused = refusal(address, names, asked)
        return refused === undefined
          ? Effect.map(app, challenged)
          : Effect.succeed(HttpServerResponse.text(refused.body, { status: refused.status }))
      })
  })
}

type IsShown = Effect.Effect<boolean, never, HttpServerRequest.HttpServerRequest>

const health = ({ clock = Clock.make(), standing }: Told, isShown: IsShown) =>
  HttpApiBuilder.group(WatchApi, "health", (handlers) =>
    handlers
      .handle("alive", () => Effect.succeed({ alive: true }))
      .handle("ready", () =>
        Effect.gen(function* () {
          const { rulesProblem, ...current } = yield* Effect.withClock(standing, clock)
          const why = notReady(current, yield* Effect.withClock(Clock.currentTimeMillis, clock))
          const reasons = (yield* isShown) ? { why, rulesProblem } : {}
          if (why !== undefined) return yield* Effect.fail({ ready: false, ...reasons } as const)
          return { ready: true, ...reasons } as const
        })
      )
  )

const metrics = ({ figures }: Told, isShown: IsShown) =>
  HttpApiBuilder.group(WatchApi, "metrics", (handlers) =>
    handlers.handle("figures", () =>
      Effect.gen(function* () {
        if (yield* isShown) return yield* figures
        return yield* new KeyMissing({
          message: "show the key of runner: http_key, as Authorization: Bearer KEY"
        })
      })
    )
  )

const challenged = (response: HttpServerResponse.HttpServerResponse) =>
  response.status === 401 ? HttpServerResponse.setHeader(response, "www-authenticate", "Bearer") : response

const notReady = (
  { accounts, isDraining, lastLookAt }: Omit<Standing, "rulesProblem">,
  nowMs: number
): string | undefined => {
  if (isDraining) return "it is stopping"
  const broken = accounts.filter(({ problem }) => problem !== undefined)
  if (lastLookAt !== undefined && accounts.length > 0 && broken.length === accounts.length)
    return `no account can be looked at: ${broken[0]?.problem?.said}`
  return notLooking(lastLookAt, nowMs)
}

// Under which names health and figures are asked for. A page in somebody's browser reaches an address of this machine
// under a name of its own (DNS rebinding), or from a place of its own (`Origin`): neither is answered. Pure.

/** What a request says of where it is sent and where it comes from; every `Host` line of it. */
interface Asked {
  readonly hosts: ReadonlyArray<string>
  readonly origin: string | undefined
}

/** Why a request is not answered: status and words for whoever sent it. Nothing of the request is repeated. */
interface Refusal {
  readonly status: 403 | 421
  readonly body: string
}

/**
 * What forbids an answer; undefined when nothing does (design reliability §4). Names of this machine, the address listened
 * at and `names` are allowed, with any port. Where others reach the address, so is every IP address: probes use them, and
 * no rebound name looks like one.
 */
export const refusal = (
  { host }: Address,
  names: ReadonlyArray<string>,
  { hosts, origin }: Asked
): Refusal | undefined => {
  const [asked] = hosts
  const name = asked === undefined || hosts.length > 1 ? undefined : nameOf(asked)
  if (name === undefined || !isAllowed(host.toLowerCase(), names, name)) return unknownName
  return origin === undefined || isSame(origin, asked) ? undefined : otherOrigin
}

const unknownName: Refusal = {
  status: 421,
  body: "this name is not known here: ask by IP address, or write the name into runner: http_names\n"
}

const otherOrigin: Refusal = { status: 403, body: "pages of other origins are not answered\n" }

/** Host and perhaps a port; nothing else that a parser of addresses would put up with. */
const written = /^(\[[0-9a-f:.]{2,45}\]|[a-z0-9._-]{1,253})(?::\d{1,5})?$/

const nameOf = (host: string): string | undefined =>
  written.exec(host.toLowerCase())?.[1]?.replace(/^\[|\]$/g, "")

const isAllowed = (own: string, names: ReadonlyArray<string>, name: string): boolean =>
  name === own ||
  isOfThisMachine(name) ||
  names.some((one) => one.toLowerCase() === name) ||
  (!isOfThisMachine(own) && isIP(name) !== 0)

const isOfThisMachine = (name: string): boolean =>
  name === "localhost" || (isIP(name) !== 0 && isLoopback(`http://${isIP(name) === 6 ? `[${name}]` : name}`))

/** The very page of this address, behind a proxy with TLS perhaps. */
const isSame = (origin: string, host: string | undefined): boolean =>
  /^https?:\/\/(.*)$/.exec(origin.toLowerCase())?.[1] === host?.toLowerCase()
