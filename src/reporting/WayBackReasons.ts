/** Why a change is not taken back, in words. Nothing decides by these sentences. */
import type { LeftReason } from "../engine/decide/Inverse.js"
import * as SupplyRef from "../engine/kinds/fulfilment/SupplyRef.js"
import * as Kinds from "../engine/kinds/Kinds.js"
import * as Seen from "../engine/kinds/Seen.js"
import type { Stray } from "../engine/planning/Undo.js"

/** Continues `cannot be taken back now: `. */
export const text = (because: LeftReason): string => {
  switch (because.code) {
    case "never_took_effect":
      return "it never took effect"
    case "taken_back":
      return `taken back already by ${because.runId}`
    case "there_already":
      return "what was there before is there already"
    case "replaced":
      return "something else was found in its place after it was sent; that is not ours to take back"
    case "irreversible":
    case "no_way_back":
    case "closed":
      return because.said
    case "outcome_open":
      return "its outcome is still open; bidhelm apply reads it back first"
    case "being_taken_back":
      return `${because.runId} is taking it back; its outcome is still open`
    case "changed_again":
      return `changed again by ${because.by} in ${because.runId}; take that back first`
    case "own_bid_removed":
      return "its own bid was removed by someone"
    case "shows_other":
      return Seen.text(because.seen, (value) => Kinds.print(because, value))
    case "live_value_unread":
      return `its live value could not be read: ${because.said}`
    case "start_needs_budget":
      return `the campaign cannot be started: ${lacking}`
    case "into_closed_supply":
      return `${SupplyRef.text(because.supply)}, where it came from, is handed over or gone, and takes no order any more`
    case "below_minimum_bid": {
      const [bid, least] = [because.bid, because.least].map((value) => Kinds.print(because, value))
      return `the marketplace takes no bid below ${least} by now, and it was ${bid}`
    }
  }
}

/** Why a campaign cannot be started. */
export const lacking =
  "its budget is empty, and the marketplace starts no campaign without one; top it up first"

/** A change of a saved plan that takes back what the journal would not. */
export const stray = ({ because, change }: Stray): string => {
  const name = `${change.action} of ${Kinds.slotOf(change)}`
  switch (because.code) {
    case "unknown":
      return `${name} takes back a change that the journal does not have`
    case "another_way_back":
      return `${name} is not the way back from that change`
    default:
      return `${name}: ${text(because)}`
  }
}
