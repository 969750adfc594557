/**
 * Several runners on one PostgreSQL. Shards are held by rows that run out, never by the connection: a runner that
 * hangs would keep an advisory lock for ever. A woken runner that lost its shards is refused by the journal.
 */
import * as RunnerAddress from "@effect/cluster/RunnerAddress"
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"
import * as NodeClusterSocket from "@effect/platform-node/NodeClusterSocket"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schedule from "effect/Schedule"
import * as Agreement from "./Agreement.js"
import { type Settings, sharding } from "./Settings.js"
import * as StoreWatch from "./StoreWatch.js"

/**
 * Joins the cluster; needs the migrated store's `SqlClient`. Runners that boot at the same instant may both make the
 * cluster's tables and one of them is turned away: it tries again.
 */
export const layer = (settings: Settings) =>
  NodeClusterSocket.layer({ storage: "sql", shardingConfig: configOf(settings) }).pipe(
    // The library gives up on a table that another runner is just making.
    Layer.catchAllCause((cause) =>
      Layer.fail(new NotJoined({ message: `this runner cannot join the others: ${why(cause, settings)}` }))
    ),
    Layer.retry(Schedule.intersect(Schedule.spaced("500 millis"), Schedule.recurs(20))),
    // Closed after the cluster, which may still fail to give back what it has.
    Layer.provide(StoreWatch.layer("See that PostgreSQL runs and that this machine reaches it")),
    Layer.provide(agreement(settings))
  )

/** Turns away who would share accounts out otherwise than the runners that are there. */
const agreement = (settings: Settings) =>
  Layer.effectDiscard(
    Effect.flatMap(
      Effect.mapError(Agreement.joining(settings), ({ message }) => message),
      (problem) => (problem === undefined ? Effect.void : Effect.fail(problem))
    ).pipe(Effect.mapError((why) => new NotJoined({ message: `this runner cannot join the others: ${why}` })))
  )

/** The database or the address could not be used. */
class NotJoined extends Data.TaggedError("NotJoined")<{ readonly message: string }> {}

const why = (cause: Cause.Cause<unknown>, { listen }: Settings): string => {
  const failure = Option.getOrUndefined(Cause.failureOption(cause))
  if (!Predicate.isTagged(failure, "SocketServerError")) return Cause.pretty(cause)
  const said = "cause" in failure && failure.cause instanceof Error ? failure.cause.message : "it is not free"
  return (
    `it cannot listen at ${listen.host}:${listen.port}: ${said}; ` +
    "choose another address of this machine as runner: listen, different on every machine"
  )
}

/** Three signs of life fit into the time after which a runner counts as gone. */
const configOf = (settings: Settings): Partial<ShardingConfig.ShardingConfig["Type"]> => {
  const { listen, lockSeconds } = settings
  const address = RunnerAddress.make(listen.host, listen.port)
  return {
    ...sharding(settings),
    runnerAddress: Option.some(address),
    runnerListenAddress: Option.some(address),
    shardLockDisableAdvisory: true,
    shardLockExpiration: `${lockSeconds} seconds`,
    shardLockRefreshInterval: `${Math.max(1, Math.floor(lockSeconds / 3))} seconds`,
    runnerHealthCheckInterval: `${Math.max(1, Math.floor(lockSeconds / 3))} seconds`,
    refreshAssignmentsInterval: `${Math.max(1, Math.min(3, Math.floor(lockSeconds / 6)))} seconds`
  }
}
