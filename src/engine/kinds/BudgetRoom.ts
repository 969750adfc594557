/**
 * `optimise` plans a budget as a whole: what it makes dearer is paid for by what it makes cheaper. Where some of that does not go, whatever
 * keeps it, what it makes dearer goes only as far as the budget has room (decision 0109).
 */
import type { Change } from "./Change.js"
import * as Optimised from "./Optimised.js"

/** What a change asks of its budget, kopecks a day, as it was expected when the change was planned. */
export interface Share {
  /** The policy, and the campaign or `account`, whose budget it is. */
  readonly key: string
  readonly budget: string
  readonly dailyKopecks: number
  /** What is spent as it stands. */
  readonly spendKopecks: number
  /** What the change adds to that; below zero where it makes room. */
  readonly moreKopecks: number
}

/** A change for which its budget has no room: what is spent without it, and what it would add. */
export type NoRoom = Omit<Share, "key">

/** Undefined for a change that `optimise` did not make. What takes one back still says what that was made of, and does the opposite. */
export const shareOf = (change: Change): Share | undefined => {
  const made = change.undoes === undefined ? Optimised.of(change) : undefined
  if (made?.budget === undefined) return undefined
  const { dailyKopecks, of, spendKopecks } = made.budget
  return {
    key: `${change.origin.name} ${of}`,
    budget: of,
    dailyKopecks,
    spendKopecks,
    moreKopecks: made.after.spendKopecks - made.before.spendKopecks
  }
}

/** True for a change by which more of its budget is expected to be spent. */
export const isDearer = (change: Change): boolean => isMore(shareOf(change))

const isMore = (share: Share | undefined): boolean => share !== undefined && share.moreKopecks > 0

/** Changes of one plan. */
export interface Parts {
  /** What may go, in the order in which it takes the room that there is. */
  readonly open: ReadonlyArray<Change>
  /** What has gone. */
  readonly gone?: ReadonlyArray<Change>
  /** What does not go, or nobody knows. */
  readonly lost: ReadonlyArray<Change>
}

/** What of `open` finds no room. Budgets of which nothing is lost that makes room are as they were planned. */
export const without = ({ gone = [], lost, open }: Parts): ReadonlyMap<Change, NoRoom> => {
  const short = new Set(
    lost.flatMap((change) => {
      const share = shareOf(change)
      return share === undefined || isMore(share) ? [] : [share.key]
    })
  )
  const none = new Map<Change, NoRoom>()
  if (short.size === 0) return none
  const added = new Map<string, number>()
  const add = ({ key, moreKopecks }: Share) => added.set(key, (added.get(key) ?? 0) + moreKopecks)
  const shares = open.map((change) => [change, shareOf(change)] as const)
  for (const share of [...gone.map(shareOf), ...shares.flatMap(([, one]) => (isMore(one) ? [] : [one]))])
    if (share !== undefined) add(share)
  for (const [change, share] of shares) {
    if (share === undefined || !isMore(share) || !short.has(share.key)) continue
    const { budget, dailyKopecks, moreKopecks } = share
    const spendKopecks = share.spendKopecks + (added.get(share.key) ?? 0)
    if (spendKopecks + moreKopecks <= dailyKopecks) add(share)
    else none.set(change, { budget, dailyKopecks, spendKopecks, moreKopecks })
  }
  return none
}
