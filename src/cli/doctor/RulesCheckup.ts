/** What `doctor` looks at of the rules: whether what guards an account's money is gone, and whether starters act that nobody has edited. */

import { basename } from "node:path"
import * as Effect from "effect/Effect"
import * as Plural from "../../domain/Plural.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as FloorsKept from "../../engine/planning/FloorsKept.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import type { LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import type * as Config from "../config/Config.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Store from "../store/Store.js"
import { shippedRules } from "../terminal/PackageFiles.js"
import { type Finding, problem, well } from "./Finding.js"

/** Limits of the account and price floors that are not there, or gone. Nothing of rules with errors, which another check tells. */
export const guards = (
  config: Config.Config,
  accounts: ReadonlyArray<Config.Account>,
  rules: RuleSet | undefined,
  isStoreOpen: boolean
) => {
  if (rules === undefined) return Effect.succeed<ReadonlyArray<Finding>>([])
  const found = <A>(look: (account: string) => Effect.Effect<A | undefined, unknown, LimitsMemory>) =>
    Effect.forEach(accounts, ({ name }) => Effect.map(look(name), (gone) => ({ name, gone })))
  const isLacking = !LimitsKept.areThere(rules)
  const isFiling = enrols(rules)
  const looked = Effect.gen(function* () {
    const stood = isLacking ? yield* found(LimitsKept.stoodFor) : []
    const lost = isFiling ? yield* found((account) => FloorsKept.gone(account, rules)) : []
    return { stood, lost }
  }).pipe(Effect.provide(Store.layer(config)))
  const nothing = { stood: [], lost: [] }
  const about = (check: string, name: string) => (accounts.length > 1 ? `${check} ${name}` : check)
  return Effect.gen(function* () {
    const { lost, stood } =
      isStoreOpen && (isLacking || isFiling) ? yield* Effect.orElseSucceed(looked, () => nothing) : nothing
    const limits = stood.flatMap(({ gone, name }) =>
      gone === undefined
        ? []
        : [problem(about("limits of the account", name), `${gone}: nothing is sent`, LimitsKept.remedy)]
    )
    const floors = lost.flatMap(({ gone, name }) => {
      if (gone === undefined) return []
      const { limit, over } = HeldReasons.words(
        { code: "price_floors_gone", ...gone },
        { currency: config.currency }
      )
      return [
        problem(about("price floors of the account", name), `${limit}: nothing joins a promotion`, over)
      ]
    })
    return [...(limits.length > 0 ? limits : without(rules)), ...floors]
  })
}

/** Rules that never had limits of the account. */
const without = (rules: RuleSet): ReadonlyArray<Finding> => {
  const says = RuleFiles.withoutLimits(rules)
  return says === undefined
    ? []
    : [{ ...well("limits of the account", says), todo: "write them into _shared/limits.yaml" }]
}

const enrols = ({ policies }: RuleSet): boolean =>
  policies.some((policy) => policy.mode !== "disabled" && PolicyJobs.laneOf(policy) === "promotions")

/**
 * Shipped rules that act at once on an account that is no sandbox's, as nobody meant them to: `init` writes them so for the sandbox
 * alone. Nothing of rules with errors. A file that somebody has edited was read by somebody.
 */
export const starters = (
  config: Config.Config,
  accounts: ReadonlyArray<Config.Account>,
  rules: RuleSet | undefined
) =>
  Effect.gen(function* () {
    const real = accounts.filter(({ sandbox }) => !sandbox).map(({ name }) => name)
    if (rules === undefined || real.length === 0) return []
    const acting = new Set(
      [...rules.policies, ...rules.fulfilment].flatMap(({ file, mode }) => (mode === "apply" ? [file] : []))
    )
    const shipped = new Set(shippedRules().map(({ content }) => content))
    const files = yield* Effect.orElseSucceed(RuleFiles.find([config.rulesFolder]), () => [])
    const found = files.filter(({ path, text }) => acting.has(path) && shipped.has(text))
    return found.length === 0
      ? []
      : [
          unread(
            found.map(({ path }) => basename(path, ".yaml")),
            real
          )
        ]
  })

const unread = (names: ReadonlyArray<string>, accounts: ReadonlyArray<string>): Finding => {
  const count = `${Plural.of(names.length, "rule")} ${Plural.choose(names.length, "acts", "act")}`
  return {
    ...well(
      "starter rules",
      `Attention: ${count} at once on ${accounts.join(", ")} as bidhelm init wrote ${Plural.choose(names.length, "it", "them")} for the sandbox: ${names.join(", ")}`
    ),
    todo: "write mode: preview in each, edit what its head says, and see what bidhelm plan shows before mode: apply; a file that was edited is not named here"
  }
}
