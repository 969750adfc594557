/** What `doctor` reads from an account's token: whether it can be used, until when, and for all that the rules ask of it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Days from "../../domain/Days.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Needs from "../../engine/facts/Needs.js"
import * as Sources from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import * as MaxBid from "../../engine/language/MaxBid.js"
import type { Policy, RuleSet } from "../../engine/language/Policy.js"
import * as Catalogue from "../../services/Catalogue.js"
import type { TokenCategory } from "../../services/Operation.js"
import * as Account from "../account/Account.js"
import type * as Config from "../config/Config.js"
import * as Duration from "../terminal/Duration.js"
import { type Finding, problem, well } from "./Finding.js"

/** An account's token, read when it is asked for first. */
export type TokenOnce = ReturnType<typeof Account.token>

/** One finding; `rules` is undefined when they have errors, which another check tells. */
export const run = (
  config: Config.Config,
  account: Config.Account,
  token: TokenOnce,
  rules: RuleSet | undefined
) =>
  Effect.gen(function* () {
    const check = `token of ${account.name}`
    const read = yield* Effect.either(token)
    if (Either.isLeft(read)) return problem(check, read.left.message, "see the configuration of this account")
    const { categories, expiresAt, kind, readOnly, test } = read.right
    const nowMs = yield* Clock.currentTimeMillis
    const left = expiresAt === undefined ? undefined : expiresAt - nowMs
    const expiry = expiryText(expiresAt, nowMs, config.timeZone)
    const may = categories === undefined ? "categories unknown" : [...categories].sort().join(", ")
    const missing = served(config).filter((category) => categories?.has(category) === false)
    const without = missing.length === 0 ? "" : `, not for the host ${missing.join(" and ")}`
    const says = `kind ${kind}, ${may}${without}, ${expiry}${test ? ", for the test hosts only" : ""}`
    if (categories !== undefined && !categories.has("promotion") && !isOfOrders(rules)) {
      return problem(check, says, "make a token with the category promotion")
    }
    const lacks = rules === undefined || categories === undefined ? [] : lacking(config, rules, categories)
    if (lacks.length > 0) return problem(check, says, remedy(lacks))
    if (left !== undefined && left < 7 * 86_400_000) return problem(check, says, "make a new token in time")
    if (readOnly) return { ...well(check, `${says}, for reading only`), todo: readOnlyRemedy }
    if (categories === undefined && expiresAt === undefined)
      return {
        ...well(check, `${says}; nothing could be read from it`),
        todo: "see that it is the whole token, as the seller's cabinet showed it; bidhelm plan tells whether it is taken"
      }
    return well(check, says)
  }).pipe(
    Effect.provide(Account.clockOf(config, account)),
    Effect.catchAll((error) =>
      Effect.succeed<Finding>(
        problem(`token of ${account.name}`, error.message, "start the sandbox, or take sandbox: true out")
      )
    )
  )

const readOnlyRemedy =
  "plans and lists work, and nothing is sent: apply, approve, undo and what sends orders, supplies, marks or passes are refused, and bidhelm run only looks; for these make a token that may write"

/** Categories that the configured hosts ask for beside advertising's; host and category have the same name. */
const served = ({ hosts }: Config.Config) =>
  (["marketplace", "analytics"] as const).filter((host) => hosts[host] !== undefined)

// What the rules that are switched on ask of a token.

interface Lack {
  readonly category: TokenCategory
  /** Whose rows, conditions or actions need it. */
  readonly policies: ReadonlyArray<string>
}

/** A host that is not configured is asked for nothing: plans and assembly say that it is missing. */
const lacking = (
  { hosts }: Config.Config,
  rules: RuleSet,
  categories: ReadonlySet<TokenCategory>
): ReadonlyArray<Lack> => {
  const needed = new Map<TokenCategory, Array<string>>()
  const need = (id: string, category: TokenCategory) => {
    if (!categories.has(category)) needed.set(category, [...(needed.get(category) ?? []), id])
  }
  for (const policy of rules.policies.filter(isOn)) {
    const asked = operationsOf(policy, rules).flatMap((id) => Catalogue.find(id) ?? [])
    const reached = asked.filter(({ host }) => hosts[host] !== undefined)
    for (const category of new Set(reached.map((one) => one.tokenCategory))) need(policy.id, category)
  }
  if (hosts.marketplace !== undefined)
    for (const { id } of rules.fulfilment.filter(isOn)) need(id, "marketplace")
  return [...needed].map(([category, policies]) => ({ category, policies }))
}

/** Only orders are worked on: nothing that is switched on steers advertising, the limits' own rules among it (`plan` would still read it for these). */
const isOfOrders = (rules: RuleSet | undefined): boolean =>
  rules?.fulfilment.some(isOn) === true &&
  !rules.policies.some(isOn) &&
  !MaxBid.policies(rules.limits).some(({ mode }) => mode === "apply")

const isOn = ({ mode }: { readonly mode: string }): boolean => mode !== "disabled"

/** What is read for a policy: its rows, what its conditions and actions look at, and the account's limits. */
const operationsOf = (policy: Policy, { limits, needsVendorCodes }: RuleSet): ReadonlyArray<string> => {
  const { actionSources, rowSource, stages } = Needs.of(policy, limits, needsVendorCodes)
  const watched = FactRefs.ofClauses(policy.watch?.rollBackWhen ?? []).flatMap(
    ({ id }) => Vocabulary.byFactId(id)?.source ?? []
  )
  const read = [...stages.flatMap(({ sources }) => sources), ...actionSources].map(({ source }) => source)
  return [rowSource, ...read, ...watched].map((source) => Sources.sources[source].operation)
}

const remedy = (lacks: ReadonlyArray<Lack>): string => {
  const wanted = lacks.map(({ category }) => category)
  const noun = wanted.length === 1 ? "category" : "categories"
  const why = lacks.map(({ category, policies }) => `${named(policies)} cannot do without ${category}`)
  return `make a token with the ${noun} ${wanted.join(" and ")}: ${why.join(", ")}; or switch off what needs it, with mode: disabled`
}

/** The first few by name. */
const named = (policies: ReadonlyArray<string>): string => {
  const few = policies.slice(0, 2)
  const more = policies.length - few.length
  return more === 0 ? few.join(" and ") : `${few.join(", ")} and ${more} more`
}

// When a token ends, as a person reads it.

/** Further away than this the year says enough. */
const farMs = 5 * 365 * Days.dayMs

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
  return `expires on ${day}, in ${left < 2 * Days.dayMs ? Duration.format(left) : `${Math.floor(left / Days.dayMs)} d`}`
}
