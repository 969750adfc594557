/** `bidhelm forecast POLICY`: what a policy with `optimise` expected of each day, and what came. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import type { Optimise, RuleSet } from "../../engine/language/Policy.js"
import * as HoldScope from "../people/HoldScope.js"
import * as Command from "../terminal/Command.js"
import * as Duration from "../terminal/Duration.js"
import * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"

const policy = Flags.argument(
  "POLICY",
  "Id of a policy that optimises: the name of its file without the ending"
)
const budget = Flags.text("budget", "One budget alone: the number of a campaign, or account")
const last = Flags.text("last", "Days to show, such as 7d; 14d unless said")

const usualDays = 14
const mostDays = 60

export const command = Command.make(
  "forecast",
  { policy, budget, last, ...HoldScope.place },
  function* (flags) {
    const days = yield* daysOf(flags.last)
    const found = yield* known(flags.config, flags.policy)
    yield* HoldScope.during(flags, (account, _zone, _store, accounts) =>
      Effect.gen(function* () {
        const { RuleMemory } = yield* Effect.promise(() => import("../../engine/planning/RuleMemory.js"))
        const OptimisePast = yield* Effect.promise(() => import("../../engine/planning/OptimisePast.js"))
        const Forecasts = yield* Effect.promise(() => import("../../reporting/history/Forecasts.js"))
        const nowMs = yield* Clock.currentTimeMillis
        const since = OptimisePast.forecastsSince(nowMs)
        const all = yield* (yield* RuleMemory).forecasts(account, [flags.policy], since)
        if (all.length === 0) yield* unkept(flags.policy, found)
        const shown = Forecasts.of(all, { nowMs, days, budget: Option.getOrUndefined(flags.budget) })
        if (Option.isSome(flags.budget)) {
          const budgets = [...new Set(all.map((one) => one.budget))].sort()
          const unknown = unforecast(flags.policy, flags.budget.value, budgets, found?.budgetsOf)
          if (unknown !== undefined) return yield* stop(1, unknown)
          if (budgets.length === 0)
            yield* Output.note(
              `${flags.policy} has no forecast yet; whether it has the budget ${flags.budget.value} is known once there is a first forecast`
            )
        }
        yield* flags.json
          ? Output.json("forecast", { account, policy: flags.policy, budgets: shown })
          : Output.text(Forecasts.text(flags.policy, shown, found?.currency ?? "RUB", { account, accounts }))
      })
    )
  }
)

/** Why a budget has none: by the rule, where it can be told so; undefined where it has, or may still get one. */
const unforecast = (
  policy: string,
  budget: string,
  kept: ReadonlyArray<string>,
  of: ReadonlyArray<Optimise["budgetOf"]> = []
): string | undefined => {
  if (kept.includes(budget)) return undefined
  const [one, ...others] = new Set(of)
  if (
    one !== undefined &&
    others.length === 0 &&
    !(one === "account" ? /^account$/ : isCampaign).test(budget)
  )
    return one === "account"
      ? `${policy} has one budget for all campaigns, and none is called ${budget}; write account`
      : `${policy} has a budget per campaign, and none is called ${budget}; write the number of a campaign`
  return kept.length === 0
    ? undefined
    : `${policy} has no forecast of the budget ${budget}; there are ${kept.slice(0, 10).join(", ")}`
}

const isCampaign = /^[1-9]\d*$/

const daysOf = (written: Option.Option<string>) => {
  if (Option.isNone(written)) return Effect.succeed(usualDays)
  const ms = Duration.parse(written.value)
  return ms !== undefined && ms >= Days.dayMs && ms <= mostDays * Days.dayMs && ms % Days.dayMs === 0
    ? Effect.succeed(ms / Days.dayMs)
    : Effect.fail(stop(1, `--last ${written.value}: write whole days, from 1d to ${mostDays}d`))
}

/** The policy as it is written now; undefined where the rules cannot be read, which keeps nobody from looking back. */
const known = (path: string, id: string) =>
  Effect.gen(function* () {
    const Workspace = yield* Effect.promise(() => import("../config/Workspace.js"))
    const RuleFiles = yield* Effect.promise(() => import("../rules/RuleFiles.js"))
    const config = yield* Workspace.config(path)
    const rules = yield* Effect.option(RuleFiles.load(config.rulesFolder))
    if (Option.isNone(rules)) return undefined
    return { currency: config.currency, ...look(rules.value, id) }
  })

const look = ({ policies }: RuleSet, id: string) => {
  const optimises = (one: RuleSet["policies"][number]) =>
    one.rules.some(({ action }) => action._tag === "Optimise")
  const one = policies.find((each): boolean => each.id === id)
  return {
    budgetsOf: (one?.rules ?? []).flatMap(({ action }) =>
      action._tag === "Optimise" ? [action.budgetOf] : []
    ),
    mode: one?.mode,
    optimises: one !== undefined && optimises(one),
    ids: policies.map((each): string => each.id),
    others: policies.filter(optimises).map((each): string => each.id)
  }
}

/** Why there is nothing to show; one that may still come is no error. */
const unkept = (id: string, found: Effect.Effect.Success<ReturnType<typeof known>>) =>
  Effect.gen(function* () {
    if (found === undefined || (found.mode !== undefined && found.optimises && found.mode !== "disabled"))
      return
    const Suggest = yield* Effect.promise(() => import("../../engine/language/problems/Suggest.js"))
    if (found.mode === undefined)
      return yield* stop(1, `no rule has the id ${id}. ${Suggest.sentence(id, found.ids)}`)
    if (!found.optimises)
      return yield* stop(
        1,
        `${id} does not optimise, so it forecasts nothing; ${found.others.length === 0 ? "no rule here does" : `these do: ${found.others.join(", ")}`}`
      )
    return yield* stop(1, `${id} is disabled, so it forecasts nothing; with mode: preview it only looks`)
  })
