/**
 * A lock that ends with its process, however it ends: the operating system's own lock on a file, taken by SQLite. No
 * number of a dead process has to be told from a living one's, which fails where numbers repeat (in containers).
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "@photostructure/sqlite"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Failure from "./Failure.js"
import * as Folder from "./Folder.js"

/** Another process has the lock; `holder` is what it wrote beside it. */
class Locked extends Data.TaggedError("Locked")<{ readonly holder: string }> {}

/** A look takes the lock for an instant: whoever finds it taken tries so many times more before it is believed. */
const again = (times: number) => ({
  schedule: Schedule.spaced("50 millis"),
  times,
  while: (failure: Locked | StoreFailure) => failure._tag === "Locked"
})

/**
 * Holds the lock of `path` for the scope and writes `holder` to `path`.pid, for people and other programs. One that is only looked at
 * is waited for, half a second at most.
 */
export const hold = (path: string, holder: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.retry(Effect.try({ try: () => take(path), catch: (cause) => refusal(path, cause) }), again(10)),
      (taken) => Effect.sync(() => taken.close())
    )
    yield* Effect.acquireRelease(
      Effect.try({
        try: () => writeFileSync(`${path}.pid`, `${holder}\n`),
        catch: (cause) => Failure.from(`write ${path}.pid`, cause)
      }),
      // A name that stays, as on a disk that became read-only, is no lock.
      () => Effect.ignore(Effect.try(() => rmSync(`${path}.pid`, { force: true })))
    )
    return database.isTransaction
  }).pipe(Effect.asVoid)

/** Whether another process has the lock, and does not only look at it: fails with `Locked` then. Writes nothing. */
export const look = (path: string) =>
  Effect.retry(
    Effect.try({ try: () => take(path).close(), catch: (cause) => refusal(path, cause) }),
    again(2)
  )

/** What the holder wrote, or said to write. */
export const holderOf = (path: string): string | undefined => {
  try {
    return readFileSync(`${path}.pid`, "utf8").trim()
  } catch {
    return undefined
  }
}

const take = (path: string) => {
  Folder.make(dirname(path))
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec("BEGIN EXCLUSIVE")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const refusal = (path: string, cause: unknown) =>
  cause instanceof Error && /locked|busy/i.test(cause.message)
    ? new Locked({ holder: holderOf(path) ?? "another process" })
    : Failure.from(`lock ${path}`, cause)
