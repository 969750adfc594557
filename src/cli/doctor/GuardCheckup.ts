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
  const first = <A>(look: (account: string) => Effect.Effect<A | undefined, unknown, LimitsMemory>) =>
    isStoreOpen
      ? Effect.forEach(accounts, ({ name }) => look(name)).pipe(
          Effect.map((found) => found.find((one) => one !== undefined)),
          Effect.provide(Store.layer(config)),
          Effect.orElseSucceed(() => undefined)
        )
      : Effect.succeed(undefined)
  return Effect.gen(function* () {
    const limits = LimitsKept.areThere(rules) ? [] : withoutLimits(rules, yield* first(LimitsKept.stoodFor))
    if (!enrols(rules)) return limits
    const gone = yield* first((account) => FloorsKept.gone(account, rules))
    if (gone === undefined) return limits
    const { limit, over } = HeldReasons.words({ code: "price_floors_gone", ...gone }, config)
    return [...limits, problem("price floors of the account", `${limit}: nothing joins a promotion`, over)]
  })
}

/** Rules without limits of the account; a problem where an account had some, for nothing is sent then. */
const withoutLimits = (rules: RuleSet, stood: string | undefined): ReadonlyArray<Finding> => {
  const check = "limits of the account"
  if (stood !== undefined) return [problem(check, `${stood}: nothing is sent`, LimitsKept.remedy)]
  const says = RuleFiles.withoutLimits(rules)
  return says === undefined ? [] : [{ ...well(check, says), todo: "write them into _shared/limits.yaml" }]
}

const enrols = ({ policies }: RuleSet): boolean =>
  policies.some((policy) => policy.mode !== "disabled" && PolicyJobs.laneOf(policy) === "promotions")
