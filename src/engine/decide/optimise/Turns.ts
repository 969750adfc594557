/**
 * Which moves of `optimise` a plan makes, where there are many more than a run may send: those with the most money, first what saves.
 * The others are left to later runs, told by one short reason each: a change with its reasons takes two kilobytes, and an account may
 * have half a million bids. Pure.
 */

import type { Stake } from "../../optimise/Optimise.js"
import type { Share } from "../limits/Early.js"

/** Moves by their number. */
export interface Moves {
  readonly size: number
  /** Undefined for one that is no move. */
  readonly stake: (index: number) => Stake | undefined
  /** What orders moves of equal money. */
  readonly compareIds: (a: number, b: number) => number
  /** True where it is known to be held: it takes the turn of none that may go. */
  readonly isHeld: (index: number) => boolean
  /** Numbers of changes that it counts against beside `most`: what is beyond them takes no turn either. */
  readonly sharesOf: (index: number) => ReadonlyArray<Share>
  /** True where it is made in this run, as far as that can be told of it alone; asked of those in question only. */
  readonly goes: (index: number) => boolean
}

/** However many a run may send: a plan of more is more than a store keeps in one piece. */
const mostOfPlan = 50_000

/** Some that go here are held by what looks at the whole plan. */
export const spare = 500

/** The tightest of the limits on a run, and what a plan holds. */
export const mostOf = (
  limits: ReadonlyArray<{ readonly most: number | undefined; readonly where: string }>
): Share =>
  limits.reduce<Share>(
    (least, { most, where }) => (most !== undefined && most < least.most ? { most, where } : least),
    { most: mostOfPlan, where: "optimise" }
  )

/**
 * 1 for each move that is left to a later run. Minus phrases and bids are looked at apart, as the limit does: of too many minus phrases
 * none goes, and bids have the room.
 */
export const later = (moves: Moves, most: number): Uint8Array => {
  const flags = new Uint8Array(moves.size)
  const kinds: readonly [Array<number>, Array<number>] = [[], []]
  for (let i = 0; i < moves.size; i++) {
    const stake = moves.stake(i)
    if (stake !== undefined) kinds[stake.verb === "bid" ? 0 : 1].push(i)
  }
  for (const own of kinds) {
    const room = most + spare
    if (own.length <= room) continue
    let left = room
    for (const i of sharesFirst(inOrder(own, moves), moves)) {
      if (left === 0) flags[i] = 1
      else if (moves.goes(i)) left -= 1
    }
  }
  return flags
}

/** Those within all their shares, then the others. */
const sharesFirst = (ordered: Iterable<number>, { sharesOf }: Moves): ReadonlyArray<number> => {
  const taken = new Map<string, number>()
  const within: Array<number> = []
  const beyond: Array<number> = []
  for (const i of ordered) {
    const shares = sharesOf(i)
    const isWithin = shares.every(({ most, where }) => (taken.get(where) ?? 0) < most + spare)
    if (isWithin) for (const { where } of shares) taken.set(where, (taken.get(where) ?? 0) + 1)
    ;(isWithin ? within : beyond).push(i)
  }
  return [...within, ...beyond]
}

/** In columns, for these may be half a million. */
const inOrder = (own: ReadonlyArray<number>, moves: Moves): Iterable<number> => {
  const ranks = new Uint8Array(moves.size)
  const spends = new Float64Array(moves.size)
  for (const i of own) {
    const { moreKopecks, spendKopecks } = moves.stake(i)!
    // What is made dearer is paid for by what is made cheaper.
    ranks[i] = (moves.isHeld(i) ? 2 : 0) + (moreKopecks > 0 ? 1 : 0)
    spends[i] = spendKopecks
  }
  return Int32Array.from(own).sort(
    (a, b) => ranks[a]! - ranks[b]! || spends[b]! - spends[a]! || moves.compareIds(a, b)
  )
}
