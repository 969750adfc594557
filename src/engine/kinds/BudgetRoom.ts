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
  readonly moreOrders: number
}

/** A change for which its budget has no room: what is spent without it, and what it would add. */
export type NoRoom = Omit<Share, "key" | "moreOrders">

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
    moreKopecks: made.after.spendKopecks - made.before.spendKopecks,
    moreOrders: made.after.orders - made.before.orders
  }
}

/** Of a budget: two policies may each have one of the same campaign. */
export const keyOf = (policy: string, budget: string): string => `${policy} ${budget}`

/** True for a change by which more of its budget is expected to be spent. */
export const isDearer = (change: Change): boolean => (shareOf(change)?.moreKopecks ?? 0) > 0

/** True for a change by which less of its budget is expected to be spent. In a campaign that is over all of that is saved, without it. */
export const makesRoom = (change: Change): boolean => (shareOf(change)?.moreKopecks ?? 0) < 0

/** Changes of one plan. */
export interface Parts {
  /** What may go, in the order in which it takes the room that there is. */
  readonly open: ReadonlyArray<Change>
  /** What has gone, and what would make room where nothing is spent any more. */
  readonly gone?: ReadonlyArray<Change>
  /** The whole plan: what is neither open nor gone does not go, has not had its turn, or nobody knows. */
  readonly all: ReadonlyArray<Change>
  /** What is no change of the plan, though its budget was planned with it. */
  readonly absent?: ReadonlyArray<Absent>
}

/** Of one budget, kopecks a day: what moves that are no changes of a plan would save and add. */
export interface Absent {
  readonly policy: string
  readonly budget: string
  readonly savesKopecks: number
  readonly addsKopecks: number
}

/** Of the forecasts of a plan: what is left for later runs, and what came to nothing in this one. */
export const absentOf = (
  forecasts: ReadonlyArray<
    Pick<Absent, "policy" | "budget"> & {
      readonly [why in "later" | "unmade"]?: Pick<Absent, "savesKopecks" | "addsKopecks"> | undefined
    }
  > = []
): ReadonlyArray<Absent> =>
  forecasts.flatMap(({ budget, later, policy, unmade }) =>
    [later, unmade].flatMap((sums) => (sums === undefined ? [] : [{ policy, budget, ...sums }]))
  )

/**
 * What of `open` finds no room. Budgets of which all goes that makes room are as they were planned; others are spent up to what they have, or
 * to what the whole plan would have spent where that is more.
 */
export const without = ({ absent = [], all, gone = [], open }: Parts): ReadonlyMap<Change, NoRoom> => {
  const goes = new Set([...gone, ...open].filter((one) => shareOf(one) !== undefined).map(nameOf))
  const planned = new Map<string, number>()
  const short = new Set<string>()
  for (const change of all) {
    const share = shareOf(change)
    if (share === undefined) continue
    add(planned, share)
    if (share.moreKopecks < 0 && !goes.has(nameOf(change))) short.add(share.key)
  }
  for (const { addsKopecks, budget, policy, savesKopecks } of absent) {
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
