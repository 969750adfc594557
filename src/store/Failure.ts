/** Turns what SQLite or the file system says into a `StoreFailure` that tells a person what to do. */
import { StoreFailure } from "../engine/run/Ports.js"

/** `action` is what was being done, in plain words: `record the run`. */
export const from = (action: string, cause: unknown): StoreFailure =>
  new StoreFailure({ action: `could not ${action}`, hint: hint(cause), cause })

/** What to do about it, by the primary result code of SQLite or the system's error code. */
export const hint = (cause: unknown): string => {
  const { sqlite, system, text } = origin(cause)
  const known = sqlite === undefined ? undefined : bySqliteCode[sqlite & 0xff]
  return known ?? bySystemCode[system ?? ""] ?? text
}

const corrupt =
  "the store's file is damaged or not a store; restore a backup or move the file away, then look at the account before the next apply"
const full = "the disk is full; free some space and run again, nothing was left half done"
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
  readonly sqlite: number | undefined
  readonly system: string | undefined
  readonly text: string
}

/** Follows `cause` down to the error that carries a code. */
const origin = (cause: unknown): Origin => {
  let current = cause
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    const sqlite = property(current, "errcode")
    const system = property(current, "code")
    if (typeof sqlite === "number") return { sqlite, system: undefined, text: current.message }
    if (typeof system === "string") return { sqlite: undefined, system, text: current.message }
    if (!(current.cause instanceof Error)) break
    current = current.cause
  }
  return {
    sqlite: undefined,
    system: undefined,
    text: current instanceof Error ? current.message : String(current)
  }
}

const property = (value: object, name: string): unknown => Reflect.get(value, name)
