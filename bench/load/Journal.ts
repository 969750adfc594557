/** A journal of a million changes, and how long the questions that people and plans ask of it take. */

import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CampaignId } from "../../src/domain/Ids.js"
import type { StoreFailure } from "../../src/domain/StoreFailure.js"
import { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal } from "../../src/engine/door/Journal.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as Dialect from "../../src/store/clients/Dialect.js"
import * as ChangeLogSql from "../../src/store/journal/ChangeLogSql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"

export interface Asked {
  readonly question: string
  readonly p50Ms: number
  readonly p95Ms: number
  /** False for what only a plan asks, once: no goal is set for it. */
  readonly isBrowsing?: boolean
}

/** 20 accounts of 500 runs of 100 changes; an account's runs touch 5,000 slots in turn. */
const size = { accounts: 20, runs: 500, changes: 100, slots: 5_000 }
export const rows = size.accounts * size.runs * size.changes

const startMs = Date.parse("2026-06-01T00:00:00Z")
const everyMs = 3 * 3_600_000
const endMs = startMs + size.runs * everyMs

/** Made by the database itself: the journal's own writing is measured by `bench/scale`. */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const numbers = (name: string, count: number) => ({
    sqlite: `${name} AS (SELECT 0 AS n UNION ALL SELECT n + 1 FROM ${name} WHERE n < ${count - 1})`,
    postgres: `${name} AS (SELECT n FROM generate_series(0::bigint, ${count - 1}) AS n)`
  })
  const json = {
    sqlite: `json_object('id', 'change ' || c.n, 'kind', 'item_bid',
      'origin', json_object('by', 'policy', 'name', '01-raise', 'line', 3),
      'subject', json_object('campaignId', 1 + (r.n * ${size.changes} + c.n) % ${size.slots}),
      'campaignName', 'Sneakers', 'action', 'raise_bid', 'before', 10000, 'after', 11000,
      'details', json_object('payment', 'cpm', 'placement', 'search'), 'reason', json('[{"condition":"ctr > 2%","value":"3%","holds":"true"}]'),
      'clamps', json('[]'), 'overruled', json('[]'), 'reversible', json('true'), 'moneyPerDayKopecks', 500)`,
    postgres: `json_build_object('id', 'change ' || c.n, 'kind', 'item_bid',
      'origin', json_build_object('by', 'policy', 'name', '01-raise', 'line', 3),
      'subject', json_build_object('campaignId', 1 + (r.n * ${size.changes} + c.n) % ${size.slots}),
      'campaignName', 'Sneakers', 'action', 'raise_bid', 'before', 10000, 'after', 11000,
      'details', json_build_object('payment', 'cpm', 'placement', 'search'), 'reason', '[{"condition":"ctr > 2%","value":"3%","holds":"true"}]'::json,
      'clamps', '[]'::json, 'overruled', '[]'::json, 'reversible', true, 'moneyPerDayKopecks', 500)::text`
  }
  const runId = "'run ' || a.n || ' ' || r.n"
  const at = `${startMs} + r.n * ${everyMs} + a.n * 1000`
  const series = (count: number, name: string) => Dialect.pick(sql, numbers(name, count))
  const parts = `WITH RECURSIVE ${series(size.accounts, "a")}, ${series(size.runs, "r")}`
  const changesOf = (account: number) =>
    sql.unsafe(`${parts}, ${series(size.changes, "c")} INSERT INTO changes
      (run_id, change_id, position, slot, account, policy, bid_before, change, state, updated_at, sent_at, is_edge, memory,
       began_at, campaign_id, nth)
    SELECT ${runId}, 'change ' || c.n, c.n, 'bid:' || ((r.n * ${size.changes} + c.n) % ${size.slots}),
      'shop ' || a.n, '01-raise', 10000, ${Dialect.pick(sql, json)},
      CASE WHEN r.n = ${size.runs - 1} AND c.n < 5 THEN 'unknown' ELSE 'applied' END, ${at} + 500, ${at} + 100, 0,
      '{"before":10000,"after":11000}', ${at}, 1 + (r.n * ${size.changes} + c.n) % ${size.slots}, r.n FROM a, r, c WHERE a.n = ${account}`)
  yield* sql.unsafe(`${parts} INSERT INTO runs (run_id, account, lane, plan_id, started_at, finished_at, status, counts)
    SELECT ${runId}, 'shop ' || a.n, 'ads', 'plan', ${at}, ${at} + 60000, 'done', '{"applied":${size.changes}}' FROM a, r`)
  // An account at a time: the client ends statements that take too long.
  for (let account = 0; account < size.accounts; account++) yield* changesOf(account)
  yield* sql.unsafe("ANALYZE")
})

const repeated = (question: string, times: number, ask: Effect.Effect<unknown, StoreFailure>) =>
  Effect.gen(function* () {
    const took: Array<number> = []
    for (let n = 0; n < times; n++) {
      const begun = performance.now()
      yield* ask
      took.push(performance.now() - begun)
    }
    took.sort((a, b) => a - b)
    const at = (share: number) => took[Math.min(times - 1, Math.ceil(times * share) - 1)] ?? 0
    return { question, p50Ms: at(0.5), p95Ms: at(0.95) } satisfies Asked
  })

/** Fills a new store and asks; `times` times each. */
export const measure = (database: Layer.Layer<SqlClient.SqlClient, StoreFailure>, times: number) =>
  Effect.gen(function* () {
    yield* fill
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const log = yield* ChangeLog
    const shop = "shop 7"
    const campaignId = CampaignId.make(2_501)
    const policy = "01-raise"
    const deep = yield* log.places("run 7 10", "change 50")
    const fromMs = startMs + 200 * everyMs
    const aDay = { fromMs, toMs: fromMs + 86_400_000 }
    return [
      yield* repeated("history (20 runs)", times, journal.runs(undefined, 20)),
      yield* repeated("history --account (20 runs)", times, journal.runs(shop, 20)),
      yield* repeated("history --before, deep down", times, journal.runs(undefined, 20, "run 7 10")),
      yield* repeated("the same, of an account", times, journal.runs(shop, 20, "run 7 30")),
      yield* repeated("history RUN (100 changes)", times, journal.rows("run 7 250")),
      yield* repeated("history --campaign", times, log.browse({ campaignId }, 21)),
      yield* repeated("history --policy, deep down", times, log.browse({ policy }, 21, deep[0])),
      yield* repeated("history --state", times, log.browse({ state: "unknown" }, 21)),
      yield* repeated("history --day", times, log.browse(aDay, 21)),
      yield* repeated(
        "all of them, of an account",
        times,
        log.browse({ account: shop, campaignId, policy, state: "applied", ...aDay }, 21)
      ),
      yield* repeated(
        "changes of an account that has none",
        times,
        log.browse({ account: "nobody", policy }, 21)
      ),
      yield* repeated("what is overdue", times, journal.overdue(undefined, endMs)),
      yield* repeated("open changes of an account", times, journal.open(shop)),
      yield* repeated("deposits of an account", times, journal.deposits(shop, endMs - 86_400_000)),
      {
        ...(yield* repeated("a plan: slots of 50,000 changes", 5, memory.slots(shop, endMs - 86_400_000))),
        isBrowsing: false
      }
    ]
  }).pipe(
    Effect.provide(
      Layer.mergeAll(JournalSql.layer, RuleMemorySql.layer, ChangeLogSql.layer, Migrations.layer).pipe(
        Layer.provideMerge(database)
      )
    )
  )
