/**
 * What runs in a life of the program: the supervisor and the turns of the account as `bidhelm run` wires them, on the
 * timetable in virtual time. Every turn is noted for the oracles: its plan as it is kept, and when applying began.
 */

import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import type { Lane } from "../../../src/domain/Lane.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as AccountCycle from "../../../src/engine/planning/AccountCycle.js"
import * as Cycle from "../../../src/engine/planning/Cycle.js"
import * as PolicyJobs from "../../../src/engine/planning/PolicyJobs.js"
import { RuleMemory } from "../../../src/engine/planning/RuleMemory.js"
import { RuleSource } from "../../../src/engine/planning/RuleSource.js"
import * as AccountTurn from "../../../src/engine/schedule/AccountTurn.js"
import * as Dispatch from "../../../src/engine/schedule/Dispatch.js"
import { type CycleResult, JobSource } from "../../../src/engine/schedule/Job.js"
import * as Supervisor from "../../../src/engine/schedule/Supervisor.js"
import * as Ticker from "../../../src/engine/schedule/Ticker.js"
import * as CreationReasons from "../../../src/reporting/CreationReasons.js"
import * as HandOverWords from "../../../src/reporting/fulfilment/HandOverWords.js"
import * as Reasons from "../../../src/reporting/Reasons.js"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import type { Life } from "./Machine.js"
import { account, holderOf, type Services } from "./Program.js"
import * as Record from "./Record.js"

/** What rules have to do with; orders only where a policy assembles them. */
const enabled = ({ fulfilment }: RuleSet): ReadonlyArray<Lane> =>
  fulfilment.length === 0 ? ["ads", "promotions"] : ["ads", "promotions", "orders"]

/** Ten minutes between wake-ups that nothing is due for. */
const idleMs = 600_000

export interface Running {
  readonly life: Life
  readonly context: Context.Context<Services>
  /** The rules as they are saved now; a turn keeps those it began with. */
  readonly rules: () => RuleSet
  readonly record: Record.Record
  readonly time: VirtualClock.VirtualTime
  readonly isAlive: (life: number) => boolean
  /** Told how to make the program look again at what it waits out: a person has acted. */
  readonly told: (wake: Effect.Effect<void>) => void
  /** Told of a request whose changes wait for their call limit. */
  readonly claimed: (operation: string | undefined) => void
  /** What happens when this life has just taken the account's lock. */
  readonly locked: Effect.Effect<void>
}

/** Ends when the process has ended in good order. */
export interface Driver {
  readonly run: (running: Running) => Effect.Effect<void>
}

export const zone = "Europe/Moscow"

/** Longest that a cycle is waited for when the program is asked to end. */
const patience = "23 seconds"

/** `bidhelm run`, without its socket. */
export const supervised: Driver = {
  run: (running) =>
    Effect.scoped(
      Effect.gen(function* () {
        const { context, life, rules } = running
        const source: typeof RuleSource.Service = {
          current: Effect.sync(() => {
            const now = rules()
            return { rules: now, version: now.hash.slice(0, 12), problem: undefined }
          })
        }
        const jobs = yield* Effect.provideService(
          PolicyJobs.source((call) => cycle(running, call)),
          RuleSource,
          source
        )
        const provided = Context.add(context, JobSource, jobs)
        const turns = yield* Effect.provide(AccountTurn.make(), provided)
        const lanes = enabled(rules()).map((lane) => ({ account, lane }))
        const supervisor = yield* Supervisor.make({ accounts: [account], idleMs }).pipe(
          Effect.provideService(Dispatch.Dispatch, Dispatch.direct(turns)),
          Effect.provide(Ticker.layerVirtual),
          Effect.provide(provided)
        )
        running.told(Effect.zipRight(Effect.forEach(lanes, turns.wake), supervisor.wake))
        yield* Effect.raceFirst(supervisor.run, Deferred.await(life.asked))
        yield* supervisor.stop
        const drained = Effect.forEach(lanes, turns.drain, { concurrency: "unbounded", discard: true })
        yield* Effect.disconnect(drained).pipe(Effect.timeoutOption(patience))
      })
    )
}

const cycle = (running: Running, call: PolicyJobs.PolicyCall): Effect.Effect<CycleResult> =>
  noted(running, { kind: "schedule", rules: call.loaded.rules }, (telling, turn) =>
    AccountCycle.run({
      tell: Reasons.stop,
      tellSettled: CreationReasons.settled,
      tellStop: HandOverWords.ofStop,
      account,
      lane: call.lane,
      rules: call.loaded.rules,
      due: call.due,
      options: { zone },
      approvedBy: `schedule, rules ${call.loaded.version}`,
      currency: "RUB",
      apply: holderOf(running.life.number, running.isAlive),
      stopping: call.stopping,
      watching: {
        planned: () => Effect.void,
        assembled: () => Effect.void,
        gathered: (planned) =>
          again(
            call.loaded.rules,
            planned,
            { zone, currency: "RUB", due: call.due, lane: call.lane },
            turn
          ).pipe(Effect.provide(running.context)),
        applied: () => Effect.void
      }
    }).pipe(Effect.provide(telling), Effect.provide(running.context))
  ).pipe(
    Effect.map(({ noted: turn, value }) => {
      const isFine = value._tag === "Done" || value._tag === "Stopping"
      if (!isFine) turn.error = `${value._tag}: ${value.why}`
      close(running, turn, [...call.due].sort().join(" "))
      return value
    })
  )

/**
 * Decides a second time from the same answers, before anything is sent, and notes whether the plan is the same. Whose
 * store does not answer, or dies over it, is not judged.
 */
export const again = (
  rules: RuleSet,
  { context, gathered, reviewed }: Cycle.Planned,
  options: Cycle.PlanOptions,
  turn: Record.Cycle
) => {
  const { id, notices = [], observeOnly, observeOnlyFor } = reviewed.plan
  const looks = {
    ...(context.budgets === undefined ? {} : { budgets: context.budgets }),
    ...(context.made === undefined ? {} : { made: context.made }),
    // Who joined without us is told against what the run before saw, which is another by now.
    notices: notices.filter(({ because }) => because?.code === "joined_by_others"),
    ...(observeOnly === undefined ? {} : { observeOnly }),
    ...(observeOnlyFor === undefined ? {} : { observeOnlyFor })
  }
  return Cycle.decide(rules, gathered, { ...options, ...looks }).pipe(
    Effect.flatMap((second) =>
      Effect.sync(() => {
        turn.isRepeatable = second.reviewed.plan.id === id
      })
    ),
    Effect.ignore
  )
}

interface Made<A> {
  readonly noted: Record.Cycle
  readonly value: A
}

/** Runs a turn with a journal that tells when a plan is kept and when its run begins. */
export const noted = <A, E>(
  running: Running,
  about: Pick<Record.Cycle, "kind" | "rules" | "undid">,
  use: (telling: Context.Context<Journal | RuleMemory>, turn: Record.Cycle) => Effect.Effect<A, E>
): Effect.Effect<Made<A>, E> =>
  Effect.suspend(() => {
    const { context, life, record, time } = running
    const turn: Record.Cycle = {
      ...about,
      life: life.number,
      startedAt: time.now(),
      plannedAt: undefined,
      plan: undefined,
      applyFrom: undefined,
      endedAt: undefined,
      requestsFrom: record.requests.length,
      requestsPlanned: record.requests.length,
      isRepeatable: undefined,
      error: undefined
    }
    record.cycles.push(turn)
    const journal = Context.get(context, Journal)
    const telling: typeof Journal.Service = {
      ...journal,
      begin: (run, rows) =>
        Effect.suspend(() => {
          turn.applyFrom ??= time.now()
          return life.call("begin", journal.begin(run, rows))
        }),
      acquire: (...asked) =>
        Effect.tap(journal.acquire(...asked), ({ granted }) =>
          granted && asked[4] === undefined ? running.locked : Effect.void
        ),
      claim: (...asked) =>
        Effect.tap(journal.claim(...asked), () =>
          Effect.sync(() => {
            if (asked[4] === "claimed") running.claimed(asked[5].operation)
          })
        )
    }
    const memory = Context.get(context, RuleMemory)
    const keeping: typeof RuleMemory.Service = {
      ...memory,
      savePlan: (plan) =>
        Effect.tap(memory.savePlan(plan), () =>
          Effect.sync(() => {
            turn.plan = plan
            turn.plannedAt = time.now()
            turn.requestsPlanned = record.requests.length
          })
        )
    }
    const services = Context.make(Journal, telling).pipe(Context.add(RuleMemory, keeping))
    return Effect.locally(
      Effect.map(use(services, turn), (value) => ({ noted: turn, value })),
      Record.current,
      turn
    )
  })

/** Writes down that a turn is over. */
export const close = ({ record, time }: Running, turn: Record.Cycle, what: string): void => {
  turn.endedAt = time.now()
  const plan =
    turn.plan === undefined ? "no plan" : `${turn.plan.id.slice(0, 12)} ${turn.plan.changes.length} changes`
  record.count(`turn: ${turn.kind}${turn.error === undefined ? "" : ` ${turn.error.split(":")[0]}`}`)
  record.trace.push(`${time.now()} ${turn.kind} of ${what}: ${plan} ${turn.error ?? ""}`)
}
