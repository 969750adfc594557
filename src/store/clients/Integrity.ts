/** Looks whether a SQLite file is whole before anything else is done with it. */
import { existsSync, statSync } from "node:fs"
import type { DatabaseSyncInstance } from "@photostructure/sqlite"

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
export const inspect = (database: DatabaseSyncInstance, filename: string): void => {
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
