/** Figures that are looked up when somebody asks: how accounts stand, what is open in the store, the process itself. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Figures from "../../domain/Figures.js"
import { type AccountLane, lanes } from "../../domain/Lane.js"
import type { Turns } from "../../engine/schedule/AccountTurn.js"
import type { Standing } from "../../engine/schedule/RunnerStatus.js"
import * as StoreFigures from "../../store/accounts/StoreFigures.js"
import { version } from "../terminal/Version.js"
import * as CycleFigures from "./CycleFigures.js"

export interface Sources {
  readonly sql: SqlClient.SqlClient
  readonly accounts: ReadonlyArray<string>
  readonly turns: Pick<Turns, "status">
  /** Whether this process has the lane now; another runner may have it. */
  readonly has: (where: AccountLane) => Effect.Effect<boolean>
  readonly current: Effect.Effect<Standing>
  /** The accounts' clock. */
  readonly clock: Clock.Clock
}

/** Scrapes that follow each other sooner, milliseconds of the machine, get what the last one has read. */
const freshMs = 5_000

const { figures, set } = Figures

/** Brings these figures up to date; one at a time, however many ask. It never fails: what cannot be read is absent. */
export const refreshing = (sources: Sources): Effect.Effect<Effect.Effect<void>> =>
  Effect.gen(function* () {
    yield* set(figures.build, { version }, 1)
    yield* Figures.add(figures.reloadFailures, {}, 0)
    const machine = Clock.make()
    const turn = yield* Effect.makeSemaphore(1)
    let readAt = Number.NEGATIVE_INFINITY
    return Effect.suspend(() => {
      const nowMs = machine.unsafeCurrentTimeMillis()
      // A clock that was set back must not freeze the figures.
      if (Math.abs(nowMs - readAt) < freshMs) return Effect.void
      readAt = nowMs
      return Effect.withClock(Effect.catchAllDefect(refresh(sources), broken), sources.clock)
    }).pipe(turn.withPermits(1))
  })

/** Whoever brings them up to date time and again must not end with it; that they are old is told. */
const broken = (defect: unknown): Effect.Effect<void> =>
  Effect.zipRight(
    set(figures.storeUnread, {}, 1),
    Effect.logError("bidhelm has a defect: its figures are not brought up to date", defect)
  )

const refresh = (sources: Sources): Effect.Effect<void> =>
  Effect.gen(function* () {
    const isStoreRead = yield* store(sources)
    yield* standing(yield* sources.current, isStoreRead)
    for (const account of sources.accounts) {
      const here: Array<AccountLane> = []
      for (const where of lanes.map((lane) => ({ account, lane }))) {
        if (yield* sources.has(where)) here.push(where)
        else {
          yield* set(figures.givenUp, where, undefined)
          yield* CycleFigures.forget(where)
        }
      }
      const stands = yield* Effect.forEach(here, sources.turns.status)
      const isStopped = stands.some(
        ({ state, stoppedWhy }) => state === "waiting" || stoppedWhy !== undefined
      )
      const isKnown = isStopped || (isStoreRead && stands.length > 0)
      yield* set(figures.stopped, { account }, isKnown ? (isStopped ? 1 : 0) : undefined)
    }
    const { heapUsed, rss } = process.memoryUsage()
    yield* set(figures.memory, {}, rss)
    yield* set(figures.heap, {}, heapUsed)
  })

/** What has become due is known from the store alone. */
const standing = ({ accounts, isDraining, lastLookAt, rulesProblem }: Standing, isStoreRead: boolean) =>
  Effect.gen(function* () {
    yield* set(figures.draining, {}, isDraining ? 1 : 0)
    yield* set(figures.rulesBroken, {}, rulesProblem === undefined ? 0 : 1)
    yield* set(figures.lookedAt, {}, lastLookAt === undefined ? undefined : lastLookAt / 1000)
    const byAccount = Object.entries(Arr.groupBy(accounts, ({ account }) => account))
    for (const [account, own] of byAccount) {
      const lagMs = Math.max(...own.map((lane) => lane.lagMs))
      const waiting = own.reduce((sum, lane) => sum + lane.waiting.length, 0)
      yield* set(figures.lag, { account }, isStoreRead ? lagMs / 1000 : undefined)
      yield* set(figures.waiting, { account }, isStoreRead ? waiting : undefined)
    }
  })

/** Answers whether the store could be read. */
const store = ({ accounts, sql }: Sources) =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const read = yield* StoreFigures.read(sql, accounts, nowMs).pipe(
      Effect.tapError(({ message }) => Effect.logWarning(`the figures of the store: ${message}`)),
      Effect.orElseSucceed(() => undefined)
    )
    yield* set(figures.storeUnread, {}, read === undefined ? 1 : 0)
    yield* set(figures.storeSize, {}, read?.sizeBytes)
    for (const account of accounts) {
      const counts = read?.accounts.get(account)
      yield* set(figures.unknownOpen, { account }, counts?.unknown)
      yield* set(figures.overdue, { account }, counts?.overdue)
      yield* set(figures.parked, { account }, counts?.parked)
      yield* set(figures.approvals, { account }, counts?.approvals)
      yield* set(figures.holds, { account }, counts?.holds)
      yield* set(figures.frozen, { account }, counts?.frozen)
      yield* set(figures.auditHead, { account }, counts?.auditHead)
      const observeOnly = counts === undefined ? undefined : counts.observeOnly ? 1 : 0
      yield* set(figures.observeOnly, { account }, observeOnly)
    }
    return read !== undefined
  })
