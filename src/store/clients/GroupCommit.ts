/**
 * Transactions that wait for the same writer are committed together. A commit of SQLite waits for the disk, and the whole
 * process waits with it; a runner whose accounts are all due writes for many of them at once. Nobody goes on before the
 * commit that holds what it wrote, so nothing of the durability is given up.
 */
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** Why a body or its commit ended. */
export type Failed = SqlError | StoreFailure

/** One transaction of a body: all of it, or nothing and why. */
type Commit = (body: Effect.Effect<void, Failed>) => Effect.Effect<void, Failed>

interface Member {
  readonly body: Effect.Effect<void, Failed>
  readonly ended: Deferred.Deferred<void, Failed>
}

/** Of one store. */
export interface Group {
  readonly waiting: Array<Member>
  isLed: boolean
}

export const make = (): Group => ({ waiting: [], isLed: false })

/**
 * What a group waits for before it begins, so that others may come along. In virtual time it is no more than whoever can
 * run now; a runner takes `oneTurn`.
 */
export class Patience extends Context.Reference<Patience>()("bidhelm/GroupCommitPatience", {
  defaultValue: (): Effect.Effect<void> => Effect.yieldNow()
}) {}

/** A turn of the event loop: every answer that has come by now is read, and what follows from it joins. */
export const oneTurn: Effect.Effect<void> = Effect.async((resume) => {
  setImmediate(() => resume(Effect.void))
})

/** As many bodies are committed at once: those that wait behind them wait longer. */
const most = 64

/**
 * Runs a body in a transaction that others may share, and answers when that has ended. When one of them fails, all is
 * taken back and each runs again by itself. What waits is not interrupted: it may have begun.
 */
export const join = <A, R>(
  group: Group,
  body: Effect.Effect<A, Failed, R>,
  commit: Commit
): Effect.Effect<A, Failed, R> =>
  Effect.gen(function* () {
    const context = yield* Effect.context<R>()
    const ended = yield* Deferred.make<void, Failed>()
    const answers: Array<A> = []
    // The last one counts: a body may run twice.
    const told = Effect.map(body, (answer) => void answers.push(answer))
    group.waiting.push({ body: Effect.provide(told, context), ended })
    if (!group.isLed) {
      group.isLed = true
      yield* Effect.forkDaemon(lead(group, commit))
    }
    yield* Deferred.await(ended)
    return answers.at(-1)!
  }).pipe(Effect.uninterruptible)

/** Commits whatever waits, until nothing does. */
const lead = (group: Group, commit: Commit): Effect.Effect<void> =>
  Effect.gen(function* () {
    const patience = yield* Patience
    for (;;) {
      yield* patience
      const members = group.waiting.splice(0, most)
      if (members.length === 0) {
        group.isLed = false
        return
      }
      yield* together(members, commit)
    }
  })

const together = (members: ReadonlyArray<Member>, commit: Commit): Effect.Effect<void> =>
  Effect.gen(function* () {
    let isCommitted = members.length === 1
    const all = Effect.forEach(members, ({ body }) => body, { discard: true })
    const marked = Effect.map(all, () => {
      isCommitted = true
    })
    const exit = yield* Effect.exit(commit(marked))
    // One of them failed, and it is not told which; of a commit that failed nobody knows what the disk has of it.
    if (Exit.isFailure(exit) && !isCommitted)
      for (const { body, ended } of members) yield* Deferred.done(ended, yield* Effect.exit(commit(body)))
    else for (const { ended } of members) yield* Deferred.done(ended, exit)
  })
