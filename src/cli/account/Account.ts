/**
 * The layers of one account: clock, token, store, limiter, client. Commands load this file on demand, because it
 * brings the marketplace's declarations with it.
 */
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { AccountName } from "../../domain/Ids.js"
import * as Json from "../../domain/Json.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import { Senders } from "../../engine/door/Senders.js"
import { type Among, command } from "../../engine/kinds/OperatorHold.js"
import { MaxWait } from "../../services/Limiter.js"
import * as MarketplaceClient from "../../services/MarketplaceClient.js"
import * as Token from "../../services/Token.js"
import * as Wire from "../../services/Wire.js"
import type * as Config from "../config/Config.js"
import * as Workspace from "../config/Workspace.js"
import * as Tables from "../packing/Tables.js"
import * as Store from "../store/Store.js"
import { stop } from "../terminal/Stop.js"
import * as Holder from "./Holder.js"
import * as TokenBinding from "./TokenBinding.js"

/** What the shared options of a command hold. */
export interface Flags {
  readonly config: string
  readonly account: Option.Option<string>
  readonly maxWait: Option.Option<string>
}

/** What the flags mean. */
export interface Chosen {
  readonly config: Config.Config
  readonly account: Config.Account
  readonly name: AccountName
  readonly maxWaitMs: number
  /** Where its rules are from, when not from the folder of the configuration. */
  readonly rulesOfRun?: string
}

export const choose = (flags: Flags) =>
  Effect.gen(function* () {
    const config = yield* Workspace.config(flags.config)
    const account = yield* Workspace.account(config, flags.account)
    const maxWaitMs = yield* Workspace.maxWaitMs(config, flags.maxWait)
    const chosen: Chosen = { config, account, name: AccountName(account.name), maxWaitMs }
    return chosen
  })

/** The account for commands that are told a person: they name it where the configuration has several. */
export const among = ({ config, name }: Pick<Chosen, "config" | "name">): Among => ({
  account: name,
  accounts: config.accounts.length
})

/** A command for a person as it works when it is typed. */
export const told = (chosen: Pick<Chosen, "config" | "name">, words: string): string =>
  command(words, among(chosen))

/** The sandbox's clock for a sandbox account, the machine's for every other. */
export const clock = ({ account, config }: Chosen) => clockOf(config, account)

export const clockOf = (config: Config.Config, account: Config.Account) =>
  account.sandbox
    ? sandboxClockOf(config.hosts.advert).pipe(Layer.provide(NodeHttpClient.layerUndici))
    : Layer.empty

/** The instant of whichever account's clock is furthest behind: what is old by it is old for all of them. */
export const earliestMs = (config: Config.Config) =>
  Effect.map(
    Effect.forEach(config.accounts, (account) =>
      Effect.provide(Clock.currentTimeMillis, clockOf(config, account))
    ),
    (instants) => Math.min(...instants)
  )

/** The token of an account; one that cannot be read in words that mend it. */
export const token = ({ account }: Pick<Chosen, "account">) =>
  Token.load(
    account.token,
    process.env,
    account.tokenKind === undefined ? {} : { kind: account.tokenKind }
  ).pipe(Effect.mapError((problem) => TokenBinding.explained(account, problem)))

const client = (chosen: Chosen) =>
  Layer.effect(
    MarketplaceClient.MarketplaceClient,
    Effect.gen(function* () {
      const { account, config, name } = chosen
      const wire = yield* Either.mapLeft(Wire.make(config.word), (why) => stop(1, why))
      const own = yield* token(chosen)
      yield* TokenBinding.check(account, own)
      return yield* MarketplaceClient.make({
        account: name,
        token: own,
        hosts: config.hosts,
        header: config.header,
        wire: config.word === "platform" ? undefined : wire
      })
    })
  )

/**
 * What all accounts of a configuration use: the store with its limiter, who packs beside it, and the connections to the marketplace. Built
 * once for a thousand accounts, it costs what it costs for one.
 */
export const common = (config: Config.Config) =>
  Layer.mergeAll(Store.layer(config), NodeHttpClient.layerUndici, Tables.layer(config))

/** Store, limiter and client; the clock must be provided around whatever uses them. */
export const layer = (chosen: Chosen, shared: Common = common(chosen.config)) =>
  Layer.merge(client(chosen), senders).pipe(Layer.provideMerge(shared))

const senders = Layer.sync(Senders, () => ({ name: Holder.name(), isOver: Holder.abandoned }))

export type Common = ReturnType<typeof common>

/** Runs an effect on the account's clock and with its patience. */
export const during = <A, E, R>(chosen: Chosen, use: Effect.Effect<A, E, R>) =>
  use.pipe(Effect.provideService(MaxWait, chosen.maxWaitMs), Effect.provide(clock(chosen)))

/** Runs an effect with the account that the flags name. */
export const run = <A, E, R>(flags: Flags, use: (chosen: Chosen) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(choose(flags), (chosen) => during(chosen, Effect.provide(use(chosen), layer(chosen))))

// The clock of an account. A real account has the machine's; a sandbox account has the sandbox's, which may run many
// times faster: otherwise days, delays and limits of the two would not meet.

const Reading = Schema.Struct({ nowMs: Schema.Number, speed: Schema.Number.pipe(Schema.positive()) })

/** Asks a sandbox for its clock. */
export const sandboxClockOf = (host: string) =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      let { least, most, speed } = yield* look(host)
      for (let looks = 1; looks < mostLooks && (looks < leastLooks || most - least > closeMs); looks++) {
        const next = yield* look(host)
        least = Math.max(least, next.least)
        most = Math.min(most, next.most)
      }
      return ScaledClock.layer({ speed, originMs: Math.floor(least + (yield* machineMs) * speed) })
    }).pipe(
      // Inside `bidhelm run` the clock at hand may be a sandbox's, on which five seconds are over at once.
      (asking) => Effect.flatMap(ScaledClock.Machine, (machine) => Effect.withClock(asking, machine)),
      Effect.mapError((error) =>
        stop(
          1,
          `no sandbox answers at ${host} (${error.message}); start one with: bidhelm sandbox --port ${new URL(host).port}`
        )
      )
    )
  )

/**
 * An answer is old by its way here, and a first one by the loading of what reads it: a tenth of a second is six of a
 * sandbox's. Of two processes that are so far apart the one ahead would break a limit that the other has just used, so
 * it is asked until what it can be is known closely, or the machine is too busy for that.
 */
const [leastLooks, mostLooks] = [4, 20]
const closeMs = 1_000

/** Between what the sandbox's clock is ahead of as many times the machine's: its answer was made while we waited. */
const look = (host: string) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    const asked = yield* machineMs
    const { nowMs, speed } = yield* http.get(`${host}/_sandbox/clock`).pipe(
      Effect.flatMap((response) => response.text),
      Effect.flatMap((text) =>
        Effect.mapError(Json.read(text), (why) => stop(1, `its clock's answer is ${why}`))
      ),
      Effect.flatMap(Schema.decodeUnknown(Reading)),
      Effect.timeout("5 seconds"),
      // One that has just been started, or that closed the connection it was to come by, answers the next time.
      Effect.retry(Schedule.intersect(Schedule.spaced("250 millis"), Schedule.recurs(3)))
    )
    return { least: nowMs - (yield* machineMs) * speed, most: nowMs - asked * speed, speed }
  })

/** Of the clock at hand, which is the machine's here. */
const machineMs = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)
