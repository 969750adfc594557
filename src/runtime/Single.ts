/**
 * One runner on one SQLite file: the same messages as with several, without a network. That it is the only one is the
 * business of whoever starts it; no shard is locked.
 */
import * as SingleRunner from "@effect/cluster/SingleRunner"
import * as Layer from "effect/Layer"
import { defaults, type Settings, sharding } from "./Settings.js"
import * as StoreWatch from "./StoreWatch.js"

/**
 * No account goes to another runner: one is left when the program ends, and has ended its cycle by then. What is due still
 * would wait this out in vain.
 */
const leaving = "500 millis"

/** Needs the migrated store's `SqlClient`; the cluster's own tables are made here. */
export const layer = (settings: Pick<Settings, "shards"> = defaults) =>
  Layer.orDie(
    SingleRunner.layer({
      shardingConfig: { ...sharding(settings), entityTerminationTimeout: leaving },
      runnerStorage: "memory"
    })
  ).pipe(Layer.provide(StoreWatch.layer("Put the store's file back, or end bidhelm run and start it again")))
