/** Lanes of one seller's limit: each gets its share while it waits, nobody starves, and no limit is overrun. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import { type Lane, lanes, Working } from "../../src/domain/Lane.js"
import { type Bucket, Consumer, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { Shares, weights } from "../../src/services/limiter/Shares.js"
import * as Depth from "../Depth.js"
import * as VirtualClock from "../scenario/VirtualClock.js"
import { layerMemory, memory } from "./LimiterMemory.js"
import { dice, make as makeServer } from "./StrictServer.js"

/** Somebody who waits. */
interface One {
  readonly lane: Lane
  readonly consumer: string
}

const joining = fc.record({
  lane: fc.constantFrom(...lanes),
  consumer: fc.constantFrom("a", "b"),
  many: fc.integer({ min: 1, max: 30 })
})
const step = fc.oneof(
  fc.record({ _tag: fc.constant("join" as const), joining }),
  fc.record({ _tag: fc.constant("take" as const), many: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ _tag: fc.constant("leave" as const), pick: fc.nat() })
)

/** Turns given, with the lanes that waited when each was given. */
interface Given {
  readonly lane: Lane
  readonly waiting: ReadonlySet<Lane>
}

/** What the queue gives under these steps; all that is left is taken at the end. */
const played = (steps: ReadonlyArray<typeof step extends fc.Arbitrary<infer S> ? S : never>) => {
  const shares = new Shares<One>()
  const inside = new Set<One>()
  const given: Array<Given> = []
  const take = () => {
    const waiting = new Set([...inside].map(({ lane }) => lane))
    const one = shares.take()
    if (one === undefined) return
    inside.delete(one)
    given.push({ lane: one.lane, waiting })
  }
  for (const one of steps) {
    if (one._tag === "join") {
      const { consumer, lane, many } = one.joining
      for (let n = 0; n < many; n++) {
        const made = { lane, consumer }
        shares.add(lane, consumer, made)
        inside.add(made)
      }
    } else if (one._tag === "take") for (let n = 0; n < one.many; n++) take()
    else {
      const left = [...inside][one.pick % Math.max(1, inside.size)]
      if (left !== undefined) {
        expect(shares.remove(left.lane, left.consumer, left)).toBe(true)
        inside.delete(left)
      }
    }
    expect(shares.size).toBe(inside.size)
  }
  while (inside.size > 0) take()
  return given
}

const sum = (some: Iterable<Lane>): number => [...some].reduce((all, lane) => all + weights[lane], 0)

/** Every stretch of turns during which the lane waited all the time, longest first from each beginning. */
const stretches = (given: ReadonlyArray<Given>, lane: Lane): ReadonlyArray<ReadonlyArray<Given>> => {
  const found: Array<ReadonlyArray<Given>> = []
  let from = 0
  for (let at = 0; at <= given.length; at++) {
    if (at < given.length && given[at]?.waiting.has(lane) === true) continue
    if (at > from) found.push(given.slice(from, at))
    from = at + 1
  }
  return found
}

describe("lanes that wait for one limit", () => {
  it("each have their share of every stretch in which they wait, whoever comes and goes", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const given = played(steps)
        for (const lane of lanes) {
          for (const whole of stretches(given, lane)) {
            for (let from = 0; from < whole.length; from++) {
              const stretch = whole.slice(from)
              const others = new Set(stretch.flatMap(({ waiting }) => [...waiting]))
              const share = weights[lane] / sum(others)
              const had = stretch.filter((one) => one.lane === lane).length
              expect(had).toBeGreaterThanOrEqual(stretch.length * share - 1 - others.size * share)
            }
          }
        }
      }),
      { numRuns: Depth.cases(800) }
    ))

  it("leave what they do not use to the others, and no turn is left while somebody waits", () =>
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        for (const { lane, waiting } of played(steps)) expect(waiting.has(lane)).toBe(true)
      }),
      { numRuns: Depth.cases(400) }
    ))

  it("are foretold in the order in which they will leave", () =>
    fc.assert(
      fc.property(fc.array(joining, { maxLength: 12 }), fc.nat(20), (joins, before) => {
        const shares = new Shares<One>()
        for (const { consumer, lane, many } of joins)
          for (let n = 0; n < many; n++) shares.add(lane, consumer, { lane, consumer })
        for (let n = 0; n < before; n++) shares.take()
        const foretold = [...shares.inOrder()]
        expect(foretold).toHaveLength(shares.size)
        for (const one of foretold) expect(shares.take()).toBe(one)
      }),
      { numRuns: Depth.cases(400) }
    ))

  it("save up no turns while they are idle", () => {
    const shares = new Shares<One>()
    const add = (lane: Lane, many: number) => {
      for (let n = 0; n < many; n++) shares.add(lane, "a", { lane, consumer: "a" })
    }
    add("ads", 1000)
    for (let n = 0; n < 500; n++) shares.take()
    add("orders", 100)
    const next = Array.from({ length: 10 }, () => shares.take()?.lane)
    expect(next.filter((lane) => lane === "ads").length).toBeGreaterThanOrEqual(3)
  })
})

const bucket: Bucket = {
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "group",
  burst: 3,
  intervalMs: 1000,
  cost4xx: 1
}
const silent: Feedback = { status: undefined, retryAfterMs: undefined, remaining: undefined }
const told = (exit: Exit.Exit<Feedback>): Feedback => (Exit.isSuccess(exit) ? exit.value : silent)
const limiter = () => Layer.provide(LimiterLive.layer, layerMemory(memory(), "one"))

describe("the limiter of a seller", () => {
  it("lets an order's call leave before a thousand calls of advertising that wait", async () => {
    const time = VirtualClock.make(0)
    const left: Array<string> = []
    const call = (lane: Lane, name: string) =>
      Effect.flatMap(Limiter, ({ call }) =>
        call(
          bucket,
          Effect.sync(() => {
            left.push(name)
            return { ...silent, status: 200 }
          }),
          told
        )
      ).pipe(Effect.provideService(Working, lane))
    const work = Effect.gen(function* () {
      const flood = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 1000 }, (_, n) => call("ads", `ads ${n}`)),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.sleep(10_500)
      const before = left.length
      yield* call("orders", "order")
      expect(left.length - before).toBe(1)
      expect(time.now()).toBeLessThanOrEqual(11_001)
      yield* Fiber.interrupt(flood)
    })
    await Effect.runPromise(time.run(Effect.provide(work, limiter())))
  })

  it("gives each lane its share of what leaves, and is never refused", () =>
    fc.assert(
      fc.asyncProperty(
        fc.record({
          seed: fc.integer(),
          burst: fc.integer({ min: 1, max: 8 }),
          intervalMs: fc.integer({ min: 50, max: 2_000 }),
          jitterMs: fc.integer({ min: 0, max: 400 })
        }),
        async ({ burst, intervalMs, jitterMs, seed }) => {
          const random = dice(seed)
          const time = VirtualClock.make(0)
          const server = makeServer({ jitterMs, random })
          const own = { ...bucket, burst, intervalMs }
          const left: Array<Lane> = []
          const call = (lane: Lane) =>
            Effect.flatMap(Limiter, ({ call }) =>
              call(
                own,
                Effect.zipRight(
                  Effect.sync(() => left.push(lane)),
                  server.request(own)
                ),
                told
              )
            ).pipe(
              Effect.provideService(Working, lane),
              Effect.provideService(Consumer, `c${Math.floor(random() * 3)}`)
            )
          const all = lanes.flatMap((lane) => Array.from({ length: 40 }, () => call(lane)))
          const work = Effect.all(all, { concurrency: "unbounded", discard: true })
          await Effect.runPromise(time.run(Effect.provide(work, limiter())))
          expect(server.count()).toEqual({ arrived: 120, refused: 0 })
          // Until the first lane has nothing left all three wait.
          const all3 = left.slice(0, 60)
          for (let from = 0; from + 12 <= all3.length; from++) {
            const window = all3.slice(from, from + 12)
            for (const lane of lanes) {
              const had = window.filter((one) => one === lane).length
              expect(had).toBeGreaterThanOrEqual((12 * weights[lane]) / sum(lanes) - 2)
            }
          }
        }
      ),
      { numRuns: Depth.cases(80) }
    ))
})
