/**
 * The program as one life of it runs: real store, limiter, client, writer and engine. `Wrap` is where a planted bug
 * takes the place of a service.
 */

import * as HttpClient from "@effect/platform/HttpClient"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { ChangeLog } from "../../../src/engine/door/ChangeLog.js"
import type { Journal } from "../../../src/engine/door/Journal.js"
import { Journal as JournalTag } from "../../../src/engine/door/Journal.js"
import { Senders } from "../../../src/engine/door/Senders.js"
import { KillSwitch } from "../../../src/engine/door/Stopping.js"
import type { Writer } from "../../../src/engine/door/Writer.js"
import { Writer as WriterTag } from "../../../src/engine/door/Writer.js"
import type { FactMemory, FactSource } from "../../../src/engine/gather/FactSource.js"
import { FactSource as FactSourceTag } from "../../../src/engine/gather/FactSource.js"
import type { ApprovalStore } from "../../../src/engine/planning/ApprovalStore.js"
import type { BoardSource } from "../../../src/engine/planning/BoardSource.js"
import type { LimitsMemory } from "../../../src/engine/planning/LimitsMemory.js"
import { RuleMemory } from "../../../src/engine/planning/RuleMemory.js"
import type { Snapshots } from "../../../src/engine/planning/Snapshots.js"
import type { DueTimes } from "../../../src/engine/schedule/DueTimes.js"
import * as FactLoader from "../../../src/marketplace/FactLoader.js"
import * as BoardReader from "../../../src/marketplace/fulfilment/BoardReader.js"
import * as Writers from "../../../src/marketplace/Writers.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import type * as Client from "../../../src/services/MarketplaceClient.js"
import { LimiterStore } from "../../../src/services/ports/LimiterStore.js"
import type { MarkVault } from "../../../src/services/ports/MarkVault.js"
import type { OrderEvents } from "../../../src/services/ports/OrderEvents.js"
import { PackingTables } from "../../../src/services/ports/PackingTables.js"
import type { SupplyOrders } from "../../../src/services/ports/SupplyOrders.js"
import * as LimitsMemorySql from "../../../src/store/accounts/LimitsMemorySql.js"
import * as CalendarMemorySql from "../../../src/store/facts/CalendarMemorySql.js"
import * as FactMemorySql from "../../../src/store/facts/FactMemorySql.js"
import * as SnapshotsSql from "../../../src/store/facts/SnapshotsSql.js"
import * as MarkVaultSql from "../../../src/store/fulfilment/MarkVaultSql.js"
import * as OrderEventsSql from "../../../src/store/fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../../../src/store/fulfilment/SupplyOrdersSql.js"
import * as ChangeLogSql from "../../../src/store/journal/ChangeLogSql.js"
import * as DueTimesSql from "../../../src/store/journal/DueTimesSql.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../../src/store/journal/RuleMemorySql.js"
import * as LimiterStoreSql from "../../../src/store/limiter/LimiterStoreSql.js"
import * as ApprovalsSql from "../../../src/store/people/ApprovalsSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as SandboxAccount from "../../scenario/SandboxAccount.js"
import type * as Machine from "./Machine.js"
import * as Wire from "./Wire.js"

export type Services =
  | Client.MarketplaceClient
  | Journal
  | RuleMemory
  | FactMemory
  | FactSource
  | Snapshots
  | Writer
  | KillSwitch
  | ChangeLog
  | ApprovalStore
  | DueTimes
  | BoardSource
  | MarkVault
  | OrderEvents
  | LimitsMemory
  | PackingTables
  | SupplyOrders

/** What a planted bug may replace; nothing in the ordinary run. */
export interface Wrap {
  readonly journal?: (journal: typeof JournalTag.Service) => typeof JournalTag.Service
  readonly memory?: (memory: typeof RuleMemory.Service) => typeof RuleMemory.Service
  readonly writer?: (writer: typeof WriterTag.Service) => typeof WriterTag.Service
  readonly killSwitch?: (kill: typeof KillSwitch.Service) => typeof KillSwitch.Service
  readonly limiterStore?: (store: typeof LimiterStore.Service) => typeof LimiterStore.Service
  readonly token?: (token: string) => string
  /** The client's way to the network; what passes it is noted as it then is. */
  readonly http?: (client: HttpClient.HttpClient) => HttpClient.HttpClient
  readonly facts?: (source: typeof FactSourceTag.Service) => typeof FactSourceTag.Service
  /** What somebody does to the store's file when all is over, before its audit chain is verified. */
  readonly tamper?: (filename: string) => void
}

export const { account } = SandboxAccount

export interface Options {
  readonly wrap: Wrap
  /** Whether the process of this life is still there, hanging or not. */
  readonly isAlive: (life: number) => boolean
}

const nameOf = (life: number): string => `life ${life}`
/** The number in a name, with or without what follows. */
const numberOf = (name: string): number => Number(/^life (\d+)/.exec(name)?.[1] ?? 0)

/** How a life holds the account's lock. */
export const holderOf = (life: number, isAlive: Options["isAlive"]) => ({
  holder: nameOf(life),
  abandoned: (holder: string) => !isAlive(numberOf(holder))
})

const senders = (life: number, isAlive: Options["isAlive"]) =>
  Layer.succeed(Senders, { name: nameOf(life), isOver: (name) => !isAlive(numberOf(name)) })

/** Services of one life over its database. */
export const layer = (
  wire: Wire.Wire,
  life: Machine.Life,
  killed: { readonly why: string | undefined },
  { isAlive, wrap }: Options
): Layer.Layer<Services, unknown, SqlClient.SqlClient> => {
  const store = Layer.mergeAll(
    mapped(JournalTag, JournalSql.layer, wrap.journal),
    mapped(RuleMemory, RuleMemorySql.layer, wrap.memory),
    FactMemorySql.layer,
    CalendarMemorySql.layer,
    SnapshotsSql.layer(),
    ChangeLogSql.layer,
    ApprovalsSql.layer,
    LimitsMemorySql.layer,
    DueTimesSql.layer,
    MarkVaultSql.layer,
    OrderEventsSql.layer,
    SupplyOrdersSql.layer,
    Layer.succeed(PackingTables, { packerOf: () => Effect.succeed(undefined) }),
    mapped(LimiterStore, LimiterStoreSql.layer, (found) => {
      const owned = {
        ...found,
        owner: nameOf(life.number),
        alive: (name: string) => isAlive(numberOf(name))
      }
      return wrap.limiterStore === undefined ? owned : wrap.limiterStore(owned)
    })
  ).pipe(Layer.provideMerge(Migrations.layer))
  const network = Wire.client(wire, life)
  const http = Layer.succeed(HttpClient.HttpClient, wrap.http?.(network) ?? network)
  const minted = sandboxToken()
  const client = SandboxAccount.client(wrap.token?.(minted) ?? minted)
  const pulled = SandboxAccount.killSwitch(killed)
  return Layer.mergeAll(
    mapped(WriterTag, Writers.layer(), wrap.writer),
    mapped(FactSourceTag, FactLoader.layer, wrap.facts),
    BoardReader.layer
  ).pipe(
    Layer.provideMerge(client),
    Layer.provideMerge(mapped(KillSwitch, pulled, wrap.killSwitch)),
    Layer.provideMerge(Layer.mergeAll(http, store, senders(life.number, isAlive)))
  )
}

const mapped = <I, S, E, R>(
  tag: Context.Tag<I, S>,
  made: Layer.Layer<I, E, R>,
  change: ((service: S) => S) | undefined
): Layer.Layer<I, E, R> => (change === undefined ? made : Layer.project(made, tag, tag, change))
