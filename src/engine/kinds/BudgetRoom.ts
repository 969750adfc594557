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
    key: keyOf(change.origin.name, of),
    budget: of,
    dailyKopecks,
    spendKopecks,
    moreKopecks: made.after.spendKopecks - made.before.spendKopecks
  }
}

const keyOf = (policy: string, budget: string): string => `${policy} ${budget}`

/** True for a change by which more of its budget is expected to be spent. */
export const isDearer = (change: Change): boolean => (shareOf(change)?.moreKopecks ?? 0) > 0

/** Changes of one plan. */
export interface Parts {
  /** What may go, in the order in which it takes the room that there is. */
  readonly open: ReadonlyArray<Change>
  /** What has gone. */
  readonly gone?: ReadonlyArray<Change>
  /** The whole plan: what is neither open nor gone does not go, has not had its turn, or nobody knows. */
  readonly all: ReadonlyArray<Change>
  /** What is left for later runs. */
  readonly later?: ReadonlyArray<Later>
}

/** Of one budget, kopecks a day: what changes that are in no plan yet would save and add. */
export interface Later {
  readonly policy: string
  readonly budget: string
  readonly savesKopecks: number
  readonly addsKopecks: number
}

/** Of the forecasts of a plan, the budgets of which later runs make changes too. */
export const laterOf = (
  forecasts: ReadonlyArray<
    Pick<Later, "policy" | "budget"> & {
      readonly later?: Pick<Later, "savesKopecks" | "addsKopecks"> | undefined
    }
  > = []
): ReadonlyArray<Later> =>
  forecasts.flatMap(({ budget, later, policy }) =>
    later === undefined ? [] : [{ policy, budget, ...later }]
  )

/**
 * What of `open` finds no room. Budgets of which all goes that makes room are as they were planned; others are spent up to what they have, or
 * to what the whole plan would have spent where that is more.
 */
export const without = ({ all, gone = [], later = [], open }: Parts): ReadonlyMap<Change, NoRoom> => {
  const goes = new Set([...gone, ...open].map(nameOf))
  const planned = new Map<string, number>()
  const short = new Set<string>()
  for (const change of all) {
    const share = shareOf(change)
    if (share === undefined) continue
    add(planned, share)
    if (share.moreKopecks < 0 && !goes.has(nameOf(change))) short.add(share.key)
  }
  for (const { addsKopecks, budget, policy, savesKopecks } of later) {
    const key = keyOf(policy, budget)
    add(planned, { key, moreKopecks: addsKopecks - savesKopecks })
    if (savesKopecks > 0) short.add(key)
  }
  const none = new Map<Change, NoRoom>()
  if (short.size === 0) return none
  const taken = new Map<string, number>()
  for (const change of [...gone, ...open.filter((one) => !isDearer(one))]) {
    const share = shareOf(change)
    if (share !== undefined) add(taken, share)
  }
  for (const change of open.filter(isDearer)) {
    const share = shareOf(change)
    if (share === undefined || !short.has(share.key)) continue
    const { budget, dailyKopecks, key, moreKopecks } = share
    const most = Math.max(dailyKopecks, share.spendKopecks + (planned.get(key) ?? 0))
    const spendKopecks = share.spendKopecks + (taken.get(key) ?? 0)
    if (spendKopecks + moreKopecks <= most) add(taken, share)
    else none.set(change, { budget, dailyKopecks, spendKopecks, moreKopecks })
  }
  return none
}

/** The same change in another policy's name is in no budget of this one. */
const nameOf = ({ id, origin }: Change): string => `${id} ${origin.name}`

const add = (sums: Map<string, number>, { key, moreKopecks }: Pick<Share, "key" | "moreKopecks">): void =>
  void sums.set(key, (sums.get(key) ?? 0) + moreKopecks)
