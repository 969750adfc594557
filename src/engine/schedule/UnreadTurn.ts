/**
 * Turns whose cycle did nothing because something could not be read. A job that runs once a day would lose its day,
 * so it has its turn again soon, a few times; one that is due soon anyway waits for that.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as DueLook from "./DueLook.js"
import type { DueEnd, DueRecord } from "./DueTimes.js"
import type { CycleResult, Job } from "./Job.js"

/** A due time has its turn so many times at most. */
const mostTurns = 3

/** A job whose next turn comes within this time has no turn again. */
const soonMs = 3_600_000

const soon = "it has its turn again"

/**
 * Gives back the due times that have their turn again, and ends the others; undefined, and nothing done, when all could
 * be read or none has its turn again. `before`: how many turns in a row could not be read; where each process has one turn
 * only, how often the due time was taken tells.
 */
export const again = <E>(
  dues: ReadonlyArray<DueRecord>,
  jobs: ReadonlyArray<Job>,
  result: CycleResult,
  before: number | undefined,
  finish: (dues: ReadonlyArray<DueRecord>, end: DueEnd) => Effect.Effect<void, E>
): Effect.Effect<{ readonly _tag: "Unread"; readonly why: string } | undefined, E> =>
  Effect.gen(function* () {
    if (result._tag !== "Done" || result.isUnread !== true) return undefined
    const rare = rarely(jobs, yield* Clock.currentTimeMillis)
    const isAgain = ({ attempts, job }: DueRecord) =>
      (before ?? attempts - 1) + 1 < mostTurns && rare.has(job)
    const some = dues.filter(isAgain)
    if (some.length === 0) return undefined
    const why = `${result.said}; ${soon}`
    const others = dues.filter((due) => !isAgain(due))
    yield* finish(others, { state: "done", detail: result.said, isWhole: true })
    yield* finish(some, { state: "waiting", detail: why })
    return { _tag: "Unread" as const, why }
  })

/** Ids of the jobs that would wait long for their next turn. */
const rarely = (jobs: ReadonlyArray<Job>, nowMs: number): ReadonlySet<string> =>
  new Set(
    DueLook.scheduled(jobs)
      .filter((job) => (DueLook.next([job], nowMs) ?? Number.POSITIVE_INFINITY) - nowMs > soonMs)
      .map(({ id }) => id)
  )
