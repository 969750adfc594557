/** The same over real sockets and the real clock: a few seconds of three fast limits at once. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpServer from "@effect/platform/HttpServer"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Faults from "../../src/sandbox/Faults.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { memory } from "../../test/limiter/LimiterMemory.js"
import * as Account from "./Account.js"
import type { Shape } from "./Shapes.js"
import type { Result } from "./Trial.js"

export interface Measured extends Result {
  readonly shape: Shape
  /** The longest any answer took, whichever the limit, milliseconds. */
  readonly slowestMs: number
}

/** Calls each shape for about `durationMs`, all from one process; the way there takes up to `jitterMs`. */
export const measure = (
  shapes: ReadonlyArray<Shape>,
  jitterMs: number,
  durationMs: number
): Effect.Effect<ReadonlyArray<Measured>> =>
  Effect.gen(function* () {
    const services = yield* Layer.build(marketplace)
    const sandbox = Context.get(services, Sandbox.Sandbox)
    const { address } = Context.get(services, HttpServer.HttpServer)
    if (address._tag !== "TcpAddress") return yield* Effect.dieMessage("the sandbox listens on no port")
    const { http, slowestMs, forget } = timed(Context.get(services, HttpClient.HttpClient))
    const url = `http://127.0.0.1:${address.port}`
    return yield* Effect.gen(function* () {
      yield* warmUp(shapes)
      forget()
      Faults.arm(sandbox.faults, [{ kind: "latency", jitterMs }])
      return yield* Effect.forEach(
        shapes,
        (shape) =>
          Effect.gen(function* () {
            const calls = Math.round(durationMs / shape.intervalMs)
            const startMs = yield* now
            yield* Account.queued(shape, shape.burst + calls, callers)
            const ratio = ((yield* now) - startMs) / (calls * shape.intervalMs)
            const refused = yield* Account.refusals(sandbox, shape, before(shape) + shape.burst + calls)
            return { shape, ratio, refused }
          }),
        { concurrency: "unbounded" }
      ).pipe(Effect.map((results) => results.map((one) => ({ ...one, slowestMs: slowestMs() }))))
    }).pipe(Effect.provide(Account.client({ kind: "personal", http, url, rows: memory(), owner: "one" })))
  }).pipe(Effect.scoped, Effect.orDie)

const marketplace = Layer.merge(
  Layer.provideMerge(
    Sandbox.serve({ port: 0 }),
    Sandbox.layer({ scale: { campaigns: 1, items: 1, clusters: 1 } })
  ),
  NodeHttpClient.layerUndici
)

/** Calls of a shape before it is measured: they open connections and let the sandbox make its account. */
const before = ({ burst }: Shape): number => 2 * burst

/** Makes those calls, and waits until the buckets are full again. */
const warmUp = (shapes: ReadonlyArray<Shape>) =>
  Effect.zipRight(
    Effect.forEach(shapes, (shape) => Account.queued(shape, before(shape), callers), {
      concurrency: "unbounded"
    }),
    Effect.sleep(100 + Math.max(...shapes.map(({ burst, intervalMs }) => burst * intervalMs)))
  )

/** Enough for the longest burst, with others waiting; few, because starting them all takes the one thread. */
const callers = 8

/** A client that remembers how long the slowest answer took. */
const timed = (inner: HttpClient.HttpClient) => {
  let slowestMs = 0
  const http = HttpClient.transformResponse(inner, (answer) =>
    Effect.gen(function* () {
      const sentMs = yield* now
      const response = yield* answer
      slowestMs = Math.max(slowestMs, (yield* now) - sentMs)
      return response
    })
  )
  const forget = () => {
    slowestMs = 0
  }
  return { http, slowestMs: () => slowestMs, forget }
}

/** Milliseconds with fractions. */
const now = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)
