/**
 * A small file beside the store with the end of every account's audit chain, written after runs. A database that lacks
 * what the file has seen is an old copy or another one: then nothing may be sent until it is reconciled.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Journal } from "../engine/run/Journal.js"
import type { StoreFailure } from "../engine/run/Ports.js"
import * as Failure from "./Failure.js"
import * as StoreMarks from "./StoreMarks.js"
import * as Transaction from "./Transaction.js"

interface Head {
  readonly account: string
  readonly seq: number
  readonly hash: string
}

/** Checks the store against the file when it is opened, and notes its end after every run's beginning and end. */
export const guarding = (path: string): Layer.Layer<Journal, StoreFailure, Journal | SqlClient.SqlClient> =>
  Layer.scoped(
    Journal,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      yield* check(path)
      const keep = Effect.provideService(note(path), SqlClient.SqlClient, sql)
      yield* Effect.addFinalizer(() => Effect.ignore(keep))
      return {
        ...journal,
        begin: (run, rows) => Effect.zipLeft(journal.begin(run, rows), Effect.ignore(keep)),
        finish: (runId, status, counts, nowMs) =>
          Effect.zipLeft(journal.finish(runId, status, counts, nowMs), Effect.ignore(keep))
      }
    })
  )

/** Marks the store when it is not the one that the file has seen, or an older copy of it. */
export const check = (path: string): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = read(path)
    const nowMs = yield* Clock.currentTimeMillis
    yield* Transaction.run(
      sql,
      "compare the store with its serial file",
      Effect.gen(function* () {
        const isMarked = yield* StoreMarks.marked(sql)
        for (const head of seen) {
          if (isMarked(head.account)) continue
          const [now] = yield* sql<{
            seq: number
            purged_seq: number
          }>`SELECT seq, purged_seq FROM audit_heads
            WHERE account = ${head.account}`
          const [row] = yield* sql<{ hash: string }>`SELECT hash FROM audit
            WHERE account = ${head.account} AND seq = ${head.seq}`
          const isHere = row?.hash === head.hash || (now !== undefined && now.purged_seq >= head.seq)
          if (isHere || head.seq === 0) continue
          yield* StoreMarks.mark(
            sql,
            nowMs,
            `the store is an older copy, or another one: record ${head.seq} of ${head.account} was in it before and is not there now (${path})`
          )
          return
        }
      })
    )
  })

/** Notes where the chains end now. */
export const note = (path: string): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const now = yield* Transaction.run(
      sql,
      "read the end of the audit chain",
      Effect.gen(function* () {
        const heads = yield* sql<Head>`SELECT account, seq, hash FROM audit_heads ORDER BY account`
        const isMarked = yield* StoreMarks.marked(sql)
        const accounts = new Set([...heads, ...read(path)].map(({ account }) => account))
        return { heads, marked: [...accounts].filter(isMarked) }
      })
    )
    // What a marked store lacks stays noted until somebody has reconciled it.
    const before = new Map(read(path).map((head) => [head.account, head]))
    const heads = new Map([...before, ...now.heads.map((head) => [head.account, head] as const)])
    for (const account of now.marked) {
      const kept = before.get(account)
      if (kept !== undefined) heads.set(account, kept)
    }
    yield* Effect.try({
      try: () => write(path, [...heads.values()]),
      catch: (cause) => Failure.from(`write ${path}`, cause)
    })
  })

const write = (path: string, heads: ReadonlyArray<Head>): void => {
  mkdirSync(dirname(path), { recursive: true })
  const text = `${JSON.stringify({ version: 1, heads: heads.map(({ account, hash, seq }) => ({ account, seq, hash })) })}\n`
  writeFileSync(`${path}.new`, text, { flush: true })
  renameSync(`${path}.new`, path)
}

/** A file that is missing or cannot be read says nothing. */
const read = (path: string): ReadonlyArray<Head> => {
  if (!existsSync(path)) return []
  try {
    const { heads } = JSON.parse(readFileSync(path, "utf8")) as { readonly heads: ReadonlyArray<Head> }
    return heads.filter(({ account, seq }) => typeof account === "string" && Number.isSafeInteger(seq))
  } catch {
    return []
  }
}
