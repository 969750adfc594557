/** The sizes and rules behind a forecast: of the account, or assumed without any account. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Estimate from "../../engine/gather/Estimate.js"
import * as Gather from "../../engine/gather/Gather.js"
import type { RuleSet } from "../../engine/language/Policy.js"
import * as Plural from "../../reporting/Plural.js"
import * as Scale from "../../sandbox/market/Scale.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import * as Account from "../account/Account.js"
import type * as Config from "../config/Config.js"
import * as Workspace from "../config/Workspace.js"
import * as Planning from "../plan/Planning.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as Forecast from "./Forecast.js"

export interface Asked extends Flags.Session {
  readonly assume: Option.Option<string>
  readonly survivors: Option.Option<number>
  readonly rules: Option.Option<string>
}

/** Prints the forecast. */
export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const percent = Option.getOrElse(asked.survivors, () => 5)
    if (percent < 0 || percent > 100) return yield* stop(1, "--survivors must be between 0 and 100")
    const { config, rules, sizes, words } = yield* Option.match(asked.assume, {
      onNone: () => ofAccount(asked, percent / 100),
      onSome: (text) => assumed(asked, text, percent / 100)
    })
    const rows = Forecast.rows(sizes, rules, sparedBy(config))
    if (asked.json) {
      return yield* Output.json("forecast", {
        assumed: Option.isSome(asked.assume),
        campaigns: sizes.campaigns,
        items: sizes.pairs,
        survivorsPercent: percent,
        usablePercent: Forecast.usableShare * 100,
        rows: Forecast.json(rows)
      })
    }
    if (rows.length === 0) return yield* Output.note("No rule is switched on, so nothing would be called.")
    yield* Output.note(
      `Reading calls for ${words}, when ${percent}% of the rows pass the cheap conditions; a cadence leaves other tools a fifth of every limit.`
    )
    yield* Output.text(Forecast.text(rows))
  })

interface Ground {
  readonly config: Config.Config | undefined
  readonly rules: RuleSet
  readonly sizes: Forecast.Sizes
  readonly words: string
}

/** Needs rules only; a configuration is read where there is one. */
const assumed = (asked: Asked, text: string, survivors: number) =>
  Effect.gen(function* () {
    const scale = Scale.parse(text)
    if (Either.isLeft(scale)) return yield* stop(1, `--assume: ${scale.left}`)
    const config = existsSync(asked.config) ? yield* Workspace.config(asked.config) : undefined
    const rules = yield* RuleFiles.load(Option.getOrElse(asked.rules, () => config?.rulesFolder ?? "rules"))
    const { campaigns, items } = scale.right
    const ground: Ground = {
      config,
      rules,
      sizes: Forecast.assumed(rules, scale.right, survivors),
      words: `an assumed ${Plural.of(campaigns, "campaign")} of ${Plural.of(items, "item")}`
    }
    return ground
  })

/** Reads the campaigns of the account, and nothing that is scarce. */
const ofAccount = (asked: Asked, survivors: number) =>
  Effect.gen(function* () {
    const chosen = yield* Account.choose(asked)
    const { config } = chosen
    const rules = yield* RuleFiles.load(Option.getOrElse(asked.rules, () => config.rulesFolder))
    const read = Effect.gen(function* () {
      const { tokenKind } = yield* MarketplaceClient
      const gathered = yield* ProgressBar.shown(
        Gather.run({ ...rules, policies: [] }, Planning.options(chosen, tokenKind))
      )
      yield* Planning.tell(gathered)
      return gathered.table
    })
    const table = yield* Account.during(chosen, Effect.provide(read, Planning.layer(chosen)))
    const policies = rules.policies.filter((policy) => policy.mode !== "disabled")
    const campaigns = table("campaign").size
    const pairs = table("campaign_item").size
    const ground: Ground = {
      config,
      rules,
      sizes: { campaigns, pairs, scopes: Estimate.scopes(policies, rules.limits, table, () => survivors) },
      words: `${Plural.of(campaigns, "campaign")} with ${Plural.of(pairs, "item")} of ${chosen.name}`
    }
    return ground
  })

/** With steps of its own the configuration needs no answer about them. */
const sparedBy = (config: Config.Config | undefined): ReadonlySet<string> =>
  new Set(
    config?.bidStep.cpm === undefined && config?.bidStep.cpc === undefined ? [] : ["getPromotionConfig"]
  )
