/**
 * What `enrol: {reach_tier: next}` makes of the rows that match: per promotion the cheapest set that reaches the next tier
 * (`TierSet`), or nothing and why. A set is chosen among items that may join by themselves and that no other policy
 * enrols, for it goes whole or not at all.
 */
import type { PromotionId } from "../../../domain/Ids.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import type { TierAhead } from "../../kinds/Parts.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import type { Policy, Reach } from "../../language/Policy.js"
import * as Changes from "../Changes.js"
import { type Ground, type Intent, type Outcome, stay, undecided, unmoved } from "../intents/Intent.js"
import type { TierSet as Told } from "../Plan.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"
import type { Field } from "./Field.js"
import * as TierSet from "./TierSet.js"

/** The rows of one promotion that a rule wants a set of; at least one. */
export interface Wish {
  readonly policy: Policy
  readonly reach: Reach
  readonly promotionId: PromotionId
  readonly intents: ReadonlyArray<Intent>
}

/** In the order of their first intents. */
export const wishes = (intents: ReadonlyArray<Intent>): ReadonlyArray<Wish> => {
  const found = new Map<string, Wish & { readonly intents: Array<Intent> }>()
  for (const intent of intents) {
    const { policy, rule } = intent.ground
    const { promotionId } = intent.target
    if (rule.action._tag !== "Enrol" || rule.action.reach === undefined || promotionId === undefined) continue
    const key = `${policy.id} ${promotionId}`
    const known = found.get(key)
    if (known === undefined)
      found.set(key, { policy, reach: rule.action.reach, promotionId, intents: [intent] })
    else known.intents.push(intent)
  }
  return [...found.values()]
}

type Because = UnchangedReason | UnknownReason

/** Items that intents of one promotion enrol whatever sets are chosen. */
export const apart = (intents: ReadonlyArray<Intent>, field: Field): number =>
  new Set(
    intents.flatMap((intent) =>
      reaches(intent.ground) || !field.standing(intent).wins ? [] : [intent.target.itemId]
    )
  ).size

/** Decides on a wish; `by` is the policy that reaches this tier already, `others` as of `apart`. */
export const decide = (wish: Wish, field: Field, by: string | undefined, others: number): Told => {
  const { ground } = wish.intents[0]!
  const tier = tierOf(ground)
  const candidates = candidatesOf(wish, field)
  const { atMostKopecks } = wish.reach
  const told = {
    policy: wish.policy.id,
    promotionId: wish.promotionId,
    promotionName: Changes.campaignName(ground),
    ...("next" in tier ? { next: tier.next } : {}),
    ...(tier.boost === undefined ? {} : { boost: tier.boost }),
    ...(atMostKopecks === undefined ? {} : { mostKopecks: atMostKopecks }),
    candidates: candidates.length
  }
  const nothing = (because: Because, more: Pick<Told, "cheapest"> = {}): Told => {
    for (const { intent } of candidates) field.give(intent, unmoved(because, false))
    return { ...told, ...more, chosen: false, because }
  }
  if (by !== undefined) return nothing({ code: "set_of_other", policy: by })
  if ("because" in tier) return nothing(tier.because)
  const waiting = onTheirWay(ground.slots, wish.promotionId)
  if (waiting > 0) return nothing({ code: "set_waits", items: waiting })
  const { items: needed } = tier.next
  if (others >= needed) return nothing({ code: "set_unneeded", items: others, needed })
  const choice = TierSet.choose(candidates, { needed, mostKopecks: atMostKopecks })
  if (choice._tag === "TooFew") return nothing({ code: "set_too_few", candidates: candidates.length, needed })
  if (choice._tag === "TooDear") {
    const { items, kopecks } = choice
    const because = { code: "set_too_dear", items, kopecks, mostKopecks: atMostKopecks ?? kopecks } as const
    return nothing(because, { cheapest: { items, kopecks } })
  }
  const items = choice.items.length
  const ahead = {
    items: needed,
    ...(tier.next.boost === undefined ? {} : { boostBasisPoints: tier.next.boost })
  }
  const chosen = new Set(choice.items)
  for (const one of candidates) {
    const { costKopecks, intent } = one
    if (chosen.has(one))
      field.give(intent, inSet(field.now(intent).outcome, { items, costKopecks, tier: ahead }))
    else field.give(intent, stay({ code: "set_dearer", items, costKopecks }, false))
  }
  return { ...told, cheapest: { items, kopecks: choice.kopecks }, chosen: true }
}

const inSet = (
  outcome: Outcome,
  set: { readonly items: number; readonly costKopecks: number; readonly tier: TierAhead }
): Outcome => {
  if (outcome._tag !== "Move" || outcome.setting.kind !== Enrolment.name) return outcome
  const { setting } = outcome
  return { ...outcome, setting: { ...setting, details: { ...setting.details, set } } }
}

interface Candidate extends TierSet.Candidate {
  readonly intent: Intent
}

/** Items that would join; one whose cost nobody knows is none, and its row says so. */
const candidatesOf = ({ intents, reach }: Wish, field: Field): ReadonlyArray<Candidate> =>
  intents.flatMap((intent) => {
    const { itemId } = intent.target
    const { equals, wins } = field.standing(intent)
    if (itemId === undefined || !wins) return []
    const alone = equals.filter(({ ground }) => !reaches(ground))
    if (alone.length > 0) {
      const by = alone.map(({ ground }) => ground.policy.id).sort()
      field.give(intent, stay({ code: "held_back", by }, false))
      return []
    }
    const costKopecks = costOf(intent.ground, reach)
    if (typeof costKopecks === "number") return [{ intent, itemId, costKopecks }]
    field.give(intent, costKopecks)
    return []
  })

const reaches = ({ rule: { action } }: Ground): boolean =>
  action._tag === "Enrol" && action.reach !== undefined

/** Whole kopecks a day, rounded up. */
const costOf = ({ amounts, row, table }: Ground, { cost }: Reach): number | Outcome => {
  const cell = amounts?.of(cost, row) ?? Evaluate.value(cost, table, row)
  const fact = cost._tag === "Derived" || cost._tag === "Fact" ? nameOf(cost.fact.id) : "the cost"
  if (cell._tag === "Unknown") return undecided({ code: "fact_unknown", fact, reason: cell.reason }, false)
  const kopecks = Math.ceil(Number(cell.value)) + 0
  return Number.isSafeInteger(kopecks)
    ? kopecks
    : undecided(
        { code: "fact_malformed", fact, value: String(cell.value), wanted: "an amount of money" },
        false
      )
}

type Tier = Pick<Told, "boost"> &
  ({ readonly next: NonNullable<Told["next"]> } | { readonly because: Because })

const needed = "promotion.items_to_next_tier"

/** Where the promotion stands, by the facts of a row of it. On the highest tier a boost is known, and no next one. */
const tierOf = ({ row, table }: Ground): Tier => {
  const boost = basisPoints(table.get(row, "promotion.boost"))
  const next = basisPoints(table.get(row, "promotion.boost.next"))
  const known = boost === undefined ? {} : { boost }
  const cell = table.get(row, needed)
  if (cell._tag === "Unknown") {
    if (cell.reason === "absent" && boost !== undefined && next === undefined)
      return { ...known, because: { code: "set_tier_highest" } }
    return { ...known, because: { code: "fact_unknown", fact: nameOf(needed), reason: cell.reason } }
  }
  const items = Number(cell.value)
  if (items === 0) return { ...known, because: { code: "set_reached" } }
  if (!(Number.isSafeInteger(items) && items > 0)) {
    const value = String(cell.value)
    const wanted = "a whole amount above zero"
    return { ...known, because: { code: "fact_malformed", fact: nameOf(needed), value, wanted } }
  }
  return { ...known, next: { ...(next === undefined ? {} : { boost: next }), items } }
}

const basisPoints = (cell: ReturnType<Ground["table"]["get"]>): number | undefined =>
  cell._tag === "Known" ? Math.round(Number(cell.value) * 10_000) : undefined

const nameOf = (id: string): string => Vocabulary.byFactId(id)?.word ?? id

/** Items filed for the promotion that its list does not show yet: until it does, nobody knows how many are missing. */
const onTheirWay = (slots: ReadonlyMap<string, SlotHistory>, promotionId: PromotionId): number =>
  Enrolment.pending(slots).filter((one) => one.promotionId === promotionId).length
