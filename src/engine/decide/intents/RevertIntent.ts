/**
 * `revert_when:` for one row: takes back what this policy did to the slot, when the slot's last change is this policy's
 * and the live value is still what it set. Anything else is somebody else's, and left alone without a word.
 */
import * as Either from "effect/Either"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"
import * as Status from "../../kinds/Status.js"
import * as BidRows from "./BidRow.js"
import type { Ground, Intent, Outcome } from "./Intent.js"
import { dayAsked, targetOf } from "./Intent.js"
import * as Standing from "./Standing.js"

/** Undefined when there is nothing of the policy's own to take back. */
export const of = (ground: Ground): Intent | undefined => wayBack(ground)?.take()

/** True when the last change of the row's slot is the policy's own, so that a person should hear if it cannot be judged. */
export const isOurs = (ground: Ground): boolean => {
  const slot = wayBack(ground)?.slot()
  return slot !== undefined && ground.slots.get(slot)?.ours?.policy === ground.policy.id
}

/** What the policy's action changes and how that is taken back; undefined for actions without a way back. */
const wayBack = (ground: Ground) => {
  const action = ground.policy.rules[0]?.action
  switch (action?._tag) {
    case "RaiseBid":
    case "LowerBid":
    case "SetBid":
      return {
        slot: () => BidRows.slotWithoutBid(ground, action.placement),
        take: () => bid(ground, action.placement)
      }
    case "Pause":
    case "Start":
      return { slot: () => Status.slot(targetOf(ground)), take: () => status(ground) }
    case "AddMinus":
    case "RemoveMinus":
      return { slot: () => MinusPhrase.slot(targetOf(ground)), take: () => minus(ground) }
    default:
      return undefined
  }
}

const bid = (ground: Ground, placement: "search" | "recommendations"): Intent | undefined => {
  const target = targetOf(ground)
  const read = BidRows.read(ground, placement, "any step")
  if (Either.isLeft(read)) {
    const slot = BidRows.slotWithoutBid(ground, placement)
    return isOurs(ground) ? { ground, target, slot, outcome: read.left } : undefined
  }
  const live = read.right
  const history = ground.slots.get(live.slot)
  const standing = Standing.of(history, live.current)
  const base = standing?.baseKopecks ?? live.current
  const before = ownBefore(ground, history, base)
  if (typeof before !== "number") return undefined
  const follows = history?.ours?.inherited === true
  const back = follows ? BidRows.itemsBid(ground) : Either.right(before)
  const returned = Either.flatMap(back, (kopecks) => Standing.returned(ground, live, kopecks))
  if (Either.isLeft(returned)) return { ground, target, slot: live.slot, outcome: returned.left }
  const { clamps, kopecks } = returned.right
  // Under an overlay the base moves alone; the bid of its own goes with the overlay.
  const inherits = follows && clamps.length === 0
  const clears = inherits && standing === undefined
  if (kopecks === base && (!clears || live.inherited === true)) return undefined
  const outcome: Outcome = {
    _tag: "Move",
    dearer: kopecks > base,
    setting: {
      before: base,
      after: kopecks,
      ...BidRows.which(live, { clears }),
      clamps,
      reversible: true,
      takesBack: true
    }
  }
  const carried = standing === undefined ? outcome : Standing.carry(ground, standing, live, outcome, inherits)
  return { ground, target, slot: live.slot, outcome: carried }
}

/** A campaign that had not run yet cannot be "ready" again: what was started is paused. */
const status = (ground: Ground): Intent | undefined => {
  const target = { campaignId: targetOf(ground).campaignId }
  const slot = Status.slot(target)
  const live = ground.table.get(ground.row, "campaign.status")
  if (live._tag === "Unknown") return undefined
  const before = ownBefore(ground, ground.slots.get(slot), live.value)
  if (before === undefined) return undefined
  const after = before === "ready" ? "paused" : String(before)
  const isPossible =
    (live.value === "paused" && after === "active") || (live.value === "active" && after === "paused")
  if (!isPossible) return undefined
  const setting = {
    before: String(live.value),
    after,
    kind: Status.name,
    details: after === "paused" ? Status.pausing(dayAsked(ground)) : {},
    clamps: [],
    reversible: true,
    takesBack: true
  }
  return { ground, target, slot, outcome: { _tag: "Move", dearer: after === "active", setting } }
}

const minus = (ground: Ground): Intent | undefined => {
  const target = targetOf(ground)
  const slot = MinusPhrase.slot(target)
  const live = ground.table.get(ground.row, "cluster.in_minus")
  if (live._tag === "Unknown") return undefined
  const before = ownBefore(ground, ground.slots.get(slot), live.value)
  if (typeof before !== "boolean" || before === live.value) return undefined
  const setting = {
    before: !before,
    after: before,
    kind: MinusPhrase.name,
    details: {},
    clamps: [],
    reversible: true,
    takesBack: true
  }
  return { ground, target, slot, outcome: { _tag: "Move", dearer: !before, setting } }
}

const ownBefore = (
  { policy }: Ground,
  history: SlotHistory | undefined,
  live: SlotValue
): SlotValue | undefined => {
  const ours = history?.ours
  return ours !== undefined && ours.policy === policy.id && ours.after === live ? ours.before : undefined
}
