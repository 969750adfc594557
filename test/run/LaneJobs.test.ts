/** Jobs of several lanes and suppliers under one scheduler: which run side by side, and which are one cycle. */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { type Lane, Working } from "../../src/domain/Lane.js"
import type { CycleCall, CycleResult, Job, JobSource, Jobs, Runnable } from "../../src/engine/schedule/Job.js"
import * as Stage from "./SupervisorStage.js"

const minuteMs = 60_000

/** What ran: when, of which lane, which jobs. */
interface Ran {
  readonly at: string
  readonly lane: Lane
  readonly callsAs: Lane
  readonly due: ReadonlyArray<string>
}

/** Jobs every so many minutes that take a minute each. */
const supplier = (
  jobs: ReadonlyArray<{
    readonly id: string
    readonly lane: Lane
    readonly minutes: number
    readonly by: string
  }>,
  ran: Array<Ran>,
  result: (call: CycleCall) => CycleResult = () => Stage.done
): typeof JobSource.Service => {
  const runnables = new Map<string, Runnable>()
  for (const { by } of jobs) {
    runnables.set(by, {
      version: by,
      run: (call) =>
        Effect.gen(function* () {
          const { currentTimeMillis } = yield* Effect.clock
          const at = new Date(yield* currentTimeMillis).toISOString().slice(11, 16)
          ran.push({ at, lane: call.lane, callsAs: yield* Working, due: [...call.due].sort() })
          yield* Effect.sleep(minuteMs)
          return result(call)
        })
    })
  }
  const of = (account: string): ReadonlyArray<Job> =>
    jobs.flatMap(({ by, id, lane, minutes }) => {
      const runnable = runnables.get(by)
      return runnable === undefined
        ? []
        : [{ id, account, lane, schedule: { every: minutes * minuteMs, tz: "UTC" }, runnable }]
    })
  return { current: Effect.succeed({ version: "1", problem: undefined, of }) }
}

describe("jobs of several lanes", () => {
  it("run while a cycle of another lane waits for hours, and call in their own lane", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        const ran: Array<Ran> = []
        stage.cycles.takeMs = 3 * 60 * minuteMs
        const others = supplier([{ id: "a", lane: "orders", minutes: 30, by: "board" }], ran)
        // One plan at a time is one of each lane.
        const { turns } = yield* stage.start({ others, concurrency: 1 })
        yield* stage.advance("110 minutes")
        expect(stage.told()).toEqual(["09-01T06:00 a"])
        expect(ran).toEqual(
          ["06:00", "06:30", "07:00"].map((at) => ({ at, lane: "orders", callsAs: "orders", due: ["a"] }))
        )
        expect(yield* turns.status({ account: "shop", lane: "ads" })).toMatchObject({ state: "running" })
        expect(yield* turns.status({ account: "shop", lane: "orders" })).toMatchObject({ state: "idle" })
      })
    ))

  it("have due times and records of their own, also under the same name", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        const others = supplier([{ id: "a", lane: "orders", minutes: 30, by: "board" }], [])
        const { supervisor } = yield* stage.start({ others })
        yield* stage.advance("65 minutes")
        const nowMs = Date.parse("2026-09-01T06:35:00Z")
        const last = (lane: Lane) =>
          Effect.map(stage.dues.last({ account: "shop", lane }, nowMs), (found) =>
            [...found.values()].map(({ dueAt, job, state }) => [
              job,
              new Date(dueAt).toISOString().slice(11, 16),
              state
            ])
          )
        expect(yield* last("ads")).toEqual([["a", "06:00", "done"]])
        expect(yield* last("orders")).toEqual([["a", "06:30", "done"]])
        expect(yield* last("promotions")).toEqual([])
        const { accounts } = yield* supervisor.status.current
        expect(accounts.map(({ account, lane }) => [account, lane])).toEqual([
          ["shop", "ads"],
          ["shop", "orders"]
        ])
      })
    ))

  it("count anew when they come back: what a lane without jobs missed is not made up for", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        const ran: Array<Ran> = []
        const own = supplier([{ id: "board", lane: "orders", minutes: 60, by: "board" }], ran)
        let version = 1
        const gone: Jobs = { version: "none", problem: undefined, of: () => [] }
        const others: typeof JobSource.Service = {
          current: Effect.suspend(() =>
            version === 2
              ? Effect.succeed(gone)
              : Effect.map(own.current, (jobs) => ({ ...jobs, version: `${version}` }))
          )
        }
        yield* stage.start({ others })
        yield* stage.advance("35 minutes")
        version = 2
        yield* stage.advance("3 hours")
        version = 3
        yield* stage.advance("1 hour")
        expect(ran.map(({ at }) => at)).toEqual(["06:00", "10:00"])
      })
    ))

  it("wait out trouble lane by lane: what stops one does not stop the other", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 30m}" }), (stage) =>
      Effect.gen(function* () {
        const ran: Array<Ran> = []
        const others = supplier([{ id: "board", lane: "orders", minutes: 30, by: "board" }], ran, () => ({
          _tag: "Refused",
          why: "the token may not read orders"
        }))
        const { turns } = yield* stage.start({ others })
        yield* stage.advance("95 minutes")
        expect(stage.told()).toHaveLength(3)
        expect(yield* turns.status({ account: "shop", lane: "orders" })).toMatchObject({
          state: "waiting",
          stoppedWhy: "the token may not read orders"
        })
        expect(yield* turns.status({ account: "shop", lane: "ads" })).toMatchObject({ state: "idle" })
      })
    ))

  it("are all drained at the end, each lane before its next request", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 1h}" }), (stage) =>
      Effect.gen(function* () {
        const stopped: Array<Lane> = []
        const stops = { current: Effect.succeed(waiting(stopped)) }
        const { supervisor, turns } = yield* stage.start({ others: stops })
        yield* stage.advance("31 minutes")
        yield* supervisor.stop
        const drain = (lane: Lane) => turns.drain({ account: "shop", lane })
        const ending = yield* Effect.fork(
          Effect.all([drain("ads"), drain("orders"), drain("promotions")], { concurrency: "unbounded" })
        )
        yield* Fiber.join(ending)
        expect(stopped).toEqual(["orders"])
      })
    ))
})

/** A job of lane `orders` that waits until it is asked to stop. */
const waiting = (stopped: Array<Lane>) => ({
  version: "1",
  problem: undefined,
  of: (account: string): ReadonlyArray<Job> => [
    {
      id: "waits",
      account,
      lane: "orders",
      schedule: { every: 30 * minuteMs, tz: "UTC" },
      runnable: {
        version: "1",
        run: ({ lane, stopping }) =>
          Effect.as(
            Effect.zipLeft(
              stopping,
              Effect.sync(() => stopped.push(lane))
            ),
            { _tag: "Stopping" } as const
          )
      }
    }
  ]
})

describe("suppliers of jobs in one lane", () => {
  it("have cycles of their own, one after the other: those due together under one runnable are one", () =>
    Stage.run("2026-09-01T05:30:00Z", Stage.rules({}), (stage) =>
      Effect.gen(function* () {
        const ran: Array<Ran> = []
        const others = supplier(
          [
            { id: "board", lane: "orders", minutes: 30, by: "poll" },
            { id: "passes", lane: "orders", minutes: 30, by: "poll" },
            { id: "report", lane: "orders", minutes: 30, by: "reports" }
          ],
          ran
        )
        yield* stage.start({ others })
        yield* stage.advance("35 minutes")
        expect(ran.map(({ at, due }) => [at, ...due])).toEqual([
          ["06:00", "board", "passes"],
          ["06:01", "report"]
        ])
      })
    ))
})
