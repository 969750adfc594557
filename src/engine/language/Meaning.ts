/** Hashes of what policies mean: comments, layout, names, order of keys and places in the file do not count. */
import * as Hash from "../../domain/Hash.js"
import type { FulfilmentPolicy } from "./Fulfilment.js"
import type { Action, Clause, Condition, Policy, RuleSet } from "./Policy.js"

/** The policy with its hash, which is computed when somebody asks: reading and checking do not need it. */
export const named = (policy: Omit<Policy, "hash">): Policy => {
  const made = hashed(policy, ofPolicy)
  unhashed.set(made, policy)
  return made
}

/** The policy to make another of it that nobody keeps: a copy of the whole policy would compute its hash. */
export const unnamed = (policy: Policy): Omit<Policy, "hash"> => unhashed.get(policy) ?? policy

const unhashed = new WeakMap<Policy, Omit<Policy, "hash">>()

const hashed = <A extends object>(one: A, hashOf: (one: A) => string): A & { readonly hash: string } => {
  let hash: string | undefined
  return {
    ...one,
    get hash() {
      hash ??= hashOf(one)
      return hash
    }
  }
}

/**
 * Hash of what a policy does to a row: which rows, when, what, and its bounds. Mode, schedule, names and
 * `if_unknown` are left out: turning a previewed policy on does not make it another policy.
 */
const ofPolicy = (policy: Omit<Policy, "hash">): string =>
  Hash.of(
    {
      each: policy.each,
      where: all(policy.where),
      during: policy.during,
      tier: policy.tier,
      rules: policy.rules.map(({ action, when }) => ({ when: all(when), action: ofAction(action) })),
      maxUnknownBasisPoints: policy.maxUnknownBasisPoints,
      holdForRuns: policy.holdForRuns,
      cooldownMs: policy.cooldownMs,
      watch:
        policy.watch === undefined
          ? undefined
          : { afterMs: policy.watch.afterMs, rollBackWhen: all(policy.watch.rollBackWhen) },
      limits: policy.limits
    },
    lists
  )

/** Of a variable that many policies name. */
const lists: Hash.Shared = new WeakMap()

const ofAction = ({ span: _, ...action }: Action) =>
  action._tag === "Optimise" && action.leave !== undefined
    ? { ...action, leave: all([action.leave]) }
    : action

/** As `named`: of a policy of `kind: fulfilment` all counts but names, mode and schedule. */
export const namedFulfilment = (policy: Omit<FulfilmentPolicy, "hash">): FulfilmentPolicy =>
  hashed(policy, ({ file: _, id: _id, mode: _mode, name: _name, schedule: _schedule, ...meaning }) =>
    Hash.of(meaning)
  )

/** The rule set with its hash: equal sets, modes and schedules included, make equal plans from equal facts. */
export const namedSet = (set: Meant): RuleSet => {
  let [hash, hashes]: [string?, RuleSet["hashes"]?] = []
  return {
    ...set,
    get hash() {
      hash ??= ofRuleSet(set)
      return hash
    },
    get hashes() {
      hashes ??= { orders: Hash.of(ofOrders(set)), others: ofRuleSet({ ...set, fulfilment: [] }) }
      return hashes
    }
  }
}

/** True of a plan that these rules make: of orders, or of all else. */
export const isOf = (
  { rulesHash }: { readonly rulesHash: string },
  { hashes }: Pick<RuleSet, "hashes">
): boolean => rulesHash === hashes.orders || rulesHash === hashes.others

type Meant = Omit<RuleSet, "hash" | "hashes">

const ofOrders = ({ fulfilment }: Pick<Meant, "fulfilment">) => ({
  fulfilment: fulfilment.map(({ hash, id, mode, schedule }) => ({ hash, id, mode, schedule }))
})

const ofRuleSet = ({ fulfilment, limits, ownFacts = [], policies }: Meant): string =>
  Hash.of({
    ...(ownFacts.length === 0 ? {} : { ownFacts: ownFacts.map(({ fact, maxAgeMs }) => [fact.id, maxAgeMs]) }),
    policies: policies.map(({ autoApprove, id, hash, ifUnknown, mode, partial, schedule }) => ({
      autoApprove,
      id,
      hash,
      ifUnknown,
      mode,
      partial,
      schedule
    })),
    ...(fulfilment.length === 0 ? {} : ofOrders({ fulfilment })),
    limits: {
      ...limits,
      maxBidSpan: undefined,
      neverTouch: all(limits.neverTouch),
      neverTouchItems: limits.neverTouchItems === undefined ? undefined : all(limits.neverTouchItems),
      campaigns: limits.campaigns.map((campaign) => ({
        ...campaign,
        maxBidSpan: undefined,
        where: all(campaign.where)
      }))
    }
  })

/** Clauses mean "and", so `a and b` on one line and on two are the same. */
const all = (clauses: ReadonlyArray<Clause>): ReadonlyArray<Condition> =>
  clauses.flatMap(({ condition }) => flatten(condition))

const flatten = (condition: Condition): ReadonlyArray<Condition> =>
  condition._tag === "And" ? condition.all.flatMap(flatten) : [condition]
