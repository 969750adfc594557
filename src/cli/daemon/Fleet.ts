/** The accounts that a running program works for, each with its token, client and rules' layers, on one clock. */
import * as FileSystem from "@effect/platform/FileSystem"
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { AccountName } from "../../domain/Ids.js"
import * as AccountCycle from "../../engine/planning/AccountCycle.js"
import type { PolicyCall } from "../../engine/planning/PolicyJobs.js"
import type { CycleResult } from "../../engine/schedule/Job.js"
import { MaxWait } from "../../services/Limiter.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import type * as Config from "../config/Config.js"
import * as Workspace from "../config/Workspace.js"
import * as Planning from "../plan/Planning.js"
import { stop } from "../terminal/Stop.js"
import * as CycleFigures from "./CycleFigures.js"
import * as SpeedKept from "./SpeedKept.js"

/** The accounts of the flags: the one named, or all. */
export const choose = (
  config: Config.Config,
  flags: Account.Flags & { readonly rules?: Option.Option<string> }
) =>
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
    const rulesOfRun = Option.getOrUndefined(flags.rules ?? Option.none())
    return accounts.map(
      (account): Account.Chosen => ({
        config,
        account,
        name: AccountName(account.name),
        maxWaitMs,
        ...(rulesOfRun === undefined ? {} : { rulesOfRun })
      })
    )
  })

/** The clock that all of them live by: the sandbox's for sandbox accounts, the machine's for every other. */
export const clock = ([first]: ReadonlyArray<Account.Chosen>): Effect.Effect<
  Clock.Clock,
  Effect.Effect.Error<ReturnType<typeof Account.during<Clock.Clock, never, never>>>
> => (first === undefined ? Effect.clock : Account.during(first, Effect.clock))

/**
 * Opens what the accounts of a configuration share, for the scope; answers how to run a cycle of one. What an account
 * needs for itself is made for each cycle and forgotten after it: nothing that was read in one cycle is believed in the
 * next, a new token is found, and a thousand accounts that wait for their turn need no memory.
 */
export const open = (config: Config.Config, fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.gen(function* () {
    yield* tokens(config, fleet)
    const common = Layer.succeedContext(yield* Layer.build(Account.common(config)))
    const files = yield* FileSystem.FileSystem
    const accounts = new Map(fleet.map((chosen) => [chosen.name as string, chosen]))
    const speed = SpeedKept.watch()
    return (call: PolicyCall): Effect.Effect<CycleResult> => {
      const chosen = accounts.get(call.account)
      if (chosen === undefined)
        return refused(`${call.account} is not among the accounts that this program was started for`)
      const schedules = call.loaded.rules.policies.filter(({ id }) => call.due.has(id))
      return speed(cycleOf(chosen, call), schedules).pipe(
        Effect.provide(Planning.layer(chosen, common)),
        Effect.provideService(FileSystem.FileSystem, files),
        Effect.catchAll((error) =>
          error._tag === "StoreFailure"
            ? Effect.succeed<CycleResult>({ _tag: "StoreFailed", why: error.message })
            : refused(error.message)
        )
      )
    }
  })

/**
 * A token that is missing or has expired is told at the start; the other accounts do not wait for it. One that only this
 * machine of several does not have ends it: the account would come here and stand still.
 */
const tokens = (config: Config.Config, fleet: ReadonlyArray<Account.Chosen>) =>
  Effect.gen(function* () {
    const found = yield* Effect.forEach(fleet, (chosen) => Effect.either(Account.token(chosen)))
    const problems = found.flatMap((one, i) =>
      Either.isLeft(one) ? [{ name: fleet[i]?.name, problem: one.left }] : []
    )
    const [first] = problems
    if (first === undefined) return
    const own = problems.find(({ problem }) => problem.reason !== "expired")
    if (own !== undefined && config.store._tag === "Postgres") return yield* own.problem
    if (problems.length === fleet.length) return yield* first.problem
    for (const { name, problem } of problems) yield* Effect.logWarning(`${name}: ${problem.message}`)
  })

const refused = (why: string) => Effect.succeed<CycleResult>({ _tag: "Refused", why })

const cycleOf = (chosen: Account.Chosen, { away, doing, due, loaded, planned, stopping }: PolicyCall) =>
  Effect.gen(function* () {
    const { tokenKind } = yield* MarketplaceClient
    return yield* AccountCycle.run({
      account: chosen.name,
      rules: loaded.rules,
      due,
      options: Planning.scheduled(chosen, tokenKind),
      approvedBy: `schedule, rules ${loaded.version}`,
      currency: chosen.config.currency,
      apply: { holder: Holder.name(), abandoned: Holder.abandoned },
      stopping,
      ...(planned === undefined ? {} : { planned }),
      ...(away === undefined ? {} : { away }),
      ...(doing === undefined ? {} : { doing }),
      watching: CycleFigures.watching(chosen.name)
    })
  }).pipe(Effect.provideService(MaxWait, chosen.maxWaitMs))
