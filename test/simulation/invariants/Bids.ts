/**
 * Invariant 1: no bid above the highest that is allowed, none below the marketplace's smallest, after every rounding.
 * Invariant 2: no bid farther from the day's first than `move_per_day`, not by a part of a step.
 * Invariant 24: money is whole: bids on the marketplace's step, deposits in whole base units.
 */
import * as Kind from "../../../src/engine/kinds/Bids.js"
import * as World from "../../../src/sandbox/market/World.js"
import type { Cycle, Observed, Row, Violation } from "../chaos/Record.js"
import * as Effects from "./Effects.js"
import * as MachineClock from "./MachineClock.js"
import * as Places from "./Places.js"

const { bidOf, payment, stepOf } = Places

export const withinBounds = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap(({ cycle, entry }) => {
    if (!Effects.isBid(entry.slot) || typeof entry.after !== "number" || cycle === undefined) return []
    const { campaignId, itemId } = entry.target
    const allowed = cycle.rules.limits.maxBidKopecks?.[payment(observed, campaignId)]
    // Limits of rules do not bind a person's word.
    const most = cycle.kind === "call" ? Number.POSITIVE_INFINITY : (allowed ?? Number.POSITIVE_INFINITY)
    const floors = World.item(observed.world, itemId ?? 0).floors[payment(observed, campaignId)]
    const least = Math.min(floors.search, floors.recommendations, floors.combined)
    if (entry.after <= most && entry.after >= least) return []
    const what = `${Effects.place(entry)} was set to ${entry.after}, allowed are ${least} to ${most}`
    return [{ invariant: 1, at: entry.at, what, entries: [entry.seq] }]
  })

/**
 * The day is the seller's; a bid that was outside already, by somebody's hand, may only come nearer. What is taken back
 * is not held to it.
 */
export const withinDay = (observed: Observed): ReadonlyArray<Violation> => {
  const first = new Map<string, number>()
  const bases = new Map<string, ReadonlyArray<number>>()
  const rows = Effects.rowsOf(observed)
  return Effects.of(observed).flatMap((effect) => {
    const { cycle, entry } = effect
    const limits = cycle?.rules.limits
    if (!Effects.isBid(entry.slot) || typeof entry.after !== "number" || limits === undefined) return []
    const before = bidOf(observed, entry.before, entry)
    const change = cycle?.plan?.changes.find(
      ({ kind, subject: target }) =>
        (kind === "item_bid" || kind === "cluster_bid") &&
        target.campaignId === entry.target.campaignId &&
        target.itemId === entry.target.itemId &&
        (entry.target.cluster === undefined || target.cluster === entry.target.cluster)
    )
    const day = MachineClock.dayOf(observed, entry.at)
    const keyOf = (place: Parameters<typeof Effects.place>[0]) => `${day} ${Effects.place(place)}`
    // The beginning and the end of an overlay are no steering; what it is laid over is where the day began all the same.
    const overlay = change === undefined ? undefined : Kind.overlayOf(change)
    if (overlay !== undefined) {
      if (!bases.has(keyOf(entry))) bases.set(keyOf(entry), [overlay.baseBeforeKopecks, before])
      return []
    }
    // A cluster without a bid of its own was moved with its item. Where an overlay of the day before still lay over that,
    // the day began at the bid under it and at the bid with it, and either will do.
    const { cluster, ...item } = entry.target
    const isInherited = cluster !== undefined && entry.before === null
    const itsItem = keyOf({ slot: "bid.search", target: item })
    const { after } = entry
    const nearest = (all: ReadonlyArray<number> = []) =>
      [...all].sort((a, b) => Math.abs(after - a) - Math.abs(after - b))[0]
    const moved = isInherited ? (first.get(itsItem) ?? nearest(bases.get(itsItem))) : undefined
    const start = first.get(keyOf(entry)) ?? moved ?? before
    first.set(keyOf(entry), start)
    if (cycle?.kind === "call") return []
    const asked = rows(effect)
    const share = movePerDay(cycle, asked)
    const step = stepOf(payment(observed, entry.target.campaignId))
    const away = Math.abs(entry.after - start)
    if (away <= Math.floor((start * share) / 10_000) || away <= Math.abs(before - start)) return []
    if (asked.some((row) => Effects.changeOf(row).undoes !== undefined)) return []
    // The highest bid allowed is no wish: what is above it comes down to it at once.
    const most = Math.min(
      limits.maxBidKopecks?.[payment(observed, entry.target.campaignId)] ?? Number.POSITIVE_INFINITY,
      ...asked.map(({ policy }) => capOf(cycle, policy))
    )
    if (entry.after < before && before > most && entry.after >= Math.floor(most / step) * step) return []
    const what = `${Effects.place(entry)} went to ${entry.after}, the day began at ${start} and ${share / 100}% are allowed`
    return [{ invariant: 2, at: entry.at, what, entries: [entry.seq] }]
  })
}

/** Of the account, or of a policy that asked where it has less, basis points. */
const movePerDay = (cycle: Cycle | undefined, asked: ReadonlyArray<Row>): number => {
  const of = (limits: { readonly movePerDayBasisPoints?: number } | undefined) =>
    limits?.movePerDayBasisPoints ?? Number.POSITIVE_INFINITY
  const own = asked.map(({ policy }) => of(cycle?.rules.policies.find(({ id }) => id === policy)?.limits))
  return Math.min(of(cycle?.rules.limits), ...own)
}

/** The highest bid that a policy's own action allows, kopecks, where it is written as an amount. */
const capOf = (cycle: Cycle | undefined, id: string): number => {
  const actions = cycle?.rules.policies.find((policy) => policy.id === id)?.rules ?? []
  const caps = actions.flatMap(({ action }) => {
    const cap = action._tag === "SetBid" || action._tag === "RaiseBid" ? action.cap : undefined
    return cap?._tag === "Literal" && typeof cap.value === "number" ? [cap.value] : []
  })
  return Math.min(Number.POSITIVE_INFINITY, ...caps)
}

/** Also of what the marketplace refused: every number of a write's body is whole. */
export const wholeBodies = (observed: Observed): ReadonlyArray<Violation> =>
  observed.requests.flatMap(({ at, body, entries, isWrite, operation }) => {
    const broken = isWrite ? numbersOf(body).find((one) => !Number.isSafeInteger(one)) : undefined
    return broken === undefined
      ? []
      : [{ invariant: 24, at, what: `${operation} was asked for ${broken}`, entries }]
  })

const numbersOf = (body: string): ReadonlyArray<number> => {
  if (body === "") return []
  const found: Array<number> = []
  JSON.parse(body, (_, value) => {
    if (typeof value === "number") found.push(value)
  })
  return found
}

export const wholeMoney = (observed: Observed): ReadonlyArray<Violation> =>
  Effects.of(observed).flatMap(({ entry }) => {
    const { after, before, slot } = entry
    const isWhole =
      slot === "budget"
        ? Number.isInteger(after) && Number.isInteger(before)
        : !Effects.isBid(slot) ||
          after === null ||
          Number(after) % (payment(observed, entry.target.campaignId) === "cpm" ? 100 : 10) === 0
    return isWhole
      ? []
      : [
          {
            invariant: 24,
            at: entry.at,
            what: `${Effects.place(entry)} is ${String(after)}`,
            entries: [entry.seq]
          }
        ]
  })
