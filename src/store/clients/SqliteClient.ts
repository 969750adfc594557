/**
 * `SqlClient` over one SQLite file: WAL, every commit on disk before it is answered (synchronous FULL), every
 * transaction taken for writing from its start, so that two processes queue up instead of failing midway.
 */
import { chmodSync, closeSync, existsSync, openSync, type Stats, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from "@photostructure/sqlite"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Dialect from "./Dialect.js"
import * as Failure from "./Failure.js"
import * as FileHints from "./FileHints.js"
import * as Folder from "./Folder.js"
import * as Statements from "./Statements.js"

export interface Options {
  /** Path of the file, or `:memory:`. File and folder are made when missing, for this user alone. */
  readonly filename: string
  /** How long to wait for another process's transaction, milliseconds; 5000 when absent. */
  readonly busyTimeoutMs?: number
  /** Upper bound of the file in pages of 4096 bytes, for trying out a full disk. */
  readonly maxPages?: number
  /** Reads only, and keeps nobody else from writing meanwhile. The file must be there. */
  readonly readOnly?: boolean
}

/** Opens the file, closes it with the layer. The schema is not touched: see `Migrations`. */
export const layer = (options: Options): Layer.Layer<SqlClient.SqlClient, StoreFailure> =>
  Layer.scoped(SqlClient.SqlClient, make(options)).pipe(Layer.provide(Reactivity.layer))

const make = (options: Options) =>
  Effect.gen(function* () {
    const readOnly = options.readOnly === true
    const named = readOnly ? (cause: unknown) => cause : naming(options.filename)
    const { check, database } = yield* Effect.acquireRelease(
      Effect.try({
        try: () => open(options),
        catch: (cause) => Failure.from(`open the store ${options.filename}`, named(cause))
      }),
      (opened) => Effect.sync(() => close(opened.database, readOnly))
    )
    const connection = connect(database, readOnly, check, named)
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
      beginTransaction: Dialect.beginWriting,
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    return Statements.short(client)
  })

const open = (options: Options): { readonly database: DatabaseSyncInstance; readonly check: () => void } => {
  const readOnly = options.readOnly === true
  const isFile = options.filename !== ":memory:"
  if (isFile && !readOnly) begin(options.filename)
  if (isFile) singleName(options.filename)
  // Before it is opened: a restore may put another one in its place while this waits for it.
  const check = isFile && !readOnly ? stillThere(options.filename) : () => {}
  const isNew = !isFile || !existsSync(options.filename) || statSync(options.filename).size === 0
  const database = new DatabaseSync(options.filename, { timeout: options.busyTimeoutMs ?? 5000, readOnly })
  try {
    inspect(database, options.filename)
    if (readOnly) return { database, check }
    // Only now is it known to be a store. Its -wal and -shm get the mode that it has.
    if (isFile) for (const ending of ["", "-wal", "-shm"]) narrow(options.filename + ending)
    // Of a new file only: its size can then follow what is in it (`giveBack`). Of another it would only write a page.
    if (isNew) database.exec("PRAGMA auto_vacuum = INCREMENTAL")
    database.exec("PRAGMA journal_mode = WAL")
    database.exec("PRAGMA synchronous = FULL")
    database.exec("PRAGMA foreign_keys = ON")
    if (options.maxPages !== undefined) database.exec(`PRAGMA max_page_count = ${options.maxPages}`)
    // Who may not write learns it now, and not in the middle of a run.
    database.exec("BEGIN IMMEDIATE")
    database.exec("ROLLBACK")
    return { database, check }
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** There the mode of a file says nothing of who may read it. */
const isWindows = process.platform === "win32"

/** The bits by which others than the owner may read or write a file. */
const ofOthers = 0o077

/** Whether others than its owner may read or write the store's file, by its mode. */
export const isOpenToOthers = (filename: string): boolean =>
  !isWindows && existsSync(filename) && (statSync(filename).mode & ofOthers) !== 0

/** Makes an empty file, which SQLite takes for a new one, where there is none; it holds what a seller earns and pays. */
const begin = (filename: string): void => {
  try {
    Folder.make(dirname(filename))
    if (!existsSync(filename)) closeSync(openSync(filename, "ax", 0o600))
  } catch (error) {
    // These are told as they are. Of all others SQLite says why, also of a folder that takes none, as /proc; or another
    // process was first.
    if (
      error instanceof Error &&
      "syscall" in error &&
      error.syscall === "mkdir" &&
      FileHints.codeOf(error) !== "ENOENT"
    )
      throw error
  }
}

/** A file of another user's, which only that one can narrow, stays as it is: `doctor` tells. */
const narrow = (path: string): void => {
  try {
    if (isOpenToOthers(path)) chmodSync(path, 0o600)
  } catch {
    // See above.
  }
}

/**
 * The driver lets go of a file only when its last statement is forgotten: a transaction that is open then would keep
 * this very process from ever writing to the file again, and SQLite would leave all that is new in the log beside the
 * file, which whoever copies the file alone would miss.
 */
const close = (database: DatabaseSyncInstance, readOnly: boolean): void => {
  if (database.isTransaction) database.exec("ROLLBACK")
  if (!readOnly) emptyLog(database)
  database.close()
}

/**
 * As far as it goes without waiting for others. A file that was replaced while it was open, by a copy of itself, has a
 * log of that name too: what is new goes into the file that was opened, which alone is sure to be one that it fits.
 */
const emptyLog = (database: DatabaseSyncInstance): void => {
  try {
    database.exec("PRAGMA busy_timeout = 0")
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
  } catch {
    // The disk is full, or the file is gone: the log keeps what it has.
  }
}

/** Stands for a rollback where SQLite has already rolled back by itself, as it does on a full disk. */
const nothing = "SELECT 1 WHERE 0"

type Parameter = null | number | bigint | string | Uint8Array

/**
 * Throws when the path does not lead to the opened file any more. SQLite goes on writing to a file that was moved or
 * deleted, and the next start would know nothing of what was sent meanwhile.
 */
const stillThere = (filename: string): (() => void) => {
  const path = resolve(filename)
  const opened = found(path)
  // There a file that is open can be neither moved nor deleted. Of one that cannot be looked at SQLite says why.
  if (isWindows || opened === undefined) return () => {}
  return () => {
    const now = statSync(path, { throwIfNoEntry: false })
    if (now?.ino === opened.ino && now.dev === opened.dev) return
    const what = now === undefined ? "was moved or deleted" : "was replaced by another one"
    const text = `the store's file ${path} ${what} while bidhelm works with it; put it back, or end bidhelm run and start it again`
    throw Object.assign(new Error(text), { code: Failure.movedCode })
  }
}

/** Throws where the file has another name too: by each SQLite would keep a log of its own, and the two damage it. */
export const singleName = (filename: string): void => {
  const file = found(filename)
  if (file?.isFile() !== true || file.nlink < 2) return
  throw new Error(
    `${filename} has another name on its disk (a hard link), and a store that is opened by two names is damaged; find the other one (find FOLDER -samefile ${filename}) and delete it, its content stays`
  )
}

const found = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** What SQLite says where it may not open or write a file; it does not say which. */
const denied: ReadonlySet<number> = new Set([3, 8, 14])

/** For an error about a file of the store one that names it, or its folder, where it is seen which this user may not use. */
const naming =
  (filename: string) =>
  (cause: unknown): unknown => {
    const code = Failure.sqliteCode(cause)
    if (code !== undefined && !denied.has(code & 0xff)) return cause
    const folder = Folder.shutOn(filename)
    const files = ["", "-wal", "-shm", "-journal"].map((ending) => filename + ending)
    const shut = code === undefined || folder !== undefined ? [] : files.filter(isShut)
    if (folder === undefined && shut.length === 0) return cause
    const text =
      folder === undefined
        ? `this user may not read and write ${shut.join(", ")}; check owner and permissions`
        : Folder.shutText(folder)
    return Object.assign(new Error(text, { cause }), { code: Failure.shutCode })
  }

/** By mode and owner alone: opening it and closing it again would end locks that this process has on it. */
const isShut = (path: string): boolean => {
  const user = process.geteuid?.()
  const found = statSync(path, { throwIfNoEntry: false })
  if (user === undefined || user === 0 || found === undefined) return false
  const isOfGroup = found.gid === process.getegid?.() || process.getgroups?.().includes(found.gid) === true
  const shift = found.uid === user ? 6 : isOfGroup ? 3 : 0
  return ((found.mode >> shift) & 0o6) !== 0o6
}

const connect = (
  database: DatabaseSyncInstance,
  readOnly: boolean,
  check: () => void,
  named: (cause: unknown) => unknown
): Connection => {
  const prepared = new Prepared(database)
  const textOf = (sql: string): string => {
    if (sql === "ROLLBACK" && !database.isTransaction) return nothing
    return readOnly && sql === Dialect.beginWriting ? "BEGIN" : sql
  }
  /** Asks `use` for the rows of one statement; anything thrown is an `SqlError` with SQLite's own error inside. */
  const query = <A>(
    sql: string,
    parameters: ReadonlyArray<unknown>,
    use: (statement: Compiled, bound: Array<Parameter>) => A,
    keep = true
  ) =>
    Effect.withFiberRuntime<A, SqlError>(({ currentContext }) => {
      try {
        if (sql === Dialect.beginWriting || sql === "BEGIN") check()
        const text = textOf(sql)
        const compiled = keep || bounds.has(text) ? prepared.get(text) : new Compiled(database, text)
        compiled.read({ bigints: Context.get(currentContext, SqlClient.SafeIntegers) })
        return Effect.succeed(use(compiled, parameters.map(bindable)))
      } catch (thrown) {
        if (sql === "COMMIT" && database.isTransaction) database.exec("ROLLBACK")
        const cause = named(thrown)
        return Effect.fail(
          new SqlError({ cause, message: cause instanceof Error ? cause.message : String(cause) })
        )
      }
    })
  const rows = (sql: string, parameters: ReadonlyArray<unknown>, transform: Transform, keep: boolean) =>
    query(
      sql,
      parameters,
      (compiled, bound) => {
        const found = all(compiled, bound)
        return transform?.(found) ?? found
      },
      keep
    )
  return {
    execute: (sql, parameters, transform) => rows(sql, parameters, transform, true),
    executeUnprepared: (sql, parameters, transform) => rows(sql, parameters, transform, false),
    executeStream: (sql, parameters, transform) =>
      Stream.fromIterableEffect(rows(sql, parameters, transform, true)),
    executeRaw: (sql, parameters) =>
      query(sql, parameters, ({ statement }, bound) => statement.run(...bound)),
    executeValues: (sql, parameters) => query(sql, parameters, values)
  }
}

type Transform = (<A extends object>(rows: ReadonlyArray<A>) => ReadonlyArray<A>) | undefined
type Row = Readonly<Record<string, unknown>>

const all = (compiled: Compiled, bound: Array<Parameter>): ReadonlyArray<Row> => {
  const { answers, statement } = compiled
  if (!answers) {
    statement.run(...bound)
    return []
  }
  compiled.read({ arrays: false })
  return statement.all(...bound)
}

const values = (compiled: Compiled, bound: Array<Parameter>) => {
  compiled.read({ arrays: true })
  return compiled.statement.all(...bound) as ReadonlyArray<ReadonlyArray<unknown>>
}

const bindable = (value: unknown): Parameter => {
  if (typeof value === "boolean") return value ? 1 : 0
  if (value === undefined || value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (typeof value === "object" && !(value instanceof Uint8Array)) {
    throw new TypeError("only text, numbers, booleans, dates and bytes can be stored")
  }
  return value as Parameter
}

/** Every transaction has two of them; the others that are not to be kept are different every time. */
const bounds: ReadonlySet<string> = new Set([Dialect.beginWriting, "BEGIN", "COMMIT", "ROLLBACK", nothing])

/** A statement, and what it takes as long to ask as to run. */
class Compiled {
  readonly statement: StatementSyncInstance
  /** It has rows to answer with. */
  readonly answers: boolean
  private bigints = false
  private arrays = false

  constructor(
    database: DatabaseSyncInstance,
    readonly sql: string
  ) {
    this.statement = database.prepare(sql)
    this.answers = this.statement.columns().length > 0
  }

  /** How rows are read from now on; what is absent stays. */
  read({ arrays = this.arrays, bigints = this.bigints }: { arrays?: boolean; bigints?: boolean }): void {
    if (bigints !== this.bigints) this.statement.setReadBigInts(bigints)
    if (arrays !== this.arrays) this.statement.setReturnArrays(arrays)
    this.bigints = bigints
    this.arrays = arrays
  }
}

/** Statements that are compiled once; the least recently used is forgotten first. */
class Prepared {
  private readonly statements = new Map<string, Compiled>()
  constructor(private readonly database: DatabaseSyncInstance) {}

  get(sql: string): Compiled {
    const statement = this.statements.get(sql) ?? new Compiled(this.database, sql)
    this.statements.delete(sql)
    // By its first text: each new one would be kept for as long as this map is, and cost two collections more.
    this.statements.set(statement.sql, statement)
    if (this.statements.size > 200) this.statements.delete(this.statements.keys().next().value ?? "")
    return statement
  }
}

// Gives the room of forgotten rows back to the disk: SQLite keeps it in the file otherwise.

/** Pages of 4096 bytes per transaction. */
const pages = 500

/** Shrinks the file by its free pages. PostgreSQL does this by itself. */
export const giveBack = (sql: SqlClient.SqlClient): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function* () {
    if (Dialect.isPostgres(sql)) return
    for (let before = yield* free(sql); before > 0; ) {
      // It answers no rows and gives one page back with each step: what asks for its values goes on to its end.
      yield* sql.unsafe(`PRAGMA incremental_vacuum(${pages})`).values
      const left = yield* free(sql)
      // A file of an earlier version cannot shrink; its free pages are used again.
      if (left >= before) break
      before = left
      yield* Effect.sleep(1)
    }
    // As far as it goes without waiting for those who read.
    yield* sql.unsafe("PRAGMA wal_checkpoint(PASSIVE)")
  }).pipe(Effect.mapError((error) => Failure.from("shrink the store", error)))

const free = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ freelist_count: number }>`PRAGMA freelist_count`, ([row]) => row?.freelist_count ?? 0)

// Looks whether a SQLite file is whole before anything else is done with it.

/** A file of this size is checked whole, which takes a few tenths of a second; of a larger one the tables that matter. */
const wholeBytes = 32 * 1024 * 1024

/** On these rests what may be sent; they are small however long the store is in use. */
const small = [
  "schema_version",
  "locks",
  "store_marks",
  "audit_heads",
  "holds",
  "limiter_buckets",
  "limiter_quotas"
]

/** SQLite's own code for a damaged file, by which `Failure` knows what to say. */
const damagedCode = 11

/** Throws an error with `errcode` when the file is damaged. Never writes. */
const inspect = (database: DatabaseSyncInstance, filename: string): void => {
  if (filename === ":memory:" || !existsSync(filename)) return
  const { size } = statSync(filename)
  if (size === 0) return
  if (size <= wholeBytes) {
    look(database, "PRAGMA quick_check(1)")
    return
  }
  const there = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  const names = new Set(there.map((row) => String(Reflect.get(row as object, "name"))))
  for (const name of small) if (names.has(name)) look(database, `PRAGMA quick_check('${name}')`)
}

const look = (database: DatabaseSyncInstance, pragma: string): void => {
  // To the end: a statement left in the middle would keep the file open.
  const answer: unknown = database.prepare(pragma).all()[0]
  const says = typeof answer === "object" && answer !== null ? String(Object.values(answer)[0]) : "nothing"
  if (says !== "ok") throw Object.assign(new Error(`${pragma} says: ${says}`), { errcode: damagedCode })
}
