/**
 * One list call tells how all open tasks of an account stand (field note A21): whoever waits for news shares the
 * next call, and no two are closer than the interval of its bucket.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { ReportId } from "../../../domain/Ids.js"
import type { CsvTask } from "../../endpoints/CsvReports.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"

type Task = typeof CsvTask.Type

export interface ReportPoll {
  /** While the effect runs, calls of others ask for this task too. */
  readonly watching: (id: ReportId) => <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** How a watched task stood at `sinceMs` or later; undefined when the marketplace does not know it. */
  readonly news: (id: ReportId, sinceMs: number) => Effect.Effect<Task | undefined, CallError>
}

interface Answer {
  /** When the call was begun and when it ended: news is as old as the one, the bucket is as full as the other. */
  readonly begunAt: number
  readonly endedAt: number
  readonly tasks: Either.Either<ReadonlyMap<string, Task>, CallError>
}

/** `intervalMs` between two calls, which is the refill of the bucket. */
export const make = (api: Client["api"], intervalMs: number): ReportPoll => {
  const turn = Effect.unsafeMakeSemaphore(1)
  const watched = new Map<ReportId, number>()
  let last: Answer | undefined

  const watch = (id: ReportId, by: 1 | -1) =>
    Effect.sync(() => {
      const count = (watched.get(id) ?? 0) + by
      if (count > 0) watched.set(id, count)
      else watched.delete(id)
    })

  const ask = Effect.gen(function* () {
    const begunAt = yield* Clock.currentTimeMillis
    const tasks = yield* Effect.either(list(api, [...watched.keys()].sort()))
    last = {
      begunAt,
      endedAt: yield* Clock.currentTimeMillis,
      tasks: Either.map(tasks, (found) => new Map(found.map((task) => [task.id.toLowerCase(), task])))
    }
  })

  const news: ReportPoll["news"] = (id, sinceMs) =>
    Effect.gen(function* () {
      let answer = last
      while (answer === undefined || answer.begunAt < sinceMs) {
        const seen = answer
        const due = Math.max(sinceMs, (seen?.endedAt ?? 0) + intervalMs)
        const nowMs = yield* Clock.currentTimeMillis
        if (nowMs < due) yield* Effect.sleep(due - nowMs)
        yield* turn.withPermits(1)(Effect.suspend(() => (last === seen ? ask : Effect.void)))
        answer = last
      }
      return yield* Either.map(answer.tasks, (tasks) => tasks.get(id))
    })

  return {
    watching: (id) => (effect) =>
      Effect.acquireUseRelease(
        watch(id, 1),
        () => effect,
        () => watch(id, -1)
      ),
    news
  }
}

/** One id the marketplace does not know spoils a filtered call (400, field note A23): then all recent tasks are read. */
const list = (
  api: Client["api"],
  ids: ReadonlyArray<ReportId>
): Effect.Effect<ReadonlyArray<Task>, CallError> =>
  api.csvReports.listCsvReports({ urlParams: { "filter[downloadIds]": ids } }).pipe(
    Effect.catchIf(
      (error) => error._tag === "Refused" && error.status === 400,
      () => api.csvReports.listCsvReports({ urlParams: {} })
    ),
    Effect.map(({ data }) => data)
  )
