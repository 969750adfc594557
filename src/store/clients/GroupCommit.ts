/**
 * Transactions that wait for the same writer are committed together. A commit of SQLite waits for the disk, and the whole
 * process waits with it; a runner whose accounts are all due writes for many of them at once. Nobody goes on before the
 * commit that holds what it wrote, so nothing of the durability is given up.
 */
import type { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** Why a body or its commit ended. */
export type Failed = SqlError | StoreFailure

/** One transaction of a body: all of it, or nothing and why. */
type Commit = (body: Effect.Effect<void, Failed>) => Effect.Effect<void, Failed>

interface Member {
  readonly body: Effect.Effect<void, Failed>
  /** The services of whoever waits. */
  readonly services: Context.Context<never>
  /** Its clock among them. */
  readonly defaults: Context.Context<DefaultServices.DefaultServices>
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
  Effect.withFiberRuntime<A, Failed, R>((fiber) => {
    const services = fiber.currentContext
    const defaults = fiber.getFiberRef(DefaultServices.currentServices)
    const ended = Deferred.unsafeMake<void, Failed>(FiberId.none)
    const answers: Array<A> = []
    // The last one counts: a body may run twice.
    const told = Effect.map(body, (answer) => void answers.push(answer))
    // Its services are given to it by the leader (`served`).
    group.waiting.push({ body: told as Effect.Effect<void, Failed>, services, defaults, ended })
    const answered = Effect.map(Deferred.await(ended), () => answers.at(-1)!)
    if (group.isLed) return answered
    group.isLed = true
    return Effect.zipRight(Effect.forkDaemon(lead(group, commit)), answered)
  }).pipe(Effect.uninterruptible)

/**
 * Commits whatever waits, until nothing does. What a transaction needs of its fiber is set on this one and stays: it does
 * nothing else, and giving it back after each would take longer than most bodies.
 */
const lead = (group: Group, commit: Commit): Effect.Effect<void> =>
  Effect.flatMap(Patience, (patience) => {
    const next: Effect.Effect<void> = Effect.flatMap(patience, () => {
      const members = group.waiting.splice(0, most)
      if (members.length > 0) return Effect.flatMap(together(members, commit), () => next)
      group.isLed = false
      return Effect.void
    })
    return Effect.zipRight(FiberRef.set(FiberRef.currentTracerEnabled, false), next)
  })

const together = (members: ReadonlyArray<Member>, commit: Commit): Effect.Effect<void> =>
  Effect.suspend(() => {
    let isCommitted = members.length === 1
    const marked = Effect.map(served(members), () => {
      isCommitted = true
    })
    return Effect.flatMap(Effect.exit(commit(marked)), (exit) => {
      // One of them failed, and it is not told which; of a commit that failed nobody knows what the disk has of it.
      if (Exit.isFailure(exit) && !isCommitted)
        return Effect.forEach(members, alone(commit), { discard: true })
      for (const { ended } of members) Deferred.unsafeDone(ended, exit)
      return Effect.void
    })
  })

const alone =
  (commit: Commit) =>
  (member: Member): Effect.Effect<void> =>
    Effect.map(Effect.exit(commit(served([member]))), (exit) => Deferred.unsafeDone(member.ended, exit))

/** Each body with the services and the clock of whoever waits for it, beside what the commit has set. */
const served = (members: ReadonlyArray<Member>): Effect.Effect<void, Failed> =>
  Effect.withFiberRuntime(({ currentContext }) => {
    const whole = ({ body, defaults, services }: Member) =>
      FiberRef.set(FiberRef.currentContext, Context.merge(currentContext, services)).pipe(
        Effect.zipRight(FiberRef.set(DefaultServices.currentServices, defaults)),
        Effect.zipRight(body)
      )
    return members.length === 1 ? whole(members[0]!) : Effect.forEach(members, whole, { discard: true })
  })
