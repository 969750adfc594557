/** Turns what a database or the system says into a `StoreFailure` that tells a person what to do. */
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as FileHints from "./FileHints.js"

/** `action` is what was being done, in plain words: `record the run`. */
export const from = (action: string, cause: unknown): StoreFailure =>
  new StoreFailure({ action: `could not ${action}`, hint: hint(cause), cause })

/** The same for a file that a person names, apart from the store; what says already what to do stays as it is. */
export const ofFile = (action: string, path: string, cause: unknown): StoreFailure => {
  if (cause instanceof StoreFailure) return cause
  const { system, text } = origin(cause)
  return new StoreFailure({ action: `could not ${action}`, hint: FileHints.of(path, system) ?? text, cause })
}

/** What to do about it, by the primary result code of SQLite, PostgreSQL's SQLSTATE or the system's error code. */
export const hint = (cause: unknown): string => {
  const { call, postgres, sqlite, system, text } = origin(cause)
  const known = sqlite === undefined ? bySqlState(postgres) : bySqliteCode[sqlite & 0xff]
  return known ?? bySystemCode[system ?? ""] ?? bySystem(system, call) ?? byText(text) ?? text
}

/** True where the failure's hint is all there is to do: it is not about the place of the store, its rights and its disk. */
export const isMendedAsSaid = ({ cause, hint }: StoreFailure): boolean =>
  cause === undefined || hint === corrupt || hint === damaged || origin(cause).system === shutCode

/** Of an error that says that the file of a SQLite store is not where it was; its words say what to do. */
export const movedCode = "STORE_MOVED"

/** Of an error that names the file of a SQLite store that this user may not write; its words say what to do. */
export const shutCode = "STORE_SHUT"

/** True when another transaction came between and the same one may be tried again: nothing of it was kept. */
export const isDisturbed = (failure: StoreFailure): boolean =>
  ["40001", "40P01"].includes(origin(failure.cause).postgres ?? "")

const corrupt =
  "the store's file is damaged or not a store; restore a backup (bidhelm restore FILE), which keeps the damaged file beside it"
/** Also of a run that has sent some of its requests: the store has them as sent, and the next run asks what became of them. */
const again = "run again: nothing is half written, and what was sent is read back first"
const full = `the disk is full; free some space and ${again}`
const readOnly =
  "the store's file or folder cannot be written; check its owner and permissions, or choose another place for the store"

const bySqliteCode: Readonly<Record<number, string>> = {
  3: readOnly,
  5: "another process keeps the store busy; wait for it to end and run again",
  6: "another process keeps the store busy; wait for it to end and run again",
  8: readOnly,
  10: "the disk failed while the store was read or written; check the disk and its free space, then run again",
  11: corrupt,
  13: full,
  14: "the store's file cannot be opened; check that its path names a file in a folder you may write to",
  26: corrupt
}

const bySystemCode: Readonly<Record<string, string>> = {
  EACCES: readOnly,
  EEXIST: "a file stands where the store's folder should be; choose another place for the store",
  ENOSPC: full,
  ENOTDIR: "a file stands where the store's folder should be; choose another place for the store",
  EPERM: readOnly,
  EROFS: readOnly
}

interface Origin {
  readonly sqlite?: number
  /** SQLSTATE. */
  readonly postgres?: string
  readonly system?: string
  /** What the system was asked: `open`, `connect`. */
  readonly call?: string
  readonly text: string
}

/** Follows `cause` down to the error that carries a code. */
const origin = (cause: unknown): Origin => {
  let current = cause
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    const sqlite = sqliteCode(current)
    const system = property(current, "code")
    if (sqlite !== undefined) return { sqlite, text: current.message }
    if (typeof system === "string") {
      return property(current, "severity") === undefined
        ? { system, text: current.message, ...called(current) }
        : { postgres: system, text: current.message }
    }
    if (!(current.cause instanceof Error)) break
    current = current.cause
  }
  return { text: current instanceof Error ? current.message : String(current) }
}

/** SQLite's result code of an error. The driver leaves it out where a statement has rows to answer with: SQLite's words say it then. */
export const sqliteCode = (error: unknown): number | undefined => {
  if (!(error instanceof Error)) return undefined
  const code = property(error, "errcode")
  if (typeof code === "number") return code
  return property(error, "code") === "ERR_SQLITE_ERROR" ? codeOfWords[error.message] : undefined
}

const codeOfWords: Readonly<Record<string, number>> = {
  "database is locked": 5,
  "attempt to write a readonly database": 8,
  "disk I/O error": 10,
  "database disk image is malformed": 11,
  "database or disk is full": 13,
  "unable to open database file": 14,
  "file is not a database": 26
}

const called = (error: object): Pick<Origin, "call"> => {
  const call = property(error, "syscall")
  return typeof call === "string" ? { call } : {}
}

const property = (value: object, name: string): unknown => Reflect.get(value, name)

// What a person can do about what PostgreSQL says.

/** By SQLSTATE, or by its class (the first two signs). */
const bySqlState = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : (byCode[code] ?? byCode[code.slice(0, 2)])

/** By the error code of the network. Files are not there too: only what could not be connected to is a socket. */
export const bySystem = (code: string | undefined, call: string | undefined): string | undefined =>
  code === undefined || (code === "ENOENT" && call !== "connect") ? undefined : byNetwork[code]

/** By the words of the driver where it gives no code. */
export const byText = (text: string): string | undefined =>
  /connection (terminated|error|timed out|timeout)|timeout exceeded when trying to connect|not queryable|SASL|was closed/i.test(
    text
  )
    ? /SASL/.test(text)
      ? refused
      : lost
    : undefined

const lost = `the connection to PostgreSQL was lost or could not be made; see that the server runs, and ${again}`
const refused =
  "PostgreSQL refused the user or the password; check the user in store, store_password, and the server's pg_hba.conf"
const damaged =
  "PostgreSQL found its own files damaged; restore a backup, then look at the account before the next apply"

const byCode: Readonly<Record<string, string>> = {
  "08": lost,
  "25006":
    "PostgreSQL may only be read here: the server is a copy, or it, the database or the user is set so (default_transaction_read_only); point store to the primary server, or set that off",
  "25P03": "the store's transaction stood still for too long and was given up; run again",
  "28": refused,
  "3D000": "PostgreSQL has no database of this name; make it with: createdb --owner=USER NAME",
  "40001": "other programs kept changing the same rows; run again",
  "40P01": "other programs kept changing the same rows; run again",
  "42501": "the user may not do this in PostgreSQL; make it the owner of the database",
  "53100": `the disk of PostgreSQL is full; free some space and ${again}`,
  "53200": "PostgreSQL ran out of memory; run again when it is less busy",
  "53300": "PostgreSQL has no connection left; raise max_connections or stop other programs",
  "55P03": "another program keeps the store busy; wait for it to end and run again",
  "57014": "PostgreSQL took too long; see what else it is doing and run again",
  "57P01": lost,
  "57P02": lost,
  "57P03": "PostgreSQL is just starting or stopping; run again in a moment",
  XX001: damaged,
  XX002: damaged
}

const byNetwork: Readonly<Record<string, string>> = {
  ECONNREFUSED:
    "PostgreSQL does not answer; see that the server runs and that the host and port in store are right",
  ECONNRESET: lost,
  EHOSTUNREACH: "the host of PostgreSQL cannot be reached; check store and the network",
  ENOENT: "the socket of PostgreSQL is not there; see that the server runs and that store names its folder",
  ENOTFOUND: "the host of PostgreSQL is not known; check its name in store",
  EAI_AGAIN: "the host of PostgreSQL is not known; check its name in store and the network",
  EPIPE: lost,
  ETIMEDOUT:
    "PostgreSQL does not answer; see that the server runs and that the host and port in store are right"
}
