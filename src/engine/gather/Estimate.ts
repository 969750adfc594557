/**
 * How many calls a gathering will make and how long it will take, from what is known before the expensive part: the
 * rows in scope, and a guess of the share that survives the cheap conditions. Pure.
 */
import * as TextOrder from "../../domain/TextOrder.js"
import * as DailySpend from "../decide/limits/DailySpend.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Funnel from "../facts/Funnel.js"
import * as Needs from "../facts/Needs.js"
import * as Sources from "../facts/Sources.js"
import type { Table } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { AccountLimits, Each, Policy } from "../language/Policy.js"

/** Token bucket of an operation: `burst` calls at once, then one per `intervalMs`. */
export interface Quota {
  readonly burst: number
  readonly intervalMs: number
}

/** A policy with the rows its local conditions leave: campaigns, and items in campaigns. */
export interface Scope {
  readonly policy: Policy
  readonly campaigns: number
  readonly pairs: number
  /** Distinct items advertised in the campaigns; as many as the pairs unless known. */
  readonly items?: number
  /** Share of the pairs expected to survive every condition but the scarce ones, 0 to 1. */
  readonly survivors: number
  /** Of a policy about promotions: how many its `where:` leaves; `assumedPromotions` unless known. */
  readonly promotions?: number
}

/** Promotions that a policy about them is taken to look at, where nobody has asked the calendar. */
export const assumedPromotions = 10

export interface Estimate {
  /** By operation id, sorted. */
  readonly calls: Readonly<Record<string, number>>
  /** Operation whose limit decides, and the time it needs at least, milliseconds. */
  readonly slowest: { readonly operation: string; readonly ms: number } | undefined
}

/** Scope of each policy, once campaign settings are known; `survivors` guesses the share that survives. */
export const scopes = (
  policies: ReadonlyArray<Policy>,
  limits: AccountLimits,
  table: (each: Each) => Table,
  survivors: (policy: Policy) => number
): ReadonlyArray<Scope> =>
  policies.map((policy) => {
    if (isOfCalendar(policy)) return ofCalendar(policy, table, survivors(policy))
    const rows = table(policy.each === "cluster" ? "campaign_item" : policy.each)
    const local = Needs.of(policy, limits).stages[0]
    const where = (local?.where ?? []).map((i) => policy.where[i]!)
    const steps = policy.rules.map(({ when }, rule) => ({
      clauses: [...where, ...(local?.rules[rule] ?? []).map((i) => when[i]!)],
      complete: false
    }))
    const all = Array.from({ length: rows.size }, (_, row) => row)
    const holds = Funnel.sift(steps, rows, all).open
    const count = (level: "campaign" | "item" | "campaign_item") => rows.keys(level, holds).length
    return {
      policy,
      campaigns: count("campaign"),
      // Of a campaign policy its campaigns, unless it asks about the rows below.
      pairs: policy.each === "campaign" && !asksBelow(policy) ? holds.length : count("campaign_item"),
      items: count("item"),
      survivors: survivors(policy)
    }
  })

const isOfCalendar = ({ each }: Policy): boolean => each === "promotion" || each === "promotion_item"

/** Which items a promotion has is known when its list was read: until then they are those of the campaigns. */
const ofCalendar = (policy: Policy, table: (each: Each) => Table, survivors: number): Scope => {
  const rows = table("campaign_item")
  const all = Array.from({ length: rows.size }, (_, row) => row)
  const promotions = table("promotion").size
  return {
    policy,
    campaigns: rows.keys("campaign", all).length,
    pairs: all.length,
    items: rows.keys("item", all).length,
    survivors,
    ...(promotions === 0 ? {} : { promotions })
  }
}

/** All calls of the calendar draw from one limit (field note P07): the list, the details, and two lists for each promotion. */
const calendarCalls = (scoped: ReadonlyArray<Scope>): ReadonlyMap<string, number> => {
  const of = (each: ReadonlyArray<Each>) =>
    scoped
      .filter(({ policy }) => each.includes(policy.each))
      .reduce((most, { promotions }) => Math.max(most, promotions ?? assumedPromotions), 0)
  const [asked, listed] = [of(["promotion", "promotion_item"]), of(["promotion_item"])]
  if (asked === 0) return new Map()
  return new Map([
    ["listPromotions", 1],
    [Sources.sources.promotions.operation, Math.ceil(asked / 100)],
    ...(listed === 0 ? [] : [[Sources.sources.promotionItems.operation, 2 * listed] as const])
  ])
}

const asksBelow = (policy: Policy): boolean =>
  FactRefs.ofPolicy(policy).some((ref) => Vocabulary.byFactId(ref.id)?.level === "campaign_item")

/** Calls and time of a gathering over `listed` campaigns; `spared`: calls of a source that answers of earlier runs save. */
export const of = (
  listed: number,
  scoped: ReadonlyArray<Scope>,
  limits: AccountLimits,
  quota: (operation: string) => Quota | undefined,
  spared: ReadonlyMap<string, number> = new Map()
): Estimate => {
  const calls = new Map<string, number>([["listCampaignIds", 1]])
  const add = (source: Sources.Source, keys: number) => {
    const count = Math.ceil(keys / source.batch) - (spared.get(source.id) ?? 0)
    if (count > 0) calls.set(source.operation, (calls.get(source.operation) ?? 0) + count)
  }
  add(Sources.sources.campaigns, listed)
  const asked = askedBySource(scoped, limits)
  if (limits.spendPerDayKopecks !== undefined) {
    const everyCampaign = { source: Sources.sources.campaignStats, keys: listed, of: listed, everyRow: true }
    asked[spendName] = [...(asked[spendName] ?? []), everyCampaign]
  }
  for (const asks of Object.values(asked)) add(asks[0]!.source, unionOf(asks))
  const ofCalendar = calendarCalls(scoped)
  const together = [...ofCalendar.values()].reduce((sum, count) => sum + count, 0)
  const sorted = [...calls, ...ofCalendar].sort(TextOrder.byKey)
  const times = sorted.map(([operation, count]) => ({
    operation,
    ms: atLeastMs(ofCalendar.has(operation) ? together : count, quota(operation))
  }))
  const slowest = [...times].sort((a, b) => b.ms - a.ms)[0]
  return { calls: Object.fromEntries(sorted), slowest }
}

/** What `spend_per_day` asks of every campaign, whatever the rules ask. */
const spendName = Needs.keyOf({ source: "campaignStats", window: DailySpend.spend.window })

/** T(n): the shortest time in which a bucket lets `calls` through. */
export const atLeastMs = (calls: number, quota: Quota | undefined): number =>
  quota === undefined ? 0 : Math.max(0, calls - quota.burst) * quota.intervalMs

/** Calls a bucket lets through for a caller that waits at most `maxWaitMs`: the budget of scarce calls of a run. */
export const callsWithin = (maxWaitMs: number, quota: Quota): number =>
  quota.burst + Math.floor(maxWaitMs / quota.intervalMs)

interface Asked {
  readonly source: Sources.Source
  /** Keys this policy asks, and all the keys there are, for the union of independent policies. */
  readonly keys: number
  readonly of: number
  readonly everyRow: boolean
}

/** What each policy asks of each source and window: of all its rows first, later of survivors only. */
const askedBySource = (scoped: ReadonlyArray<Scope>, limits: AccountLimits) => {
  const asked: Record<string, Array<Asked>> = {}
  for (const scope of scoped) {
    const needs = Needs.of(scope.policy, limits)
    const early = needs.stages.filter((stage) => stage.cost !== "scarce" && stage.cost !== "per_campaign")
    const late = needs.stages.filter((stage) => !early.includes(stage))
    const rows: ReadonlyArray<Needs.SourceNeed> =
      needs.rowSource === "clusters" ? [{ source: "clusters" }] : []
    const seen = new Set<string>()
    const note = (need: Needs.SourceNeed, everyRow: boolean) => {
      const name = Needs.keyOf(need)
      if (apart.has(need.source) || seen.has(name)) return
      seen.add(name)
      asked[name] = [...(asked[name] ?? []), keysOf(Sources.sources[need.source], scope, everyRow)]
    }
    for (const need of [...early.flatMap((stage) => stage.sources), ...rows]) note(need, true)
    for (const need of [...late.flatMap((stage) => stage.sources), ...needs.actionSources]) note(need, false)
  }
  return asked
}

/** Counted for all policies together. */
const apart = new Set<Sources.SourceId>(["campaigns", "promotions", "promotionItems"])

const keysOf = (source: Sources.Source, scope: Scope, everyRow: boolean): Asked => {
  const share = everyRow ? 1 : scope.survivors
  const itemsEach = scope.campaigns === 0 ? 0 : scope.pairs / scope.campaigns
  const touched = expected(scope.campaigns * (1 - (1 - share) ** itemsEach))
  if (source.keyLevel === "account") {
    const any = scope.pairs * share > 0 ? 1 : 0
    return { source, keys: any, of: 1, everyRow: true }
  }
  // One call of such a source serves a whole campaign, however many of its items are asked.
  if (source.oneCampaignPerCall) {
    return { source, keys: touched * source.batch, of: scope.campaigns * source.batch, everyRow }
  }
  if (source.keyLevel === "item") {
    const items = scope.items ?? scope.pairs
    const pairsEach = items === 0 ? 0 : Math.max(1, scope.pairs / items)
    return { source, keys: expected(items * (1 - (1 - share) ** pairsEach)), of: items, everyRow }
  }
  return source.keyLevel === "campaign"
    ? { source, keys: touched, of: scope.campaigns, everyRow }
    : { source, keys: expected(scope.pairs * share), of: scope.pairs, everyRow }
}

/** A chance is a call: of a small account a forecast must not leave out what its rules ask. */
const expected = (keys: number): number => (keys > 0 ? Math.max(1, Math.round(keys)) : 0)

/** Whole scopes lie in each other; survivors of several policies meet by chance. */
const unionOf = (asks: ReadonlyArray<Asked>): number => {
  const all = Math.max(...asks.map((ask) => ask.of))
  if (asks.length === 1 || asks.some((ask) => ask.everyRow)) return Math.max(...asks.map((ask) => ask.keys))
  const missed = asks.reduce((left, ask) => left * (1 - ask.keys / Math.max(1, all)), 1)
  return Math.round(all * (1 - missed))
}
