/**
 * Fetches the facts a rule set needs, in as few calls as possible. Every campaign flows through its policies' stages
 * by itself (of a big account with its neighbours), cheap facts first; its keys meet those of other campaigns at the
 * desks, where they leave as full calls.
 * Only rows whose cheaper conditions are true go on, so scarce facts are asked for survivors alone. A fact that did
 * not arrive is unknown, with its reason, and a cluster that a statistic leaves out is absent, never zero.
 */
import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { CampaignId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import * as DailySpend from "../decide/limits/DailySpend.js"
import type { Notice } from "../decide/Plan.js"
import * as Cells from "../facts/Cell.js"
import * as Charges from "../facts/Charges.js"
import * as ClockFacts from "../facts/ClockFacts.js"
import type { CampaignDays } from "../facts/DayFigures.js"
import * as Economics from "../facts/Economics.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Needs from "../facts/Needs.js"
import * as Sources from "../facts/Sources.js"
import type { Table } from "../facts/Table.js"
import type * as Unlisted from "../facts/Unlisted.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Kinds from "../kinds/Kinds.js"
import type { SlotHistory, SlotValue } from "../kinds/SlotHistory.js"
import type { AccountLimits, Each, Policy, RuleSet } from "../language/Policy.js"
import { type CampaignList, type FactRow, FactSource, type SourceFailure, valueIn } from "./FactSource.js"
import * as Flow from "./Flow.js"
import * as Office from "./Office.js"
import * as OwnFacts from "./OwnFacts.js"
import * as Promotions from "./Promotions.js"
import * as Scarce from "./Scarce.js"

export interface Gathered {
  /** Rows of a kind with their facts; coarser facts are shared between the kinds. */
  readonly table: (each: Each) => Table
  /** Campaigns that can be changed, by the list of them; those whose settings could not be read have no row. */
  readonly listed: ReadonlySet<CampaignId>
  /** Instant the windows are counted from, epoch milliseconds. */
  readonly nowMs: number
  readonly currency: string
  /** Calls made, by operation id. */
  readonly calls: Readonly<Record<string, number>>
  readonly failures: ReadonlyArray<SourceFailure>
  /** What is there and has no row, without being missed by anything. */
  readonly leftOut: LeftOut
  /** Spend of today that no row shows; undefined without `spend_per_day`. */
  readonly spentByCompleted: DailySpend.Spent | undefined
  /** What campaigns did day by day, as far as it came with statistics that were read anyway; empty where no policy optimises. */
  readonly campaignDays: ReadonlyMap<CampaignId, CampaignDays>
  /** What statistics tell of clusters that have no row; empty where no policy optimises. */
  readonly unlisted: Unlisted.ByPair
  /** What campaigns were charged in the days that `optimise` looks at; empty where no policy optimises, or nobody can be asked. */
  readonly charges: Charges.Charges
  /** Keys left unasked for want of scarce calls, by operation id. */
  readonly left: Readonly<Record<string, number>>
  /** When the oldest answer of each source and window was read in this run, by `Needs.keyOf`; epoch milliseconds. */
  readonly readings: ReadonlyMap<string, number>
  /** When what an earlier run had read was read, by source and key; epoch milliseconds. */
  readonly remembered: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** Sources that were asked, with their windows: `clusterStats@7d`; sorted. */
  readonly asked: ReadonlyArray<string>
  /** What became of the keys of scarce sources, sorted by operation. */
  readonly scarce: ReadonlyArray<Scarce.Scarce>
}

export interface GatherOptions extends Office.OfficeOptions {
  /** IANA zone of the seller: daytimes, the days of the account's own limits, and instants in words. */
  readonly zone: string
  /** Clusters whose bids are read though no rule may ask: overlays stand over them. */
  readonly standing?: ReadonlyArray<Target.Target>
  /** What was filed for promotions and is in no list yet. */
  readonly filed?: ReadonlyArray<Target.PromotionItemTarget>
  /** True when answers are kept whole, for rules of another day; otherwise statistics that no rule names are dropped. */
  readonly keepsAll?: boolean
  /** What a saved plan has join promotions: the seller's tables are looked at for their items, whatever the policies ask. */
  readonly joining?: ReadonlyArray<Joining>
  /** Told once, when the settings of all campaigns are known and the expensive part has just begun. */
  readonly onScope?: (campaigns: number, table: (each: Each) => Table) => Effect.Effect<void>
}

/** An item that is to join a promotion, and the promotion's days as the plan knows them, epoch milliseconds. */
export interface Joining {
  readonly target: Target.PromotionItemTarget
  readonly startsAt?: number
  readonly endsAt?: number
}

/** Gathers for every policy that is not disabled. Failing sources leave their facts unknown; this never fails. */
export const run = (rules: RuleSet, options: GatherOptions): Effect.Effect<Gathered, never, FactSource> =>
  Effect.scoped(
    Effect.gen(function* () {
      const source = yield* FactSource
      const policies = rules.policies.filter((policy) => policy.mode !== "disabled")
      const wanted = options.keepsAll === true ? everyFact : wantedFacts(policies, rules.limits)
      const { filed = [], joining = [] } = options
      const tables = OwnFacts.tablesOf(
        rules,
        (id) => options.keepsAll === true || wanted.has(id) || (joining.length > 0 && Economics.isTerm(id))
      )
      const keepsDays = policies.some(({ rules }) => rules.some(({ action }) => action._tag === "Optimise"))
      const office = yield* Office.open({ ...options, keepsDays }, wanted, tables)
      const clock = ClockFacts.readings(policies.flatMap(FactRefs.ofPolicy), office.nowMs)
      office.table("account").setAll("account", clock)
      const list = yield* source.campaigns
      office.ledger.failures.push(...list.failures)
      office.ledger.stopped = list.failures.some((failure) => failure.stopsAccount)
      yield* flowAll(office, policies, rules, list.ids, options.onScope)
      yield* learnStanding(office, options.standing ?? [])
      yield* learnJoining(office, joining, tables)
      const [promotions, promotionItems] = [office.table("promotion"), office.table("promotion_item")]
      Promotions.forgetPrices(policies, promotions, promotionItems, office.nowMs, filed)
      const spentByCompleted =
        rules.limits.spendPerDayKopecks === undefined ? undefined : yield* learnSpend(office, list)
      const charges =
        office.ledger.stopped || office.table("campaign").size === 0
          ? noCharges
          : yield* learnCharges(policies, office.nowMs)
      yield* office.close()
      const { completed, others } = list.unnamed ?? noneUnnamed
      const unread = office.ledger.failures.find(({ operation }) => operation === settings)
      if (unread !== undefined) office.table("account").leaveOut(unread.reason ?? "failed")
      return {
        table: (each) => office.table(each),
        listed: new Set(list.ids),
        nowMs: office.nowMs,
        currency: yield* source.currency,
        calls: yield* source.calls,
        failures: office.ledger.failures,
        leftOut: {
          unstorable: office.ledger.unstorable,
          // Where a limit asks what they spent, they are a failure to read it.
          completed: spentByCompleted === undefined ? completed : 0,
          others
        },
        spentByCompleted,
        campaignDays: office.campaignDays,
        unlisted: office.unlisted,
        charges,
        asked: office.asked,
        readings: office.readings,
        remembered: office.ledger.remembered,
        ...Scarce.of(office.ledger.scarce)
      } satisfies Gathered
    })
  ).pipe(Effect.withSpan("Gather.run"))

/** Lets every campaign flow through its policies' stages, and what goes across campaigns once all of their settings are known. */
const flowAll = (
  office: Office.Office,
  policies: ReadonlyArray<Policy>,
  { limits, needsVendorCodes }: RuleSet,
  ids: ReadonlyArray<CampaignId>,
  onScope: GatherOptions["onScope"]
) =>
  Effect.gen(function* () {
    const groups = Arr.chunksOf(ids, groupSize(ids.length))
    office.desk(campaigns).expect("local", groups.length)
    const flows = policies.map((policy) =>
      Flow.make(
        policy,
        Needs.of(policy, limits, needsVendorCodes),
        office,
        Flow.isWide(policy) ? 1 : groups.length
      )
    )
    const [wide, narrow] = Arr.partition(flows, ({ policy }) => !Flow.isWide(policy))
    const allKnown = yield* Deferred.make<void>()
    if (ids.length === 0) yield* Deferred.succeed(allKnown, undefined)
    let settingsKnown = 0
    const scopeKnown = Effect.suspend(() => {
      settingsKnown += 1
      if (settingsKnown < groups.length) return Effect.void
      const told = onScope?.(ids.length, (each) => office.table(each)) ?? Effect.void
      return Effect.zipRight(told, Deferred.succeed(allKnown, undefined))
    })
    const one = (group: ReadonlyArray<CampaignId>) =>
      office
        .learn([campaigns], "local", () => group.map((campaignId) => ({ campaignId })))
        .pipe(
          Effect.zipRight(scopeKnown),
          Effect.zipRight(Effect.forEach(narrow, (flow) => Flow.run(flow, group), allAtOnce))
        )
    const across = Effect.zipRight(
      Effect.zipRight(Deferred.await(allKnown), Promotions.learn(policies, office)),
      Effect.forEach(wide, (flow) => Flow.run(flow), allAtOnce)
    )
    yield* Effect.all([Effect.forEach(groups, one, allAtOnce), across], allAtOnce)
  })

/** The live bids of standing overlays, whose bases must return whatever the conditions say. */
const learnStanding = (office: Office.Office, targets: ReadonlyArray<Target.Target>) => {
  const known = office.table("campaign_item")
  const pairs = targets.flatMap(({ campaignId, itemId }) => {
    const pair = itemId === undefined ? undefined : { campaignId, itemId }
    return pair === undefined || known.indexOf(pair) === undefined ? [] : [pair]
  })
  if (pairs.length === 0) return Effect.void
  const distinct = [...new Map(pairs.map((pair) => [Target.key(pair), pair])).values()].sort(Target.compare)
  return office.learn([{ source: "clusters" }, { source: "clusterBids" }], "actions", () => distinct)
}

/** What the seller's tables say of items that are to join promotions; the promotions themselves are looked at before they are filed. */
const learnJoining = (office: Office.Office, joining: ReadonlyArray<Joining>, tables: OwnFacts.Tables) => {
  if (joining.length === 0) return Effect.void
  const promotions = office.table("promotion")
  for (const { endsAt, startsAt, target } of joining) {
    const { promotionId } = target
    promotions.addKey({ promotionId })
    const since = (atMs: number | undefined) =>
      atMs === undefined ? Cells.unknown("absent") : Cells.known(atMs - office.nowMs)
    promotions.setFor({ promotionId }, "promotion.starts_in", since(startsAt))
    promotions.setFor({ promotionId }, "promotion.ends_in", since(endsAt))
  }
  office.enterFound(joining.map(({ target }) => target))
  if (!tables.needsVendorCodes) return Effect.void
  const items = [...new Set(joining.map(({ target }) => target.itemId))].sort((a, b) => a - b)
  return office.learn([{ source: Needs.codesFrom }], "actions", () => items.map((itemId) => ({ itemId })))
}

/** Today's spend of every campaign, for `spend_per_day`; answers that of the campaigns without a row. */
const learnSpend = (office: Office.Office, { completed, ids, unnamed = noneUnnamed }: CampaignList) =>
  Effect.gen(function* () {
    const ask: Needs.SourceNeed = { source: "campaignStats", window: DailySpend.spend.window }
    yield* office.learn([ask], "actions", () => ids.map((campaignId) => ({ campaignId })))
    if (office.ledger.stopped) return unreadSpend
    const { failures, spent } =
      unnamed.completed > 0 ? unnamedSpend(unnamed.completed) : yield* read(completed, office.nowMs)
    office.ledger.failures.push(...failures)
    return spent
  })

/** For the days that a policy optimises by, each once. */
const learnCharges = (policies: ReadonlyArray<Policy>, nowMs: number) =>
  Effect.gen(function* () {
    const { charged } = yield* FactSource
    if (charged === undefined) return noCharges
    const ranges = new Map<string, Days.DayRange>()
    for (const { action } of policies.flatMap(({ rules }) => rules)) {
      if (action._tag !== "Optimise") continue
      const range = Window.resolve(action.window, nowMs)
      ranges.set(Charges.keyOf(range), range)
    }
    const answers = yield* Effect.forEach(ranges, ([key, range]) =>
      Effect.map(charged(range), (answer) => [key, answer] as const)
    )
    return new Map(answers)
  })

const noCharges: Charges.Charges = new Map()

/**
 * Whoever flows waits in memory, at some 150 kilobytes for all policies of a campaign; so they flow in 250 groups at most.
 * A group as large as one call's keys would make the first scarce calls wait.
 */
const groupSize = (campaigns: number): number => Math.ceil(campaigns / mostGroups)
const mostGroups = 250

const noneUnnamed = { completed: 0, others: 0 }
const campaigns: Needs.SourceNeed = { source: "campaigns" }
const settings = Sources.sources.campaigns.operation
const allAtOnce = { concurrency: "unbounded", discard: true } as const

const everyFact: ReadonlySet<string> = new Set(Vocabulary.facts.map(({ id }) => id))

/** Of statistics, only what some policy names, and the spend and views that the money estimate is made of. */
const wantedFacts = (policies: ReadonlyArray<Policy>, limits: AccountLimits): ReadonlySet<string> => {
  const wanted = new Set(policies.flatMap((policy) => Needs.factsOf(policy, limits).map(({ id }) => id)))
  for (const fact of Vocabulary.facts) {
    const isPlain = !fact.windowed && fact.source !== "own"
    if (isPlain || /\.(spend|views)$|^campaign\.clicks$/.test(fact.id)) wanted.add(fact.id)
  }
  return wanted
}

// What campaigns that were completed today had spent before. No rule steers them and no table has their rows, but
// the money is gone: `spend_per_day` counts it. Deleted ones never ran (seed 001, status table: only a ready one is
// deleted).

interface Read {
  readonly spent: DailySpend.Spent
  readonly failures: ReadonlyArray<SourceFailure>
}

/** Asks only about campaigns that changed today, or of which nobody says when. */
export const read = (
  completed: CampaignList["completed"],
  nowMs: number
): Effect.Effect<Read, never, FactSource> =>
  Effect.gen(function* () {
    const { fetch } = yield* FactSource
    const days = Window.resolve(DailySpend.spend.window, nowMs)
    const keys = completed
      .filter(({ changedAtMs }) => changedAtMs === undefined || Days.ofMarket(changedAtMs) >= days.from)
      .map(({ campaignId }) => ({ campaignId }))
    const { batch } = Sources.sources.campaignStats
    const answers = yield* Effect.forEach(Arr.chunksOf(keys, batch), (chunk) =>
      fetch({ source: "campaignStats", keys: chunk, days })
    )
    const failures = answers.flatMap((answer) => answer.failures)
    return {
      failures,
      spent:
        failures.length > 0
          ? unreadSpend
          : DailySpend.sum(answers.flatMap(({ rows }) => rows.flatMap(spendOf)))
    }
  })

export const unreadSpend = "today's spend of campaigns that were completed today could not be read"

/** Campaigns that the list counts as completed and does not name: nobody can be asked what they spent. */
const unnamedSpend = (campaigns: number): Read => ({
  spent: `today's spend is unknown: ${completed(campaigns)}`,
  failures: [
    {
      operation: Sources.sources.campaignStats.operation,
      keys: campaigns,
      message: `${completed(campaigns)}; what they spent today cannot be read`,
      stopsAccount: false,
      reason: "failed"
    }
  ]
})

const spendOf = (row: FactRow) => {
  const { target } = row
  const spent = valueIn(row, DailySpend.spend.id)
  return spent === undefined || target === "account"
    ? []
    : [{ campaignId: target.campaignId, cell: Cells.ofGiven(spent) }]
}

// What the marketplace has and a run has no row for; the plan says so, because no rule can. Pure.

/** How many of each. */
interface LeftOut {
  /** Clusters whose names no store gives back as they were. */
  readonly unstorable: number
  /** Campaigns that the list counts without naming them, and of which nothing is asked: completed ones, and others. */
  readonly completed: number
  readonly others: number
}

/** A notice for each kind of which there are any. */
export const notices = ({ completed: ended, others, unstorable }: LeftOut): ReadonlyArray<Notice> =>
  [
    ...(unstorable === 0 ? [] : [clusters(unstorable)]),
    ...(ended === 0 ? [] : [completed(ended)]),
    ...(others === 0
      ? []
      : [
          `the campaign list counts ${named(others, "")} that it does not name, and that no rule could change: declined, deleted or of a retired type`
        ])
  ].map((text) => ({ policy: "all rules", campaignName: "", text }))

/** Completed campaigns that the list does not name. */
const completed = (campaigns: number): string =>
  `the campaign list counts ${named(campaigns, "completed ")} that it does not name`

const named = (campaigns: number, which: string): string => Plural.of(campaigns, `${which}campaign`)

const clusters = (count: number): string => {
  const [are, their] =
    count === 1 ? ["1 cluster is", "its name holds"] : [`${count} clusters are`, "their names hold"]
  const stay =
    count === 1 ? "sees it, and its bid stays as it is" : "sees them, and their bids stay as they are"
  return `${are} left out: ${their} a NUL or half of a character, which no store gives back as it was; no rule ${stay}`
}

// Written values that cannot be seen yet: for minutes the marketplace answers the old one (seed 001 "Timing"). Where
// the journal knows that a write was accepted, rules see what was written.

/** Well above what the marketplace takes to show a write: what it answers later is what is there. */
const longestPendingMs = 20 * 60_000

/** Enters accepted values over those read back. Rows that the tables do not have are left alone. */
export const enterPending = (
  slots: ReadonlyMap<string, SlotHistory>,
  table: (each: Each) => Table,
  nowMs: number
): void => {
  for (const { lastWritten, pendingAfter, pendingSince, slot } of slots.values()) {
    if (pendingAfter === undefined || pendingSince === undefined) continue
    if (nowMs - pendingSince > longestPendingMs) continue
    const place = Kinds.placeOf(slot)
    if (place === undefined) continue
    const rows = table(place.each)
    if (rows.indexOf(place.target) === undefined) continue
    enterValue(rows, place.target, place.fact, pendingAfter)
    const isOwn = lastWritten?.clears !== true
    if (place.fact === "cluster.bid") enterValue(rows, place.target, "cluster.has_own_bid", isOwn)
  }
}

const enterValue = (rows: Table, target: Target.ChangeSubject, fact: string, value: SlotValue): void => {
  rows.setFor(target, fact, Cells.known(value))
}
