/**
 * A machine with a disk, a clock of its own and one process at a time. A process that dies loses everything but the
 * disk: its calls to the store and to the network never come back, its fibers are left where they are, and no finalizer
 * of theirs runs.
 */
import { rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as SqliteClient from "../../../src/store/SqliteClient.js"
import type * as VirtualClock from "../../scenario/VirtualClock.js"
import type { CallSite } from "./Events.js"

/** One life of the program, from its start to its death. */
export class Life {
  dead = false
  /** Takes back the transaction that was open when the process died, as the operating system would. */
  undo: Effect.Effect<void> = Effect.void
  readonly died = Deferred.unsafeMake<void>(FiberId.none)
  private fuse: { readonly where: CallSite; readonly isAfter: boolean; left: number } | undefined

  constructor(readonly number: number) {}

  /** Dies at the n-th call from now. */
  doom(where: CallSite, calls: number, isAfter: boolean): void {
    this.fuse = { where, isAfter, left: calls }
  }

  /** A call to the outside: never returns once the process is dead, and may be where it dies. */
  call<A, E, R>(where: CallSite, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.suspend(() => {
      if (this.dead) return Effect.never
      const fuse = this.fuse
      if (fuse === undefined || fuse.where !== where || --fuse.left > 0) return this.outliving(effect)
      return fuse.isAfter ? Effect.zipRight(Effect.exit(effect), this.end) : this.end
    })
  }

  /** Dies now. */
  readonly end: Effect.Effect<never> = Effect.suspend(() => {
    this.dead = true
    return Effect.zipRight(Deferred.succeed(this.died, undefined), Effect.never)
  })

  private outliving<A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> {
    return Effect.flatMap(Effect.exit(effect), (exit) => (this.dead ? Effect.never : exit))
  }
}

/** The machine's disk: one file in memory where there is one, removed by `remove`. */
export class Disk {
  readonly filename: string
  full = false

  constructor(name: string, folder: string = tmpdir()) {
    this.filename = join(folder, `bidhelm-simulation-${process.pid}-${name}.sqlite`)
    this.remove()
  }

  remove(): void {
    for (const end of ["", "-wal", "-shm"]) rmSync(`${this.filename}${end}`, { force: true })
  }
}

/** The store of a life: closed when the scope ends, whatever transaction was open is then undone. */
export const store = (disk: Disk, life: Life) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const inner = yield* SqlClient.SqlClient
      const acquirer = Effect.map(inner.reserve, (connection) => {
        life.undo = Effect.ignore(connection.executeUnprepared("ROLLBACK", [], undefined))
        return mortal(connection, life, disk)
      })
      return yield* SqlClient.make({
        acquirer,
        transactionAcquirer: acquirer,
        compiler: Statement.makeCompilerSqlite(),
        beginTransaction: "BEGIN IMMEDIATE",
        spanAttributes: []
      })
    })
  ).pipe(Layer.provide(SqliteClient.layer({ filename: disk.filename })), Layer.provide(Reactivity.layer))

const mortal = (connection: Connection, life: Life, disk: Disk): Connection => {
  const call = <A>(sql: string, effect: Effect.Effect<A, SqlError>) =>
    life.call("store", disk.full && writes.test(sql) ? Effect.fail(full()) : effect)
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

/** The machine's clock: off by `offsetMs`, which may change; what sleeps is not woken by that. */
export const clock = (
  time: VirtualClock.VirtualTime,
  machine: { readonly offsetMs: number }
): Clock.Clock => {
  const millis = () => time.clock.unsafeCurrentTimeMillis() + machine.offsetMs
  const nanos = () => time.clock.unsafeCurrentTimeNanos() + BigInt(machine.offsetMs) * 1_000_000n
  return {
    ...time.clock,
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos)
  }
}
