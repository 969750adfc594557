/**
 * What a policy must know, in the order of price: cheap facts of all rows first, scarce ones only for the rows
 * that cheaper conditions left over, and what the action itself needs only for the rows that matched.
 */
import * as TextOrder from "../../domain/TextOrder.js"
import * as Window from "../../domain/Window.js"
import type { AccountLimits, Action, Clause, Each, FactRef, Policy, SumExpr } from "../language/Policy.js"
import * as Economics from "./Economics.js"
import * as FactRefs from "./FactRefs.js"
import * as Sources from "./Sources.js"
import * as Vocabulary from "./Vocabulary.js"

/** A source to read, over a window if it has one. */
export interface SourceNeed {
  readonly source: Sources.SourceId
  readonly window?: Window.Window
  /** Sums that need it of rows beyond the campaigns of the policy's own rows. */
  readonly sums?: ReadonlyArray<SumExpr>
}

/** Read `sources` for the rows still open, then answer these clauses of `where:` and of each rule (by index). */
interface Stage {
  readonly cost: Sources.Cost
  /** Of a cluster policy: asks about items and campaigns alone, and so drops whole items before their clusters are read. */
  readonly coarse?: true
  readonly sources: ReadonlyArray<SourceNeed>
  readonly where: ReadonlyArray<number>
  /** One list per rule of the policy. */
  readonly rules: ReadonlyArray<ReadonlyArray<number>>
}

export interface Needs {
  /** Where the policy's rows are listed. */
  readonly rowSource: Sources.SourceId
  /** Ordered by cost; the first is always there, and reads campaigns and what the account's limits ask about. */
  readonly stages: ReadonlyArray<Stage>
  /** Read for matched rows only: bounds, current values, minimums, steps. Cheap first. */
  readonly actionSources: ReadonlyArray<SourceNeed>
}

/** Who tells the seller's own codes of items, where the economics table is kept by them. */
export const codesFrom: Sources.SourceId = "itemStocks"
export const vendorCode = "item.vendor_code"

/** `needsVendorCodes`: what the economics table says of an item is known once its code is. */
export const of = (policy: Policy, limits: AccountLimits, needsVendorCodes = false): Needs => {
  const asked = new Set<string>()
  const beyond = FactRefs.sumsBeyond(policy)
  const needOf = (ref: FactRef): SourceNeed => {
    const need = needsVendorCodes && Economics.isTerm(ref.id) ? { source: codesFrom } : plainNeed(ref)
    const sums = beyond.filter((sum) =>
      FactRefs.ofExpr(sum).some((one) => keyOf(plainNeed(one)) === keyOf(need))
    )
    return sums.length === 0 ? need : { ...need, sums }
  }
  const fresh = (needs: ReadonlyArray<SourceNeed>): ReadonlyArray<SourceNeed> =>
    needs.filter((need) => {
      if (!Sources.isAsked(need.source)) return false
      const key = keyOf(need)
      return asked.has(key) ? false : asked.add(key)
    })
  const always: ReadonlyArray<SourceNeed> = [
    { source: "campaigns" },
    ...FactRefs.ofClauses(guardsOf(limits)).map(needOf)
  ]
  const stages = rungsOf(policy).flatMap((rung): ReadonlyArray<Stage> => {
    const { cost, rules, where } = rung
    const clauses = [
      ...where.map((i) => policy.where[i]!),
      ...rules.flatMap((indexes, rule) => indexes.map((i) => policy.rules[rule]!.when[i]!))
    ]
    const named = FactRefs.ofClauses(clauses).map(needOf)
    const sources = fresh(sorted(cost === "local" ? [...always, ...named] : named))
    return cost === "local" || clauses.length > 0 ? [{ ...rung, sources }] : []
  })
  const action = policy.rules
    .flatMap((rule) => [...FactRefs.ofAction(rule.action), ...actionFacts(policy.each, rule.action)])
    .map(needOf)
  const rowSource = rowSources[policy.each]
  return { rowSource, stages, actionSources: fresh(sorted(action)) }
}

const rowSources: Readonly<Record<Each, Sources.SourceId>> = {
  account: "campaigns",
  campaign: "campaigns",
  promotion: "promotions",
  item: "campaigns",
  campaign_item: "campaigns",
  promotion_item: "promotionItems",
  cluster: "clusters"
}

/** Cost of a clause: that of its most expensive fact; a clause without facts is local. */
export const costOf = (clause: Clause): Sources.Cost => {
  const ranks = FactRefs.ofCondition(clause.condition).map((ref) =>
    Math.max(rank(plainNeed(ref)), listing(ref))
  )
  return Sources.costs[Math.max(0, ...ranks)] ?? "scarce"
}

/** A table of the seller's is at hand, but of clusters nothing can be asked before they are listed. */
const listing = ({ id }: FactRef): number =>
  Vocabulary.byFactId(id)?.level === "cluster" ? Sources.costs.indexOf(Sources.sources.clusters.cost) : 0

/** A stage without what is read for it. */
export type Rung = Omit<Stage, "sources">

/**
 * When each clause of a policy is answered, in the order of price: by its cost, and among rows of clusters by whether it
 * asks about them.
 */
export const rungsOf = (policy: Policy): ReadonlyArray<Rung> => {
  const placeOf = (clause: Clause): string => nameOf(costOf(clause), policy.each, isCoarse(clause))
  const where = policy.where.map(placeOf)
  const rules = policy.rules.map(({ when }) => when.map(placeOf))
  const isSplit = (cost: Sources.Cost) => policy.each === "cluster" && cost === "batched"
  return Sources.costs.flatMap((cost) =>
    (isSplit(cost) ? [true, false] : [false]).map((coarse): Rung => {
      const name = nameOf(cost, policy.each, coarse)
      return {
        cost,
        ...(coarse ? { coarse } : {}),
        where: placesOf(name, where),
        rules: rules.map((names) => placesOf(name, names))
      }
    })
  )
}

const nameOf = (cost: Sources.Cost, each: Each, coarse: boolean): string =>
  each === "cluster" && cost === "batched" && coarse ? "coarse" : cost

const placesOf = (name: string, names: ReadonlyArray<string>): ReadonlyArray<number> =>
  names.flatMap((one, index) => (one === name ? [index] : []))

const isCoarse = (clause: Clause): boolean =>
  FactRefs.ofCondition(clause.condition).every(({ id }) => Vocabulary.byFactId(id)?.level !== "cluster")

/** Everything a policy looks at: what it names, what its actions need, and what the account's limits ask about. */
export const factsOf = (policy: Policy, limits: AccountLimits): ReadonlyArray<FactRef> => [
  ...FactRefs.ofClauses(guardsOf(limits)),
  ...FactRefs.ofPolicy(policy),
  ...policy.rules.flatMap(({ action }) => actionFacts(policy.each, action))
]

/** Conditions of the account's limits, which are asked whatever the policies ask. */
const guardsOf = (limits: AccountLimits): ReadonlyArray<Clause> => [
  ...limits.neverTouch,
  ...(limits.neverTouchItems ?? []),
  ...limits.campaigns.flatMap((campaign) => campaign.where)
]

/** What `enrol` must know of an item in a promotion. */
export const enrolFacts = [
  "promotion.name",
  "promotion.type",
  "promotion.ends_in",
  "promotion_item.in_action",
  "promotion_item.price",
  "promotion_item.plan_price"
] as const

/** The least price of an item, of the seller's economics table. */
export const priceFloor = "item.price_floor"

/** What tells which promotions are at the same time, and whether anything is in them. */
const overlapFacts = ["promotion.starts_in", "promotion.ends_in", "promotion.participation"] as const

/** What a set that reaches a tier must know of its promotion. */
const tierFacts = ["promotion.boost", "promotion.boost.next", "promotion.items_to_next_tier"] as const

/** What `optimise` must know of the clusters and items of a campaign beside its statistics. */
const optimiseFacts = [
  "account.bid_step.cpm",
  "account.bid_step.cpc",
  "campaign_item.bid",
  "campaign_item.bid.recommendations",
  "campaign_item.min_bid",
  "campaign_item.min_bid.recommendations",
  "campaign_item.minus.count",
  "campaign_item.recommended.competitive",
  "cluster.state",
  "cluster.bid",
  "cluster.has_own_bid",
  "cluster.in_minus"
] as const

/** What the clamps and the checks of `decide` look at. */
const actionFacts = (each: Each, action: Action): ReadonlyArray<FactRef> => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
    case "AdjustBid":
      return [
        { id: "account.bid_step.cpm" },
        { id: "campaign_item.bid" },
        { id: "campaign_item.min_bid" },
        ...(each === "cluster" ? [{ id: "cluster.bid" }, { id: "cluster.has_own_bid" }] : [])
      ]
    case "AddMinus":
    case "RemoveMinus":
      return [{ id: "campaign_item.minus.count" }, { id: "cluster.in_minus" }]
    case "Pause":
    case "Start":
      return [{ id: "campaign.status" }]
    case "Deposit":
      return [{ id: "campaign.budget" }, { id: Vocabulary.balanceOf[action.from] }]
    case "Placements":
      return [{ id: "campaign.search" }, { id: "campaign.recommendations" }]
    case "Enrol":
      return [
        ...enrolFacts,
        priceFloor,
        ...(action.overlap === undefined ? overlapFacts : []),
        ...(action.reach === undefined ? [] : tierFacts)
      ].map((id) => ({ id }))
    case "Optimise":
      return [...optimiseFacts, ...(action.margin.type._tag === "Ratio" ? ["item.price"] : [])].map((id) => ({
        id
      }))
    case "Notify":
    case "Revert":
      return []
  }
}

const plainNeed = (ref: FactRef): SourceNeed => {
  const fact = Vocabulary.byFactId(ref.id)
  if (fact === undefined) throw new RangeError(`"${ref.id}" is not a fact of the vocabulary`)
  return { source: fact.source, ...(ref.window === undefined ? {} : { window: ref.window }) }
}

/** Stable text: `campaigns`, `clusterStats@7d`. */
export const keyOf = (need: SourceNeed): string =>
  need.window === undefined ? need.source : `${need.source}@${Window.key(need.window)}`

const rank = (need: SourceNeed): number => Sources.costs.indexOf(Sources.sources[need.source].cost)

const sorted = (needs: ReadonlyArray<SourceNeed>): ReadonlyArray<SourceNeed> =>
  [...needs].sort((a, b) => rank(a) - rank(b) || TextOrder.compare(keyOf(a), keyOf(b)))
