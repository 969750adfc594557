/**
 * A request that was refused as a whole, without a word about whom (field notes M06, M12, M14): its halves are sent by
 * themselves, until it is known whose fault it was. A part is tried again only because it was certainly not carried out.
 */
import * as OutcomeReason from "../../domain/OutcomeReason.js"
import type { Change } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { WriteBatch, WriteOutcome } from "./Writer.js"

/** So many refusals of one request and its parts are enough: two bad rows of a hundred are found by fifteen at most. */
export const mostRefusals = 16

type Outcomes = ReadonlyMap<string, WriteOutcome>

/** What became of the parts of a request so far. */
interface Tally {
  refusals: number
  isPartTaken: boolean
  /** Why the last of them was refused. */
  reason: OutcomeReason.OutcomeReason
}

/** What a request came to, and what of it is sent again, part by part, before anything else. */
export interface Halved {
  readonly outcomes: Outcomes
  readonly parts: ReadonlyArray<ReadonlyArray<Change>>
}

/** The halved requests of one run. */
export class Halving {
  private readonly tallies = new Map<string, Tally>()

  /** Whether a change goes in a part, which nothing may join. */
  isPart({ id }: Change): boolean {
    return this.tallies.has(id)
  }

  /** What a part comes to that is not sent any more; undefined for what is. */
  spent([first]: ReadonlyArray<Change>): Ended | undefined {
    const tally = first === undefined ? undefined : this.tallies.get(first.id)
    return tally === undefined || tally.refusals < mostRefusals ? undefined : outcomeOf(tally)
  }

  /** A change in doubt stays planned while it has a part to leave in; the others are refused, or left to the next run. */
  of({ changes }: WriteBatch, outcomes: Outcomes): Halved {
    const [first] = changes
    const known = first === undefined ? undefined : this.tallies.get(first.id)
    const reason = doubtOf(changes, outcomes)
    if (reason === undefined) {
      if (known !== undefined && [...outcomes.values()].some(({ _tag }) => _tag === "Accepted"))
        known.isPartTaken = true
      return { outcomes, parts: [] }
    }
    const tally = known ?? { refusals: 0, isPartTaken: false, reason }
    tally.refusals++
    tally.reason = reason
    if (changes.length === 1) return { outcomes: all(changes, { _tag: "Rejected", reason }), parts: [] }
    if (tally.refusals >= mostRefusals) return { outcomes: all(changes, outcomeOf(tally)), parts: [] }
    for (const { id } of changes) this.tallies.set(id, tally)
    const half = Math.ceil(changes.length / 2)
    const [front, back] = [changes.slice(0, half), changes.slice(half)]
    // What replaces a list is written once a run: a second list, made before the first can be seen, would undo it.
    return changes.some((change) => Kinds.of(change).together !== undefined)
      ? { outcomes: new Map([...outcomes, ...all(back, suffered)]), parts: [front] }
      : { outcomes, parts: [front, back] }
  }
}

/** Where no part was ever taken, it is the fault of what they have in common. */
const outcomeOf = ({ isPartTaken, reason }: Tally): Ended =>
  isPartTaken ? suffered : { _tag: "Rejected", reason }

/** Why the request was refused; undefined when something else became of it. */
const doubtOf = (changes: ReadonlyArray<Change>, outcomes: Outcomes) => {
  const found = changes.map(({ id }) => outcomes.get(id))
  const [first] = found
  return first?._tag === "Doubted" && found.every((one) => one?._tag === "Doubted") ? first.reason : undefined
}

const all = (changes: ReadonlyArray<Change>, outcome: WriteOutcome): Outcomes =>
  new Map(changes.map(({ id }) => [id, outcome]))

type Ended = Extract<WriteOutcome, { readonly _tag: "Rejected" | "NotSent" }>

const suffered: Ended = { _tag: "NotSent", reason: OutcomeReason.of("refused_with_another") }
