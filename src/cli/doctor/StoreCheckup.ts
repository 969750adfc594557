/** What `doctor` looks at of the store: that it can be opened, may be sent from, and who else may read it. */
import { dirname, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Journal } from "../../engine/door/Journal.js"
import * as ServerMark from "../../store/audit/ServerMark.js"
import * as Folder from "../../store/clients/Folder.js"
import * as SqliteClient from "../../store/clients/SqliteClient.js"
import type * as Config from "../config/Config.js"
import * as StoreField from "../config/StoreField.js"
import * as Store from "../store/Store.js"
import * as Duration from "../terminal/Duration.js"
import { type Finding, problem, well } from "./Finding.js"

/** The finding; what needs an open store is not worth looking at without one, and would only say the same again. */
export interface Looked {
  readonly finding: Finding
  readonly isOpen: boolean
}

/** Opens the store as every command does, and says what to mend when that cannot be. */
export const run = (config: Config.Config) =>
  Effect.map(inside(config), (finding): Looked => ({ finding, isOpen: true })).pipe(
    Effect.catchAll((error) => Effect.succeed<Looked>({ finding: shut(config, error), isOpen: false }))
  )

const shut = ({ store }: Config.Config, { message }: { readonly message: string }): Finding =>
  problem(
    "store",
    `${message}; sellers, currencies, kill switches and holds were not looked at, as they are in it`,
    store._tag === "Sqlite"
      ? fileRemedy(store.path)
      : `check store and store_password, and that this works: psql ${store.url}`
  )

const fileRemedy = (path: string): string =>
  Folder.isThere(path)
    ? `${path} is a folder: name a file in it, as in store: sqlite:${path.replace(/\/+$/, "")}/bidhelm.sqlite`
    : `this user must be able to make and write files in ${resolve(dirname(path))}, and its disk must have room; or name another place: store: sqlite:PATH`

const inside = (config: Config.Config) =>
  Effect.gen(function* () {
    const { store } = config
    const journal = yield* Journal
    for (const { name } of config.accounts) {
      const mark = yield* journal.observeOnly(name)
      if (mark !== undefined)
        return problem(
          "store",
          `only looks for ${name}: ${mark.why}`,
          "bidhelm reconcile reads back what was done meanwhile and lifts this"
        )
    }
    const aheadMs = yield* clockAhead(store)
    if (aheadMs !== undefined && Math.abs(aheadMs) > maxStoreSkewMs)
      return problem(
        "store",
        `this machine's clock is ${Duration.format(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"} the database's`,
        "set the clocks of both (NTP): call limits and locks are shared by their time"
      )
    // Opening it has narrowed a file of this user's.
    if (store._tag === "Sqlite" && SqliteClient.isOpenToOthers(store.path))
      return {
        ...well("store", `${store.path}; other users of this machine may read or write it`),
        todo: `it holds the seller's money journal and belongs to another user, who alone can mend that: chmod 600 ${store.path}*`
      }
    return well("store", StoreField.describe(store))
  }).pipe(Effect.provide(Store.layer(config)))

/** A SQLite file has no clock of its own. Whatever clock a sandbox has: machines are compared by theirs. */
const clockAhead = (place: Config.Config["store"]) =>
  place._tag === "Sqlite"
    ? Effect.succeed(undefined)
    : Effect.flatMap(SqlClient.SqlClient, ServerMark.aheadMs).pipe(
        Effect.withClock(Clock.make()),
        Effect.provide(Store.client(place))
      )

/** How far machines that share a store may be apart, beside what the way to it takes. */
const maxStoreSkewMs = 1_000
