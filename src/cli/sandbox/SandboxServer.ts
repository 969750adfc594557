/** The sandbox marketplace on loopback, for the `sandbox` and `demo` commands. */
import * as HttpServer from "@effect/platform/HttpServer"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ScaledClock from "../../domain/ScaledClock.js"
import type { Model } from "../../sandbox/market/model/Model.js"
import type { Scale } from "../../sandbox/market/Scale.js"
import * as Sandbox from "../../sandbox/Sandbox.js"
import { stop } from "../terminal/Stop.js"

export interface Options {
  /** 0 takes a free one. */
  readonly port: number
  readonly seed: number
  readonly speed: number
  readonly scale: Scale
  /** Instant its clock starts at, epoch milliseconds; now unless given. */
  readonly originMs?: number
  /** As the marketplace's test environment: Test tokens, one request per second. */
  readonly testEnvironment?: boolean
  /** Buyers answer to promotions. */
  readonly buyers?: boolean
  /** The plain market unless given. */
  readonly market?: Model
}

/** What the ledger of a server keeps, so that it may run for months. */
const ledgerEntries = 100_000

/** Serves for as long as the scope is open; answers the base URL. */
export const start = (options: Options) => Effect.map(open(options), ({ url }) => url)

/**
 * As `start`, with the operations that were called beyond their limit, as they are now, and a way to let its clock go on
 * at once; one that is the machine's own clock stays.
 */
export const open = (options: Options) =>
  Effect.gen(function* () {
    const { originMs, speed } = options
    const machine = yield* ScaledClock.Machine
    const own =
      originMs !== undefined
        ? ScaledClock.make({ speed, originMs, machine })
        : speed === 1
          ? undefined
          : ScaledClock.make({ speed, machine })
    const clock = own === undefined ? Layer.empty : Layer.setClock(own)
    const { buyers = false, market, scale, seed, testEnvironment = false } = options
    const sandbox = Sandbox.layer({
      seed,
      scale,
      speed,
      testEnvironment,
      buyers,
      ledgerEntries,
      ...(originMs === undefined ? {} : { originMs }),
      ...(market === undefined ? {} : { market })
    })
    const context = yield* Layer.build(
      Sandbox.serve({ port: options.port }).pipe(Layer.provideMerge(sandbox), Layer.provide(clock))
    ).pipe(
      Effect.mapError((error) =>
        stop(1, `port ${options.port} cannot be used (${String(error.cause)}); choose another with --port`)
      )
    )
    const server = yield* Effect.provide(HttpServer.HttpServer, context)
    if (server.address._tag !== "TcpAddress") return yield* stop(1, "the sandbox has no port")
    const { ledger } = yield* Effect.provide(Sandbox.Sandbox, context)
    const breaches = Effect.sync(() =>
      [...ledger.counters].filter(([, counters]) => counters.breaches > 0).map(([id]) => id)
    )
    const advance = (byMs: number) => Effect.sync(() => own?.advance(byMs))
    return { url: `http://127.0.0.1:${server.address.port}`, breaches, advance }
  })
