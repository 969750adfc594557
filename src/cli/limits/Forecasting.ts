/** The sizes and rules behind a forecast: of the account, or assumed without any account. */
import { existsSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Plural from "../../domain/Plural.js"
import * as Sources from "../../engine/facts/Sources.js"
import * as Estimate from "../../engine/gather/Estimate.js"
import * as Gather from "../../engine/gather/Gather.js"
import type { Policy, RuleSet } from "../../engine/language/Policy.js"
import * as Scale from "../../sandbox/market/Scale.js"
import * as Catalogue from "../../services/Catalogue.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import type { TokenKind } from "../../services/Operation.js"
import * as Operation from "../../services/Operation.js"
import * as Account from "../account/Account.js"
import type * as Config from "../config/Config.js"
import * as Workspace from "../config/Workspace.js"
import * as Planning from "../plan/Planning.js"
import * as RuleFiles from "../rules/RuleFiles.js"
import * as Duration from "../terminal/Duration.js"
import type * as Flags from "../terminal/Flags.js"
import * as Output from "../terminal/Output.js"
import * as ProgressBar from "../terminal/ProgressBar.js"
import { stop } from "../terminal/Stop.js"
import * as BidSteps from "./BidSteps.js"

export interface Asked extends Flags.Session {
  readonly assume: Option.Option<string>
  readonly survivors: Option.Option<number>
  readonly promotions: Option.Option<number>
  readonly rules: Option.Option<string>
}

/** Prints the forecast. */
export const show = (asked: Asked) =>
  Effect.gen(function* () {
    const percent = Option.getOrElse(asked.survivors, () => 5)
    if (percent < 0 || percent > 100) return yield* stop(1, "--survivors must be between 0 and 100")
    const promotions = Option.getOrElse(asked.promotions, () => Estimate.assumedPromotions)
    if (promotions < 1) return yield* stop(1, "--promotions is a whole number from 1 on")
    const { config, rules, sizes, words } = yield* Option.match(asked.assume, {
      onNone: () => ofAccount(asked, percent / 100),
      onSome: (text) => assumed(asked, text, percent / 100)
    })
    const scopes = sizes.scopes.map((scope) => ({ ...scope, promotions }))
    const rows = forecastRows({ ...sizes, scopes }, rules, config)
    if (asked.json) {
      return yield* Output.json("forecast", {
        assumed: Option.isSome(asked.assume),
        campaigns: sizes.campaigns,
        items: sizes.pairs,
        survivorsPercent: percent,
        usablePercent: usableShare * 100,
        rows: json(rows)
      })
    }
    if (rows.length === 0) return yield* Output.note(nothingAsked(rules))
    yield* Output.note(
      `Reading calls for ${words}, when ${percent}% of the rows pass the cheap conditions; a cadence leaves other tools a fifth of every limit.`
    )
    yield* Output.text(text(rows))
  })

const nothingAsked = ({ fulfilment }: RuleSet): string =>
  fulfilment.some(({ mode }) => mode !== "disabled")
    ? "Only rules of orders and supplies are switched on; their calls are not forecast: they follow the orders that wait."
    : "No rule is switched on, so nothing would be called."

interface Ground {
  readonly config: Config.Config | undefined
  readonly rules: RuleSet
  readonly sizes: Sizes
  readonly words: string
}

const loadFor = ({ json: isJson }: Asked) => RuleFiles.answering("forecast", isJson)

/** Needs rules only; a configuration is read where there is one. */
const assumed = (asked: Asked, text: string, survivors: number) =>
  Effect.gen(function* () {
    const scale = Scale.parse(text)
    if (Either.isLeft(scale)) return yield* stop(1, `--assume: ${scale.left}`)
    const config = existsSync(asked.config) ? yield* Workspace.config(asked.config) : undefined
    const rules = yield* loadFor(asked)(Option.getOrElse(asked.rules, () => config?.rulesFolder ?? "rules"))
    const { campaigns, items } = scale.right
    const ground: Ground = {
      config,
      rules,
      sizes: assumedWords(rules, scale.right, survivors),
      words: `an assumed ${Plural.of(campaigns, "campaign")} of ${Plural.of(items, "item")}`
    }
    return ground
  })

/** Reads the campaigns of the account, and nothing that is scarce. */
const ofAccount = (asked: Asked, survivors: number) =>
  Effect.gen(function* () {
    const chosen = yield* Account.choose(asked)
    const { config } = chosen
    const rules = yield* loadFor(asked)(Option.getOrElse(asked.rules, () => config.rulesFolder))
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

// Which rules fit which token: the reading calls of one run, how long the limits make it take, and how often it may
// run while it leaves other tools a fifth of every limit (field note T03). Pure.

/** Kinds that are compared; Base with a secret has the limits of Personal. */
const kinds = ["personal", "service", "base"] as const satisfies ReadonlyArray<TokenKind>

/** Share of a limit that a cadence may use. */
const usableShare = 0.8

/** What the rules work on. `scopes` has one entry per policy that is not disabled, in their order. */
interface Sizes {
  readonly campaigns: number
  readonly pairs: number
  readonly scopes: ReadonlyArray<Estimate.Scope>
}

/** One token kind against the calls of a run. */
interface Fit {
  readonly kind: TokenKind
  /** Operations this kind is not served: the rules cannot run with it. Empty in every other case. */
  readonly notServed: ReadonlyArray<string>
  /** Payments whose bids stay as they are, since nobody tells their step. */
  readonly stepless: ReadonlyArray<"cpm" | "cpc">
  /** Time one run takes at least where nothing is kept from an earlier one, and the shortest time between two runs, milliseconds; undefined means never. */
  readonly runMs: number | undefined
  /** That time is for what is kept a day: the day's other runs take less. */
  readonly isOfDay: boolean
  readonly cadenceMs: number | undefined
  /** Limit group that decides the cadence. */
  readonly decidedBy: string | undefined
}

interface Row {
  /** Undefined for all together. */
  readonly policy: Pick<Policy, "id" | "name"> | undefined
  readonly calls: Readonly<Record<string, number>>
  readonly fits: ReadonlyArray<Fit>
}

/** One row per policy and, when there are several, one for all of them in one run. */
export const forecastRows = (
  { campaigns, scopes }: Sizes,
  rules: RuleSet,
  steps?: BidSteps.Known
): ReadonlyArray<Row> => {
  const row = (policy: Row["policy"], scoped: ReadonlyArray<Estimate.Scope>): Row => {
    const { calls } = Estimate.of(campaigns, scoped, rules.limits, () => undefined, BidSteps.spared(steps))
    const unknown = BidSteps.unknown(
      scoped.map((one) => one.policy),
      steps
    )
    return { policy, calls, fits: kinds.map((kind) => against(calls, kind, unknown)) }
  }
  const single = scopes.map((scope) => row(scope.policy, [scope]))
  return scopes.length > 1 ? [...single, row(undefined, scopes)] : single
}

/** Scopes of an account that is only assumed: every campaign and item is in scope of every policy. */
export const assumedWords = (
  rules: RuleSet,
  account: { readonly campaigns: number; readonly items: number },
  survivors: number
): Sizes => {
  const { campaigns } = account
  const pairs = campaigns * account.items
  const policies = rules.policies.filter((policy) => policy.mode !== "disabled")
  return { campaigns, pairs, scopes: policies.map((policy) => ({ policy, campaigns, pairs, survivors })) }
}

/** Without the steps of bids only those bids stay that nobody else tells the step of (`unknown`). */
const against = (
  calls: Readonly<Record<string, number>>,
  kind: TokenKind,
  unknown: ReturnType<typeof BidSteps.unknown>
): Fit => {
  const groups = new Map<string, { calls: number; limit: Operation.Limit; keptMs: number }>()
  const notServed: Array<string> = []
  const stepless: Array<"cpm" | "cpc"> = []
  for (const [operation, count] of Object.entries(calls)) {
    const entry = Catalogue.find(operation)
    const limit = entry && Operation.prudentLimitOf(entry, kind)
    if (entry === undefined || limit === undefined) {
      if (operation === BidSteps.operation) stepless.push(...unknown.payments)
      if (operation !== BidSteps.operation || unknown.isAll) notServed.push(operation)
      continue
    }
    const sum = (groups.get(entry.limitGroup)?.calls ?? 0) + count
    const keptMs = Math.min(groups.get(entry.limitGroup)?.keptMs ?? Infinity, Sources.keptMs(operation))
    groups.set(entry.limitGroup, { calls: sum, limit, keptMs })
  }
  if (notServed.length > 0)
    return {
      kind,
      notServed,
      stepless,
      runMs: undefined,
      isOfDay: false,
      cadenceMs: undefined,
      decidedBy: undefined
    }
  const needs = [...groups].map(([group, { calls: count, keptMs, limit }]) => {
    const cadenceMs = Math.ceil((count * limit.intervalMs) / usableShare)
    return {
      group,
      runMs: Estimate.atLeastMs(count, limit),
      // What is asked once for many runs lets the next one follow at once.
      cadenceMs: cadenceMs <= keptMs ? 0 : cadenceMs
    }
  })
  const slowest = needs.reduce<(typeof needs)[number] | undefined>(
    (a, b) => (a === undefined || b.cadenceMs > a.cadenceMs ? b : a),
    undefined
  )
  const runMs = Math.max(0, ...needs.map((need) => need.runMs))
  return {
    kind,
    notServed,
    stepless,
    runMs,
    isOfDay: runMs > 0 && needs.every((need) => need.runMs < runMs || need.cadenceMs === 0),
    cadenceMs: slowest?.cadenceMs ?? 0,
    decidedBy: slowest?.group
  }
}

/** The rows for a terminal. */
const text = (all: ReadonlyArray<Row>): string =>
  all.map((row) => [row.policy?.id ?? "all rules in one run", ...about(row)].join("\n")).join("\n\n")

const about = ({ calls, fits }: Row): ReadonlyArray<string> => {
  const counted = Object.entries(calls).map(([operation, count]) => `${operation} ${count}`)
  const lines = fits.map(({ cadenceMs, decidedBy, isOfDay, kind, notServed, runMs, stepless }) => {
    const name = `  ${kind.padEnd(8)}  `
    const others = notServed.filter((operation) => operation !== BidSteps.operation)
    const unserved =
      others.length === 0 ? [] : [`${others.join(", ")} ${others.length === 1 ? "is" : "are"} not served`]
    const steps = stepless.length === 0 ? [] : [BidSteps.words(stepless)]
    if (runMs === undefined || cadenceMs === undefined)
      return `${name}never: ${[...unserved, ...steps].join("; ")}`
    return `${name}${took(runMs, isOfDay).padEnd(26)}  every ${Duration.format(cadenceMs)} or slower (${decidedBy})${steps.map((one) => `; ${one}`).join("")}`
  })
  return [`  calls     ${counted.join(", ")}`, ...lines]
}

const took = (ms: number, isOfDay: boolean): string => {
  if (ms === 0) return "a run waits for no limit"
  return `${isOfDay ? "the day's first run" : "a run"} takes ${Duration.format(ms)}`
}

/** The rows for machines: `null` means never. */
const json = (all: ReadonlyArray<Row>) =>
  all.map(({ calls, fits, policy }) => ({
    policy: policy?.id ?? null,
    name: policy?.name ?? null,
    calls,
    tokens: fits.map(({ cadenceMs, decidedBy, kind, notServed, runMs, stepless }) => ({
      kind,
      runMs: runMs ?? null,
      shortestCadenceMs: cadenceMs ?? null,
      decidedBy: decidedBy ?? null,
      notServed,
      stepless
    }))
  }))
