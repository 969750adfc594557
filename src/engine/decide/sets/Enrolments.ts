/**
 * What policies want of the items of all promotions, weighed side by side: no item joins two promotions at one time, and
 * of a rule that reaches for a tier the cheapest set does (`Sets`). Of two promotions the one that starts earlier chooses
 * first, then the smaller number. Pure.
 */
import type * as Arr from "effect/Array"
import * as Groups from "../../../domain/Groups.js"
import type { ItemId, PromotionId } from "../../../domain/Ids.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import { acts } from "../../language/Mode.js"
import { tiers } from "../../language/Policy.js"
import { type Intent, type Outcome, stay, undecided } from "../intents/Intent.js"
import type { Notice, TierSet } from "../Plan.js"
import { Field } from "./Field.js"
import { type Beside, Overlaps } from "./Overlaps.js"
import * as Sets from "./Sets.js"

export interface Settled {
  readonly intents: ReadonlyArray<Intent>
  /** One for each promotion that a policy wants to reach a tier of, in the order of policies and promotions. */
  readonly sets: ReadonlyArray<TierSet>
  readonly notices: ReadonlyArray<Notice>
}

/** The intents of a plan with those about promotions decided; in their order. */
export const settle = (intents: ReadonlyArray<Intent>): Settled => {
  // Most of half a million are in no promotion, and what their grounds say is made when asked for.
  const enrolling = intents.filter(
    (intent) => intent.target.promotionId !== undefined && intent.ground.rule.action._tag === "Enrol"
  )
  const [first] = enrolling
  if (first === undefined) return { intents, sets: [], notices: [] }
  const field = new Field(enrolling)
  const overlaps = new Overlaps(first.ground.table, first.ground.slots)
  for (const intent of enrolling) besideRunning(intent, field, overlaps)
  const taken = new Taken(overlaps)
  const reached = new Map<PromotionId, string>()
  const sets: Array<TierSet> = []
  for (const some of inOrder(enrolling, overlaps)) {
    for (const intent of some) besidePlanned(intent, field, taken)
    for (const wish of Sets.wishes(some)) {
      const told = Sets.decide(wish, field, reached.get(wish.promotionId), Sets.apart(some, field))
      if (told.chosen) reached.set(wish.promotionId, wish.policy.id)
      sets.push(told)
    }
    for (const intent of some) if (field.moves(intent)) taken.add(intent)
  }
  return {
    intents: intents.map((intent) => field.now(intent)),
    sets: sets.sort(
      (a, b) => TextOrder.compare(a.policy, b.policy) || TextOrder.compare(a.promotionId, b.promotionId)
    ),
    notices: unlooked(enrolling, field, overlaps)
  }
}

/** Intents of one promotion at a time; what acts before what is shown, and of one promotion higher tiers of policies first, then what asks nobody. */
const inOrder = (
  intents: ReadonlyArray<Intent>,
  overlaps: Overlaps
): ReadonlyArray<ReadonlyArray<Intent>> => {
  const groups = Groups.by(intents, ({ ground, target }) => `${acts(ground.policy)} ${target.promotionId}`)
  const orderOf = (intent: Intent) => ({
    isShown: Number(!acts(intent.ground.policy)),
    promotionId: intent.target.promotionId!
  })
  return [...groups.values()]
    .map((own) => ({ own, ...orderOf(own[0]) }))
    .sort((a, b) => a.isShown - b.isShown || overlaps.compare(a.promotionId, b.promotionId))
    .map(({ own }) => own.sort(byPolicy))
}

const byPolicy = ({ ground: { policy: a } }: Intent, { ground: { policy: b } }: Intent): number =>
  tiers.indexOf(a.tier) - tiers.indexOf(b.tier) ||
  Number(a.mode !== "apply") - Number(b.mode !== "apply") ||
  TextOrder.compare(a.id, b.id)

const mayOverlap = ({ ground }: Intent): boolean =>
  ground.rule.action._tag === "Enrol" && ground.rule.action.overlap === "allowed"

const besideRunning = (intent: Intent, field: Field, overlaps: Overlaps): void => {
  const { itemId, promotionId } = intent.target
  if (!field.moves(intent) || mayOverlap(intent) || itemId === undefined || promotionId === undefined) return
  const beside = overlaps.beside(itemId, promotionId)
  if (beside._tag === "In") field.give(intent, stay(beside.because, false))
  else if (beside._tag === "Unread") field.give(intent, undecided(beside.because, false))
  else if (beside.others.length + beside.unread.length > 0)
    field.give(intent, knowing(beside, field.now(intent).outcome))
}

/** The same, with the promotions whose days count when it is sent. */
const knowing = ({ others, unread }: Extract<Beside, { _tag: "Free" }>, outcome: Outcome): Outcome => {
  if (outcome._tag !== "Move" || outcome.setting.kind !== Enrolment.name) return outcome
  const { setting } = outcome
  const besides = others.length === 0 ? {} : { besides: others }
  const besidesUnread = unread.length === 0 ? {} : { besidesUnread: unread }
  return {
    ...outcome,
    setting: { ...setting, details: { ...setting.details, ...besides, ...besidesUnread } }
  }
}

const besidePlanned = (intent: Intent, field: Field, taken: Taken): void => {
  if (!field.moves(intent) || mayOverlap(intent)) return
  const other = taken.against(intent)
  if (other !== undefined) field.give(intent, stay({ code: "overlap_planned", ...other }, false))
}

/** Which promotions the plan has items join so far. */
class Taken {
  private readonly promotions = new Map<ItemId, Arr.NonEmptyArray<PromotionId>>()

  constructor(private readonly overlaps: Overlaps) {}

  add({ target: { itemId, promotionId } }: Intent): void {
    if (itemId !== undefined && promotionId !== undefined) Groups.add(this.promotions, itemId, promotionId)
  }

  /** A promotion at the same time that the item joins by this plan. */
  against({ target: { itemId, promotionId } }: Intent) {
    if (itemId === undefined || promotionId === undefined) return undefined
    const other = this.promotions.get(itemId)?.find((one) => this.overlaps.overlap(one, promotionId))
    return other === undefined ? undefined : this.overlaps.named(other)
  }
}

/** Of policies that enrol beside automatic promotions: which ones nobody could look at. */
const unlooked = (
  intents: ReadonlyArray<Intent>,
  field: Field,
  overlaps: Overlaps
): ReadonlyArray<Notice> => {
  const beside = new Map<string, Map<PromotionId, string>>()
  for (const intent of intents) {
    const { promotionId } = intent.target
    if (!field.moves(intent) || mayOverlap(intent) || promotionId === undefined) continue
    const { id } = intent.ground.policy
    const names = beside.get(id) ?? new Map<PromotionId, string>()
    beside.set(id, names)
    for (const one of overlaps.automatic(promotionId)) names.set(one.promotionId, one.promotionName)
  }
  return [...beside].sort(TextOrder.byKey).flatMap(([policy, names]): ReadonlyArray<Notice> => {
    if (names.size === 0) return []
    const promotions = [...names].sort(TextOrder.byKey).map(([id, name]) => `${id} ${name}`.trim())
    return [{ policy, campaignName: "", because: { code: "automatic_unlooked", promotions } }]
  })
}
