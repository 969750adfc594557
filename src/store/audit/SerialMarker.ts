/**
 * A small file beside the store with the end of every account's audit chain, written after runs. A database that lacks
 * what the file has seen is an old copy or another one: then nothing may be sent until it is reconciled. A server may go
 * back under a program that stays up, so the two are compared before everything that may lead to a request.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { Journal } from "../../engine/door/Journal.js"
import * as DepositMemory from "../accounts/DepositMemory.js"
import * as Dialect from "../clients/Dialect.js"
import * as Failure from "../clients/Failure.js"
import * as Folder from "../clients/Folder.js"
import * as Transaction from "../clients/Transaction.js"
import * as OneOrAll from "./OneOrAll.js"
import * as ServerMark from "./ServerMark.js"
import * as StoreMarks from "./StoreMarks.js"

/**
 * Checks the store against the file when it is opened, when somebody asks whether it may be written to, and before
 * every run. Notes its end after every run's beginning and end.
 */
export const guarding = (path: string): Layer.Layer<Journal, StoreFailure, Journal | SqlClient.SqlClient> =>
  Layer.scoped(
    Journal,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      const here = Effect.provideService(SqlClient.SqlClient, sql)
      const compare = yield* shared(here(check(path)))
      const keep = yield* Effect.map(shared(here(note(path))), Effect.ignore)
      yield* compare
      yield* here(unnoted(path))
      yield* Effect.addFinalizer(() => keep)
      return {
        ...journal,
        observeOnly: (account) =>
          Effect.gen(function* () {
            const mark = yield* journal.observeOnly(account)
            if (mark !== undefined || !(yield* here(check(path, account)))) return mark
            return yield* journal.observeOnly(account)
          }),
        begin: (run, rows) => Effect.zipRight(compare, Effect.zipLeft(journal.begin(run, rows), keep)),
        finish: (runId, status, counts, nowMs) =>
          Effect.zipLeft(journal.finish(runId, status, counts, nowMs), keep)
      }
    })
  )

/**
 * Whoever asks while `work` is done waits until it is done anew, and all who wait share that: each sees what was there
 * when it asked. It is about all accounts of the store, and a runner begins the runs of many at once.
 */
export const shared = <A, E>(work: Effect.Effect<A, E>): Effect.Effect<Effect.Effect<A, E>> =>
  Effect.map(Effect.makeSemaphore(1), (one) => {
    let next: Deferred.Deferred<A, E> | undefined
    const lead = (ended: Deferred.Deferred<A, E>) =>
      Effect.suspend(() => {
        next = undefined
        return Effect.intoDeferred(work, ended)
      })
    return Effect.suspend(() => {
      if (next !== undefined) return Deferred.await(next)
      next = Deferred.unsafeMake<A, E>(FiberId.none)
      return Effect.zipRight(one.withPermits(1)(lead(next)), Deferred.await(next))
    }).pipe(Effect.uninterruptible)
  })

/**
 * Accounts of a database in a file of which no note is left here: whether the file is an old copy nobody can tell, so that
 * their deposits are known from now on. Machines that share a server come and go without such notes.
 */
const unnoted = (path: string): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (Dialect.isPostgres(sql)) return
    const seen = yield* noted(path)
    const nowMs = yield* Clock.currentTimeMillis
    const forgotten = yield* Transaction.run(sql, action, function* () {
      const { ends } = yield* survey(sql, seen)
      const missing = ends.filter(({ account, seq }) => seq > 0 && !seen.has(account))
      for (const { account } of missing) yield* DepositMemory.begin(sql, account, nowMs, `${path} was gone`)
      return missing.length > 0
    })
    if (forgotten) yield* Effect.ignore(note(path))
  })

/**
 * Marks the store when it is not the one that the file has seen, or an older copy of it, and ends every epoch: what
 * runs under way had claimed may be forgotten. Answers whether anything is missing; the marks then say what it means.
 * Looks at the chain of one account when it is named, which is one look into an index, and else at all of them.
 */
const check = (path: string, account?: string): Effect.Effect<boolean, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = yield* noted(path)
    const { absent } = yield* Transaction.read(sql, action, survey(sql, seen, account))
    if (yield* judge(sql, path, absent)) yield* Effect.ignore(note(path))
    return absent.length > 0
  })

/**
 * Notes where the chains end now. What was noted before is only replaced while it is still in its chain, was purged
 * from it, or somebody has reconciled the account since; otherwise the store is marked, as by `check`.
 */
export const note = (path: string): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = yield* noted(path)
    const { absent, ends, markOf, reconciledAt } = yield* Transaction.read(sql, action, function* () {
      const markOf = yield* StoreMarks.observeOnlyOfAll(sql)
      const reconciledAt = yield* reconciliations(sql)
      return { ...(yield* survey(sql, seen)), markOf, reconciledAt }
    })
    if (yield* judge(sql, path, absent)) return yield* note(path)
    const endOf = new Map(ends.map((end) => [end.account, end]))
    const isAbsent = new Set(absent.map(({ account }) => account))
    const next = (account: string): Head | undefined => {
      const [before, end, mark] = [seen.get(account), endOf.get(account), markOf(account)]
      const reconciled = reconciledAt(account)
      if (before !== undefined) {
        if (mark !== undefined) return kept(before, mark.at)
        if (isAbsent.has(account) && !isSettled(before, reconciled)) return before
      }
      return end === undefined ? before : headOf(end, Math.max(reconciled, before?.reconciled ?? 0))
    }
    const heads = [...new Set([...endOf.keys(), ...seen.keys()])].flatMap((account) => next(account) ?? [])
    yield* Effect.try({
      try: () => replaceHeads(path, seen, new Map(heads.map((head) => [head.account, head]))),
      catch: (cause) => Failure.from(`write ${path}`, cause)
    })
  })

/** Ends that were noted once and are in no chain any more, but for those that somebody has reconciled since. */
export const lost = (path: string): Effect.Effect<ReadonlyArray<Head>, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = yield* noted(path)
    return yield* Transaction.read(sql, action, function* () {
      const { absent } = yield* survey(sql, seen)
      const reconciledAt = yield* reconciliations(sql)
      return absent.filter((head) => !isSettled(head, reconciledAt(head.account)))
    })
  })

const headOf = ({ account, hash, seq }: End, reconciled: number): Head => ({
  account,
  seq,
  hash,
  reconciled
})

/** What a marked store lacks stays noted until somebody has reconciled it: whoever does, does it from then on. */
const kept = (head: Head, markedAt: number): Head => ({
  ...head,
  reconciled: Math.min(head.reconciled ?? Number.POSITIVE_INFINITY, markedAt - 1)
})

/** Before the store is looked at: what is noted later may be of a moment that the look does not show. */
const noted = (path: string) => Effect.sync(() => readHeads(path))

/** What is missing is only settled by a reconciliation that nobody knew of when it was noted. */
const isSettled = ({ reconciled }: Head, at: number): boolean => reconciled !== undefined && at > reconciled

/**
 * Marks the store unless what seems to be absent is only that of accounts that are marked, or were reconciled since.
 * Looks again, in the transaction that marks.
 */
const judge = (
  sql: SqlClient.SqlClient,
  path: string,
  doubted: ReadonlyArray<Head>
): Effect.Effect<boolean, StoreFailure> =>
  doubted.length === 0
    ? Effect.succeed(false)
    : Transaction.run(sql, action, function* () {
        const isMarked = yield* StoreMarks.marked(sql)
        const reconciledAt = yield* reconciliations(sql)
        const open = doubted.filter(
          (head) => !isMarked(head.account) && !isSettled(head, reconciledAt(head.account))
        )
        if (open.length === 0) return false
        const [lost] = (yield* survey(sql, new Map(open.map((head) => [head.account, head])))).absent
        if (lost === undefined) return false
        yield* ServerMark.halt(
          sql,
          yield* Clock.currentTimeMillis,
          `the store is an older copy, or another one: record ${lost.seq} of ${lost.account} was in it before and is not there now (${path})`
        )
        return true
      })

const action = "compare the store with its serial file"

interface End {
  readonly account: string
  readonly seq: number
  readonly hash: string
  readonly purged_seq: number
  readonly last: string | null
}

/** Heads per statement. */
const together = 100

/** Where the chains end, and which of those seen are in none. Most are ends still, and need no question of their own. */
const survey = (sql: SqlClient.SqlClient, seen: ReadonlyMap<string, Head>, account?: string) =>
  Effect.gen(function* () {
    const ends = yield* sql<End>`SELECT account, seq, hash, purged_seq,
        (SELECT audit.hash FROM audit WHERE audit.account = head.account AND audit.seq = head.seq) AS last
      FROM audit_heads AS head
      WHERE ${OneOrAll.where(sql, account, (one) => sql`account = ${one}`)} ORDER BY account`
    const endOf = new Map(ends.map((end) => [end.account, end]))
    const asked = [...seen.values()].filter((head) => {
      if (account !== undefined && head.account !== account) return false
      const end = endOf.get(head.account)
      if (end === undefined) return head.seq > 0
      return end.purged_seq < head.seq && !(isSameHead(end, head) && end.last === head.hash)
    })
    const absent: Array<Head> = []
    for (const some of Arr.chunksOf(asked, together)) {
      const places = some.map(({ account, seq }) => sql`(account = ${account} AND seq = ${seq})`)
      const rows = yield* sql<{ account: string; hash: string }>`SELECT account, hash FROM audit
        WHERE ${sql.or(places)}`
      const hashOf = new Map(rows.map(({ account, hash }) => [account, hash]))
      absent.push(...some.filter(({ account, hash }) => hashOf.get(account) !== hash))
    }
    return { ends, absent }
  })

/** When accounts were reconciled last since the store was last marked; 0 when never. */
const reconciliations = (sql: SqlClient.SqlClient): Effect.Effect<(account: string) => number, SqlError> =>
  Effect.map(
    sql<{ account: string; at: number }>`SELECT account, at FROM store_marks WHERE name = 'reconciled'`,
    (rows) => {
      const times = new Map(rows.map(({ account, at }) => [account, at]))
      return (account) => times.get(account) ?? 0
    }
  )

// The file in which a machine notes the ends of the audit chains that it has seen: see `SerialMarker`.

/** The end of an account's chain. */
export interface Head {
  readonly account: string
  readonly seq: number
  readonly hash: string
  /**
   * When the account had last been reconciled as this was noted, epoch milliseconds; 0 when never. Files of older
   * versions do not say it.
   */
  readonly reconciled?: number
}

/** By account. A file that is missing or cannot be read says nothing. */
export const readHeads = (path: string): ReadonlyMap<string, Head> => {
  if (!existsSync(path)) return new Map()
  try {
    const { heads } = JSON.parse(readFileSync(path, "utf8")) as { readonly heads: ReadonlyArray<Head> }
    return new Map(
      heads
        .filter(({ account, seq }) => typeof account === "string" && Number.isSafeInteger(seq))
        .map((head) => [head.account, head])
    )
  } catch {
    return new Map()
  }
}

/**
 * Writes the heads in the place of those that were `seen`. What another run or program has noted meanwhile stays where
 * it is the later one, and so does what is noted of accounts that are not among them.
 */
export const replaceHeads = (
  path: string,
  seen: ReadonlyMap<string, Head>,
  heads: ReadonlyMap<string, Head>
): void => {
  const all = new Map(heads)
  for (const [account, there] of readHeads(path)) {
    const ours = all.get(account)
    const before = seen.get(account)
    if (ours === undefined || (!(before && isSameHead(there, before)) && isLater(there, ours))) {
      all.set(account, there)
    }
  }
  Folder.make(dirname(path))
  const rows = [...all.values()].map(({ account, hash, reconciled, seq }) => ({
    account,
    seq,
    hash,
    reconciled
  }))
  // Two programs that wrote one file at once would leave neither's.
  const fresh = `${path}.${process.pid}.new`
  try {
    writeFileSync(fresh, `${JSON.stringify({ version: 1, heads: rows })}\n`, { flush: true })
    renameSync(fresh, path)
  } catch (cause) {
    // Every program would leave one of its own while the disk is full.
    rmSync(fresh, { force: true })
    throw cause
  }
}

/** Whether both are the same place of a chain. */
const isSameHead = (one: Head, other: Head): boolean => one.seq === other.seq && one.hash === other.hash

/** Chains grow, and begin to grow anew only when somebody has reconciled. */
const isLater = (one: Head, other: Head): boolean => {
  const [left, right] = [one, other].map(({ reconciled = Number.POSITIVE_INFINITY }) => reconciled)
  return left === right ? one.seq > other.seq : left! > right!
}
