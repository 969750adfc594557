/** Due times in the real store. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { DueTimes, type NewDue } from "../../src/engine/schedule/DueTimes.js"
import * as DueTimesSql from "../../src/store/journal/DueTimesSql.js"
import * as Fixture from "./Fixture.js"

const hour = 3_600_000
const due = (hours: number, more: Partial<NewDue> = {}): NewDue => ({
  lane: "ads",
  account: "shop",
  job: "a",
  dueAt: hours * hour,
  since: (hours - 1) * hour,
  schedule: "every 3600000; UTC",
  state: "waiting",
  ...more
})

const stored = (filename: string) => DueTimesSql.layer.pipe(Layer.provideMerge(Fixture.store({ filename })))
const inMemory = <A, E>(story: (dues: typeof DueTimes.Service) => Effect.Effect<A, E>) =>
  Effect.runPromise(Effect.flatMap(DueTimes, story).pipe(Effect.provide(stored(":memory:"))))

describe("due times in the store", () => {
  it("tell of every job of the account the last one, however they are called, and of no other account", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        const policies = ["a", "a-1", "a_1", "A", "Б", "b", "z z"]
        expect(yield* dues.last({ account: "shop", lane: "ads" }, 9 * hour)).toEqual(new Map())
        for (const [index, job] of policies.entries()) {
          for (let at = 1; at <= 3 + index; at++) yield* dues.record([due(at, { job })], at * hour)
          yield* dues.record([due(12, { job, account: "other" })], 12 * hour)
        }
        const last = yield* dues.last({ account: "shop", lane: "ads" }, 5 * hour)
        expect(new Map([...last].map(([job, { dueAt }]) => [job, dueAt / hour]))).toEqual(
          new Map(policies.map((job, index) => [job, Math.min(3 + index, 6)]))
        )
      })
    ))

  it("are taken lane by lane, without those that others run, and known lane by lane", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        const orders = ["a", "b", "c"].map((job) => due(1, { lane: "orders", job }))
        yield* dues.record([due(1), ...orders], hour)
        const where = { account: "shop", lane: "orders" } as const
        const claimed = yield* dues.claim(where, "cycle", hour, ["c"])
        expect(claimed.map(({ job, lane }) => `${lane} ${job}`)).toEqual(["orders a", "orders b"])
        yield* dues.finish(where, "cycle", [due(1)], { state: "done", detail: "well", nowMs: hour })
        const open = [...(yield* dues.allOpen)]
        expect(
          open.map(([key, found]) => [key, ...found.map(({ job, state }) => `${job} ${state}`)])
        ).toEqual([
          ["ads/shop", "a waiting"],
          ["orders/shop", "b running", "c waiting"]
        ])
        const last = yield* dues.last(where, 2 * hour)
        expect([...last.values()].map(({ job, state }) => `${job} ${state}`)).toEqual([
          "a done",
          "b running",
          "c waiting"
        ])
      })
    ))

  it("are recorded once, and a later one takes the place of one that still waits", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        expect(yield* dues.record([due(1), due(1, { job: "b" })], hour)).toHaveLength(2)
        expect(yield* dues.record([due(1)], hour + 5)).toEqual([])
        expect(yield* dues.record([due(2)], 2 * hour)).toEqual([due(2)])
        const open = yield* dues.open({ account: "shop", lane: "ads" })
        expect(open.map(({ dueAt, job }) => [dueAt / hour, job])).toEqual([
          [1, "b"],
          [2, "a"]
        ])
        expect((yield* dues.find({ account: "shop", lane: "ads" }, due(1)))?.state).toBe("passed")
      })
    ))

  it("are the cycle's that took them last: a dead one does not end what another has taken over", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        yield* dues.record([due(1)], hour)
        yield* dues.claim({ account: "shop", lane: "ads" }, "first", hour)
        const [taken] = yield* dues.claim({ account: "shop", lane: "ads" }, "second", 2 * hour)
        expect([taken?.runId, taken?.attempts]).toEqual(["second", 2])
        const end = { state: "done", detail: "nothing to change", nowMs: 3 * hour } as const
        yield* dues.finish({ account: "shop", lane: "ads" }, "first", [due(1)], end)
        expect((yield* dues.find({ account: "shop", lane: "ads" }, due(1)))?.state).toBe("running")
        yield* dues.finish({ account: "shop", lane: "ads" }, "second", [due(1)], end)
        expect((yield* dues.find({ account: "shop", lane: "ads" }, due(1)))?.state).toBe("done")
        expect(yield* dues.claim({ account: "shop", lane: "ads" }, "third", 4 * hour)).toEqual([])
        expect(yield* dues.claim({ account: "another", lane: "ads" }, "third", 4 * hour)).toEqual([])
      })
    ))

  it("know how many plans of them were cut short in a row, by the process that has them alone", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        yield* dues.record([due(1), due(1, { account: "another" })], hour)
        yield* dues.claim({ account: "another", lane: "ads" }, "first", hour)
        const taken = (runId: string) =>
          Effect.map(dues.claim({ account: "shop", lane: "ads" }, runId, hour), ([one]) => one?.cutShort)
        yield* taken("first")
        yield* dues.planning({ account: "shop", lane: "ads" }, "first", "begins")
        expect(yield* taken("second")).toBe(1)
        yield* dues.planning({ account: "shop", lane: "ads" }, "first", "made")
        yield* dues.planning({ account: "shop", lane: "ads" }, "second", "begins")
        expect(yield* taken("third")).toBe(2)
        yield* dues.planning({ account: "shop", lane: "ads" }, "third", "begins")
        yield* dues.planning({ account: "shop", lane: "ads" }, "third", "made")
        expect(yield* taken("fourth")).toBe(0)
        yield* dues.planning({ account: "shop", lane: "ads" }, "fourth", "begins")
        yield* dues.finish({ account: "shop", lane: "ads" }, "fourth", [due(1)], {
          state: "waiting",
          detail: "stopped",
          nowMs: hour
        })
        expect(yield* taken("fifth")).toBe(0)
        expect((yield* dues.find({ account: "another", lane: "ads" }, due(1)))?.cutShort).toBe(0)
      })
    ))

  it("count by the clock: one of an hour ahead does, one of a year ahead does not", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        yield* dues.record([due(10)], 10 * hour)
        yield* dues.record([due(9_000, { since: 10 * hour })], 9_000 * hour)
        const at = (hours: number) =>
          Effect.map(
            dues.last({ account: "shop", lane: "ads" }, hours * hour),
            (last) => last.get("a")?.dueAt
          )
        expect(yield* at(9.5)).toBe(10 * hour)
        expect(yield* at(12)).toBe(10 * hour)
        expect(yield* at(9_001)).toBe(9_000 * hour)
      })
    ))

  it("are still there in the next process", () =>
    Fixture.inFolder((path) => {
      const layer = stored(join(path, "store.sqlite"))
      const record = Effect.flatMap(DueTimes, (dues) => dues.record([due(1)], hour))
      const open = Effect.flatMap(DueTimes, (dues) => dues.open({ account: "shop", lane: "ads" }))
      return Effect.gen(function* () {
        yield* Effect.provide(record, layer)
        expect(yield* Effect.provide(open, Layer.fresh(layer))).toMatchObject([
          { ...due(1), attempts: 0, recordedAt: hour }
        ])
      })
    }))
})
