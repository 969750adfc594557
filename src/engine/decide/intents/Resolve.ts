/**
 * One outcome per slot. The highest tier of which a policy matches decides, even when it leaves the slot as it is; the
 * tiers below change nothing; but what a policy takes back leaves what a lower tier wants kept. Inside a tier the cheaper outcome wins: the lowest bid, pause over start; add against
 * remove changes nothing. A satisfied restraint keeps the slot from becoming dearer. Policies in preview never
 * bend what policies in apply do. Who wants the very same as the winner agrees: those of its tier may stand in for it where it
 * is held for a reason of its own policy (decision 0122).
 */
import * as Bids from "../../kinds/Bids.js"
import * as Kinds from "../../kinds/Kinds.js"
import { acts } from "../../language/Mode.js"
import { tiers } from "../../language/Policy.js"
import { type Intent, type Outcome, stay } from "./Intent.js"

/** What becomes of one intent of the slot. Moves that lose to a winner have no verdict: it names them. */
export interface Verdict {
  readonly intent: Intent
  readonly outcome: Outcome
  /** Policies whose moves in this slot lost to this one, sorted. */
  readonly overruled: ReadonlyArray<string>
  /** Moves of the same tier that want the very same, in the order of their policies: each may stand in for this one. */
  readonly equals?: ReadonlyArray<Moving>
  /** Other policies that want the very same and stand in for nobody: those of lower tiers, and those in preview. */
  readonly agreed?: ReadonlyArray<string>
  /** Those of lower tiers, of which what they know of its cost is true whoever does it; a preview is never asked, for it bends nothing. */
  readonly below?: ReadonlyArray<Moving>
}

/** `intents` are all of one slot, in the order of their policies' ids. */
export const slot = (intents: ReadonlyArray<Intent>): ReadonlyArray<Verdict> => {
  const [first] = intents
  // Of most slots one policy wants something, and nobody is against itself.
  if (first !== undefined && intents.length === 1 && first.ground.policy.mode !== "disabled")
    return [unbent(first)]
  const applying = byTier(intents.filter((intent) => acts(intent.ground.policy)))
  const previewing = intents.filter((intent) => intent.ground.policy.mode === "preview")
  if (applying.speakers.length === 0) return [...applying.verdicts, ...byTier(previewing).verdicts]
  const outranked = previewing.filter(isMoving)
  const rest = previewing.filter((intent) => !isMoving(intent)).map(unbent)
  const { winner } = applying
  if (winner === undefined) {
    const stopped = outranked.map((intent) => heldBack(intent, applying.speakers))
    return [...applying.verdicts, ...rest, ...stopped]
  }
  return [...applying.verdicts.map(beside(winner, outranked)), ...rest]
}

/** An intent that would change its slot. */
export type Moving = Intent & { readonly outcome: Extract<Outcome, { readonly _tag: "Move" }> }

interface Decision {
  readonly winner: Moving | undefined
  readonly verdicts: ReadonlyArray<Verdict>
  /** Intents that move or vote. */
  readonly speakers: ReadonlyArray<Intent>
}

/** A satisfied policy of a higher tier would be undone from below, and the two would swing forever. */
const byTier = (intents: ReadonlyArray<Intent>): Decision => {
  const tier = tiers.find((one) => intents.some((intent) => tierOf(intent) === one))
  const top = intents.filter((intent) => tierOf(intent) === tier)
  const decision = decide(top)
  if (top.length === intents.length) return decision
  const below = intents.filter((intent) => tierOf(intent) !== tier)
  const { winner } = decision
  const keepers = winner !== undefined && takesBack(winner) ? keepersOf(winner, below) : []
  if (winner !== undefined && keepers.length > 0) {
    const rest = byTier(intents.filter((intent) => intent !== winner))
    return { ...rest, verdicts: [...rest.verdicts, heldBack(winner, keepers)] }
  }
  const quiet = below.filter((intent) => !isMoving(intent)).map(unbent)
  const beaten = below.filter(isMoving)
  if (winner === undefined) {
    const held = beaten.map((intent) => heldBack(intent, top, tier === undefined ? {} : { tier }))
    return { ...decision, verdicts: [...decision.verdicts, ...quiet, ...held] }
  }
  return { ...decision, verdicts: [...decision.verdicts.map(beside(winner, beaten)), ...quiet] }
}

/** Whose satisfied restraint taking something back would undo: they would do it again in the next run. */
const keepersOf = (winner: Moving, below: ReadonlyArray<Intent>): ReadonlyArray<Intent> =>
  opponents(
    winner,
    below.filter((intent) => intent.outcome._tag !== "Move" && intent.outcome.votes)
  )

const tierOf = (intent: Intent) => intent.ground.policy.tier

/** The winner's verdict, with others that move the slot and stand in for nobody. */
const beside =
  (winner: Moving, others: ReadonlyArray<Moving>) =>
  (verdict: Verdict): Verdict => {
    if (verdict.intent !== winner || others.length === 0) return verdict
    const agreeing = others.filter((intent) => isSame(intent, winner))
    const losers = others.filter((intent) => !isSame(intent, winner))
    const below = agreeing.filter(({ ground }) => acts(ground.policy) === acts(winner.ground.policy))
    return {
      ...verdict,
      overruled: distinct([...verdict.overruled, ...losers.map(policyOf)]),
      agreed: distinct([...(verdict.agreed ?? []), ...agreeing.map(policyOf)]),
      below: [...(verdict.below ?? []), ...below]
    }
  }

const decide = (intents: ReadonlyArray<Intent>): Decision => {
  const moving = intents.filter(isMoving)
  const still = intents.filter((intent) => !isMoving(intent))
  const speakers = intents.filter((intent) => intent.outcome._tag === "Move" || intent.outcome.votes)
  const free = moving.filter((intent) => opponents(intent, speakers).length === 0)
  const stopped = moving.filter((intent) => opponents(intent, speakers).length > 0)
  const winner = cheapest(free)
  const quiet = still.map(unbent)
  if (winner === undefined) {
    const held = stopped.map((intent) => heldBack(intent, opponents(intent, speakers)))
    return { winner, speakers, verdicts: [...quiet, ...held] }
  }
  const others = free.filter((intent) => intent !== winner)
  const equals = others.filter((intent) => isSame(intent, winner))
  const losers = [...stopped, ...others.filter((intent) => !isSame(intent, winner))]
  const verdict: Verdict = {
    intent: winner,
    outcome: winner.outcome,
    overruled: distinct(losers.map(policyOf)),
    ...(equals.length === 0 ? {} : { equals })
  }
  return { winner, speakers, verdicts: [verdict, ...quiet] }
}

/** Whoever keeps a move from happening: a vote against a dearer outcome, or the opposite minus. */
const opponents = (intent: Moving, speakers: ReadonlyArray<Intent>): ReadonlyArray<Intent> => {
  if (Kinds.of(intent.outcome.setting).isContested === true) {
    return speakers.filter((other) => keepsInMinus(other) !== intent.outcome.setting.after)
  }
  return intent.outcome.dearer ? speakers.filter((other) => !isMoving(other)) : []
}

/** Whether a policy of a minus phrase's slot wants it in the list. */
const keepsInMinus = (intent: Intent): boolean =>
  isMoving(intent) ? intent.outcome.setting.after === true : intent.ground.rule.action._tag === "AddMinus"

const cheapest = (moving: ReadonlyArray<Moving>): Moving | undefined =>
  moving.reduce<Moving | undefined>(
    (best, intent) => (best === undefined || goesBefore(intent, best) ? intent : best),
    undefined
  )

/**
 * Of one value the lower base comes first, then what takes something back: what a lower tier keeps is asked of it, before those
 * that want the same stand in.
 */
const goesBefore = (intent: Moving, best: Moving): boolean => {
  if (price(intent) !== price(best) || wants(intent) !== wants(best)) return price(intent) < price(best)
  const [own, other] = [baseOf(intent) ?? 0, baseOf(best) ?? 0]
  return own < other || (own === other && takesBack(intent) && !takesBack(best))
}

/** By what its kind says; else the dearer one is the one that lets money be spent. */
const price = (intent: Moving): number => {
  const { dearer, setting } = intent.outcome
  return Kinds.of(setting).price?.(setting) ?? (dearer ? 1 : 0)
}

const wants = (intent: Moving) => intent.outcome.setting.after

/** The same value, over the same base, as a bid of its own or as none. */
const isSame = (some: Moving, other: Moving): boolean =>
  wants(some) === wants(other) && baseOf(some) === baseOf(other) && clears(some) === clears(other)

const baseOf = ({ outcome }: Moving): number | undefined => Bids.overlayOf(outcome.setting)?.baseKopecks

const clears = ({ outcome }: Moving): boolean => Bids.detailsOf(outcome.setting).clears === true

const takesBack = ({ outcome }: Moving): boolean => outcome.setting.takesBack === true

const isMoving = (intent: Intent): intent is Moving => intent.outcome._tag === "Move"

const unbent = (intent: Intent): Verdict => ({ intent, outcome: intent.outcome, overruled: [] })

const heldBack = (
  intent: Intent,
  by: ReadonlyArray<Intent>,
  how: { readonly tier?: string } = {}
): Verdict => ({
  intent,
  outcome: stay({ code: "held_back", by: distinct(by.map(policyOf)), ...how }, false),
  overruled: []
})

const policyOf = (intent: Intent): string => intent.ground.policy.id

const distinct = (ids: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(ids)].sort()
