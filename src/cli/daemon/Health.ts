/**
 * Health for whoever watches over the program, over HTTP: `/healthz` answers while it lives, `/readyz` only while it
 * takes up what is due. `/metrics` has the figures for Prometheus. What it tells holds no secret; with a key, figures
 * and reasons are for those who show it, and everybody else hears yes or no. Pages in browsers hear nothing.
 */
import { createServer, type ServerResponse } from "node:http"
import { isIP } from "node:net"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import { notLooking, type Standing } from "../../engine/schedule/RunnerStatus.js"
import type { Address } from "../config/Config.js"
import { isLoopback } from "../config/ConfigFields.js"
import * as Secrets from "../config/Secrets.js"
import { stop } from "../terminal/Stop.js"
import * as Exposition from "./Exposition.js"

interface Answer {
  readonly status: number
  readonly body: string
  /** JSON unless said. */
  readonly type?: string
}

interface Route {
  readonly told: Effect.Effect<Answer>
  /** What those hear who do not show the key. */
  readonly without: Effect.Effect<Answer>
}

type Routes = Readonly<Record<string, Route>>

/** `current` and `figures` are asked with every question; `clock` is the accounts', the machine's when absent. */
export const routes = (
  standing: Effect.Effect<Standing>,
  figures: Effect.Effect<string>,
  clock: Clock.Clock = Clock.make()
): Routes => {
  const current = Effect.withClock(Effect.zip(standing, Clock.currentTimeMillis), clock)
  return {
    "/healthz": { told: alive, without: alive },
    "/readyz": {
      told: Effect.map(current, ([standing, nowMs]) => {
        const why = notReady(standing, nowMs)
        const body = { ready: why === undefined, why, rulesProblem: standing.rulesProblem }
        return { status: why === undefined ? 200 : 503, body: json(body) }
      }),
      without: Effect.map(current, ([standing, nowMs]) => {
        const ready = notReady(standing, nowMs) === undefined
        return { status: ready ? 200 : 503, body: json({ ready }) }
      })
    },
    "/metrics": {
      told: Effect.map(figures, (body) => ({ status: 200, body, type: Exposition.contentType })),
      without: Effect.succeed({
        status: 401,
        body: "show the key of runner: http_key, as Authorization: Bearer KEY\n",
        type: "text/plain"
      })
    }
  }
}

const notReady = ({ accounts, isDraining, lastLookAt }: Standing, nowMs: number): string | undefined => {
  if (isDraining) return "it is stopping"
  const broken = accounts.filter(({ problem }) => problem !== undefined)
  if (lastLookAt !== undefined && accounts.length > 0 && broken.length === accounts.length)
    return `no account can be looked at: ${broken[0]?.problem}`
  return notLooking(lastLookAt, nowMs)
}

const alive: Effect.Effect<Answer> = Effect.sync(() => ({ status: 200, body: json({ alive: true }) }))

const json = (value: unknown): string => `${JSON.stringify(value)}\n`

/** Whoever asks would wait for ever. */
const broken: Answer = { status: 500, body: json({ broken: "the log says why" }) }

/** Whom the routes are told to. */
export interface Audience {
  /** Without one everybody who reaches the address hears everything. */
  readonly key?: Redacted.Redacted | undefined
  /** Names that the address is asked for by, besides those of `refusal`. */
  readonly names?: ReadonlyArray<string> | undefined
}

/** Serves the routes for the scope. */
export const serve = (address: Address, told: Routes, { key, names = [] }: Audience = {}) =>
  Effect.gen(function* () {
    const { host, port } = address
    const runtime = yield* Effect.runtime<never>()
    const server = createServer((request, response) => {
      const { headers, headersDistinct } = request
      const asked = { hosts: headersDistinct.host ?? [], origin: headers.origin }
      const refused = refusal(address, names, asked)
      if (refused !== undefined) return write(response, { ...refused, type: "text/plain" })
      const found = request.method === "GET" ? routeOf(told, request.url) : undefined
      if (found === undefined) return void response.writeHead(404).end()
      const isShown = key === undefined || Secrets.isShown(key, headers.authorization)
      const answer = isShown ? found.told : found.without
      Runtime.runFork(runtime)(
        answer.pipe(
          Effect.catchAllCause((cause) =>
            Effect.as(Effect.logError(`bidhelm has a defect: ${request.url} has no answer`, cause), broken)
          ),
          Effect.map((one) => write(response, one))
        )
      )
    })
    yield* Effect.acquireRelease(
      Effect.async<void, ReturnType<typeof stop>>((resume) => {
        // An error later on, such as too many open files, is of one connection and must not end the program.
        server.on("error", (error) =>
          resume(
            Effect.fail(
              stop(1, `${host}:${port} cannot be used (${error.message}); choose another as runner: http`)
            )
          )
        )
        server.listen(port, host, () => resume(Effect.void))
      }),
      () =>
        Effect.sync(() => {
          server.close()
          server.closeAllConnections()
        })
    )
  })

const routeOf = (told: Routes, url: string | undefined) => {
  const [path = ""] = (url ?? "").split("?")
  return Object.hasOwn(told, path) ? told[path] : undefined
}

const write = (response: ServerResponse, { body, status, type = "application/json" }: Answer): void => {
  const challenge = status === 401 ? { "www-authenticate": "Bearer" } : {}
  response.writeHead(status, { "content-type": type, ...challenge }).end(body)
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
