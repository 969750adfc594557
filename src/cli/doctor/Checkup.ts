/**
 * What `doctor` looks at. Asks the hosts without spending a call limit, since any answer shows that they are reachable;
 * one call tells the currency of an account of which nothing is known yet.
 */
import { existsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { AccountName } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import { StoreFailure } from "../../domain/StoreFailure.js"
import { Journal } from "../../engine/door/Journal.js"
import type { Mode } from "../../engine/language/Mode.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as Management from "../../services/areas/advertising/Management.js"
import { MaxWait } from "../../services/Limiter.js"
import { maxApartMs } from "../../services/MarketClock.js"
import * as MarketplaceClient from "../../services/MarketplaceClient.js"
import { type Binding, type Refusal, TokenMemory } from "../../services/ports/TokenMemory.js"
import * as SwitchedOff from "../../services/SwitchedOff.js"
import type * as Token from "../../services/Token.js"
import * as Wire from "../../services/Wire.js"
import * as SerialMarker from "../../store/audit/SerialMarker.js"
import * as ServerMark from "../../store/audit/ServerMark.js"
import * as Failure from "../../store/clients/Failure.js"
import * as Folder from "../../store/clients/Folder.js"
import * as SqliteClient from "../../store/clients/SqliteClient.js"
import * as Account from "../account/Account.js"
import * as TokenBinding from "../account/TokenBinding.js"
import type * as Config from "../config/Config.js"
import * as StoreField from "../config/StoreField.js"
import * as Workspace from "../config/Workspace.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Store from "../store/Store.js"
import * as Duration from "../terminal/Duration.js"
import type { Stop } from "../terminal/Stop.js"
import { type Finding, problem, unknown, well } from "./Finding.js"
import * as RulesCheckup from "./RulesCheckup.js"
import * as RunCheckup from "./RunCheckup.js"
import * as TokenCheckup from "./TokenCheckup.js"

/** Every check of every account, or of one; a configuration that cannot be read ends it early. */
export const run = (flags: { readonly config: string; readonly account: Option.Option<string> }) =>
  Effect.gen(function* () {
    const node = nodeVersion(process.versions.node)
    const config = yield* Effect.either(Workspace.config(flags.config))
    if (Either.isLeft(config)) {
      return [
        node,
        problem(
          "configuration",
          config.left.message,
          existsSync(flags.config) ? "mend the file; every command reads it" : "write one with: bidhelm init"
        )
      ]
    }
    const accounts = Option.isNone(flags.account)
      ? config.right.accounts
      : [yield* Workspace.account(config.right, flags.account)]
    // A sandbox lives by a clock of its own, which may run faster than this machine's.
    const ownTime = config.right.accounts.every(({ sandbox }) => sandbox)
    const hosts = yield* Effect.forEach(Object.entries(config.right.hosts), ([name, url]) =>
      host(name, url, ownTime)
    )
    const checked = yield* rules(config.right.rulesFolder)
    const tokenOf: TokenOf = yield* Effect.cachedFunction((account: Config.Account) =>
      Account.token({ account })
    )
    const tokens = yield* Effect.forEach(accounts, (account) =>
      TokenCheckup.run(config.right, account, tokenOf(account), checked.rules)
    )
    const store = yield* storeFindings(config.right)
    return [
      node,
      well("configuration", `${flags.config}: ${config.right.accounts.map((one) => one.name).join(", ")}`),
      checked.finding,
      ...(yield* RulesCheckup.starters(config.right, accounts, checked.rules)),
      store.finding,
      ...(yield* RulesCheckup.guards(config.right, accounts, checked.rules, store.isOpen)),
      ...tokens,
      ...(store.isOpen ? yield* tokenFindings(config.right, accounts, tokenOf) : []),
      ...hosts.flat(),
      ...(store.isOpen ? yield* currency(config.right, accounts, tokenOf) : []),
      ...(yield* RunCheckup.run(config.right, checked.rules, store.isOpen))
    ]
  }).pipe(Effect.provide(NodeHttpClient.layerUndici))

type TokenOf = (account: Config.Account) => TokenCheckup.TokenOnce

const nodeVersion = (version: string): Finding => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major > 20 || (major === 20 && minor >= 19)
    ? well("node", version)
    : problem("node", version, "install Node 20.19 or newer")
}

const rules = (folder: string) =>
  Effect.match(RuleFiles.load(folder), {
    onFailure: (error: Stop) => ({
      finding: problem("rules", error.message, "bidhelm check names every problem"),
      rules: undefined
    }),
    onSuccess: (found) => {
      const policies = [...found.policies, ...found.fulfilment]
      const inMode = (mode: Mode) => policies.filter((policy) => policy.mode === mode).length
      const disabled = inMode("disabled")
      const finding = found.limits.killSwitch
        ? problem(
            "rules",
            "the kill switch is on: nothing will be changed",
            "set kill_switch: false in _shared/limits.yaml when it is time"
          )
        : well(
            "rules",
            `${Plural.of(policies.length, "policy", "policies")}: ${inMode("apply")} in mode apply, ${inMode("approve")} in mode approve, ${inMode("preview")} in mode preview${disabled === 0 ? "" : `, ${disabled} disabled`}`
          )
      return { finding, rules: found }
    }
  })

const host = (name: string, url: string, ownTime: boolean) =>
  Effect.gen(function* () {
    const check = `host ${name}`
    const http = yield* HttpClient.HttpClient
    const answer = yield* Effect.either(http.head(url).pipe(Effect.timeout("10 seconds")))
    if (Either.isLeft(answer)) {
      return [problem(check, `${url} does not answer`, "check the address, the network and the proxy")]
    }
    const nowMs = yield* Clock.currentTimeMillis
    const date = Date.parse(answer.right.headers.date ?? "")
    const reachable = well(check, `${url} answers`)
    if (ownTime || Number.isNaN(date)) return [reachable]
    const skewMs = Math.abs(nowMs - date)
    return [
      reachable,
      skewMs > maxApartMs
        ? problem(
            `clock of ${name}`,
            `differs by ${Duration.format(skewMs)}`,
            "set this machine's clock (NTP)"
          )
        : well(`clock of ${name}`, "agrees")
    ]
  })

// Whether accounts are in the currency that the configuration says: amounts in rules would be wrong by a factor, and
// plans are refused. The last plan that was sent tells; only where none does, or it tells of another currency, one
// call with a limit of its own is spent.

/** One finding per account. Needs a store that can be opened. */
const currency = (config: Config.Config, accounts: ReadonlyArray<Config.Account>, tokenOf: TokenOf) =>
  Effect.forEach(accounts, (account) => one(config, account, tokenOf)).pipe(
    Effect.provide(Store.layer(config)),
    Effect.catchAll(({ message }) => Effect.succeed([notChecked("currencies", message)]))
  )

const one = (config: Config.Config, account: Config.Account, tokenOf: TokenOf) =>
  Effect.gen(function* () {
    const check = `currency of ${account.name}`
    const remembered = yield* lastPlan(account.name)
    if (remembered === config.currency)
      return well(check, `${remembered}, as in the last plan that was applied`)
    const told = yield* Effect.either(asked(config, account, tokenOf))
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
  unknown(check, `not checked: ${cleanLine(why)}; every plan looks before anything is sent`)

/** The currency of the last run's plan. */
const lastPlan = (account: string) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const [last] = yield* journal.runs(account, 1)
    return last === undefined ? undefined : (yield* memory.plan(last.planId))?.currency
  })

/** What the marketplace says; fails with why it cannot be asked. Binds the account to no seller: a plan does that. */
const asked = (config: Config.Config, account: Config.Account, tokenOf: TokenOf) =>
  Effect.gen(function* () {
    const token = yield* tokenOf(account)
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

// What `doctor` looks at of the store: that it can be opened, may be sent from, and who else may read it.

/** The finding; what needs an open store is not worth looking at without one, and would only say the same again. */
interface Looked {
  readonly finding: Finding
  readonly isOpen: boolean
}

/** Opens the store as every command does, and says what to mend when that cannot be. */
const storeFindings = (config: Config.Config) =>
  Effect.map(inside(config), (finding): Looked => ({ finding, isOpen: true })).pipe(
    Effect.catchAll((error) => Effect.succeed<Looked>({ finding: shut(config, error), isOpen: false }))
  )

const shut = ({ store }: Config.Config, error: { readonly message: string }): Finding =>
  problem(
    "store",
    `${error.message}; sellers, currencies, kill switches and holds were not looked at, as they are in it`,
    error instanceof StoreFailure && Failure.isMendedAsSaid(error)
      ? "mend what it says and ask again"
      : store._tag === "Sqlite"
        ? fileRemedy(store.path)
        : `check store and store_password, and that this works: psql ${store.url}`
  )

const fileRemedy = (path: string): string =>
  Folder.isThere(path)
    ? `${path} is a folder: name a file in it, as in store: sqlite:${path.replace(/\/+$/, "")}/bidhelm.sqlite`
    : `this user must be able to make and write files in ${resolve(dirname(path))}, and its disk must have room; or name another place: store: sqlite:PATH`

const inside = (config: Config.Config) =>
  Effect.gen(function* () {
    const { store } = config
    const trouble = yield* Effect.provide(troubleOf(config), Store.layer(config))
    if (trouble !== undefined) return trouble
    const unnoted = yield* noting(config)
    if (unnoted !== undefined)
      return problem(
        "store",
        `${unnoted}; ${SerialMarker.unnoticed}`,
        store._tag === "Sqlite"
          ? `move away what is in the place of ${Store.serialPath(config)}, or let this user replace it`
          : "let this user write there, or name another folder as machine_folder: in the configuration"
      )
    // Opening it has narrowed a file of this user's.
    if (store._tag === "Sqlite" && SqliteClient.isOpenToOthers(store.path))
      return {
        ...well("store", `${store.path}; other users of this machine may read or write it`),
        todo: `it holds the seller's money journal and belongs to another user, who alone can mend that: chmod 600 ${store.path}*`
      }
    return well("store", StoreField.describe(store))
  })

const troubleOf = (config: Config.Config) =>
  Effect.gen(function* () {
    const { store } = config
    const journal = yield* Journal
    for (const { name } of config.accounts) {
      const mark = yield* journal.observeOnly(name)
      if (mark !== undefined)
        return problem(
          "store",
          `only looks for ${name}: ${mark.why}`,
          "bidhelm reconcile reads back what was done meanwhile and lifts this"
        )
    }
    const aheadMs = yield* clockAhead(store)
    if (aheadMs !== undefined && Math.abs(aheadMs) > maxStoreSkewMs)
      return problem(
        "store",
        `this machine's clock is ${Duration.format(Math.abs(aheadMs))} ${aheadMs > 0 ? "ahead of" : "behind"} the database's`,
        "set the clocks of both (NTP): call limits and locks are shared by their time"
      )
    return undefined
  })

/** A SQLite file has no clock of its own. Whatever clock a sandbox has: machines are compared by theirs. */
const clockAhead = (place: Config.Config["store"]) =>
  place._tag === "Sqlite"
    ? Effect.succeed(undefined)
    : Effect.flatMap(SqlClient.SqlClient, ServerMark.aheadMs).pipe(
        Effect.withClock(Clock.make()),
        Effect.provide(Store.client(place))
      )

/** Why this machine cannot note where the chains of a database end. */
const noting = (config: Config.Config) =>
  SerialMarker.note(Store.serialPath(config)).pipe(
    Effect.provide(Store.client(config.store)),
    Effect.match({ onFailure: ({ message }) => message, onSuccess: () => undefined })
  )

/** How far machines that share a store may be apart, beside what the way to it takes. */
const maxStoreSkewMs = 1_000

// What `doctor` knows about tokens from the store: whose they are, and what the marketplace refuses to them.

type Read = readonly [Config.Account, Token.Token]

/** One finding per account whose token can be read, and one per refusal; without a store there is nothing to tell. */
const tokenFindings = (config: Config.Config, accounts: ReadonlyArray<Config.Account>, tokenOf: TokenOf) =>
  Effect.gen(function* () {
    const read = (yield* Effect.forEach(config.accounts, readable(config, tokenOf))).flat()
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
const readable = (config: Config.Config, tokenOf: TokenOf) => (account: Config.Account) =>
  tokenOf(account).pipe(
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
