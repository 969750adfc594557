/**
 * A small file beside the store with the end of every account's audit chain, written after runs. A database that lacks
 * what the file has seen is an old copy or another one: then nothing may be sent until it is reconciled. A server may go
 * back under a program that stays up, so the two are compared before everything that may lead to a request.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { Journal } from "../../engine/door/Journal.js"
import * as DepositMemory from "../accounts/DepositMemory.js"
import * as Dialect from "../clients/Dialect.js"
import * as Failure from "../clients/Failure.js"
import * as Transaction from "../clients/Transaction.js"
import * as OneOrAll from "./OneOrAll.js"
import { type Head, type Heads, isSameHead, SerialFile } from "./SerialFile.js"
import * as ServerMark from "./ServerMark.js"
import * as StoreMarks from "./StoreMarks.js"

/**
 * Checks the store against the file when it is opened, when somebody asks whether an account may be written to, and
 * before every run. Notes the end of its account's chain after every run's beginning and end. All accounts are looked at
 * when the store is opened and closed, and with runs now and then: a runner has thousands, and a loss in one chain says
 * what the store is.
 */
export const guarding = (path: string): Layer.Layer<Journal, StoreFailure, Journal | SqlClient.SqlClient> =>
  Layer.scoped(
    Journal,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const journal = yield* Journal
      const here = Effect.provideService(SqlClient.SqlClient, sql)
      const file = new SerialFile(path)
      const [ofAllChecked, ofAllNoted] = [nowAndThen(), nowAndThen()]
      const warned = oncePerTrouble()
      const keep = yield* gathered((accounts) =>
        Effect.flatMap(ofAllNoted, (all) => warned(here(noteOf(file, all ? undefined : accounts))))
      )
      yield* here(check(file))
      yield* here(unnoted(file))
      yield* Effect.addFinalizer(() => Effect.ignore(here(noteOf(file))))
      return {
        ...journal,
        observeOnly: (account) =>
          Effect.gen(function* () {
            const mark = yield* journal.observeOnly(account)
            if (mark !== undefined || !(yield* here(check(file, account)))) return mark
            return yield* journal.observeOnly(account)
          }),
        begin: (run, rows) =>
          Effect.zipRight(
            Effect.flatMap(ofAllChecked, (all) => here(check(file, all ? undefined : run.account))),
            Effect.zipLeft(journal.begin(run, rows), keep(run.account))
          ),
        finish: (runId, status, counts, nowMs) =>
          Effect.zipLeft(
            journal.finish(runId, status, counts, nowMs),
            Effect.flatMap(
              Effect.option(accountOf(sql, runId)),
              Option.match({ onNone: () => Effect.void, onSome: keep })
            )
          )
      }
    })
  )

const accountOf = (sql: SqlClient.SqlClient, runId: string) =>
  Effect.flatMap(sql<{ account: string }>`SELECT account FROM runs WHERE run_id = ${runId}`, ([row]) =>
    Effect.fromNullable(row?.account)
  )

/** Sending goes on when nothing can be noted; a warning says so, until it goes well again or fails in another way. */
const oncePerTrouble = () => {
  let told: string | undefined
  return <R>(noting: Effect.Effect<void, StoreFailure, R>): Effect.Effect<void, never, R> =>
    Effect.matchEffect(noting, {
      onSuccess: () => Effect.sync(() => (told = undefined)),
      onFailure: ({ message }) => {
        const isTold = told === message
        told = message
        return isTold ? Effect.void : Effect.logWarning(`${message}; ${unnoticed}`)
      }
    })
}

/** What follows when the file cannot be written. */
export const unnoticed = "until then this machine does not notice a database that is rolled back"

/** How often all accounts are looked at, milliseconds: thousands of them take some hundredths of a second. */
const ofAllMs = 2_000

/** True at first, and when it was last true `ofAllMs` ago; also when the clock was put back. */
const nowAndThen = (): Effect.Effect<boolean> => {
  let last = Number.NEGATIVE_INFINITY
  return Effect.map(Clock.currentTimeMillis, (nowMs) => {
    if (nowMs >= last && nowMs < last + ofAllMs) return false
    last = nowMs
    return true
  })
}

/**
 * Does `work` for those who ask, one after another. Who asks while it is done waits until it is done anew, together with
 * all who have asked meanwhile: a file is written once for the runs that begin at once.
 */
export const gathered = <A, E>(
  work: (asked: ReadonlySet<string>) => Effect.Effect<A, E>
): Effect.Effect<(one: string) => Effect.Effect<A, E>> =>
  Effect.map(Effect.makeSemaphore(1), (turn) => {
    let next: { readonly asked: Set<string>; readonly ended: Deferred.Deferred<A, E> } | undefined
    return (one) =>
      Effect.suspend(() => {
        if (next !== undefined) {
          next.asked.add(one)
          return Deferred.await(next.ended)
        }
        const mine = { asked: new Set([one]), ended: Deferred.unsafeMake<A, E>(FiberId.none) }
        next = mine
        const lead = Effect.suspend(() => {
          next = undefined
          return Effect.intoDeferred(work(mine.asked), mine.ended)
        })
        // Others wait for what one does, so only they can be interrupted.
        return Effect.zipRight(Effect.uninterruptible(turn.withPermits(1)(lead)), Deferred.await(mine.ended))
      })
  })

/**
 * Accounts of a database in a file of which no note is left here: whether the file is an old copy nobody can tell, so that
 * their deposits are known from now on. Machines that share a server come and go without such notes.
 */
const unnoted = (file: SerialFile): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    if (Dialect.isPostgres(sql)) return
    const seen = yield* noted(file)
    const nowMs = yield* Clock.currentTimeMillis
    const forgotten = yield* Transaction.run(sql, action, function* () {
      const { ends } = yield* survey(sql, seen)
      const missing = ends.filter(({ account, seq }) => seq > 0 && !seen.has(account))
      for (const { account } of missing)
        yield* DepositMemory.begin(sql, account, nowMs, `${file.path} was gone`)
      return missing.length > 0
    })
    if (forgotten) yield* Effect.ignore(noteOf(file))
  })

/**
 * Marks the store when it is not the one that the file has seen, or an older copy of it, and ends every epoch: what
 * runs under way had claimed may be forgotten. Answers whether anything is missing; the marks then say what it means.
 * Looks at the chain of one account when it is named, which is one look into an index, and else at all of them.
 */
const check = (
  file: SerialFile,
  account?: string
): Effect.Effect<boolean, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = yield* noted(file)
    const accounts = account === undefined ? undefined : new Set([account])
    const { absent } = yield* Transaction.read(sql, action, survey(sql, seen, accounts))
    if (yield* judge(sql, file.path, absent)) yield* Effect.ignore(noteOf(file))
    return absent.length > 0
  })

/** Notes where all chains end now (`noteOf`). */
export const note = (path: string): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  noteOf(new SerialFile(path))

/**
 * Notes where the chains of the accounts, or all, end now. What was noted before is only replaced while it is still in
 * its chain, was purged from it, or somebody has reconciled the account since; otherwise the store is marked, as by `check`.
 */
const noteOf = (
  file: SerialFile,
  accounts?: ReadonlySet<string>
): Effect.Effect<void, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = yield* noted(file)
    const { absent, ends, markOf, reconciledAt } = yield* Transaction.read(sql, action, function* () {
      const markOf = yield* StoreMarks.observeOnlyOfAll(sql)
      const reconciledAt = yield* reconciliations(sql, accounts)
      return { ...(yield* survey(sql, seen, accounts)), markOf, reconciledAt }
    })
    if (yield* judge(sql, file.path, absent)) return yield* noteOf(file)
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
    const named = accounts ?? new Set([...endOf.keys(), ...seen.keys()])
    const heads = [...named].flatMap((account) => next(account) ?? [])
    yield* Effect.try({
      try: () => file.replace(seen, new Map(heads.map((head) => [head.account, head]))),
      catch: (cause) => Failure.ofFile(`note in ${file.path} what the store knows`, file.path, cause)
    })
  })

/** Ends that were noted once and are in no chain any more, but for those that somebody has reconciled since. */
export const lost = (path: string): Effect.Effect<ReadonlyArray<Head>, StoreFailure, SqlClient.SqlClient> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const seen = yield* noted(new SerialFile(path))
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
const noted = (file: SerialFile) => Effect.sync(() => file.heads())

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
const survey = (sql: SqlClient.SqlClient, seen: Heads, accounts?: ReadonlySet<string>) =>
  Effect.gen(function* () {
    const ends = yield* sql<End>`SELECT account, seq, hash, purged_seq,
        (SELECT audit.hash FROM audit WHERE audit.account = head.account AND audit.seq = head.seq) AS last
      FROM audit_heads AS head
      WHERE ${among(sql, accounts)} ORDER BY account`
    const endOf = new Map(ends.map((end) => [end.account, end]))
    const named = [...(accounts ?? seen.keys())].flatMap((account) => seen.get(account) ?? [])
    const asked = named.filter((head) => {
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

const among = (sql: SqlClient.SqlClient, accounts: ReadonlySet<string> | undefined) =>
  OneOrAll.where(sql, accounts, (some) => sql.in("account", [...some]))

/** When accounts were reconciled last since the store was last marked; 0 when never. */
const reconciliations = (
  sql: SqlClient.SqlClient,
  accounts?: ReadonlySet<string>
): Effect.Effect<(account: string) => number, SqlError> =>
  Effect.map(
    sql<{ account: string; at: number }>`SELECT account, at FROM store_marks
      WHERE name = 'reconciled' AND ${among(sql, accounts)}`,
    (rows) => {
      const times = new Map(rows.map(({ account, at }) => [account, at]))
      return (account) => times.get(account) ?? 0
    }
  )
