/** One unit of goods has one mark, so a mark that two orders name is wrong in at least one of them. */
import type { OrderId } from "../../../domain/Ids.js"
import { identity, isUnique, type Mark, type MarkKind } from "./Mark.js"
import { mostSgtins } from "./ReadMark.js"

/** A mark that somebody wants to set; `at` is the place it came from, as its owner counts. */
export interface Claim<At> {
  readonly orderId: OrderId
  readonly mark: Mark
  readonly at: At
}

/** Marks of live orders, by `Mark.identity`: what the marketplace keeps, and what is being sent. */
export type LiveMarks = ReadonlyMap<string, OrderId>

export type ClaimProblem<At> =
  /** Another order of the same list names the mark; `first` is where, before or behind. */
  | { readonly code: "claimed_twice"; readonly otherOrderId: OrderId; readonly first: At }
  /** A live order has the mark already. */
  | { readonly code: "used_by_order"; readonly otherOrderId: OrderId }
  /** The order has another value of this kind at `first`, and takes one only. */
  | { readonly code: "second_value"; readonly kind: MarkKind; readonly first: At }
  /** More marking codes than one order takes. */
  | { readonly code: "too_many"; readonly most: number }

export interface Claims<At> {
  /** What may be set, each mark of an order once, in the order given. */
  readonly accepted: ReadonlyArray<Claim<At>>
  /** Claims that stay out: the later one of two. The earlier of two orders stays out too, since nobody knows whose it is. */
  readonly problems: ReadonlyArray<{ readonly claim: Claim<At>; readonly problem: ClaimProblem<At> }>
  /** Claims that say again what was said: harmless, and told. */
  readonly repeated: ReadonlyArray<Claim<At>>
}

/** Holds claims against each other and against the marks of live orders. */
export const settle = <At>(claims: ReadonlyArray<Claim<At>>, live: LiveMarks = new Map()): Claims<At> => {
  const problems: Array<{ claim: Claim<At>; problem: ClaimProblem<At> }> = []
  const repeated: Array<Claim<At>> = []
  const kept: Array<Claim<At>> = []
  /** By mark: the last claim of another order. */
  const doubtful = new Map<string, Claim<At>>()
  const byMark = new Map<string, Claim<At>>()
  const byOrder = new Map<string, Array<Claim<At>>>()
  for (const claim of claims) {
    const { kind } = claim.mark
    const mark = identity(claim.mark)
    const slot = `${claim.orderId} ${kind}`
    const own = byOrder.get(slot) ?? []
    const other = isUnique(kind) ? byMark.get(mark) : undefined
    if (own.some((one) => identity(one.mark) === mark)) {
      repeated.push(claim)
      continue
    }
    const problem = problemOf(claim, other, live.get(mark), own)
    if (problem !== undefined) {
      problems.push({ claim, problem })
      if (problem.code === "claimed_twice") doubtful.set(mark, claim)
      continue
    }
    byMark.set(mark, claim)
    byOrder.set(slot, [...own, claim])
    kept.push(claim)
  }
  const accepted = kept.filter((claim) => {
    const second = doubtful.get(identity(claim.mark))
    if (second === undefined) return true
    problems.push({
      claim,
      problem: { code: "claimed_twice", otherOrderId: second.orderId, first: second.at }
    })
    return false
  })
  return { accepted, problems, repeated }
}

const problemOf = <At>(
  { mark, orderId }: Claim<At>,
  other: Claim<At> | undefined,
  holder: OrderId | undefined,
  own: ReadonlyArray<Claim<At>>
): ClaimProblem<At> | undefined => {
  if (isUnique(mark.kind) && holder !== undefined && holder !== orderId)
    return { code: "used_by_order", otherOrderId: holder }
  if (other !== undefined) return { code: "claimed_twice", otherOrderId: other.orderId, first: other.at }
  if (mark.kind !== "sgtin" && own[0] !== undefined)
    return { code: "second_value", kind: mark.kind, first: own[0].at }
  return own.length >= mostSgtins ? { code: "too_many", most: mostSgtins } : undefined
}
