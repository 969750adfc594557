/**
 * Invariant 5: every effect has a journal row that was committed, with its hash, before the request left.
 * Invariant 22: when all has come to rest, every row of the journal is settled, or a deposit that somebody must look at.
 * Invariant 25: every effect can be told: which policy, why, from what, to what.
 */
import type { Claimed, Observed, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"

/** The rows that ask for an effect, among those on their way when its request left. */
const asking = ({ entry, request }: Effects.Effect): ReadonlyArray<Claimed> => {
  const { campaignId, cluster, itemId } = entry.target
  const starts = (head: string) => (row: Claimed) => row.slot.startsWith(head)
  const rows = request.claimed.filter(({ state }) => state === "dispatching" || state === "claimed")
  switch (entry.slot) {
    case "status":
      return rows.filter(starts(`status:${campaignId}`))
    case "budget":
      return rows.filter(starts(`deposit:${campaignId}`))
    case "placements":
      return rows.filter(starts(`placement:${campaignId}`))
    case "minus":
      return rows.filter(starts(`minus:${campaignId}/${itemId}/`))
    case "bid":
      return rows.filter(
        (row) => row.slot === `cluster_bid:${campaignId}/${itemId}/${cluster}` && row.after === entry.after
      )
    default:
      return rows.filter(
        (row) => row.slot.startsWith(`item_bid:${campaignId}/${itemId}/`) && row.after === entry.after
      )
  }
}

export const beforeEffect = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap((effect) => {
    const { entry, request } = effect
    const isMeant = asking(effect).some(({ hash, operation }) => hash !== null && operation !== null)
    return isMeant
      ? []
      : [
          {
            invariant: 5,
            at: request.at,
            what: `${Effects.place(entry)} = ${JSON.stringify(entry.after)} was sent without a committed row`,
            entries: [entry.seq]
          }
        ]
  })

const settled = ["rejected", "applied", "not_applied", "conflict", "parked", "skipped"]

export const atRest = (observed: Observed): ReadonlyArray<Violation> =>
  observed.rows
    .filter(({ slot, state }) => !settled.includes(state) && !slot.startsWith("deposit:"))
    .map((row) => ({
      invariant: 22,
      at: row.updatedAt,
      what: `${row.slot} of ${row.runId} is still ${row.state}`,
      entries: []
    }))

export const told = (observed: Observed): ReadonlyArray<Violation> => {
  const byPlace = new Map<string, Row>()
  for (const row of observed.rows) byPlace.set(`${row.runId} ${row.slot}`, row)
  return Effects.of(observed).flatMap((effect) => {
    const row = asking(effect)
      .map(({ runId, slot }) => byPlace.get(`${runId} ${slot}`))
      .find((one) => one !== undefined)
    const change = row === undefined ? undefined : JSON.parse(row.change)
    const isTold =
      row?.decoded === true &&
      row.policy !== "" &&
      (change.reason.length > 0 || change.takesBack === true || change.overlayPolicy !== undefined)
    const { entry } = effect
    return isTold
      ? []
      : [
          {
            invariant: 25,
            at: entry.at,
            what: `${Effects.place(entry)} cannot be told: ${row?.change ?? "no row"}`,
            entries: [entry.seq]
          }
        ]
  })
}
