/**
 * An account belongs to the seller whose token was the first under its name. A token of another seller, or a second
 * account of one seller, ends every command that would ask or send before it does.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../engine/run/Ports.js"
import { type Binding, TokenMemory, type TokenMemoryFailure } from "../services/ports/TokenMemory.js"
import * as Token from "../services/Token.js"
import type * as Config from "./Config.js"
import { stop } from "./Stop.js"

/** Binds an account that has no seller yet; ends the command when the token is somebody else's. */
export const check = (account: Config.Account, token: Token.Token) =>
  Effect.gen(function* () {
    const memory = yield* TokenMemory
    if (token.seller === undefined) {
      const own = (yield* memory.bindings).find((one) => one.account === account.name)
      return own === undefined ? undefined : yield* refused(untold(account, own))
    }
    const at = yield* Clock.currentTimeMillis
    const bound = yield* memory.bind({ account: account.name, seller: token.seller, at, by: "first use" })
    if (bound._tag === "Other") return yield* refused(other(account, token.seller, bound.binding))
    if (bound._tag === "Taken") return yield* refused(taken(account, token.seller, bound.binding))
  }).pipe(Effect.catchTag("TokenMemoryFailure", (failure) => Effect.fail(storeFailure(failure))))

/** As the commands know it. */
export const storeFailure = ({ action, cause, hint }: TokenMemoryFailure): StoreFailure =>
  new StoreFailure({ action, hint, cause })

/** What is wrong, and how it is mended. */
export interface Objection {
  readonly says: string
  readonly todo: string
}

/** What speaks against a token by what is bound now; undefined when nothing does. */
export const objection = (
  account: Config.Account,
  { seller }: Pick<Token.Token, "seller">,
  bindings: ReadonlyArray<Binding>
): Objection | undefined => {
  const own = bindings.find((one) => one.account === account.name)
  if (own !== undefined) {
    if (seller === undefined) return untold(account, own)
    return own.seller === seller ? undefined : other(account, seller, own)
  }
  const found = seller === undefined ? undefined : bindings.find((one) => one.seller === seller)
  return found === undefined || seller === undefined ? undefined : taken(account, seller, found)
}

const other = (
  { name, token }: Config.Account,
  seller: string,
  { at, seller: before }: Binding
): Objection => ({
  says: `account ${name} belongs to the seller ${before} since ${day(at)}, but the token ${Token.sourceOf(token)} is of the seller ${seller}`,
  todo: `put the right token there; if ${name} is meant for the other seller from now on: bidhelm account rebind ${name}`
})

const untold = ({ name, token }: Config.Account, { at, seller }: Binding): Objection => ({
  says: `account ${name} belongs to the seller ${seller} since ${day(at)}, but the token ${Token.sourceOf(token)} does not tell whose it is`,
  todo: `put a token of that seller there; if this one is right: bidhelm account rebind ${name}`
})

const taken = ({ name, token }: Config.Account, seller: string, { account, at }: Binding): Objection => ({
  says: `the token ${Token.sourceOf(token)} is of the seller ${seller}, who is the account ${account} since ${day(at)}; two accounts of one seller would use up its call limits twice`,
  todo: `use the account ${account}, or give ${name} the token of another seller; if ${account} is called ${name} now: bidhelm account rebind ${name}`
})

const refused = ({ says, todo }: Objection) =>
  Effect.fail(stop(1, `${says}. Nothing was asked or sent; ${todo}`))

/** `2026-09-01`. */
const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
