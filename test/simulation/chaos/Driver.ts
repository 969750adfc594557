/**
 * What runs in a life of the program: everything that is due, again and again. One small interface, so that the
 * scheduler of the product can take the place of the timetable here.
 */
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Review from "../../../src/engine/decide/Review.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as Apply from "../../../src/engine/run/Apply.js"
import * as Cycle from "../../../src/engine/run/Cycle.js"
import * as FactLoader from "../../../src/marketplace/FactLoader.js"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import * as Due from "../Due.js"
import type { Chance } from "./Chance.js"
import type { Life } from "./Machine.js"
import { account, type Services } from "./Program.js"
import type * as Record from "./Record.js"

export interface Running {
  readonly life: Life
  readonly context: Context.Context<Services>
  /** The rules as they are saved now; a turn keeps those it began with. */
  readonly rules: () => RuleSet
  readonly record: Record.Record
  readonly time: VirtualClock.VirtualTime
  readonly chance: Chance
}

/** Lives as long as the process. */
export interface Driver {
  readonly run: (running: Running) => Effect.Effect<never>
}

const zone = "Europe/Moscow"
const hourMs = 3_600_000

/** A timetable over `Cycle.plan`, `Review.approve` and `Apply.run`: after a start everything is due once. */
export const timetable: Driver = {
  run: (running) =>
    Effect.gen(function* () {
      let done = yield* Clock.currentTimeMillis
      yield* cycle(running, new Set(running.rules().policies.map(({ id }): string => id)))
      for (;;) {
        const now = yield* Clock.currentTimeMillis
        // A clock that was set back does not run the hour twice.
        const from = Math.max(done + 1, now - hourMs)
        const [next] = Due.walk(running.rules().policies, from, from + 25 * hourMs)
        if (next === undefined) {
          yield* Effect.sleep(hourMs)
          continue
        }
        const [at] = next
        if (at > now) yield* Effect.sleep(Math.min(at - now, hourMs / 2))
        const woken = yield* Clock.currentTimeMillis
        if (woken < at) continue
        const ready = Due.walk(running.rules().policies, from, woken + 1).flatMap(([, ids]) => ids)
        done = woken
        yield* cycle(running, new Set(ready))
      }
    })
}

/** One turn: plan, approve, apply. Whatever fails is noted and left to the next turn. */
const cycle = (running: Running, due: ReadonlySet<string>): Effect.Effect<void> =>
  Effect.gen(function* () {
    const { record, time } = running
    const rules = running.rules()
    const noted: Record.Cycle = {
      life: running.life.number,
      startedAt: time.now(),
      rules,
      plannedAt: undefined,
      plan: undefined,
      applyFrom: undefined,
      endedAt: undefined,
      requestsFrom: record.requests.length,
      requestsPlanned: record.requests.length,
      isRepeatable: undefined,
      error: undefined
    }
    record.cycles.push(noted)
    const exit = yield* Effect.exit(turn(running, rules, due, noted))
    noted.endedAt = time.now()
    if (exit._tag === "Failure") noted.error = String(exit.cause).split("\n")[0]
    record.trace.push(
      `${time.now()} run of ${[...due].sort().join(" ")}: ${noted.plan?.id.slice(0, 12) ?? "no plan"} ${noted.plan?.changes.length ?? 0} changes ${noted.error ?? ""}`
    )
  })

const turn = (running: Running, rules: RuleSet, due: ReadonlySet<string>, noted: Record.Cycle) =>
  Effect.gen(function* () {
    const { record, time } = running
    const own = { ...rules, policies: rules.policies.filter(({ id }) => due.has(id)) }
    const planned = yield* Cycle.plan(own, { zone })
    noted.plannedAt = time.now()
    noted.plan = planned.reviewed.plan
    noted.requestsPlanned = record.requests.length
    // The gate on implausible statistics comes after the decision, so a plan it stopped is not made twice.
    if (planned.reviewed.plan.observeOnly === undefined && running.chance.happens(0.1)) {
      const again = yield* Cycle.decide(own, planned.gathered, { zone })
      noted.isRepeatable = again.reviewed.plan.id === planned.reviewed.plan.id
    }
    if (planned.reviewed.appliable.length === 0 && planned.open.length === 0) {
      yield* Cycle.count(planned.reviewed)
      return
    }
    noted.applyFrom = time.now()
    yield* Apply.run(Review.approve(planned.reviewed, { approvedBy: "simulation", account }), {
      holder: `life ${running.life.number}`,
      abandoned: (holder) => !holder.startsWith(`life ${running.life.number},`)
    })
  }).pipe(Effect.provide(FactLoader.layer), Effect.provide(running.context))
