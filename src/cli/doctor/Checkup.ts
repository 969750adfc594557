/**
 * What `doctor` looks at. Asks the hosts without spending a call limit, since any answer shows that they are reachable;
 * one call tells the currency of an account of which nothing is known yet.
 */
import { existsSync } from "node:fs"
import * as HttpClient from "@effect/platform/HttpClient"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import * as Token from "../../services/Token.js"
import * as Account from "../account/Account.js"
import * as TokenBinding from "../account/TokenBinding.js"
import type * as Config from "../config/Config.js"
import * as Workspace from "../config/Workspace.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Duration from "../terminal/Duration.js"
import type { Stop } from "../terminal/Stop.js"
import * as CurrencyCheckup from "./CurrencyCheckup.js"
import { type Finding, problem, well } from "./Finding.js"
import * as RunCheckup from "./RunCheckup.js"
import * as StoreCheckup from "./StoreCheckup.js"
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
    const tokens = yield* Effect.forEach(accounts, (account) => token(config.right, account))
    const store = yield* StoreCheckup.run(config.right)
    return [
      node,
      well("configuration", `${flags.config}: ${config.right.accounts.map((one) => one.name).join(", ")}`),
      checked.finding,
      store.finding,
      ...tokens,
      ...(store.isOpen ? yield* TokenCheckup.run(config.right, accounts) : []),
      ...hosts.flat(),
      ...(store.isOpen ? yield* CurrencyCheckup.run(config.right, accounts) : []),
      ...(yield* RunCheckup.run(config.right, checked.rules, store.isOpen))
    ]
  }).pipe(Effect.provide(NodeHttpClient.layerUndici))

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
      const applying = found.policies.filter((policy) => policy.mode === "apply").length
      const finding = found.limits.killSwitch
        ? problem(
            "rules",
            "the kill switch is on: nothing will be changed",
            "set kill_switch: false in _shared/limits.yaml when it is time"
          )
        : well("rules", `${found.policies.length} policies, ${applying} in mode apply`)
      return { finding, rules: found }
    }
  })

const token = (config: Config.Config, account: Config.Account) =>
  Effect.gen(function* () {
    const check = `token of ${account.name}`
    const read = yield* Effect.either(
      Token.load(
        account.token,
        process.env,
        account.tokenKind === undefined ? {} : { kind: account.tokenKind }
      ).pipe(Effect.mapError((problem) => TokenBinding.explained(account, problem)))
    )
    if (Either.isLeft(read)) return problem(check, read.left.message, "see the configuration of this account")
    const { categories, expiresAt, kind, readOnly, test } = read.right
    const nowMs = yield* Clock.currentTimeMillis
    const left = expiresAt === undefined ? undefined : expiresAt - nowMs
    const expiry = expiryText(expiresAt, nowMs, config.timeZone)
    const may = categories === undefined ? "categories unknown" : [...categories].sort().join(", ")
    const missing = served(config).filter((category) => categories?.has(category) === false)
    const without = missing.length === 0 ? "" : `, not for the host ${missing.join(" and ")}`
    const says = `kind ${kind}, ${may}${without}, ${expiry}${test ? ", for the test hosts only" : ""}`
    if (categories !== undefined && !categories.has("promotion")) {
      return problem(check, says, "make a token with the category promotion")
    }
    if (readOnly)
      return problem(check, `${says}, read only`, "plans work; for apply make a token that may write")
    if (left !== undefined && left < 7 * 86_400_000) return problem(check, says, "make a new token in time")
    if (categories === undefined && expiresAt === undefined)
      return {
        ...well(check, `${says}; nothing could be read from it`),
        todo: "see that it is the whole token, as the seller's cabinet showed it; bidhelm plan tells whether it is taken"
      }
    return well(check, says)
  }).pipe(
    Effect.provide(Account.clockOf(config, account)),
    Effect.catchAll((error) =>
      Effect.succeed(
        problem(`token of ${account.name}`, error.message, "start the sandbox, or take sandbox: true out")
      )
    )
  )

/** Categories that the configured hosts ask for beside advertising's; host and category have the same name. */
const served = ({ hosts }: Config.Config) =>
  (["marketplace", "analytics"] as const).filter((host) => hosts[host] !== undefined)

/** How far the clocks may be apart: a token's expiry and the day's borders depend on them. */
const maxSkewMs = 30_000

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
      skewMs > maxSkewMs
        ? problem(
            `clock of ${name}`,
            `differs by ${Duration.format(skewMs)}`,
            "set this machine's clock (NTP)"
          )
        : well(`clock of ${name}`, "agrees")
    ]
  })

// When a token ends, as a person reads it.

const dayMs = 86_400_000

/** Further away than this the year says enough. */
const farMs = 5 * 365 * dayMs

/**
 * `expires on 2026-12-01, in 9 d`, `does not expire before 2099`, `expired on 2026-01-31`: the day in the account's
 * zone, both instants in epoch milliseconds.
 */
export const expiryText = (expiresAt: number | undefined, nowMs: number, zone: string): string => {
  if (expiresAt === undefined) return "expiry unknown"
  const day = Days.at(expiresAt, zone)
  const left = expiresAt - nowMs
  if (left <= 0) return `expired on ${day}`
  if (left > farMs) return `does not expire before ${day.slice(0, 4)}`
  return `expires on ${day}, in ${left < 2 * dayMs ? Duration.format(left) : `${Math.floor(left / dayMs)} d`}`
}
