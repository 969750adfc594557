/**
 * Whether accounts are in the currency that the configuration says: amounts in rules would be wrong by a factor, and
 * plans are refused. The last plan that was sent tells; only where none does, or it tells of another currency, one call
 * with a limit of its own is spent.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { AccountName } from "../../domain/Ids.js"
import { Journal } from "../../engine/door/Journal.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as Management from "../../services/areas/advertising/Management.js"
import { MaxWait } from "../../services/Limiter.js"
import * as MarketplaceClient from "../../services/MarketplaceClient.js"
import { TokenMemory } from "../../services/ports/TokenMemory.js"
import * as Token from "../../services/Token.js"
import * as Wire from "../../services/Wire.js"
import * as Account from "../account/Account.js"
import * as TokenBinding from "../account/TokenBinding.js"
import type * as Config from "../config/Config.js"
import * as Store from "../store/Store.js"
import { type Finding, problem, well } from "./Finding.js"

/** One finding per account. Needs a store that can be opened. */
export const run = (config: Config.Config, accounts: ReadonlyArray<Config.Account>) =>
  Effect.forEach(accounts, (account) => one(config, account)).pipe(
    Effect.provide(Store.layer(config)),
    Effect.catchAll(({ message }) => Effect.succeed([notChecked("currencies", message)]))
  )

const one = (config: Config.Config, account: Config.Account) =>
  Effect.gen(function* () {
    const check = `currency of ${account.name}`
    const remembered = yield* lastPlan(account.name)
    if (remembered === config.currency)
      return well(check, `${remembered}, as in the last plan that was applied`)
    const told = yield* Effect.either(asked(config, account))
    const found = Either.isRight(told) ? told.right : remembered
    if (found === undefined) return notChecked(check, Either.isLeft(told) ? told.left : "it was not told")
    return found === config.currency ? well(check, found) : other(check, config.currency, found)
  })

const other = (check: string, configured: string, found: string): Finding =>
  problem(
    check,
    `the account is in ${cleanLine(found)}, the configuration says ${configured}: plans are refused`,
    `write currency: ${cleanLine(found)} and check every amount in the rules; they mean that currency then`
  )

/** No failure: every plan compares the two itself before anything is sent. */
const notChecked = (check: string, why: string): Finding =>
  well(check, `not checked: ${cleanLine(why)}; every plan looks before anything is sent`)

/** The currency of the last run's plan. */
const lastPlan = (account: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const [last] = yield* journal.runs(account, 1)
    return last === undefined ? undefined : (yield* journal.plan(last.planId))?.currency
  })

/** What the marketplace says; fails with why it cannot be asked. Binds the account to no seller: a plan does that. */
const asked = (config: Config.Config, account: Config.Account) =>
  Effect.gen(function* () {
    const kind = account.tokenKind === undefined ? {} : { kind: account.tokenKind }
    const token = yield* Token.load(account.token, process.env, kind)
    const memory = yield* TokenMemory
    const objection = TokenBinding.objection(account, token, yield* memory.bindings)
    if (objection !== undefined) return yield* Effect.fail({ message: objection.says })
    const wire = yield* Either.mapLeft(Wire.make(config.word), (message) => ({ message }))
    const client = yield* MarketplaceClient.make({
      account: AccountName(account.name),
      token,
      hosts: config.hosts,
      header: config.header,
      wire: config.word === "platform" ? undefined : wire
    }).pipe(
      // What is refused here is no plan's loss, and must not be told as one by the next look.
      Effect.provideService(TokenMemory, { ...memory, refused: () => Effect.void })
    )
    return (yield* Management.make(client).config).currency
  }).pipe(
    Effect.provideService(MaxWait, 0),
    Effect.provide(Account.clockOf(config, account)),
    Effect.timeoutFail({
      duration: "15 seconds",
      onTimeout: () => ({ message: "the marketplace did not answer in 15 seconds" })
    }),
    Effect.withClock(Clock.make()),
    Effect.mapError(({ message }) => message)
  )
