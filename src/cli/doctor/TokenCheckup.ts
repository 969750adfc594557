/** What `doctor` knows about tokens from the store: whose they are, and what the marketplace refuses to them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Binding, type Refusal, TokenMemory } from "../../services/ports/TokenMemory.js"
import * as SwitchedOff from "../../services/SwitchedOff.js"
import * as Token from "../../services/Token.js"
import * as Account from "../account/Account.js"
import * as TokenBinding from "../account/TokenBinding.js"
import type * as Config from "../config/Config.js"
import * as Store from "../store/Store.js"
import { type Finding, problem, well } from "./Finding.js"

type Read = readonly [Config.Account, Token.Token]

/** One finding per account whose token can be read, and one per refusal; without a store there is nothing to tell. */
export const run = (config: Config.Config, accounts: ReadonlyArray<Config.Account>) =>
  Effect.gen(function* () {
    const read = (yield* Effect.forEach(config.accounts, tokenOf(config))).flat()
    const memory = yield* TokenMemory
    const bindings = yield* memory.bindings
    const found: Array<Finding> = []
    for (const account of accounts) {
      const token = read.find(([{ name }]) => name === account.name)?.[1]
      if (token === undefined) continue
      found.push(seller(account, token, read, bindings))
      const refusals = yield* memory.refusals(account.name)
      const nowMs = yield* Effect.provide(Clock.currentTimeMillis, Account.clockOf(config, account))
      const mark = SwitchedOff.markOf(token)
      found.push(...refusals.filter((one) => SwitchedOff.stands(one, mark, nowMs)).map(refused))
    }
    return found
  }).pipe(
    Effect.provide(Store.layer(config)),
    // An identity that was not looked at must not look like one that is right.
    Effect.catchAll(({ message }) =>
      Effect.succeed([
        problem(
          "sellers of the accounts",
          `were not looked at: ${message}`,
          "mend what it says and ask again"
        )
      ])
    )
  )

/** None when the token cannot be read, which another check tells. */
const tokenOf = (config: Config.Config) => (account: Config.Account) =>
  Token.load(account.token, process.env).pipe(
    Effect.map((token): ReadonlyArray<Read> => [[account, token]]),
    Effect.orElseSucceed((): ReadonlyArray<Read> => []),
    Effect.provide(Account.clockOf(config, account))
  )

const refused = (refusal: Refusal): Finding => {
  const { account, status } = refusal
  const mend =
    status === 402
      ? "pay or renew the service at the marketplace"
      : "use a token that may do it, or order what it needs at the marketplace"
  return problem(
    `refused to ${account}`,
    SwitchedOff.text(refusal),
    `${mend}, then: bidhelm account retry ${account}`
  )
}

const seller = (
  account: Config.Account,
  token: Token.Token,
  all: ReadonlyArray<Read>,
  bindings: ReadonlyArray<Binding>
): Finding => {
  const check = `seller of ${account.name}`
  const objection = TokenBinding.objection(account, token, bindings)
  if (objection !== undefined) return problem(check, objection.says, objection.todo)
  if (token.seller === undefined)
    return well(check, "the token does not tell whose it is, so it cannot be bound to a seller")
  const twin = all.find(([{ name }, other]) => name !== account.name && other.seller === token.seller)
  if (twin !== undefined)
    return problem(
      check,
      `the token of ${twin[0].name} is of the same seller ${token.seller}`,
      "one of them is refused: give it the token of another seller, or take it out of the configuration"
    )
  const own = bindings.some((one) => one.account === account.name)
  return well(check, own ? token.seller : `${token.seller}; bound to it from the first plan on`)
}
