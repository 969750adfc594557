/**
 * The program as one life of it runs: real store, limiter, client, writer and engine. `Wrap` is where a planted bug
 * takes the place of a service.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { AccountName } from "../../../src/domain/Ids.js"
import type { Journal } from "../../../src/engine/run/Journal.js"
import { Journal as JournalTag } from "../../../src/engine/run/Journal.js"
import type { FactMemory, Writer } from "../../../src/engine/run/Ports.js"
import { KillSwitch, Writer as WriterTag } from "../../../src/engine/run/Ports.js"
import type { Snapshots } from "../../../src/engine/run/Snapshots.js"
import * as Writers from "../../../src/marketplace/Writers.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as LimiterLive from "../../../src/services/LimiterLive.js"
import * as Client from "../../../src/services/MarketplaceClient.js"
import { LimiterStore } from "../../../src/services/ports/LimiterStore.js"
import * as Token from "../../../src/services/Token.js"
import * as FactMemorySql from "../../../src/store/FactMemorySql.js"
import * as JournalSql from "../../../src/store/JournalSql.js"
import * as LimiterStoreSql from "../../../src/store/LimiterStoreSql.js"
import * as Migrations from "../../../src/store/Migrations.js"
import * as SnapshotsSql from "../../../src/store/SnapshotsSql.js"
import type * as Machine from "./Machine.js"
import * as Wire from "./Wire.js"

export type Services = Client.MarketplaceClient | Journal | FactMemory | Snapshots | Writer | KillSwitch

/** What a planted bug may replace; nothing in the ordinary run. */
export interface Wrap {
  readonly journal?: (journal: typeof JournalTag.Service) => typeof JournalTag.Service
  readonly writer?: (writer: typeof WriterTag.Service) => typeof WriterTag.Service
  readonly killSwitch?: (kill: typeof KillSwitch.Service) => typeof KillSwitch.Service
  readonly limiterStore?: (store: typeof LimiterStore.Service) => typeof LimiterStore.Service
  readonly token?: (token: string) => string
}

export const account = AccountName("shop")

/** Services of one life over its database. */
export const layer = (
  wire: Wire.Wire,
  life: Machine.Life,
  killed: { readonly why: string | undefined },
  wrap: Wrap
): Layer.Layer<Services, unknown, SqlClient.SqlClient> => {
  const store = Layer.mergeAll(
    mapped(JournalTag, JournalSql.layer, wrap.journal),
    FactMemorySql.layer,
    SnapshotsSql.layer(),
    mapped(LimiterStore, LimiterStoreSql.layer, (found) => {
      const owned = {
        ...found,
        owner: `life ${life.number}`,
        alive: (name: string) => name === `life ${life.number}`
      }
      return wrap.limiterStore === undefined ? owned : wrap.limiterStore(owned)
    })
  ).pipe(Layer.provideMerge(Migrations.layer))
  const http = Layer.succeed(HttpClient.HttpClient, Wire.client(wire, life))
  const minted = sandboxToken()
  const token = Either.getOrThrow(Token.parse(wrap.token?.(minted) ?? minted, "of the simulation"))
  const client = Layer.effect(
    Client.MarketplaceClient,
    Client.make({
      account,
      token,
      hosts: { advert: "http://sandbox", analytics: "http://sandbox", calendar: "http://sandbox" }
    })
  ).pipe(Layer.provide(LimiterLive.layer))
  const kill: typeof KillSwitch.Service = { engaged: Effect.sync(() => killed.why) }
  return mapped(WriterTag, Writers.layer(), wrap.writer).pipe(
    Layer.provideMerge(client),
    Layer.provideMerge(
      Layer.mergeAll(http, store, Layer.succeed(KillSwitch, wrap.killSwitch?.(kill) ?? kill))
    )
  )
}

const mapped = <I, S, E, R>(
  tag: Context.Tag<I, S>,
  made: Layer.Layer<I, E, R>,
  change: ((service: S) => S) | undefined
): Layer.Layer<I, E, R> => (change === undefined ? made : Layer.project(made, tag, tag, change))
