/**
 * What is known to hold a policy's moves in a place before any is decided. Only an order hangs on it: where there are more moves than a
 * run may make, those that would be held anyway take no turn. The review holds by what it finds itself. Pure.
 */
import type * as Target from "../../../domain/Target.js"
import type { Table } from "../../facts/Table.js"
import * as OperatorHold from "../../kinds/OperatorHold.js"
import type { AccountLimits } from "../../language/Policy.js"
import type { Calibration } from "../forecasts/Calibration.js"
import * as Forecasts from "./Forecasts.js"
import * as HumanEdits from "./HumanEdits.js"
import * as NeverTouch from "./NeverTouch.js"
import * as PerRun from "./PerRun.js"
import type * as Stops from "./Stops.js"
import type { SwitchedOff } from "./SwitchedOff.js"

/** What people, the marketplace and earlier predictions have stopped. */
export interface Known extends Pick<Stops.Stops, "edits" | "editHoldMs" | "holds"> {
  /** For `never_touch`, and numbers of changes that only some have. */
  readonly campaigns: Table
  readonly switchedOff: ReadonlyArray<SwitchedOff>
  readonly forecasts: ReadonlyArray<Calibration>
}

/** What a policy would do to a slot, which is named when asked for: that takes its whole text, and there may be half a million. */
export interface Move {
  readonly policy: string
  readonly subject: Target.Target
  readonly slot: () => string
}

/** A number of changes a run that only some campaigns have. */
export interface Share {
  readonly where: string
  readonly most: number
}

export interface Looks {
  /** Whether a move is known to be held. */
  readonly isHeld: (move: Move) => boolean
  /** Whose numbers it counts against beside the account's and its policy's. */
  readonly sharesOf: (move: Pick<Move, "subject">) => ReadonlyArray<Share>
}

export const unknown: Looks = { isHeld: () => false, sharesOf: () => [] }

/** Campaigns and their items are looked at once. */
export const of = (known: Known, limits: AccountLimits, nowMs: number): Looks => {
  const { campaigns, editHoldMs, edits } = known
  const places = new Map<string, boolean>()
  const isHeld = (move: Move): boolean => {
    const { policy, subject } = move
    const place = `${policy} ${subject.campaignId} ${subject.itemId}`
    const isStopped = places.get(place) ?? holdsPlace(move, known, limits, nowMs)
    places.set(place, isStopped)
    if (isStopped) return true
    if (edits.size === 0) return false
    const edit = edits.get(move.slot())
    return edit !== undefined && HumanEdits.heldUntil(edit, editHoldMs, nowMs) !== undefined
  }
  const shares = new Map<unknown, ReadonlyArray<Share>>()
  const sharesOf = ({ subject }: Pick<Move, "subject">): ReadonlyArray<Share> => {
    const found =
      shares.get(subject.campaignId) ??
      PerRun.ofCampaigns(limits).flatMap(({ most, selector, where }) =>
        most !== undefined && PerRun.isOf(selector, subject, campaigns) ? [{ where, most }] : []
      )
    shares.set(subject.campaignId, found)
    return found
  }
  return { isHeld, sharesOf }
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
