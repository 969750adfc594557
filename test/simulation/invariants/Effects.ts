/** The accepted writes of the program, each with the request that made it and the turn that asked for it. */
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import * as Timeline from "../../../src/sandbox/Timeline.js"
import type { Cycle, Observed, Request } from "../chaos/Record.js"

export interface Effect {
  readonly entry: Ledger.Entry
  readonly request: Request
  /** The turn in which the request was made; undefined when none was under way. */
  readonly cycle: Cycle | undefined
}

/** In the ledger's order. What the network repeated or delivered late is left out: the program asked once. */
export const of = (observed: Observed): ReadonlyArray<Effect> => {
  const bySeq = new Map(observed.ledger.map((entry) => [entry.seq, entry]))
  return observed.requests.flatMap((request) => {
    const cycle = observed.cycles.findLast((one) => one.life === request.life && one.startedAt <= request.at)
    return request.entries.flatMap((seq) => {
      const entry = bySeq.get(seq)
      return entry === undefined || observed.echoed.has(seq) ? [] : [{ entry, request, cycle }]
    })
  })
}

/** What a write is about: one key per place of the marketplace. */
export const place = ({ slot, target }: Pick<Ledger.Entry, "slot" | "target">): string =>
  `${slot} ${target.campaignId ?? ""}/${target.itemId ?? ""}/${target.cluster ?? ""}`

/** How long the marketplace takes to show it, milliseconds. */
export const lagMs = (slot: Ledger.Slot): number =>
  slot.startsWith("bid")
    ? Timeline.delays.bid
    : slot === "status"
      ? Timeline.delays.status
      : Timeline.delays.database

export const isBid = (slot: Ledger.Slot): boolean => slot.startsWith("bid")
