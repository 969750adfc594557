/** One measurement: so many calls of the real client to the sandbox, both in this process and in virtual time. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Faults from "../../src/sandbox/Faults.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import type { Service } from "../../src/sandbox/Service.js"
import { Consumer } from "../../src/services/Limiter.js"
import { type Memory, memory } from "../../test/limiter/LimiterMemory.js"
import { dice } from "../../test/limiter/StrictServer.js"
import * as InMemoryHttp from "../../test/scenario/InMemoryHttp.js"
import * as VirtualClock from "../../test/scenario/VirtualClock.js"
import * as Account from "./Account.js"
import type { Shape } from "./Shapes.js"
import * as Trouble from "./Trouble.js"

export interface Result {
  /** Wall time over (n − burst) × interval; for `behindFlood`, over the fair share. */
  readonly ratio: number
  /** 429 answers the sandbox gave. */
  readonly refused: number
}

/** `calls` beyond the burst, wanted without a pause. */
export const steady = (shape: Shape, jitterMs: number, calls: number): Effect.Effect<Result> =>
  inVirtualTime(shape, jitterMs, shape.burst + calls, ({ wanted, elapsedMs, process }) =>
    Effect.gen(function* () {
      yield* Effect.provide(Account.queued(shape, wanted), process(memory(), "one"))
      return elapsedMs() / (calls * shape.intervalMs)
    })
  )

/** The same, with the process killed in the middle and another started on its store at once. */
export const restarted = (shape: Shape, jitterMs: number, calls: number): Effect.Effect<Result> =>
  inVirtualTime(shape, jitterMs, shape.burst + calls, ({ wanted, elapsedMs, process, departed, departs }) =>
    Effect.gen(function* () {
      const store = memory()
      const first = yield* Effect.fork(Effect.provide(Account.queued(shape, wanted), process(store, "one")))
      yield* departs(Math.floor(wanted / 2))
      yield* Effect.sleep(1)
      // A killed process stores nothing on its way out, so the second one starts from a copy taken before.
      const left = {
        rows: new Map(store.rows),
        quotas: new Map(store.quotas),
        dead: new Set(["one"])
      }
      yield* Fiber.interrupt(first)
      yield* Effect.provide(Account.queued(shape, wanted - departed()), process(left, "two"))
      return elapsedMs() / (calls * shape.intervalMs)
    })
  )

/** As `steady`, with a fifth of the calls refused: wall time over (what the refusals cost, too, − burst) × interval. */
export const refusing = (shape: Shape, jitterMs: number, calls: number): Effect.Effect<Result> =>
  inVirtualTime(
    shape,
    jitterMs,
    shape.burst + calls,
    ({ elapsedMs, process, sandbox, wanted }) =>
      Effect.gen(function* () {
        yield* Effect.provide(Account.queued(shape, wanted), process(memory(), "one"))
        const refused = sandbox.ledger.counters.get(shape.operation)?.clientErrors ?? 0
        return elapsedMs() / ((calls + refused * (shape.cost4xx - 1)) * shape.intervalMs)
      }),
    0.2
  )

/**
 * A consumer that makes `few` calls one after the other while another wants `many` at once: its time over its fair
 * share, which is every second token.
 */
export const behindFlood = (
  shape: Shape,
  jitterMs: number,
  few: number,
  many: number
): Effect.Effect<Result> =>
  inVirtualTime(shape, jitterMs, many + few, ({ elapsedMs, process }) =>
    Effect.gen(function* () {
      const flood = yield* Effect.fork(
        Effect.provideService(Account.queued(shape, many, many), Consumer, "flood")
      )
      yield* Effect.sleep(5)
      const startMs = elapsedMs()
      const small = Effect.repeatN(Account.call(shape), few - 1)
      yield* Effect.provideService(small, Consumer, "small")
      const tookMs = elapsedMs() - startMs
      yield* Fiber.join(flood)
      return tookMs / (2 * few * shape.intervalMs)
    }).pipe(Effect.provide(process(memory(), "one")))
  )

interface Course {
  /** Calls in all. */
  readonly wanted: number
  readonly elapsedMs: () => number
  readonly sandbox: Service
  /** The client of a process, by its name, on a store. */
  readonly process: (rows: Memory, owner: string) => ReturnType<typeof Account.client>
  /** Requests that have left. */
  readonly departed: () => number
  /** Ends when so many have left; the last of them is in the air then. */
  readonly departs: (n: number) => Effect.Effect<void>
}

const startMs = Date.parse("2026-09-01T06:00:00Z")

/** Runs a course that answers its ratio against a fresh sandbox. */
const inVirtualTime = (
  shape: Shape,
  jitterMs: number,
  wanted: number,
  course: (course: Course) => Effect.Effect<number>,
  refusedShare = 0
): Effect.Effect<Result> =>
  Effect.suspend(() => {
    const time = VirtualClock.make(startMs)
    const elapsedMs = () => time.now() - startMs
    const seed = shape.burst * 7 + jitterMs
    return Effect.gen(function* () {
      const services = yield* Layer.build(
        InMemoryHttp.layer({ seed, scale: { campaigns: 1, items: 1, clusters: 1 } })
      )
      const sandbox = Context.get(services, Sandbox.Sandbox)
      Faults.arm(sandbox.faults, Trouble.faults(shape, jitterMs, refusedShare))
      const { http, departed, departs } = road(
        Context.get(services, HttpClient.HttpClient),
        jitterMs,
        dice(seed)
      )
      const process = (rows: Memory, owner: string) =>
        Account.client({ kind: shape.kind, http, url: "http://sandbox", rows, owner })
      const ratio = yield* course({ wanted, elapsedMs, sandbox, process, departed, departs })
      return { ratio, refused: yield* Account.refusals(sandbox, shape, wanted) }
    }).pipe(Effect.scoped, time.run)
  })

/**
 * The way there takes time in the sandbox, before the limit counts; the way back takes as long again, here. A
 * request arrives even when nobody waits for the answer any more.
 */
const road = (there: HttpClient.HttpClient, jitterMs: number, random: () => number) => {
  let departed = 0
  const awaited = new Map<number, Deferred.Deferred<void>>()
  const back = Effect.suspend(() => Effect.sleep(1 + random() * jitterMs))
  const http = HttpClient.transformResponse(there, (answer) =>
    Effect.suspend(() => {
      departed++
      const one = awaited.get(departed)
      if (one !== undefined) Deferred.unsafeDone(one, Effect.void)
      return answer.pipe(
        Effect.zipLeft(back),
        Effect.forkDaemon,
        Effect.flatMap((fiber) => fiber.await),
        Effect.flatten
      )
    })
  )
  const departs = (n: number) =>
    Effect.flatMap(Deferred.make<void>(), (one) => {
      awaited.set(n, one)
      return Deferred.await(one)
    })
  return { http, departed: () => departed, departs }
}
