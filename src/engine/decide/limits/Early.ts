/**
 * What is known to hold a policy's moves in a place before any is decided. Only an order hangs on it: where there are more moves than a
 * run may make, those that would be held anyway take no turn. The review holds by what it finds itself. Pure.
 */
import type { Table } from "../../facts/Table.js"
import * as OperatorHold from "../../kinds/OperatorHold.js"
import type { AccountLimits } from "../../language/Policy.js"
import type { Calibration } from "../forecasts/Calibration.js"
import * as Forecasts from "./Forecasts.js"
import * as HumanEdits from "./HumanEdits.js"
import * as NeverTouch from "./NeverTouch.js"
import type * as Stops from "./Stops.js"
import type { SwitchedOff } from "./SwitchedOff.js"

/** What people, the marketplace and earlier predictions have stopped. */
export interface Known extends Pick<Stops.Stops, "edits" | "editHoldMs" | "holds"> {
  /** For `never_touch`. */
  readonly campaigns: Table
  readonly switchedOff: ReadonlyArray<SwitchedOff>
  readonly forecasts: ReadonlyArray<Calibration>
}

/** What a policy would do to a slot. */
export interface Move extends OperatorHold.Move {
  readonly slot: string
}

/** Whether a move is known to be held. Places are looked at once. */
export const of = (known: Known, limits: AccountLimits, nowMs: number): ((move: Move) => boolean) => {
  const places = new Map<string, boolean>()
  const { editHoldMs, edits } = known
  return (move) => {
    const { campaignId, itemId } = move.subject
    const key = `${move.policy} ${campaignId}/${itemId}`
    const isHeld = places.get(key) ?? holdsPlace(move, known, limits, nowMs)
    places.set(key, isHeld)
    if (isHeld) return true
    const edit = edits.get(move.slot)
    return edit !== undefined && HumanEdits.heldUntil(edit, editHoldMs, nowMs) !== undefined
  }
}

const holdsPlace = (
  { policy, subject }: Move,
  known: Known,
  limits: AccountLimits,
  nowMs: number
): boolean => {
  const { cluster: _, ...place } = subject
  const { campaigns, forecasts, holds, switchedOff } = known
  return (
    OperatorHold.stoppingMove(holds, { policy, subject: place }, nowMs) !== undefined ||
    NeverTouch.ofCampaign(place, limits, campaigns) !== undefined ||
    Forecasts.fallen({ policy, subject: place }, forecasts) !== undefined ||
    switchedOff.some(({ scope }) => scope === `campaign ${place.campaignId}`)
  )
}
