/**
 * S04: whether the calls of the rules fit the limits, for an account of an assumed size. Reads and writes of all rules
 * that are due in the same rhythm count together; a group of calls that several rhythms share is used up by their sum.
 */
import * as Arr from "effect/Array"
import * as Days from "../../domain/Days.js"
import * as Plural from "../../domain/Plural.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Needs from "../../engine/facts/Needs.js"
import * as Sources from "../../engine/facts/Sources.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import * as Estimate from "../../engine/gather/Estimate.js"
import type { Clause, Policy, RuleSet } from "../../engine/language/Policy.js"
import { compare, type Diagnostic } from "../../engine/language/problems/Diagnostic.js"
import type * as Scale from "../../sandbox/market/Scale.js"
import * as Catalogue from "../../services/Catalogue.js"
import type { TokenKind } from "../../services/Operation.js"
import * as Operation from "../../services/Operation.js"
import * as Duration from "../terminal/Duration.js"
import * as BidSteps from "./BidSteps.js"

/** Above this share of a limit the rules are warned about, above the whole they are refused. */
const crowded = 0.7

/** Rows that are guessed to pass the conditions that cost little: of clusters, and of campaigns or items. */
const passing = { cluster: 0.01, coarse: 0.05 }

/**
 * What is too much, at the costliest rule; rules without a schedule run when they are asked to and are left out. `steps`: what the
 * configuration says of bids.
 */
export const diagnostics = (
  rules: RuleSet,
  scale: Scale.Scale,
  kind: TokenKind,
  steps?: BidSteps.Known
): ReadonlyArray<Diagnostic> => {
  const due = rules.policies.filter((policy) => policy.mode !== "disabled" && policy.schedule !== undefined)
  const rhythms = Object.values(Arr.groupBy(due, (policy) => `every ${periodMs(policy)}`))
  const uses = rhythms.flatMap((policies) => usesOf(policies, periodMs(policies[0]), rules, scale))
  const groups = Object.values(Arr.groupBy(uses, ({ entry }) => entry.limitGroup))
  return [...groups.flatMap((group) => judged(group, kind)), ...stepless(due, kind, steps)].sort(compare)
}

/** At the first rule that asks for the step of bids, or sets such, which nobody tells. */
const stepless = (
  due: ReadonlyArray<Policy>,
  kind: TokenKind,
  steps: BidSteps.Known | undefined
): ReadonlyArray<Diagnostic> => {
  const entry = Catalogue.find(BidSteps.operation)
  if (entry === undefined || Operation.prudentLimitOf(entry, kind) !== undefined) return []
  return due
    .flatMap((policy) => {
      const [asked, set] = [BidSteps.asked(policy, steps), BidSteps.unknown([policy], steps).payments]
      const words = set.length > 0 || asked.length === 0 ? BidSteps.words(set) : BidSteps.askedWords(asked)
      return words === "" ? [] : [at(policy, entry, "warning", `Of a ${kind} token ${words}.`)]
    })
    .slice(0, 1)
}

/** Operations that one run need not finish; see `partial: rotate`. */
const scarce: ReadonlySet<string> = new Set(
  Object.values(Sources.sources).flatMap(({ cost, operation }) => (cost === "scarce" ? [operation] : []))
)

/** Calls of one operation in one rhythm. */
interface Use {
  readonly entry: Catalogue.Entry
  readonly everyMs: number
  readonly calls: number
  /** So many in all rhythms together, of what is kept for all of them. */
  readonly most?: number
  /** The policy that makes most of them. */
  readonly policy: Policy
}

const usesOf = (
  policies: ReadonlyArray<Policy>,
  everyMs: number,
  rules: RuleSet,
  scale: Scale.Scale
): ReadonlyArray<Use> => {
  const callsOf = (some: ReadonlyArray<Policy>, share?: number) => {
    const scoped = some.map((policy) => scope(policy, scale, share))
    const calls = new Map(
      Object.entries(Estimate.of(scale.campaigns, scoped, rules.limits, () => undefined).calls)
    )
    for (const [operation, count] of scoped.flatMap((one) => writes(one, rules, scale)))
      calls.set(operation, (calls.get(operation) ?? 0) + count)
    return calls
  }
  const single = policies.map((policy) => ({ policy, calls: callsOf([policy]) }))
  // Policies that rotate make do with the scarce calls that are left.
  const insisting = callsOf(policies.filter(({ partial }) => partial !== "rotate"))
  const ofAllRows = callsOf(policies, 1)
  return [...callsOf(policies)].flatMap(([operation, all]) => {
    const entry = Catalogue.find(operation)
    const keptMs = Sources.keptMs(operation)
    if (entry !== undefined && keptMs >= everyMs) {
      // Other rows may pass in each run, but no row is asked about twice.
      const most = ofAllRows.get(operation) ?? all
      const calls = Math.min((all * keptMs) / everyMs, most)
      return [{ entry, everyMs: keptMs, calls, most, policy: mostOf(single, operation) }]
    }
    const calls = scarce.has(operation) ? (insisting.get(operation) ?? 0) : all
    const blamed = scarce.has(operation) ? single.filter((one) => one.policy.partial !== "rotate") : single
    const policy = mostOf(blamed.length === 0 ? single : blamed, operation)
    return entry === undefined ? [] : [{ entry, everyMs, calls, policy }]
  })
}

const mostOf = (
  single: ReadonlyArray<{ readonly policy: Policy; readonly calls: ReadonlyMap<string, number> }>,
  operation: string
): Policy =>
  single.reduce((a, b) => ((b.calls.get(operation) ?? 0) > (a.calls.get(operation) ?? 0) ? b : a)).policy

const judged = (uses: ReadonlyArray<Use>, kind: TokenKind): ReadonlyArray<Diagnostic> => {
  const worst = uses.reduce((a, b) => (b.calls / b.everyMs > a.calls / a.everyMs ? b : a))
  const { entry, everyMs, policy } = worst
  const limit = Operation.prudentLimitOf(entry, kind)
  if (limit === undefined && entry.id === BidSteps.operation) return []
  if (limit === undefined) {
    const message = `A ${kind} token is not served ${entry.id}, which this rule needs.`
    return [at(policy, entry, "warning", message)]
  }
  const sum = uses.reduce((all, use) => all + (use.calls * everyMs) / use.everyMs, 0)
  const kept = uses.flatMap(({ most }) => most ?? [])
  const needed = Math.ceil(kept.length < uses.length ? sum : Math.min(sum, Math.max(...kept)))
  const fitting = Math.floor(everyMs / limit.intervalMs)
  if (needed <= fitting * crowded) return []
  const message = `Needs about ${grouped(needed)} ${Plural.choose(needed, "call", "calls")} of ${entry.id}; ${grouped(fitting)} fit in ${Duration.format(everyMs)}.`
  const severity = needed > fitting ? "error" : "warning"
  const rotate = scarce.has(entry.id) ? ", or let the rows take turns with partial: rotate" : ""
  return [at(policy, entry, severity, `${message} Add a cheaper condition, or run it less often${rotate}.`)]
}

const at = (
  policy: Policy,
  entry: Catalogue.Entry,
  severity: Diagnostic["severity"],
  message: string
): Diagnostic => {
  const clauses = [...policy.where, ...policy.rules.flatMap((rule) => rule.when)]
  const asking = clauses.find((clause) => operationsOf(clause).includes(entry.id))
  const span = (asking ?? policy.rules[0]!.action).span
  return { code: "S04", severity, file: span.file, span, message }
}

const operationsOf = ({ condition }: Clause): ReadonlyArray<string> =>
  FactRefs.ofCondition(condition).flatMap(({ id }) => {
    const fact = Vocabulary.byFactId(id)
    return fact === undefined ? [] : [Sources.sources[fact.source].operation]
  })

const scope = (
  policy: Policy,
  { campaigns, clusters, items }: Scale.Scale,
  survivors?: number
): Estimate.Scope => {
  const share = policy.each === "cluster" ? 1 - (1 - passing.cluster) ** clusters : passing.coarse
  return {
    policy,
    campaigns,
    pairs: campaigns * items,
    survivors: survivors ?? (isSifted(policy) ? share : 1)
  }
}

/** Every rule has a condition that costs more than the settings and less than a scarce call. */
const isSifted = ({ rules, where }: Policy): boolean =>
  rules.every(({ when }) =>
    [...where, ...when].some((clause) => {
      const cost = Needs.costOf(clause)
      return cost !== "local" && cost !== "scarce"
    })
  )

/** Calls that carry out what passes every condition; a minus list is written whole, one item at a time. */
const writes = (
  { campaigns, pairs, policy, survivors }: Estimate.Scope,
  { limits }: RuleSet,
  { clusters }: Scale.Scale
): ReadonlyArray<readonly [string, number]> => {
  const most = Math.min(
    policy.limits.changesPerRun ?? Number.POSITIVE_INFINITY,
    limits.changesPerRun ?? Number.POSITIVE_INFINITY
  )
  const rows = policy.each === "cluster" ? pairs * clusters : policy.each === "campaign" ? campaigns : pairs
  const share = survivors === 1 ? 1 : policy.each === "cluster" ? passing.cluster : passing.coarse
  const changes = Math.min(most, Math.ceil(rows * share))
  const names = new Set(policy.rules.map(({ action }) => writer(policy.each, action._tag)))
  return [...names].flatMap((name) => {
    const entry = name === undefined ? undefined : Catalogue.find(name)
    if (entry === undefined) return []
    const keys = name === "setMinusPhrases" ? Math.min(changes, pairs) : changes
    return [[entry.id, Math.ceil(keys / (entry.batch?.max ?? 1))] as const]
  })
}

const writer = (each: Policy["each"], action: string): string | undefined => {
  switch (action) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
    case "AdjustBid":
      return each === "cluster" ? "setClusterBidsMinorUnits" : "setItemBids"
    case "AddMinus":
    case "RemoveMinus":
      return "setMinusPhrases"
    case "Pause":
      return "pauseCampaign"
    case "Start":
      return "startCampaign"
    case "Deposit":
      return "depositCampaignBudget"
    case "Placements":
      return "setCampaignPlacements"
    case "Enrol":
      return "uploadPromotionItems"
    default:
      return undefined
  }
}

const periodMs = ({ schedule }: Policy): number =>
  schedule?.every ?? Days.dayMs / Math.max(1, schedule?.at?.length ?? 1)

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")
