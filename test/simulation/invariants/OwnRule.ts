/**
 * Invariant 1, of a rule's own words: no bid above the `cap` or below the `floor` of the rule that moved it, none moved
 * farther than the rule says, overlays among them; what ends an overlay returns to its base. The ledger is held against
 * the rule's text, to the kopeck; the journal only names the rule.
 */

import * as Inverse from "../../../src/engine/decide/Inverse.js"
import * as Bids from "../../../src/engine/kinds/Bids.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import type { Action, Expr } from "../../../src/engine/language/Policy.js"
import * as World from "../../../src/sandbox/market/World.js"
import type { Cycle, Observed, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as Places from "./Places.js"

type BidAction = Extract<
  Action,
  { readonly _tag: "RaiseBid" | "LowerBid" | "SetBid" | "AdjustBid" | "Optimise" }
>

/** What holds a bid on its way, kopecks. */
interface Road {
  readonly payment: "cpm" | "cpc"
  readonly step: number
  /** Smallest bid, on a step. */
  readonly least: number
  /** The account's highest. */
  readonly most: number
  /** Farthest that an overlay may be from its base, basis points. */
  readonly reach: number
}

export const within = (observed: Observed): ReadonlyArray<Violation> => {
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    const { after } = entry
    if (!Effects.isBid(entry.slot) || typeof after !== "number" || cycle === undefined) return []
    const before = Places.bidOf(observed, entry.before, entry)
    return rows(effect).flatMap((row): ReadonlyArray<Violation> => {
      const change = Effects.changeOf(row)
      if (change.undoes !== undefined || Inverse.isRevert(change) || !Places.isOf(entry.slot, change))
        return []
      const road = roadOf(observed, cycle, row.policy, change)
      const broken = [
        ...steered(cycle, row.policy, change, road, before, after),
        ...laid(cycle, change, road, before, after)
      ]
      return broken.map((what) => ({
        invariant: 1,
        at: entry.at,
        what: `${Effects.place(entry)} went from ${before} to ${after}: ${what} (${row.policy})`,
        entries: [entry.seq]
      }))
    })
  })
}

/** What is wrong with the move of the bid, or of the base beneath an overlay. */
const steered = (
  cycle: Cycle,
  policy: string,
  change: Change,
  road: Road,
  before: number,
  after: number
): ReadonlyArray<string> => {
  const action = actionOf(
    cycle,
    policy,
    (one) => change.origin.by === "policy" && one.span.line === change.origin.line
  )
  if (action === undefined || action._tag === "AdjustBid") return []
  const overlay = Bids.overlayOf(change)
  const [from, to] = [overlay?.baseBeforeKopecks ?? before, overlay?.baseKopecks ?? after]
  if (from === to) return []
  const [cap, floor] = boundsOf(action, road, from)
  const farthest = distanceOf(action, from, road.step)
  const isComingDown = from > Math.min(road.most, cap ?? road.most)
  return [
    ...told(cap !== undefined && to > cap, `its rule has a cap of ${cap}`),
    ...told(
      floor !== undefined && to < floor && to < from && !isComingDown,
      `its rule has a floor of ${floor}`
    ),
    ...told(
      to > Math.max(onStep(from + farthest, road), nextUp(from, road), road.least),
      `its rule goes up ${farthest}`
    ),
    ...told(
      !isComingDown && to < Math.min(onStep(from - farthest, road), nextDown(from, road)),
      `its rule goes down ${farthest}`
    )
  ]
}

/** What is wrong with an overlay over its base. */
const laid = (
  cycle: Cycle,
  change: Change,
  road: Road,
  before: number,
  after: number
): ReadonlyArray<string> => {
  const overlay = Bids.overlayOf(change)
  if (overlay === undefined || after === overlay.baseKopecks) return []
  const { baseKopecks: base, basisPoints: share, policy } = overlay
  if (share === 0) {
    const isBound = after === onStep(road.most, road) || after === road.least
    return told(!isBound, `an overlay ended, and its base was ${base}`)
  }
  const found = actionOf(
    cycle,
    policy,
    (one) => one._tag === "AdjustBid" && Math.sign(one.basisPoints) === Math.sign(share)
  )
  if (found?._tag !== "AdjustBid")
    return told(after > Math.max(before, road.least), "the overlay's rule is gone, and it went up")
  const farthest = Math.floor((base * Math.abs(found.basisPoints)) / 10_000)
  const reach = Math.floor((base * road.reach) / 10_000)
  const cap = found.cap === undefined ? undefined : literal(found.cap)
  const floor = found.floor === undefined ? undefined : literal(found.floor)
  const highest = Math.max(onStep(base + farthest, road), nextUp(base, road), road.least)
  const lowest = Math.min(onStep(base - farthest, road), nextDown(base, road))
  return [
    ...told(cap !== undefined && after > base && after > cap, `its overlay has a cap of ${cap}`),
    ...told(
      floor !== undefined && after < base && after < floor && base <= road.most,
      `its overlay has a floor of ${floor}`
    ),
    ...told(after > highest, `its overlay goes ${farthest} over ${base}`),
    ...told(after < lowest && base <= road.most, `its overlay goes ${farthest} below ${base}`),
    ...told(after > base + reach && after > road.least, `${reach} a day are allowed from ${base}`),
    ...told(after < base - reach && base <= road.most, `${reach} a day are allowed from ${base}`)
  ]
}

const told = (isBroken: boolean, what: string): ReadonlyArray<string> => (isBroken ? [what] : [])

const roadOf = (observed: Observed, { rules }: Cycle, id: string, change: Change): Road => {
  const target = change.subject
  const { overlay, placement } = Bids.detailsOf(change)
  const payment = Places.payment(observed, target.campaignId)
  const { combined, recommendations, search } = World.item(observed.world, target.itemId ?? 0).floors[payment]
  const floor =
    placement === "combined" ? combined : placement === "recommendations" ? recommendations : search
  const step = Places.stepOf(payment)
  const own = rules.policies.find((policy) => policy.id === (overlay?.policy ?? id))?.limits
  return {
    payment,
    step,
    least: Math.ceil(floor / step) * step,
    most: Math.min(
      rules.limits.maxBidKopecks?.[payment] ?? Number.POSITIVE_INFINITY,
      own?.maxBidKopecks?.[payment] ?? Number.POSITIVE_INFINITY
    ),
    reach: Math.min(rules.limits.movePerDayBasisPoints ?? 10_000, own?.movePerDayBasisPoints ?? 10_000)
  }
}

const actionOf = (cycle: Cycle, id: string, isMeant: (action: BidAction) => boolean): BidAction | undefined =>
  cycle.rules.policies
    .find((policy) => policy.id === id)
    ?.rules.map(({ action }) => action)
    .filter(isBidAction)
    .find(isMeant)

const isBidAction = (action: Action): action is BidAction =>
  ["RaiseBid", "LowerBid", "SetBid", "AdjustBid", "Optimise"].includes(action._tag)

/** Cap and floor that a rule says in so many kopecks. */
const boundsOf = (
  action: Exclude<BidAction, { readonly _tag: "AdjustBid" }>,
  { payment }: Road,
  from: number
): readonly [cap: number | undefined, floor: number | undefined] => {
  // What stands above it comes down day by day.
  if (action._tag === "Optimise") return [Math.max(action.cap[payment] ?? from, from), undefined]
  const floor = action._tag === "RaiseBid" ? undefined : action.floor
  return [
    action._tag === "LowerBid" ? undefined : literal(action.cap),
    floor === undefined ? undefined : literal(floor)
  ]
}

/** How far a rule moves a bid at once, kopecks; as far as it likes where it says nothing. */
const distanceOf = (
  action: Exclude<BidAction, { readonly _tag: "AdjustBid" }>,
  from: number,
  step: number
): number => {
  if (action._tag === "SetBid")
    return action.maxStepBasisPoints === undefined
      ? Number.POSITIVE_INFINITY
      : Math.floor((from * action.maxStepBasisPoints) / 10_000)
  if (action._tag === "Optimise") return Math.floor((from * action.moveBasisPoints) / 10_000)
  const { by } = action
  return by._tag === "Percent"
    ? Math.floor((from * by.basisPoints) / 10_000)
    : by._tag === "Amount"
      ? by.kopecks
      : by.steps * step
}

/** A bound that is written as an amount. */
const literal = (bound: Expr): number | undefined =>
  bound._tag === "Literal" && typeof bound.value === "number" ? bound.value : undefined

const onStep = (kopecks: number, { step }: Road): number => Math.floor(kopecks / step) * step
const nextUp = (kopecks: number, road: Road): number => onStep(kopecks, road) + road.step
const nextDown = (kopecks: number, { step }: Road): number => Math.ceil(kopecks / step) * step - step
