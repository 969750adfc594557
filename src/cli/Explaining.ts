/** Reads what every rule needs to know about one target, and explains what they made of it. Writes nothing. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CampaignId, Cluster, ItemId } from "../domain/Ids.js"
import type * as Target from "../domain/Target.js"
import * as FactType from "../engine/facts/FactType.js"
import type { Clause, Condition, Policy, RuleSet } from "../engine/language/Policy.js"
import * as Cycle from "../engine/run/Cycle.js"
import * as Gather from "../engine/run/Gather.js"
import { FactSource } from "../engine/run/Ports.js"
import * as Explanation from "../reporting/Explanation.js"
import { MarketplaceClient } from "../services/MarketplaceClient.js"
import type * as Account from "./Account.js"
import * as Planning from "./Planning.js"
import * as ProgressBar from "./ProgressBar.js"
import { stop } from "./Stop.js"

/** `777`, `777/1001` or `777/1001/женские кеды`; a cluster may hold slashes. */
export const parseTarget = (text: string) => {
  const [campaign = "", item, ...rest] = text.split("/")
  const isId = (id: string): boolean => /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(Number(id))
  if (!isId(campaign) || (item !== undefined && !isId(item))) {
    return Effect.fail(
      stop(
        1,
        `"${text}" is no target: write CAMPAIGN, CAMPAIGN/ITEM or CAMPAIGN/ITEM/CLUSTER with their numbers`
      )
    )
  }
  const target: Target.Target = {
    campaignId: CampaignId.make(Number(campaign)),
    ...(item === undefined ? {} : { itemId: ItemId.make(Number(item)) }),
    ...(rest.length === 0 ? {} : { cluster: Cluster.make(rest.join("/")) })
  }
  return Effect.succeed(target)
}

export const run = (chosen: Account.Chosen, rules: RuleSet, target: Target.Target) =>
  Effect.gen(function* () {
    const { tokenKind } = yield* MarketplaceClient
    const options = Planning.options(chosen, tokenKind)
    const everything = { ...rules, policies: rules.policies.map(open) }
    const gathered = yield* ProgressBar.shown(Gather.run(everything, options))
    yield* Planning.tell(gathered)
    if (!gathered.table("campaign").rows.some(({ campaignId }) => campaignId === target.campaignId)) {
      return yield* stop(
        1,
        `campaign ${target.campaignId} is not among those that are ready, active or paused`
      )
    }
    const { reviewed } = yield* Cycle.decide(withoutCounting(rules), gathered, options)
    const { table } = gathered
    return Explanation.make({ target, policies: rules.policies, table, plan: reviewed.plan })
  }).pipe(Effect.provide(only(target)))

/** The account as if it had this one campaign, and the campaign as if it had this one item. */
const only = ({ campaignId, itemId }: Target.Target) =>
  Layer.effect(
    FactSource,
    Effect.map(FactSource, (source) => ({
      ...source,
      campaigns: Effect.map(source.campaigns, (list) => ({
        ...list,
        ids: list.ids.filter((id) => id === campaignId)
      })),
      fetch: (request) => {
        const keys = request.keys.filter((key) => itemId === undefined || (key.itemId ?? itemId) === itemId)
        return keys.length === 0 && request.keys.length > 0
          ? Effect.succeed({ rows: [], failures: [], readAt: 0 })
          : source.fetch({ ...request, keys })
      }
    }))
  )

const one = { _tag: "Literal", type: FactType.number, value: 1 } as const
const always: Condition = { _tag: "Compare", op: "=", left: one, right: one }

/** A policy that asks for the same facts and lets every row through, so that no condition stays unanswered. */
const open = (policy: Policy): Policy => {
  const opened = (clause: Clause): Clause => ({
    ...clause,
    condition: { _tag: "Or", any: [clause.condition, always] }
  })
  // Every rule asks what all of them ask: the first that holds would end the search for the others' facts.
  const when = policy.rules.flatMap((rule) => rule.when).map(opened)
  const rules = policy.rules.map((rule) => ({ ...rule, when }))
  return { ...policy, where: policy.where.map(opened), rules }
}

/** Limits on the number of changes mean the whole account; one target says nothing about them. */
const withoutCounting = (rules: RuleSet): RuleSet => {
  const uncounted = <
    L extends { readonly changesPerRun?: number; readonly shareOfScopeBasisPoints?: number }
  >({
    changesPerRun: _,
    shareOfScopeBasisPoints: __,
    ...rest
  }: L) => rest
  return {
    ...rules,
    policies: rules.policies.map((policy) => ({ ...policy, limits: uncounted(policy.limits) })),
    limits: {
      ...uncounted(rules.limits),
      campaigns: rules.limits.campaigns.map(({ changesPerRun: _, ...rest }) => rest)
    }
  }
}
