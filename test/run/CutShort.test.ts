/** A plan that ends the process, time and again: who is given up, and who is not. */
import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import * as Figures from "../../src/domain/Figures.js"
import * as Stage from "./SupervisorStage.js"

const secondMs = 1000
const later = Date.parse("2026-09-01T23:00:00Z")

type Started = Parameters<Stage.Stage["start"]>[0]

/** A process that lives until the account has planned for ten seconds; answers it dead. */
const dyingOf = (stage: Stage.Stage, poison: string, options: Started = {}) =>
  Effect.gen(function* () {
    const before = stage.ran.length
    const process = yield* stage.start(options)
    const began = () => stage.ran.slice(before).find(({ account }) => account === poison)
    for (let waited = 0; began() === undefined && waited < 600; waited++) yield* stage.advance("1 second")
    if (began() === undefined) throw new Error(`${poison} was never planned`)
    yield* stage.advance("10 seconds")
    yield* process.kill
  })

/** A first process finds what is due from now on; then planning takes a minute. */
const slowFromNow = (stage: Stage.Stage, options: Started = {}) =>
  Effect.gen(function* () {
    yield* (yield* stage.start(options)).kill
    yield* stage.advance("1 minute")
    stage.cycles.takeMs = 60 * secondMs
  })

const dyingThrice = (stage: Stage.Stage, options: Started = {}) =>
  Effect.gen(function* () {
    yield* slowFromNow(stage, options)
    for (let life = 0; life < 3; life++) yield* dyingOf(stage, "shop", options)
  })

const stateOf = (stage: Stage.Stage, account: string) =>
  Effect.map(stage.dues.last({ account, lane: "ads" }, later), (last) => last.get("a"))

it("gives a due time up that ended the process three times in a row, says so, and runs the next one", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
    Effect.gen(function* () {
      yield* dyingThrice(stage)
      const { turns } = yield* stage.start()
      yield* stage.advance("10 minutes")
      expect(stage.ran.length).toBe(3)
      const found = yield* stateOf(stage, "shop")
      expect([found?.state, found?.attempts]).toEqual(["failed", 4])
      const why =
        "a: given up until the next due time, because bidhelm ended 3 times in a row while it planned this"
      expect(found?.detail).toContain(why)
      const status = yield* turns.status({ account: "shop", lane: "ads" })
      expect(status).toMatchObject({ state: "idle", last: { end: { outcome: "failed" } } })
      expect(status.stoppedWhy).toContain(why)
      expect(yield* Exposition.current).toContain(
        `${Figures.figures.givenUp.name}{account="shop",lane="ads"} 1\n`
      )
      yield* stage.advance("12 hours")
      expect(stage.told().at(-1)).toBe("09-02T00:00 a")
      expect(yield* Exposition.current).toContain(
        `${Figures.figures.givenUp.name}{account="shop",lane="ads"} 0\n`
      )
      expect((yield* turns.status({ account: "shop", lane: "ads" })).stoppedWhy).toBeUndefined()
    })
  ))

it("gives nobody else up who planned beside it", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
    Effect.gen(function* () {
      const accounts = ["one", "shop", "two"]
      yield* dyingThrice(stage, { accounts })
      yield* stage.start({ accounts })
      yield* stage.advance("10 minutes")
      const ends = yield* Effect.forEach(accounts, (account) => stateOf(stage, account))
      expect(ends.map((end) => end?.state)).toEqual(["done", "failed", "done"])
    })
  ))

it("counts neither what died while it sent, nor deaths with a plan that was made between them", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
    Effect.gen(function* () {
      yield* slowFromNow(stage)
      const died = Effect.gen(function* () {
        yield* dyingOf(stage, "shop")
        return (yield* stateOf(stage, "shop"))?.cutShort
      })
      const planning = [yield* died, yield* died]
      stage.cycles.planMs = secondMs
      const sending = [yield* died, yield* died]
      stage.cycles.planMs = 60 * secondMs
      const again = [yield* died, yield* died]
      expect([planning, sending, again]).toEqual([
        [1, 2],
        [0, 0],
        [1, 2]
      ])
      yield* stage.start()
      yield* stage.advance("2 minutes")
      expect(yield* stateOf(stage, "shop")).toMatchObject({ state: "done", cutShort: 0 })
    })
  ))

it("stands still no longer once its only policy, which was given up, is taken out of the rules", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
    Effect.gen(function* () {
      yield* dyingThrice(stage)
      const { turns } = yield* stage.start()
      yield* stage.advance("10 minutes")
      expect((yield* turns.status({ account: "shop", lane: "ads" })).stoppedWhy).toContain("given up")
      stage.reload(Stage.rules({}))
      expect((yield* turns.status({ account: "shop", lane: "ads" })).stoppedWhy).toBeUndefined()
      expect(yield* Exposition.current).toContain(
        `${Figures.figures.givenUp.name}{account="shop",lane="ads"} 0\n`
      )
    })
  ))

it("tells of a policy that was given up no longer once a person has taken it out of the rules", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}", b: "{every: 6h}" }), (stage) =>
    Effect.gen(function* () {
      yield* dyingThrice(stage)
      yield* stage.start()
      yield* stage.advance("10 minutes")
      expect(yield* Exposition.current).toContain(
        `${Figures.figures.givenUp.name}{account="shop",lane="ads"} 2\n`
      )
      stage.reload(Stage.rules({ b: "{every: 6h}" }))
      yield* stage.advance("6 hours")
      expect(stage.told().at(-1)).toBe("09-01T18:00 b")
      expect(yield* Exposition.current).toContain(
        `${Figures.figures.givenUp.name}{account="shop",lane="ads"} 0\n`
      )
    })
  ))

it("does not take a runner that gives the account away while it plans for one that died", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
    Effect.gen(function* () {
      yield* slowFromNow(stage)
      yield* dyingOf(stage, "shop")
      for (let move = 0; move < 4; move++) {
        const process = yield* stage.start()
        yield* stage.advance("10 seconds")
        yield* process.leave
      }
      // Nobody waits for the note that a plan was left.
      yield* stage.advance("1 second")
      expect(yield* stateOf(stage, "shop")).toMatchObject({ state: "running", attempts: 5, cutShort: 1 })
      yield* stage.start()
      yield* stage.advance("10 minutes")
      expect((yield* stateOf(stage, "shop"))?.state).toBe("done")
    })
  ))

it("gives up a policy with all its open due times, and runs the account's others", () =>
  Stage.run("2026-09-01T11:59:00Z", Stage.rules({ a: "{every: 12h}" }), (stage) =>
    Effect.gen(function* () {
      yield* dyingThrice(stage)
      const nowMs = Date.parse("2026-09-01T12:05:00Z")
      const due = {
        account: "shop",
        lane: "ads" as const,
        job: "a",
        dueAt: nowMs,
        since: nowMs - 1,
        schedule: "every 43200000; UTC"
      }
      yield* stage.dues.record([{ ...due, state: "waiting" }], nowMs)
      stage.reload(Stage.rules({ a: "{every: 12h}", b: "{every: 5m}" }))
      const { turns } = yield* stage.start()
      yield* stage.advance("1 minute")
      expect((yield* stage.dues.find({ account: "shop", lane: "ads" }, due))?.state).toBe("failed")
      yield* stage.advance("10 minutes")
      expect(stage.ran.at(-1)?.policies).toEqual(["b"])
      expect((yield* turns.status({ account: "shop", lane: "ads" })).last?.end.outcome).toBe("ran")
    })
  ))
