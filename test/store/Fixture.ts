/** A store in a folder of its own, or in a PostgreSQL database of its own, and changes to put into it. */

import { mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { CampaignId } from "../../src/domain/Ids.js"
import type { StoreFailure } from "../../src/domain/StoreFailure.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import type { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import type { Journal, RunRecord } from "../../src/engine/door/Journal.js"
import type { FactMemory } from "../../src/engine/gather/FactSource.js"
import type { Change, PolicyOrigin } from "../../src/engine/kinds/Change.js"
import type { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import type { Snapshots } from "../../src/engine/planning/Snapshots.js"
import type { CalendarMemory } from "../../src/services/ports/CalendarMemory.js"
import type { LimiterStore } from "../../src/services/ports/LimiterStore.js"
import type { OrderEvents } from "../../src/services/ports/OrderEvents.js"
import type { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as CalendarMemorySql from "../../src/store/facts/CalendarMemorySql.js"
import * as FactMemorySql from "../../src/store/facts/FactMemorySql.js"
import * as SnapshotsSql from "../../src/store/facts/SnapshotsSql.js"
import * as OrderEventsSql from "../../src/store/fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../../src/store/fulfilment/SupplyOrdersSql.js"
import * as ChangeLogSql from "../../src/store/journal/ChangeLogSql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as LimiterStoreSql from "../../src/store/limiter/LimiterStoreSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as MemoryFolder from "../MemoryFolder.js"
import * as Postgres from "./Postgres.js"

/** A folder that vanishes with the scope. */
export const folder: Effect.Effect<string, never, Scope.Scope> = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(MemoryFolder.path, "bidhelm-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Which database the tests of this file run on: `OnPostgres.test.ts` runs those of the other files once more. */
export const database: { kind: "sqlite" | "postgres" } = { kind: "sqlite" }

/** Databases by the path of the file they stand for. */
const databases = new Map<string, Promise<string>>()

const databaseOf = async (filename: string): Promise<string> => {
  const known = filename === ":memory:" ? undefined : databases.get(filename)
  const url = known ?? migrated()
  databases.set(filename, url)
  return url
}

/** One per server: the next file of tests may have another one. */
const templates = new WeakMap<Postgres.Server, Promise<string>>()

/** A new database with the schema in it: copied, because making the schema anew takes ten times as long. */
export const migrated = async (): Promise<string> => {
  const server = await Postgres.shared()
  const template = templates.get(server) ?? server.fresh().then(migrate)
  templates.set(server, template)
  return server.fresh(await template)
}

const migrate = (url: string): Promise<string> =>
  Effect.runPromise(Effect.provide(Effect.as(Migrations.migrate, url), postgres(url, { connections: 1 })))

export const postgres = (url: string, options: Partial<PgClient.Options> = {}) =>
  PgClient.layer({ url, password: Redacted.make(Postgres.password), ...options })

/** The database without its schema. */
export const client = (options: SqliteClient.Options): Layer.Layer<SqlClient.SqlClient, StoreFailure> =>
  database.kind === "sqlite"
    ? SqliteClient.layer(options)
    : Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => databaseOf(options.filename)),
          (url) => postgres(url)
        )
      )

export type Store =
  | SqlClient.SqlClient
  | Journal
  | RuleMemory
  | ChangeLog
  | FactMemory
  | CalendarMemory
  | SupplyOrders
  | OrderEvents
  | Snapshots
  | LimiterStore

export const store = (options: SqliteClient.Options): Layer.Layer<Store, StoreFailure> =>
  Layer.mergeAll(
    JournalSql.layer,
    RuleMemorySql.layer,
    ChangeLogSql.layer,
    FactMemorySql.layer,
    CalendarMemorySql.layer,
    SupplyOrdersSql.layer,
    OrderEventsSql.layer,
    SnapshotsSql.layer(),
    LimiterStoreSql.layer,
    Migrations.layer
  ).pipe(Layer.provideMerge(client(options)))

export const inMemory = <A, E>(effect: Effect.Effect<A, E, Store>): Promise<A> =>
  Effect.runPromise(Effect.provide(effect, store({ filename: ":memory:" })))

/** Runs with a fresh folder. */
export const inFolder = <A, E>(use: (path: string) => Effect.Effect<A, E, Scope.Scope>): Promise<A> =>
  Effect.runPromise(Effect.scoped(Effect.flatMap(folder, use)))

/** The change of a policy, by the rule in line 3 of its file. */
export const by = (name: string): PolicyOrigin => ({ by: "policy", name, line: 3 })

/** Of an item's bid in search, unless another kind is told. */
export const change = (n: number, more: Partial<Change> = {}): Change =>
  ({
    id: `change ${n}`,
    origin: { by: "policy", name: "01-raise", line: 3 },
    subject: { campaignId: CampaignId.make(n + 1) },
    campaignName: "Sneakers",
    action: "raise_bid",
    before: 10_000,
    after: 11_000,
    kind: "item_bid",
    details: more.kind === "campaign_deposit" ? { from: "balance" } : { placement: "search", payment: "cpm" },
    reason: [{ condition: "ctr > 2%", value: "3%", holds: "true" }],
    clamps: [],
    overruled: [],
    reversible: true,
    moneyPerDayKopecks: { unknown: "no spend" },
    ...more
  }) as Change

/** The details of an item's bid in search over which a policy has laid a share. */
export const overlaid = (
  policy: string,
  basisPoints: number,
  baseKopecks: number,
  baseBeforeKopecks = baseKopecks
): Partial<Change> => ({
  kind: "item_bid",
  details: {
    placement: "search",
    payment: "cpm",
    overlay: { policy, basisPoints, baseBeforeKopecks, baseKopecks }
  }
})

export const run = (runId = "run 1", more: Partial<RunRecord> = {}): RunRecord => ({
  lane: "ads",
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
  version: 2,
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
