/** How a runner takes part in a cluster: what `runner:` of the configuration says, and what holds unless it does. */
import type * as ShardingConfig from "@effect/cluster/ShardingConfig"

/** Settings of one `bidhelm run`. */
export interface Settings {
  /** Address at which the other runners reach this one; unauthenticated, so loopback or a private network. */
  readonly listen: { readonly host: string; readonly port: number }
  /** The same number on every runner, and never changed while one runs: `Agreement`. */
  readonly shards: number
  /** After this long without a sign of life a runner's accounts go to the others, seconds; the same on every runner. */
  readonly lockSeconds: number
}

/** The longest `lockSeconds` that a configuration may have. */
export const mostLockSeconds = 600

export const defaults: Settings = {
  listen: { host: "127.0.0.1", port: 34_431 },
  shards: 60,
  lockSeconds: 35
}

/** A cycle of an account that goes to another runner gets this long before it is interrupted. */
const leaving = "5 seconds"

/** What single runner and several have in common. The poll finds messages that nobody announced. */
export const sharding = ({
  shards
}: Pick<Settings, "shards">): Partial<ShardingConfig.ShardingConfig["Type"]> => ({
  shardsPerGroup: shards,
  entityMessagePollInterval: "1 second",
  entityTerminationTimeout: leaving,
  simulateRemoteSerialization: false
})
