/** `bidhelm account`: what a person decides about an account's token. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Flags from "./Flags.js"
import { help } from "./Help.js"
import * as Output from "./Output.js"
import * as Person from "./Person.js"
import { stop } from "./Stop.js"

const name = Args.text({ name: "NAME" }).pipe(
  Args.withDescription("The account, as the configuration names it")
)

const options = { name, json: Flags.json, config: Flags.config }

interface Asked {
  readonly name: string
  readonly json: boolean
  readonly config: string
}

/** The account with its store and clock; a sandbox is asked for the time, nobody else for anything. */
const opened = ({ config, name }: Asked) =>
  Effect.gen(function* () {
    const Account = yield* Effect.promise(() => import("./Account.js"))
    const Store = yield* Effect.promise(() => import("./Store.js"))
    const { TokenMemory } = yield* Effect.promise(() => import("../services/ports/TokenMemory.js"))
    const chosen = yield* Account.choose({ config, account: Option.some(name), maxWait: Option.none() })
    return { Account, chosen, TokenMemory, store: Store.layer(chosen.config) }
  })

const rebind = Command.make("rebind", options, (flags) =>
  Effect.gen(function* () {
    const { Account, TokenMemory, chosen, store } = yield* opened(flags)
    const Recover = yield* Effect.promise(() => import("../engine/run/Recover.js"))
    const bound = Effect.gen(function* () {
      const { seller } = yield* Account.token(chosen)
      const memory = yield* TokenMemory
      for (const { account } of (yield* memory.bindings).filter(
        (one) => (one.account === chosen.name) !== (one.seller === seller)
      )) {
        const open = yield* Recover.open(account)
        if (open.length > 0)
          return yield* stop(
            1,
            `${account} has ${open.length} changes whose outcome is open; another seller's token cannot read them back. Put the old token in its place and run: bidhelm apply --account ${account}`
          )
      }
      const nowMs = yield* Clock.currentTimeMillis
      return { before: yield* memory.rebind(chosen.name, seller, Person.name(), nowMs), seller }
    })
    const { before, seller } = yield* bound.pipe(Effect.provide(store), Effect.provide(Account.clock(chosen)))
    if (flags.json)
      return yield* Output.json("account", { account: chosen.name, seller: seller ?? null, before })
    const was = before.map(({ account, seller: theirs }) => `before: ${account} of the seller ${theirs}`)
    const now =
      seller === undefined
        ? `${chosen.name}: bound to nobody; its token does not tell whose it is, so nothing can be checked`
        : `${chosen.name}: bound to the seller ${seller}`
    yield* Output.data([now, ...was].join("\n"))
  })
).pipe(Command.withDescription(help("account")))

const retry = Command.make("retry", options, (flags) =>
  Effect.gen(function* () {
    const { Account, TokenMemory, chosen, store } = yield* opened(flags)
    const SwitchedOff = yield* Effect.promise(() => import("../services/SwitchedOff.js"))
    const forgiven = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      return yield* (yield* TokenMemory).forgive(chosen.name, Person.name(), nowMs)
    })
    const found = yield* forgiven.pipe(Effect.provide(store), Effect.provide(Account.clock(chosen)))
    if (flags.json) return yield* Output.json("account", { account: chosen.name, retried: found })
    yield* Output.data(
      found.length === 0
        ? `${chosen.name}: the marketplace refuses nothing that is known here`
        : [
            `${chosen.name}: asked again from now on:`,
            ...found.map((one) => `  ${SwitchedOff.label(one)}`)
          ].join("\n")
    )
  })
).pipe(Command.withDescription(help("account")))

export const command = Command.make("account").pipe(
  Command.withDescription(help("account")),
  Command.withSubcommands([rebind, retry])
)
