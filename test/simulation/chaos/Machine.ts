/**
 * A machine with a disk, a clock of its own and one process at a time. A process that dies loses everything but the
 * disk: its calls to the store and to the network never come back, its fibers are left where they are, and no finalizer
 * of theirs runs.
 */
import { existsSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as FiberId from "effect/FiberId"
import * as FiberRef from "effect/FiberRef"
import { globalValue } from "effect/GlobalValue"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as Statements from "../../../src/store/clients/Statements.js"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import type { CallSite } from "./Events.js"

/** Where a life meets its end, or hangs: at the n-th call from now. */
interface Fuse {
  readonly where: CallSite
  readonly isAfter: boolean
  readonly isEnd: boolean
  left: number
}

/** Waits for ever, and is forgotten by everybody: `Effect.never` has a timer that would keep all of a dead process. */
const nowhere: Effect.Effect<never> = Effect.async<never>(() => undefined)

/** Effect's own set of what was forked for ever. */
const { roots } = globalValue(Symbol.for("effect/FiberScope/Global"), () => ({
  roots: new Set<Fiber.RuntimeFiber<unknown, unknown>>()
}))

/** The life in which a fiber works. */
const living: FiberRef.FiberRef<Life | undefined> = FiberRef.unsafeMake<Life | undefined>(undefined)

/** One life of the program, from its start to its death. It may hang for a while: then nothing of it moves. */
export class Life {
  dead = false
  /** Takes back the transaction that was open when the process died, as the operating system would. */
  undo: Effect.Effect<void> = Effect.void
  /** A transaction is open: the process is not held within one, or nobody else could write. */
  isWithin = false
  readonly died = Deferred.unsafeMake<void>(FiberId.none)
  /** Done when it hangs. */
  readonly hung = Deferred.unsafeMake<void>(FiberId.none)
  /** It hangs because its machine sleeps. */
  isAsleep = false
  /** Done when it is asked to end. */
  readonly asked = Deferred.unsafeMake<void>(FiberId.none)
  /** How long its machine has slept, milliseconds: what counts time that passes did not count that. */
  sleptMs = 0
  private held: Deferred.Deferred<void> | undefined
  private fuse: Fuse | undefined
  /** Apart from the other one, because nobody knows when a run begins next. */
  private atBegin: Fuse | undefined

  constructor(readonly number: number) {}

  /** Lets work belong to this life. */
  owns<A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.locally(work, living, this)
  }

  /**
   * What dead lives left hanging is held by nobody any more, so months of lives fit into memory. Of all of them: what was
   * under way when a process died may still fork, up to its next call.
   */
  static forgetDead(): void {
    for (const fiber of roots) if (fiber.getFiberRef(living)?.dead === true) roots.delete(fiber)
  }

  /** Dies at the n-th call from now. */
  doom(where: CallSite, calls: number, isAfter: boolean): void {
    this.fuse = { where, isAfter, isEnd: true, left: calls }
  }

  /** Hangs at the n-th call from now, until it is woken. */
  hang(where: CallSite, calls: number, isAfter: boolean): void {
    const fuse = { where, isAfter, isEnd: false, left: calls }
    if (where === "begin") this.atBegin ??= fuse
    else this.fuse ??= fuse
  }

  defuse(): void {
    this.fuse = undefined
    this.atBegin = undefined
  }

  readonly wake: Effect.Effect<void> = Effect.suspend(() => {
    const held = this.held
    this.held = undefined
    return held === undefined ? Effect.void : Deferred.succeed(held, undefined)
  })

  /** A call to the outside: never returns once the process is dead, and may be where it dies. */
  call<A, E, R>(where: CallSite, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      if (this.dead) return nowhere
      if (this.held !== undefined) return Effect.zipRight(Deferred.await(this.held), this.call(where, effect))
      const fuse = where === "begin" ? this.atBegin : this.fuse
      // SQLite has answered when a statement returns: nobody dies or hangs within one.
      if (fuse === undefined || fuse.where !== where || --fuse.left > 0)
        return where === "store" ? effect : this.outliving(effect)
      if (!fuse.isEnd) return this.holding(fuse, effect)
      this.fuse = undefined
      return fuse.isAfter ? Effect.zipRight(Effect.exit(effect), this.end) : this.end
    })
  }

  /** Hangs before or after the call, unless a transaction would be open meanwhile: then at the next one. */
  private holding<A, E, R>(fuse: Fuse, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    const stick = Effect.suspend(() => {
      if (this.isWithin) return Effect.void
      this.isAsleep = fuse === this.atBegin
      if (this.isAsleep) this.atBegin = undefined
      else this.fuse = undefined
      return this.stick
    })
    const before = fuse.isAfter ? Effect.void : stick
    return Effect.zipRight(
      before,
      Effect.flatMap(Effect.exit(effect), (exit) =>
        Effect.zipRight(fuse.isAfter ? stick : Effect.void, this.outliving(exit))
      )
    )
  }

  /** Dies now. */
  readonly end: Effect.Effect<never> = Effect.suspend(() => {
    this.dead = true
    return Effect.zipRight(Deferred.succeed(this.died, undefined), nowhere)
  })

  private readonly stick: Effect.Effect<void> = Effect.suspend(() => {
    const held = Deferred.unsafeMake<void>(FiberId.none)
    this.held = held
    return Effect.zipRight(Deferred.succeed(this.hung, undefined), Deferred.await(held))
  })

  /** What comes back to a dead process comes back to nobody, and to one that hangs when it is woken. */
  outliving<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(Effect.exit(effect), (exit) => {
      if (this.dead) return nowhere
      return this.held === undefined ? exit : Effect.zipRight(Deferred.await(this.held), this.outliving(exit))
    })
  }
}

/** The machine's disk: one file in memory where there is one, removed by `remove`. */
export class Disk {
  readonly filename: string
  full = false
  private reader: DatabaseSyncInstance | undefined
  private readonly queries = new Map<string, StatementSyncInstance>()

  constructor(name: string, folder: string = tmpdir()) {
    this.filename = join(folder, `bidhelm-simulation-${process.pid}-${name}.sqlite`)
    this.remove()
  }

  /**
   * What somebody else reads of it: nothing that is not committed. One reader for all: the driver gives a file back to
   * the system only when it is collected.
   */
  read(query: string): ReadonlyArray<{ readonly [column: string]: unknown }> {
    this.reader ??= new DatabaseSync(this.filename, { readOnly: true })
    const statement = this.queries.get(query) ?? this.reader.prepare(query)
    this.queries.set(query, statement)
    return statement.all() as ReadonlyArray<{ readonly [column: string]: unknown }>
  }

  /** With what waits in its log. */
  get bytes(): number {
    return ["", "-wal"].reduce((sum, end) => {
      const path = `${this.filename}${end}`
      return sum + (existsSync(path) ? statSync(path).size : 0)
    }, 0)
  }

  remove(): void {
    this.queries.clear()
    this.reader?.close()
    this.reader = undefined
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.filename}${end}`, { force: true })
  }
}

/** The store of a life: closed when the scope ends, whatever transaction was open is then undone. */
export const store = (disk: Disk, life: Life) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const inner = yield* SqlClient.SqlClient
      const file = yield* Effect.scoped(inner.reserve)
      const connection = mortal(file, life, disk)
      life.undo = Effect.ignore(file.executeUnprepared("ROLLBACK", [], undefined))
      const turn = yield* Effect.makeSemaphore(1)
      const client = yield* SqlClient.make({
        acquirer: turn.withPermits(1)(Effect.succeed(connection)),
        transactionAcquirer: Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(restore(turn.take(1)), () =>
            Effect.as(
              Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, turn.release(1))),
              connection
            )
          )
        ),
        compiler: Statement.makeCompilerSqlite(),
        beginTransaction: "BEGIN IMMEDIATE",
        spanAttributes: []
      })
      return Statements.short(client)
    })
  ).pipe(Layer.provide(SqliteClient.layer({ filename: disk.filename })), Layer.provide(Reactivity.layer))

const mortal = (connection: Connection, life: Life, disk: Disk): Connection => {
  const call = <A>(sql: string, effect: Effect.Effect<A, SqlError>) => {
    const isBegin = sql.startsWith("BEGIN")
    const told = Effect.map(effect, (rows) => {
      life.isWithin = isBegin
      return rows
    })
    const isBound = isBegin || sql === "COMMIT" || sql === "ROLLBACK"
    return life.call("store", disk.full && writes.test(sql) ? Effect.fail(full()) : isBound ? told : effect)
  }
  return {
    execute: (sql, ...rest) => call(sql, connection.execute(sql, ...rest)),
    executeRaw: (sql, ...rest) => call(sql, connection.executeRaw(sql, ...rest)),
    executeStream: (...args) => connection.executeStream(...args),
    executeValues: (sql, ...rest) => call(sql, connection.executeValues(sql, ...rest)),
    executeUnprepared: (sql, ...rest) => call(sql, connection.executeUnprepared(sql, ...rest))
  }
}

const writes = /^\s*(INSERT|UPDATE|CREATE|ALTER|REPLACE)/i

/** As SQLite says it. */
const full = () =>
  new SqlError({
    cause: Object.assign(new Error("database or disk is full"), { errcode: 13 }),
    message: "full"
  })

/**
 * The machine's clock as a life sees it: off by `offsetMs`, which may change; what sleeps is not woken by that, and what
 * counts how long something took is not misled. Nobody who sleeps in a dead process wakes. While the machine itself
 * sleeps, nothing is counted and every timer stands still, as on a laptop that is closed.
 */
export const clock = (
  time: VirtualClock.VirtualTime,
  machine: { readonly offsetMs: number },
  life: Life
): Clock.Clock => {
  const millis = () => time.clock.unsafeCurrentTimeMillis() + machine.offsetMs
  const nanos = () => time.clock.unsafeCurrentTimeNanos() - BigInt(Math.round(life.sleptMs * 1e6))
  const sleep = (ms: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      const sleptMs = life.sleptMs
      const missed = Effect.suspend(() =>
        life.sleptMs > sleptMs ? sleep(life.sleptMs - sleptMs) : Effect.void
      )
      return Effect.zipRight(life.outliving(time.clock.sleep(Duration.millis(ms))), missed)
    })
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    sleep: (duration) => sleep(Duration.toMillis(duration))
  }
}
