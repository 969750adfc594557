/**
 * Which moves of `optimise` a plan makes, where there are many more than a run may send: those with the most money, first what saves.
 * The others are left to later runs, told by one short reason each: a change with its reasons takes two kilobytes, and an account may
 * have half a million bids. Pure.
 */

import * as TextOrder from "../../../domain/TextOrder.js"
import * as BudgetRoom from "../../kinds/BudgetRoom.js"
import type { Change } from "../../kinds/Change.js"
import * as Kinds from "../../kinds/Kinds.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import type { Stake } from "../../optimise/Optimise.js"
import { type Intent, stay } from "../intents/Intent.js"
import type * as Early from "../limits/Early.js"
import * as PerRun from "../limits/PerRun.js"
import type { Forecast } from "../Plan.js"
import { type Offer, resting } from "./Offer.js"

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
  readonly sharesOf: (index: number) => ReadonlyArray<Early.Share>
  /** True where it is made in this run, as far as that can be told of it alone; asked of those in question only. */
  readonly goes: (index: number) => boolean
}

/** However many a run may send: a plan of more is more than a store keeps in one piece. */
const mostOfPlan = 50_000

/** Some that go here are held by what looks at the whole plan. */
export const spare = 500

/** The tightest of the limits on a run, and what a plan holds. */
const mostOf = (limits: ReadonlyArray<PerRun.PerRun>): Early.Share =>
  limits.reduce<Early.Share>(
    (least, { most, where }) => (most !== undefined && most < least.most ? { most, where } : least),
    { most: mostOfPlan, where: "optimise" }
  )

/**
 * 1 for each move that is left to a later run: bids and minus phrases take turns together, as the limit has them (decision 0115).
 * In columns, for these may be half a million.
 */
export const later = (moves: Moves, most: number): Uint8Array => {
  const flags = new Uint8Array(moves.size)
  const spends = new Float64Array(moves.size)
  const [savings, raises] = [new Int32Array(moves.size), new Int32Array(moves.size)]
  let [saving, raising] = [0, 0]
  for (let i = 0; i < moves.size; i++) {
    const stake = moves.stake(i)
    if (stake === undefined) continue
    flags[i] = 1
    spends[i] = stake.spendKopecks
    if (stake.moreKopecks > 0) raises[raising++] = i
    else savings[saving++] = i
  }
  let left = most + spare
  if (saving + raising <= left) return flags.fill(0)
  // What is made dearer is paid for by what is made cheaper.
  const ranks = [savings.subarray(0, saving), raises.subarray(0, raising)]
  const ordered = heldLast(dearestFirst(ranks, spends, left, moves), moves)
  for (const i of sharesFirst(ordered, moves)) {
    if (left === 0) break
    flags[i] = 0
    if (moves.goes(i)) left -= 1
  }
  return flags
}

/** Of each rank those with the most money, and then the others: to sort half a million, of which some thousand are asked for, takes a second. */
function* dearestFirst(
  ranks: ReadonlyArray<Int32Array>,
  spends: Float64Array,
  asked: number,
  { compareIds }: Moves
): Generator<number, void> {
  // Signs and no differences: each of these would be a number to collect.
  const compare = (a: number, b: number): number =>
    spends[a] === spends[b] ? compareIds(a, b) : spends[a]! > spends[b]! ? -1 : 1
  for (const own of ranks) {
    const least =
      new Float64Array(own)
        .map((i) => spends[i]!)
        .sort()
        .at(-asked) ?? 0
    yield* own.filter((i) => spends[i]! >= least).sort(compare)
    yield* own.filter((i) => !(spends[i]! >= least)).sort(compare)
  }
}

/** Of all ranks. Whether one is held is asked as far as turns go. */
function* heldLast(ordered: Iterable<number>, { isHeld }: Moves): Generator<number, void> {
  const held: Array<number> = []
  for (const i of ordered) {
    if (isHeld(i)) held.push(i)
    else yield i
  }
  yield* held
}

/** Those within all their shares, then the others. Whose shares they are is asked as far as turns go: there may be half a million. */
function* sharesFirst(ordered: Iterable<number>, { sharesOf }: Moves): Generator<number, void> {
  const taken = new Map<string, number>()
  const beyond: Array<number> = []
  for (const i of ordered) {
    const shares = sharesOf(i)
    if (!shares.every(({ most, where }) => (taken.get(where) ?? 0) < most + spare)) beyond.push(i)
    else {
      for (const { where } of shares) taken.set(where, (taken.get(where) ?? 0) + 1)
      yield i
    }
  }
  yield* beyond
}

/** What is looked at beside the bids. */
export interface Beside {
  /** What becomes of a move by what is known of its slot. */
  readonly pass: (intent: Intent) => Intent
  /** What is known to hold moves before any is decided. */
  readonly known: Early.Looks
}

/** Bids and clusters that something becomes of, by their number; `stake` where that is a move. */
export interface Wanted extends Pick<Moves, "size" | "stake"> {
  readonly offer: (index: number) => Offer
}

/** A move of this run, whatever becomes of it: what it adds to its budget, kopecks a day. */
export interface Wish {
  readonly policy: string
  readonly budget: string
  readonly slot: string
  readonly moreKopecks: number
}

/** The moves of this run; of those that later runs make, what they come to. */
export const take = (wanted: Wanted, { known, pass }: Beside, make: (index: number) => Intent) => {
  const intents: Array<Intent> = []
  const wishes: Array<Wish> = []
  const waiting: Sums = new Map()
  if (wanted.size === 0) return { intents, wishes, later: waiting }
  const { policy, rules } = wanted.offer(0).ground
  const most = mostOf([PerRun.ofPolicy(policy), PerRun.ofAccount(rules.limits)])
  const made = new Map<number, Intent>()
  const idOf = (index: number) => wanted.offer(index).slot
  const flags = later(
    {
      ...wanted,
      compareIds: (a, b) => TextOrder.compare(idOf(a), idOf(b)),
      isHeld: (index) => known.isHeld(moveOf(wanted, index, policy.id)),
      sharesOf: (index) => known.sharesOf({ subject: wanted.offer(index).target }),
      goes: (index) => {
        const intent = make(index)
        made.set(index, intent)
        return pass(intent).outcome._tag === "Move"
      }
    },
    most.most
  )
  const waits = stay({ code: "later_run", ...most }, true)
  for (let index = 0; index < wanted.size; index++) {
    const offer = wanted.offer(index)
    const { budget } = offer
    const moreKopecks = wanted.stake(index)?.moreKopecks
    if (flags[index] !== 0) {
      intents.push(resting(offer, waits))
      add(waiting, budget, moreKopecks ?? 0)
      continue
    }
    const intent = made.get(index) ?? make(index)
    intents.push(intent)
    if (moreKopecks !== undefined) wishes.push({ policy: policy.id, budget, slot: intent.slot, moreKopecks })
  }
  return { intents, wishes, later: waiting }
}

const moveOf = ({ offer, stake }: Wanted, index: number, policy: string): Early.Move => {
  const one = offer(index)
  const { target } = one
  const slot = () => (stake(index)?.verb === "bid" ? one.slot : MinusPhrase.slot(target))
  return { policy, subject: target, slot }
}

/** By budget: how many moves, and kopecks a day that these save and add. */
type Sums = Map<string, Sum>
interface Sum {
  changes: number
  saves: number
  adds: number
}

const add = (sums: Sums, budget: string, moreKopecks: number): void => {
  const own = sums.get(budget) ?? { changes: 0, saves: 0, adds: 0 }
  sums.set(budget, own)
  own.changes += 1
  own.saves += Math.max(0, 0 - moreKopecks)
  own.adds += Math.max(0, moreKopecks)
}

/** A forecast is of all moves of its budget, so it says which are in no plan yet. */
export const withLater = (forecast: Forecast, later: Sums): Forecast => {
  const sums = later.get(forecast.budget)
  return sums === undefined ? forecast : { ...forecast, later: rounded(sums) }
}

/** And which came to nothing in this one, for whatever reason: those of which `changes` has none in the policy's own name. */
export const withUnmade = (
  forecasts: ReadonlyArray<Forecast>,
  wishes: ReadonlyArray<Wish>,
  changes: ReadonlyArray<Change>
): ReadonlyArray<Forecast> => {
  if (wishes.length === 0) return forecasts
  const made = new Set(wishesOf(changes).map(nameOf))
  const sums: Sums = new Map()
  for (const wish of wishes)
    if (!made.has(nameOf(wish))) add(sums, BudgetRoom.keyOf(wish.policy, wish.budget), wish.moreKopecks)
  return forecasts.map((forecast) => {
    const sum = sums.get(BudgetRoom.keyOf(forecast.policy, forecast.budget))
    if (sum === undefined) return forecast
    const { addsKopecks, changes, savesKopecks } = rounded(sum)
    const { unmade } = forecast
    return {
      ...forecast,
      unmade: {
        changes: changes + (unmade?.changes ?? 0),
        savesKopecks: savesKopecks + (unmade?.savesKopecks ?? 0),
        addsKopecks: addsKopecks + (unmade?.addsKopecks ?? 0)
      }
    }
  })
}

/** What of changes `optimise` made, each a move of its budget. */
export const wishesOf = (changes: ReadonlyArray<Change>): ReadonlyArray<Wish> =>
  changes.flatMap((change) => {
    const share = BudgetRoom.shareOf(change)
    if (share === undefined) return []
    const { budget, moreKopecks } = share
    return [{ policy: change.origin.name, budget, slot: Kinds.slotOf(change), moreKopecks }]
  })

const nameOf = ({ policy, slot }: Wish): string => `${policy} ${slot}`

const rounded = ({ adds, changes, saves }: Sum) => ({
  changes,
  savesKopecks: Math.round(saves),
  addsKopecks: Math.round(adds)
})
