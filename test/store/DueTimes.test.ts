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
  account: "shop",
  policy: "a",
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
  it("tell of every policy of the account the last one, however they are called, and of no other account", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        const policies = ["a", "a-1", "a_1", "A", "Б", "b", "z z"]
        expect(yield* dues.last("shop", 9 * hour)).toEqual(new Map())
        for (const [index, policy] of policies.entries()) {
          for (let at = 1; at <= 3 + index; at++) yield* dues.record([due(at, { policy })], at * hour)
          yield* dues.record([due(12, { policy, account: "other" })], 12 * hour)
        }
        const last = yield* dues.last("shop", 5 * hour)
        expect(new Map([...last].map(([policy, { dueAt }]) => [policy, dueAt / hour]))).toEqual(
          new Map(policies.map((policy, index) => [policy, Math.min(3 + index, 6)]))
        )
      })
    ))

  it("are recorded once, and a later one takes the place of one that still waits", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        expect(yield* dues.record([due(1), due(1, { policy: "b" })], hour)).toHaveLength(2)
        expect(yield* dues.record([due(1)], hour + 5)).toEqual([])
        expect(yield* dues.record([due(2)], 2 * hour)).toEqual([due(2)])
        const open = yield* dues.open("shop")
        expect(open.map(({ dueAt, policy }) => [dueAt / hour, policy])).toEqual([
          [1, "b"],
          [2, "a"]
        ])
        expect((yield* dues.find("shop", due(1)))?.state).toBe("passed")
      })
    ))

  it("are the cycle's that took them last: a dead one does not end what another has taken over", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        yield* dues.record([due(1)], hour)
        yield* dues.claim("shop", "first", hour)
        const [taken] = yield* dues.claim("shop", "second", 2 * hour)
        expect([taken?.runId, taken?.attempts]).toEqual(["second", 2])
        const end = { state: "done", detail: "nothing to change", nowMs: 3 * hour } as const
        yield* dues.finish("shop", "first", [due(1)], end)
        expect((yield* dues.find("shop", due(1)))?.state).toBe("running")
        yield* dues.finish("shop", "second", [due(1)], end)
        expect((yield* dues.find("shop", due(1)))?.state).toBe("done")
        expect(yield* dues.claim("shop", "third", 4 * hour)).toEqual([])
        expect(yield* dues.claim("another", "third", 4 * hour)).toEqual([])
      })
    ))

  it("know how many plans of them were cut short in a row, by the process that has them alone", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        yield* dues.record([due(1), due(1, { account: "another" })], hour)
        yield* dues.claim("another", "first", hour)
        const taken = (runId: string) => Effect.map(dues.claim("shop", runId, hour), ([one]) => one?.cutShort)
        yield* taken("first")
        yield* dues.planning("shop", "first", "begins")
        expect(yield* taken("second")).toBe(1)
        yield* dues.planning("shop", "first", "made")
        yield* dues.planning("shop", "second", "begins")
        expect(yield* taken("third")).toBe(2)
        yield* dues.planning("shop", "third", "begins")
        yield* dues.planning("shop", "third", "made")
        expect(yield* taken("fourth")).toBe(0)
        yield* dues.planning("shop", "fourth", "begins")
        yield* dues.finish("shop", "fourth", [due(1)], { state: "waiting", detail: "stopped", nowMs: hour })
        expect(yield* taken("fifth")).toBe(0)
        expect((yield* dues.find("another", due(1)))?.cutShort).toBe(0)
      })
    ))

  it("count by the clock: one of an hour ahead does, one of a year ahead does not", () =>
    inMemory((dues) =>
      Effect.gen(function* () {
        yield* dues.record([due(10)], 10 * hour)
        yield* dues.record([due(9_000, { since: 10 * hour })], 9_000 * hour)
        const at = (hours: number) =>
          Effect.map(dues.last("shop", hours * hour), (last) => last.get("a")?.dueAt)
        expect(yield* at(9.5)).toBe(10 * hour)
        expect(yield* at(12)).toBe(10 * hour)
        expect(yield* at(9_001)).toBe(9_000 * hour)
      })
    ))

  it("are still there in the next process", () =>
    Fixture.inFolder((path) => {
      const layer = stored(join(path, "store.sqlite"))
      const record = Effect.flatMap(DueTimes, (dues) => dues.record([due(1)], hour))
      const open = Effect.flatMap(DueTimes, (dues) => dues.open("shop"))
      return Effect.gen(function* () {
        yield* Effect.provide(record, layer)
        expect(yield* Effect.provide(open, Layer.fresh(layer))).toMatchObject([
          { ...due(1), attempts: 0, recordedAt: hour }
        ])
      })
    }))
})
