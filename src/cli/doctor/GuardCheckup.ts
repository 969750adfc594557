/** What `doctor` looks at of what guards an account's money: its limits and its price floors, and whether they are gone. */
import * as Effect from "effect/Effect"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as FloorsKept from "../../engine/planning/FloorsKept.js"
import * as LimitsKept from "../../engine/planning/LimitsKept.js"
import type { LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as PolicyJobs from "../../engine/planning/PolicyJobs.js"
import * as HeldReasons from "../../reporting/HeldReasons.js"
import type * as Config from "../config/Config.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Store from "../store/Store.js"
import { type Finding, problem, well } from "./Finding.js"

/** Nothing of rules with errors, which another check tells. */
export const run = (
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
