/** A store in a folder of its own, and changes to put into it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { CampaignId } from "../../src/domain/Ids.js"
import type { Change, Plan } from "../../src/engine/decide/Plan.js"
import type { FactMemory, Journal, RunRecord, StoreFailure } from "../../src/engine/run/Ports.js"
import type { Snapshots } from "../../src/engine/run/Snapshots.js"
import type { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import * as FactMemorySql from "../../src/store/FactMemorySql.js"
import * as JournalSql from "../../src/store/JournalSql.js"
import * as LimiterStoreSql from "../../src/store/LimiterStoreSql.js"
import * as Migrations from "../../src/store/Migrations.js"
import * as SnapshotsSql from "../../src/store/SnapshotsSql.js"
import * as SqliteClient from "../../src/store/SqliteClient.js"

/** A folder that vanishes with the scope. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "bidhelm-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

export type Store = SqlClient.SqlClient | Journal | FactMemory | Snapshots | LimiterStore

export const store = (options: SqliteClient.Options): Layer.Layer<Store, StoreFailure> =>
  Layer.mergeAll(
    JournalSql.layer,
    FactMemorySql.layer,
    SnapshotsSql.layer(),
    LimiterStoreSql.layer,
    Migrations.layer
  ).pipe(Layer.provideMerge(SqliteClient.layer(options)))

export const inMemory = <A, E>(effect: Effect.Effect<A, E, Store>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, store({ filename: ":memory:" })))

/** Runs with a fresh folder. */
export const inFolder = <A, E>(use: (path: string) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(folder, use)))

export const change = (n: number, more: Partial<Change> = {}): Change => ({
  id: `change ${n}`,
  policy: "01-raise",
  policyLine: 3,
  target: { campaignId: CampaignId.make(n + 1) },
  campaignName: "Sneakers",
  action: "raise_bid",
  placement: "search",
  before: 10_000,
  after: 11_000,
  unit: "kopecks_per_1000_impressions",
  reason: [{ condition: "ctr > 2%", value: "3%", holds: "true" }],
  clamps: [],
  overruled: [],
  reversible: true,
  moneyPerDayKopecks: { unknown: "no spend" },
  ...more
})

export const run = (runId = "run 1", more: Partial<RunRecord> = {}): RunRecord => ({
  runId,
  account: "shop",
  planId: "plan 1",
  startedAt: 1_000,
  finishedAt: undefined,
  status: "running",
  counts: {},
  ...more
})

export const rows = (changes: ReadonlyArray<Change>, slot = (one: Change) => `slot of ${one.id}`) =>
  changes.map((one) => ({ slot: slot(one), change: one }))

export const plan: Plan = {
  version: 1,
  id: "plan 1",
  seal: "seal 1",
  account: "shop",
  currency: "RUB",
  createdAt: "2026-09-01T09:00:00.000Z",
  rulesHash: "hash",
  policies: [],
  changes: [change(0), change(1)],
  held: [],
  unknown: [],
  unchanged: [],
  calls: { perOperation: { getClusterStats: 3 } },
  summary: {
    changes: 2,
    held: 0,
    unknown: 0,
    unchanged: 0,
    byAction: { raise_bid: 2 },
    moneyPerDayKopecks: 0,
    moneyUnknown: 2
  }
}
