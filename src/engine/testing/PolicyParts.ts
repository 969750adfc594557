/** What tests look at inside a policy: the only place of the tests that knows how a policy is built. */
import * as Window from "../../domain/Window.js"
import * as FactRefs from "../facts/FactRefs.js"
import type { Fact } from "../facts/FactType.js"
import * as Level from "../facts/Level.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Payment from "../language/check/Payment.js"
import * as Meaning from "../language/Meaning.js"
import type { Clause, Each, FactRef, Policy } from "../language/Policy.js"
import * as Policies from "../language/Policy.js"

/** A rule of a policy: its conditions, and the line of the action that they lead to. */
export interface Part {
  /** Empty for a policy with a single rule. */
  readonly name: string
  readonly actionLine: number
  /** It only tells a person. */
  readonly tells: boolean
  readonly clauses: ReadonlyArray<Clause>
}

export const parts = (policy: Policy): ReadonlyArray<Part> =>
  policy.rules.map(({ action, name, when }, index) => ({
    name: policy.rules.length === 1 ? "" : (name ?? `rule ${index + 1}`),
    actionLine: action.span.line,
    tells: action._tag === "Notify",
    clauses: [...policy.where, ...when]
  }))

/** What a row of a test is: a bid where the policy optimises, for its rows are campaigns and what changes is below them. */
export const levelOf = (policy: Pick<Policy, "each" | "rules">): Each =>
  Policies.optimises(policy) ? "cluster" : policy.each

/** Every condition once, in the order they are written. */
export const clauses = (policy: Policy): ReadonlyArray<Clause> => [
  ...policy.where,
  ...policy.rules.flatMap(({ when }) => when)
]

/** What is made of a policy once, however often tests ask for it: every row and every run does. */
const once = <A>(make: (policy: Policy) => A): ((policy: Policy) => A) => {
  const made = new WeakMap<Policy, { readonly value: A }>()
  return (policy) => {
    const known = made.get(policy) ?? { value: make(policy) }
    made.set(policy, known)
    return known.value
  }
}

/**
 * Every fact that a policy reads by name, with its window. The newest days that `optimise` looks at once more are nothing that a
 * test says: where no bid has moved they tell nothing new.
 */
export const reads: (policy: Policy) => ReadonlyArray<FactRef> = once((policy) => {
  const newest = new Set(
    policy.rules.flatMap(({ action }) =>
      action._tag === "Optimise" ? FactRefs.optimiseWindows(action.window).slice(1).map(Window.key) : []
    )
  )
  return FactRefs.ofPolicy(policy).filter(
    ({ window }) => window === undefined || !newest.has(Window.key(window))
  )
})

/** The facts from tables of the seller's that the policy reads, by their words. */
export const ownWords: (policy: Policy) => ReadonlyMap<string, Fact> = once(
  (policy) =>
    new Map(
      reads(policy).flatMap(({ id }) => {
        const fact = Vocabulary.byFactId(id)
        return fact?.source === "own" ? [[fact.word, fact] as const] : []
      })
    )
)

/** The policy as tests run it: as if it were turned on, and under no hash. */
export const turnedOn = (policy: Policy): Policy => ({ ...Meaning.unnamed(policy), mode: "apply", hash: "" })

/** The policy as if the rows below its own were its rows: what a test says of them is read by it. */
export const ofBelow: (policy: Policy) => Policy = once((policy) => ({
  ...Meaning.unnamed(policy),
  each: Level.below(levelOf(policy)) ?? policy.each,
  hash: ""
}))

/** The policy without the bounds that count rows: a handful of rows says nothing about an account. */
export const uncounted = (policy: Policy): Policy => {
  const { changesPerRun: _, shareOfScopeBasisPoints: __, ...limits } = policy.limits
  return { ...policy, limits, maxUnknownBasisPoints: 10_000 }
}

/** The payment type its rows have, where its conditions leave only one. */
export const payment: (policy: Policy) => Payment.PaymentType | undefined = once((policy) => {
  const ofRules = policy.rules.map(({ when }) => Payment.decided([...policy.where, ...when]))
  return ofRules.every((one) => one === ofRules[0]) ? ofRules[0] : undefined
})
