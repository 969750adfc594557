/** Policies as jobs of the scheduler: each that is switched on is one, and those due together are one cycle. */

import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as Figures from "../../domain/Figures.js"
import type { Lane } from "../../domain/Lane.js"
import type { Schedule } from "../../domain/Schedule.js"
import * as Waves from "../fulfilment/Waves.js"
import type { Policy, RuleSet } from "../language/Policy.js"
import * as DueLook from "../schedule/DueLook.js"
import type { CycleCall, CycleResult, Job, JobSource, Jobs, Runnable } from "../schedule/Job.js"
import * as LeftOpen from "./LeftOpen.js"
import { type Loaded, RuleSource } from "./RuleSource.js"

/** The lane of a policy's changes: promotions have one of their own, all else is advertising. */
export const laneOf = ({ each }: Pick<Policy, "each">): Lane =>
  each === "promotion" || each === "promotion_item" ? "promotions" : "ads"

/** A cycle of policies, with the rules it began with. */
export interface PolicyCall extends CycleCall {
  readonly loaded: Loaded
}

/** Accounts whose supplies no policy may hand over any more (`LeftOpen`). */
type Unanswered = ReadonlySet<string>

/** What the store says of the rules in force may be other then: a look has found nothing left open. Sooner than the next look. */
const askedAgainMs = 10 * Days.minuteMs

/**
 * Jobs of the rules as they stand; `run` runs a cycle of some: `AccountCycle.run` with what the account needs. `inForce` is told of rules
 * that can be used, at the first look and whenever they are others, until it answers, and then now and again.
 */
export const source = (
  run: (call: PolicyCall) => Effect.Effect<CycleResult>,
  inForce: (rules: RuleSet) => Effect.Effect<Unanswered | undefined> = () => Effect.succeed(new Set())
): Effect.Effect<typeof JobSource.Service, never, RuleSource> =>
  Effect.gen(function* () {
    const rules = yield* RuleSource
    const tell = telling()
    let known: Jobs | undefined
    let settled: { readonly version: string; readonly atMs: number } | undefined
    let leftOpen: Unanswered = new Set()
    return {
      current: Effect.gen(function* () {
        const loaded = yield* rules.current
        yield* tell(loaded)
        const nowMs = yield* Clock.currentTimeMillis
        const isSettled = settled?.version === loaded.version && nowMs - settled.atMs < askedAgainMs
        if (loaded.problem === undefined && !isSettled) {
          const found = yield* inForce(loaded.rules)
          if (found !== undefined) {
            settled = { version: loaded.version, atMs: nowMs }
            leftOpen = found
          }
        }
        const version = [loaded.version, ...leftOpen].join(" ")
        if (known?.version !== version || known.problem !== loaded.problem)
          known = jobsOf(version, loaded, run, leftOpen)
        return known
      })
    }
  })

const jobsOf = (
  version: string,
  loaded: Loaded,
  run: (call: PolicyCall) => Effect.Effect<CycleResult>,
  leftOpen: Unanswered
): Jobs => {
  const runnable: Runnable = { version: loaded.version, run: (call) => run({ ...call, loaded }) }
  // Accounts share what is the same for all: there may be a thousand.
  const templates = [
    ...on(loaded.rules).map((policy) => ({
      ...timesOf(policy),
      id: policy.id,
      lane: laneOf(policy),
      runnable
    })),
    ...loaded.rules.fulfilment.map((policy) => ({
      ...Waves.timesOf(policy),
      id: policy.id,
      lane: "orders" as const,
      runnable
    }))
  ]
  const made = new Map<string, ReadonlyArray<Job>>()
  return {
    version,
    problem: loaded.problem,
    of: (account) => {
      const own = leftOpen.has(account) ? [...templates, { ...LeftOpen.job, runnable }] : templates
      const found = made.get(account) ?? own.map((template) => ({ ...template, account }))
      made.set(account, found)
      return found
    }
  }
}

/**
 * When a policy is due: by its schedule and, of an overlay, when its time is over. The base returns in a run, and the
 * schedule may have none until the next such time begins: the overlay would never end.
 */
const timesOf = ({ during, schedule }: Policy): Pick<Job, "schedule" | "alsoAt"> => {
  if (schedule === undefined || during === undefined) return { schedule }
  const { days, fromMinute, toMinute } = during
  const end = toMinute > fromMinute ? toMinute : toMinute + dayMinutes
  const over: Schedule = { at: [end], ...(days === undefined ? {} : { days }), tz: schedule.tz }
  return { schedule, alsoAt: [over] }
}

const dayMinutes = 1440

/** Policies that may run. */
const on = ({ policies }: RuleSet): ReadonlyArray<Policy> =>
  policies.filter(({ mode }) => mode !== "disabled")

/** When each policy is due that a timetable runs; those that assemble orders run by their waves. */
const timetable = (rules: RuleSet): ReadonlyArray<Pick<Job, "schedule" | "alsoAt">> => [
  ...on(rules)
    .filter(({ schedule }) => schedule !== undefined)
    .map(timesOf),
  ...rules.fulfilment.map(Waves.timesOf)
]

/** How many policies a timetable runs. */
export const scheduled = (rules: RuleSet): number => timetable(rules).length

/** When any policy is due next after an instant; undefined when none ever is. */
export const next = (rules: RuleSet, afterMs: number): number | undefined =>
  DueLook.next(timetable(rules), afterMs)

/** Says once what changed: that newer rules cannot be used, that they can again, and that other rules are in force. */
const telling = () => {
  let told: Pick<Loaded, "version" | "problem"> | undefined
  return (loaded: Loaded): Effect.Effect<void> =>
    Effect.suspend(() => {
      const before = told
      const { problem, version } = loaded
      told = { problem, version }
      return Effect.gen(function* () {
        if (problem !== undefined && problem !== before?.problem) {
          yield* Figures.add(Figures.figures.reloadFailures, {})
          yield* Effect.logWarning(`the rules of before stay in force (version ${version}): ${problem}`)
        }
        if (problem === undefined && before?.problem !== undefined)
          yield* Effect.logInfo(`the rule files can be used again (version ${version})`)
        if (before !== undefined && before.version !== version) yield* tellInForce(loaded)
      })
    })
}

/** A folder that was emptied, or not mounted, has rules without errors too. */
const tellInForce = ({ rules, version }: Loaded): Effect.Effect<void> => {
  const count = scheduled(rules)
  const policies = rules.policies.length + rules.fulfilment.length
  const told = { event: "reloaded", rules: version, policies, scheduled: count }
  return count === 0
    ? Effect.logWarning(
        `rules ${version} are in force: no policy has a schedule, so nothing is changed by itself`,
        told
      )
    : Effect.logInfo(`rules ${version} are in force: ${count} of ${policies} policies have a schedule`, told)
}
