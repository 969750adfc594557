/** The due times of an account that wait behind one another, however long it cannot work. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { expect, it } from "vitest"
import type { AccountLane } from "../../src/domain/Lane.js"
import type { TurnEnd } from "../../src/engine/schedule/AccountTurn.js"
import type { DueTime } from "../../src/engine/schedule/DueTimes.js"
import { Line } from "../../src/runtime/SellerAccount.js"
import * as Stage from "../run/SupervisorStage.js"

it("keeps no more waiting than there are policies while a token is refused for days, and then runs what is due", () =>
  Stage.run("2026-09-01T05:30:00Z", Stage.rules({ a: "{every: 1h}", b: "{every: 30m}" }), (stage) =>
    Effect.gen(function* () {
      stage.cycles.result = () => ({ _tag: "Refused", why: "the token was not accepted" })
      const { turns } = yield* stage.start({ isOnce: true })
      const line = new Line({ account: "shop", lane: "ads" }, turns)
      const ends: Array<TurnEnd> = []
      const sent = new Set<string>()
      const submit = (_: AccountLane, dues: ReadonlyArray<DueTime>) =>
        Effect.forEach(
          dues.filter(({ dueAt, job }) => !sent.has(`${job}@${dueAt}`)),
          (due) =>
            Effect.zipRight(
              Effect.sync(() => sent.add(`${due.job}@${due.dueAt}`)),
              Effect.forkDaemon(Effect.map(line.run(due), (end) => void ends.push(end)))
            ),
          { discard: true }
        ).pipe(Effect.as(true))
      yield* stage.start({ submit })
      yield* stage.advance("2 days")
      expect(sent.size).toBeGreaterThan(120)
      expect(line.length).toBeLessThanOrEqual(3)
      expect(ends.length).toBe(sent.size - line.length - 1)
      stage.cycles.result = () => Stage.done
      yield* turns.wake({ account: "shop", lane: "ads" })
      yield* stage.advance("5 minutes")
      expect(yield* stage.dues.open({ account: "shop", lane: "ads" })).toEqual([])
      expect([line.length, ends.length]).toEqual([0, sent.size])
      expect(ends.at(-2)?.outcome).not.toBe("failed")
      expect(ends.filter(({ outcome }) => outcome === "ran")).toHaveLength(1)
      yield* stage.advance("1 hour")
      expect(stage.told().at(-1)).toMatch(/^09-03T06:30 /)
    })
  ))

const due = (job: string, dueAt: number): DueTime => ({ job, dueAt })

it("runs one after the other, and goes on when one is interrupted: that runs, that waits, or that has its turn just now", () =>
  Effect.runPromise(
    Effect.gen(function* () {
      const order: Array<string> = []
      const gates = new Map(
        yield* Effect.forEach(["a", "b", "c", "d"], (name) =>
          Effect.map(Deferred.make<void>(), (gate) => [name, gate] as const)
        )
      )
      const line = new Line(
        { account: "shop", lane: "ads" },
        {
          over: () => Effect.succeed(undefined),
          runDue: (_, { job }) =>
            Effect.zipRight(
              Effect.sync(() => void order.push(job)),
              Effect.as(Deferred.await(gates.get(job)!), { outcome: "ran", said: job } as const)
            )
        }
      )
      const [a, b, c, d] = yield* Effect.forEach(["a", "b", "c", "d"], (name) =>
        Effect.zipLeft(Effect.fork(line.run(due(name, 1))), Effect.yieldNow())
      )
      yield* Effect.sleep(1)
      expect([order, line.length]).toEqual([["a"], 3])
      yield* Fiber.interrupt(c!)
      expect(line.length).toBe(2)
      // Gives the turn to b, which is interrupted before it can begin.
      yield* Effect.all([Fiber.interruptFork(a!), Fiber.interruptFork(b!)])
      yield* Effect.sleep(5)
      expect(order.at(-1)).toBe("d")
      yield* Deferred.succeed(gates.get("d")!, undefined)
      expect(yield* Fiber.join(d!)).toEqual({ outcome: "ran", said: "d" })
      yield* Deferred.succeed(gates.get("a")!, undefined)
      expect(yield* line.run(due("a", 2))).toEqual({ outcome: "ran", said: "a" })
    })
  ))
