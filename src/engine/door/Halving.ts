/**
 * A request that was refused as a whole, without a word about whom (field notes M06, M12, M14): its halves are sent by
 * themselves, until it is known whose fault it was. A part is tried again only because it was certainly not carried out.
 */
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { WriteBatch, WriteOutcome } from "./Writer.js"

/** So many refusals of one request and its parts are enough: two bad rows of a hundred are found by thirteen. */
export const mostRefusals = 14

type Outcomes = ReadonlyMap<string, WriteOutcome>

/** What became of the parts of a request so far. */
interface Tally {
  refusals: number
  isPartTaken: boolean
}

/** What a request came to, and what of it is sent again, part by part. */
export interface Halved {
  readonly outcomes: Outcomes
  readonly parts: ReadonlyArray<ReadonlyArray<Change>>
}

/** The halved requests of one run. */
export class Halving {
  private readonly tallies = new Map<string, Tally>()

  /** A change in doubt stays planned while it has a part to leave in; the others are refused, or left to the next run. */
  of({ changes }: WriteBatch, outcomes: Outcomes): Halved {
    const [first] = changes
    const known = first === undefined ? undefined : this.tallies.get(first.id)
    const doubt = doubtOf(changes, outcomes)
    if (doubt === undefined) {
      if (known !== undefined && [...outcomes.values()].some(({ _tag }) => _tag === "Accepted"))
        known.isPartTaken = true
      return { outcomes, parts: [] }
    }
    const tally = known ?? { refusals: 0, isPartTaken: false }
    tally.refusals++
    if (changes.length === 1 || tally.refusals >= mostRefusals) {
      const isTheirs = changes.length === 1 || !tally.isPartTaken
      return { outcomes: all(changes, isTheirs ? { _tag: "Rejected", reason: doubt } : suffered), parts: [] }
    }
    for (const { id } of changes) this.tallies.set(id, tally)
    const half = Math.ceil(changes.length / 2)
    const [front, back] = [changes.slice(0, half), changes.slice(half)]
    // What replaces a list is written once a run: a second list, made before the first can be seen, would undo it.
    return changes.some((change) => Kinds.of(change).together !== undefined)
      ? { outcomes: new Map([...outcomes, ...all(back, suffered)]), parts: [front] }
      : { outcomes, parts: [front, back] }
  }
}

/** Why the request was refused; undefined when something else became of it. */
const doubtOf = (changes: ReadonlyArray<Change>, outcomes: Outcomes) => {
  const found = changes.map(({ id }) => outcomes.get(id))
  const [first] = found
  return first?._tag === "Doubted" && found.every((one) => one?._tag === "Doubted") ? first.reason : undefined
}

const all = (changes: ReadonlyArray<Change>, outcome: WriteOutcome): Outcomes =>
  new Map(changes.map(({ id }) => [id, outcome]))

const suffered: WriteOutcome = { _tag: "NotSent", reason: OutcomeReason.of("refused_with_another") }
