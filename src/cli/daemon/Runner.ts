/**
 * How due times get to whoever runs the account: by messages that the store keeps, within this process on SQLite and
 * among several on PostgreSQL. The cluster lives by the machine's clock, cycles by their accounts'.
 */
import * as EntityId from "@effect/cluster/EntityId"
import * as Sharding from "@effect/cluster/Sharding"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Lane from "../../domain/Lane.js"
import type { Turns } from "../../engine/schedule/AccountTurn.js"
import type { Dispatch } from "../../engine/schedule/Dispatch.js"
import * as Ticker from "../../engine/schedule/Ticker.js"
import * as CronTicker from "../../runtime/CronTicker.js"
import * as Retention from "../../runtime/Retention.js"
import * as SellerAccount from "../../runtime/SellerAccount.js"
import { AccountWork } from "../../runtime/SellerAccount.js"
import * as Settings from "../../runtime/Settings.js"
import * as Holder from "../account/Holder.js"
import type * as Config from "../config/Config.js"
import * as Store from "../store/Store.js"
import { stop } from "../terminal/Stop.js"

interface Joining {
  readonly config: Config.Config
  readonly turns: Turns
  /** The accounts' clock. */
  readonly clock: Clock.Clock
}

const machine = Clock.make()

/** Joins for the scope, with the store's `SqlClient`. */
export const join = ({ clock, config, turns }: Joining) =>
  Effect.gen(function* () {
    const database = yield* Layer.build(Store.forCluster(config.store)).pipe(Effect.withClock(machine))
    const cluster = yield* clusterOf(config)
    const entity = SellerAccount.layer(Holder.name()).pipe(
      Layer.provide(Layer.succeed(AccountWork, onClock(turns, clock))),
      Layer.provideMerge(cluster),
      Layer.provide(Layer.succeedContext(database))
    )
    const context = yield* Layer.build(entity).pipe(Effect.withClock(machine))
    const client = yield* Effect.provide(SellerAccount.client, context)
    const sharding = Context.get(context, Sharding.Sharding)
    yield* Retention.always.pipe(Effect.provide(database), Effect.withClock(machine), Effect.forkScoped)
    const submit: Context.Tag.Service<Dispatch>["submit"] = (where, dues) =>
      Effect.withClock(client.store(where, dues), machine)
    /** True while this process has the lane. */
    const has = (where: Lane.AccountLane) =>
      Effect.sync(() => {
        const id = EntityId.make(Lane.key(where))
        return sharding.hasShardId(sharding.getShardId(id, SellerAccount.SellerAccount.getShardGroup(id)))
      })
    return {
      dispatch: { submit },
      /** How the lane stands wherever it is; undefined when its runner does not answer. */
      standing: (where: Lane.AccountLane) =>
        client.standing(where).pipe(
          Effect.timeout("2 seconds"),
          Effect.withClock(machine),
          Effect.orElseSucceed(() => undefined)
        ),
      has,
      /** Tries the lane again at once, wherever it is; a runner that does not answer tries later by itself. */
      wake: (where: Lane.AccountLane) =>
        Effect.flatMap(has(where), (isHere) =>
          isHere
            ? turns.wake(where)
            : client.wake(where).pipe(Effect.timeout("2 seconds"), Effect.withClock(machine), Effect.ignore)
        ),
      ticker: isMachine(clock) ? CronTicker.layer : Ticker.layerVirtual
    }
  })

/** A sandbox's days may pass in minutes; the machine's timetable knows nothing of that. */
const isMachine = (clock: Clock.Clock): boolean =>
  Math.abs(clock.unsafeCurrentTimeMillis() - machine.unsafeCurrentTimeMillis()) < 1000

const clusterOf = ({ runner, store }: Config.Config) =>
  Effect.gen(function* () {
    const shards = runner?.shards ?? Settings.defaults.shards
    if (store._tag === "Sqlite") {
      const Single = yield* Effect.promise(() => import("../../runtime/Single.js"))
      return Single.layer({ shards })
    }
    const Several = yield* Effect.promise(() => import("../../runtime/Several.js"))
    const settings: Settings.Settings = {
      listen: runner?.listen ?? Settings.defaults.listen,
      shards,
      lockSeconds: runner?.lockSeconds ?? Settings.defaults.lockSeconds
    }
    return Several.layer(settings).pipe(Layer.mapError(({ message }) => stop(1, message)))
  })

/** Cycles live by their accounts' clock, whoever calls. */
const onClock = (turns: Turns, clock: Clock.Clock): Turns => ({
  runDue: (where, due) => Effect.withClock(turns.runDue(where, due), clock),
  over: turns.over,
  status: turns.status,
  wake: turns.wake,
  drain: (where) => Effect.withClock(turns.drain(where), clock)
})
