/** Holds a run's statistics against those of past runs, what was charged and what was bid, and remembers them. */
import * as Effect from "effect/Effect"
import * as Window from "../../domain/Window.js"
import * as Plausibility from "../decide/Plausibility.js"
import * as Prices from "../decide/Prices.js"
import type { Gathered } from "./Gather.js"
import { Journal } from "./Journal.js"
import { FactSource, type StoreFailure } from "./Ports.js"

/** Why a run must only look; undefined when its figures may be true. */
export const verdict = (
  gathered: Pick<Gathered, "table" | "nowMs" | "currency">,
  options: { readonly zone: string; readonly currency?: string }
): Effect.Effect<string | undefined, StoreFailure, FactSource | Journal> =>
  Effect.gen(function* () {
    const { account } = yield* FactSource
    const { currency, nowMs } = gathered
    if (options.currency !== undefined && options.currency !== currency) {
      return `this run only looks, nothing of it can be applied: the account is in ${currency}, the configuration says ${options.currency}; mend currency: and check every amount in the rules`
    }
    const journal = yield* Journal
    const now = Plausibility.figures(gathered.table)
    if (now.length === 0) return undefined
    const earlier = yield* journal.figures(account, nowMs - Plausibility.rememberedMs)
    yield* journal.keepFigures(account, nowMs, now)
    const charged = yield* chargedFor(gathered, now, options.zone)
    const objections = [
      ...Plausibility.objections(now, earlier, nowMs, charged),
      ...Prices.objections(Prices.paid(gathered.table)),
      ...(yield* silent(gathered, now, options.zone)),
      ...(yield* idle(gathered, now, options.zone))
    ]
    return objections.length === 0 ? undefined : Plausibility.notice(objections)
  })

/** What was charged to the campaigns whose spend of whole days is known; undefined when nobody can tell. */
const chargedFor = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  now: ReadonlyArray<Plausibility.Figure>,
  zone: string
): Effect.Effect<Plausibility.Charged | undefined, never, FactSource> =>
  Effect.gen(function* () {
    const { charged } = yield* FactSource
    const spend = now.find(({ fact }) => /^campaign\.spend@\d+d$/.test(fact))
    if (charged === undefined || spend === undefined) return undefined
    const window = Window.last(Number(/@(\d+)d$/.exec(spend.fact)?.[1]))
    const answer = yield* charged(Window.resolve(window, nowMs, zone))
    if (answer === undefined) return undefined
    const campaigns = table("campaign")
    let chargedKopecks = 0
    for (let row = 0; row < campaigns.size; row++) {
      const { campaignId } = campaigns.target(row)
      if (campaignId === undefined || campaigns.get(row, spend.fact)._tag === "Unknown") continue
      chargedKopecks += answer.get(campaignId) ?? 0
    }
    return { fact: spend.fact, statedKopecks: spend.total, chargedKopecks }
  })

/**
 * Clusters of which nothing was shown for days, in campaigns that are shown in search alone and were charged for these
 * days. Asks for the charges only then.
 */
const silent = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  now: ReadonlyArray<Plausibility.Figure>,
  zone: string
): Effect.Effect<ReadonlyArray<string>, never, FactSource> =>
  Effect.gen(function* () {
    const { charged } = yield* FactSource
    const zero = now.find(
      ({ active, fact, rows }) => /^cluster\.spend@\d+d$/.test(fact) && rows > 0 && active === 0
    )
    if (charged === undefined || zero === undefined) return []
    const window = Window.last(Number(/@(\d+)d$/.exec(zero.fact)?.[1]))
    const answer = yield* charged(Window.resolve(window, nowMs, zone))
    if (answer === undefined) return []
    const clusters = table("cluster")
    const campaigns = new Set<number>()
    for (let row = 0; row < clusters.size; row++) {
      const { campaignId } = clusters.target(row)
      if (campaignId === undefined || clusters.get(row, zero.fact)._tag === "Unknown") continue
      const recommended = clusters.get(row, "campaign.recommendations")
      if (recommended._tag === "Known" && recommended.value === false) campaigns.add(campaignId)
    }
    const kopecks = [...answer].reduce((sum, [id, one]) => sum + (campaigns.has(id) ? one : 0), 0)
    return Plausibility.silence(zero, kopecks)
  })

/** Campaigns that spent nothing today, though they were charged today. Asks for the charges only then. */
const idle = (
  { nowMs, table }: Pick<Gathered, "table" | "nowMs">,
  now: ReadonlyArray<Plausibility.Figure>,
  zone: string
): Effect.Effect<ReadonlyArray<string>, never, FactSource> =>
  Effect.gen(function* () {
    const { charged } = yield* FactSource
    const zero = now.find(
      ({ active, fact, rows }) => /^campaign(_item)?\.spend@today$/.test(fact) && rows > 0 && active === 0
    )
    if (charged === undefined || zero === undefined) return []
    const answer = yield* charged(Window.resolve(Window.today, nowMs, zone))
    if (answer === undefined) return []
    const rows = table(zero.fact.startsWith("campaign_item.") ? "campaign_item" : "campaign")
    const campaigns = new Set<number>()
    for (let row = 0; row < rows.size; row++) {
      const { campaignId } = rows.target(row)
      if (campaignId !== undefined && rows.get(row, zero.fact)._tag === "Known") campaigns.add(campaignId)
    }
    const kopecks = [...answer].reduce((sum, [id, one]) => sum + (campaigns.has(id) ? one : 0), 0)
    return Plausibility.idleness(zero, kopecks)
  })
