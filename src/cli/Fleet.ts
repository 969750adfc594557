/** The accounts that a running program works for, each with its token, client and rules' layers, on one clock. */
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { AccountName } from "../domain/Ids.js"
import * as AccountCycle from "../engine/run/AccountCycle.js"
import type { CycleCall } from "../engine/run/AccountTurn.js"
import { MaxWait } from "../services/Limiter.js"
import { MarketplaceClient } from "../services/MarketplaceClient.js"
import * as Account from "./Account.js"
import type * as Config from "./Config.js"
import * as CycleFigures from "./CycleFigures.js"
import * as Holder from "./Holder.js"
import * as Planning from "./Planning.js"
import { stop } from "./Stop.js"
import * as Workspace from "./Workspace.js"

/** The accounts of the flags: the one named, or all. */
export const choose = (config: Config.Config, flags: Account.Flags) =>
  Effect.gen(function* () {
    const maxWaitMs = yield* Workspace.maxWaitMs(config, flags.maxWait)
    const accounts = Option.isSome(flags.account)
      ? [yield* Workspace.account(config, flags.account)]
      : config.accounts
    const kinds = new Set(accounts.map(({ sandbox }) => sandbox))
    if (kinds.size > 1) {
      return yield* stop(
        1,
        "the configuration mixes accounts of a sandbox with others; their clocks differ: choose one with --account"
      )
    }
    return accounts.map(
      (account): Account.Chosen => ({ config, account, name: AccountName(account.name), maxWaitMs })
    )
  })

/** The clock that all of them live by: the sandbox's for sandbox accounts, the machine's for every other. */
export const clock = ([first]: ReadonlyArray<Account.Chosen>): Effect.Effect<
  Clock.Clock,
  Effect.Effect.Error<ReturnType<typeof Account.during<Clock.Clock, never, never>>>
> => (first === undefined ? Effect.clock : Account.during(first, Effect.clock))

/** Opens the accounts for the scope; answers how to run a cycle of one. */
export const open = (fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.gen(function* () {
    const opened = yield* Effect.forEach(fleet, (chosen) =>
      Effect.map(
        Layer.build(Planning.layer(chosen)),
        (context) => [chosen.name, { chosen, context }] as const
      )
    )
    const accounts: ReadonlyMap<string, Opened> = new Map(opened)
    const cycle = (call: CycleCall): Effect.Effect<AccountCycle.CycleResult> => {
      const found = accounts.get(call.account)
      if (found !== undefined) return cycleOf(found, call)
      return Effect.succeed({ _tag: "Refused", why: `${call.account} is not in the configuration` })
    }
    return cycle
  })

type Services = Layer.Layer.Success<ReturnType<typeof Planning.layer>>

interface Opened {
  readonly chosen: Account.Chosen
  readonly context: Context.Context<Services>
}

const cycleOf = ({ chosen, context }: Opened, { due, loaded, stopping }: CycleCall) => {
  const { tokenKind } = Context.get(context, MarketplaceClient)
  return AccountCycle.run({
    account: chosen.name,
    rules: loaded.rules,
    due,
    options: Planning.options(chosen, tokenKind),
    approvedBy: `schedule, rules ${loaded.version}`,
    currency: chosen.config.currency,
    apply: { holder: Holder.name(), abandoned: Holder.abandoned },
    stopping,
    watching: CycleFigures.watching(chosen.name)
  }).pipe(Effect.provide(context), Effect.provideService(MaxWait, chosen.maxWaitMs))
}
