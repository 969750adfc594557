/** What bids of items and of clusters have in common: money that is steered, and overlays over it. */
import { format, Kopecks } from "../../domain/Money.js"
import type { Change, Of, Part } from "./Change.js"
import { deadlines, type Kind, type Made, note } from "./Kind.js"
import type { BidOverlay, Payment } from "./Parts.js"
import * as Past from "./Past.js"

const per: Readonly<Record<Payment, string>> = { cpm: "per 1000 views", cpc: "per click" }

/** Amount without its sign, for the left side of an arrow. */
const bare = (kopecks: number): string => format(Kopecks(kopecks), "").trim()

/** Difference in percent with one decimal and its sign: `+2.3%`. */
export const percent = (before: number, after: number): string => {
  if (before === 0) return "new"
  const tenths = Math.round(((after - before) * 1000) / before)
  const digits = `${Math.floor(Math.abs(tenths) / 10)}.${Math.abs(tenths) % 10}`
  return `${tenths < 0 ? "-" : "+"}${digits}%`
}

export type Bid = Of<"item_bid"> | Of<"cluster_bid">

/** What only bids have, of items or of clusters. */
export type Details = Partial<Of<"item_bid">["details"] & Of<"cluster_bid">["details"]>

/** Empty for what is no bid. */
export const detailsOf = (change: Part<"kind" | "details">): Details =>
  change.kind === "item_bid" || change.kind === "cluster_bid" ? change.details : {}

export const overlayOf = (change: Part<"kind" | "details">): BidOverlay | undefined =>
  detailsOf(change).overlay

/** The same change as if nothing had been laid over its bid. */
export const withoutOverlay = (change: Change): Change =>
  change.kind === "item_bid"
    ? { ...change, details: laidBare(change.details) }
    : change.kind === "cluster_bid"
      ? { ...change, details: laidBare(change.details) }
      : change

/** The change as one of a cluster that has no bid of its own yet: `before` is its item's. */
export const inheriting = (change: Change): Change =>
  change.kind === "cluster_bid" ? { ...change, details: { ...change.details, inherited: true } } : change

/** A bid with how it is paid, which limits of bids ask for. */
export const paidAs = (change: Change, payment: Payment): Change =>
  change.kind === "item_bid"
    ? { ...change, details: { ...change.details, payment } }
    : change.kind === "cluster_bid"
      ? { ...change, details: { ...change.details, payment } }
      : change

const laidBare = <D extends { readonly overlay?: unknown }>({ overlay: _, ...details }: D) => details

/** True of the change that takes an overlay off its base. */
export const endsOverlay = (change: Part<"kind" | "details">): boolean => overlayOf(change)?.basisPoints === 0

/** Where the bid stood without its overlay, kopecks. */
export const baseBefore = (change: Part<"kind" | "before" | "details">): number =>
  overlayOf(change)?.baseBeforeKopecks ?? Number(change.before)

/** Where it stands without its overlay, kopecks. */
export const baseAfter = (change: Part<"kind" | "after" | "details">): number =>
  overlayOf(change)?.baseKopecks ?? Number(change.after)

/** `bid 440 → 450 ₽ per 1000 views (+2.3%)`; `which` says which bid. */
export const effect = (change: Omit<Bid, "moneyPerDayKopecks">, which: string, sign: string): string => {
  const [before, after] = [Number(change.before), Number(change.after)]
  const { overlay, payment } = change.details
  const amount = `${bare(before)} → ${format(Kopecks(after), sign)}`
  const how = overlay === undefined ? percent(before, after) : overlaid(overlay, sign)
  return `${which} ${amount} ${payment === undefined ? "" : `${per[payment]} `}(${how})`
}

/**
 * `evening-boost +20% over base 440 ₽`, `evening-boost is over, the base returns`, `base 440 → 484 ₽ under
 * evening-boost +20%`.
 */
const overlaid = (
  { baseBeforeKopecks: before, baseKopecks: base, basisPoints: share, policy }: BidOverlay,
  sign: string
): string => {
  if (share === 0) return `${policy} is over, the base returns`
  const shown = (kopecks: number) => format(Kopecks(kopecks), sign)
  const overlay = `${policy} ${share > 0 ? "+" : ""}${share / 100}%`
  return before === base
    ? `${overlay} over base ${shown(base)}`
    : `base ${shown(before)} → ${shown(base)} under ${overlay}`
}

/** True when a change begins, changes or ends an overlay; steering under an overlay does not. */
export const isEdge = (change: Pick<Change, "action">): boolean => change.action === "adjust_bid"

export const shared = {
  lane: "ads",
  writeClass: "A",
  deadlineMs: deadlines.bid,
  isSteered: true,
  isDearer: ({ after, before }) => Number(after) > Number(before),
  price: ({ after }) => Number(after),
  rests: true,
  risk: "measured",
  inverse: (past, slot) => (isEdge(past.change) ? edge(past, slot) : steered(past.change)),
  backwards: ({ after, before }) => (Number(after) > Number(before) ? "raise_bid" : "lower_bid"),
  print: (value, sign) => (typeof value === "number" ? format(Kopecks(value), sign) : String(value))
} satisfies Partial<Kind<Bid>>

const steered = ({ after, before, details }: Bid): Made => {
  const { clears, inherited, overlay }: Details = details
  const moved = { before: after, after: before }
  if (clears === true)
    return { action: "set_bid", ...moved, details: { ...which(details), inherited: true }, notes: [] }
  if (inherited === true) {
    return {
      action: "set_bid",
      ...moved,
      details: { ...which(details), clears: true },
      notes: [noneOfItsOwn]
    }
  }
  return {
    action: Number(before) > Number(after) ? "raise_bid" : "lower_bid",
    ...moved,
    details: { ...which(details), ...(overlay === undefined ? {} : { overlay: swapped(overlay) }) },
    notes: []
  }
}

/** The reason's line of what leaves a cluster without a bid of its own. */
export const noneOfItsOwn = note("no bid of its own again", "the item's bid in search holds")

/**
 * What leaves a cluster without a bid of its own, with the item's bid in search of now, kopecks: the cluster shows that, it may have
 * moved since, and limits and money are judged by it. Undefined where that bid is not known; any other change as it is.
 */
export const following = (change: Change, itemsBidKopecks: number | undefined): Change | undefined => {
  if (change.kind !== "cluster_bid" || change.details.clears !== true) return change
  if (itemsBidKopecks === undefined) return undefined
  if (change.after === itemsBidKopecks) return change
  const { after, before, details, moneyPerDayKopecks: money, spendPerDayKopecks } = change
  const [planned, moved] = [Number(after) - Number(before), itemsBidKopecks - Number(before)]
  const [estimated, over] = planned === 0 ? [spendPerDayKopecks, Number(before)] : [money, planned]
  return {
    ...change,
    after: itemsBidKopecks,
    details: {
      ...details,
      ...(details.overlay === undefined
        ? {}
        : { overlay: { ...details.overlay, baseKopecks: itemsBidKopecks } })
    },
    moneyPerDayKopecks:
      typeof estimated === "number"
        ? Math.round((estimated * moved) / over)
        : { unknown: "the item's bid has moved since" }
  }
}

/** An overlay that began is ended, at its base though it took the place of another. One that ended is not begun again, unless it was an undo that ended it. */
const edge = ({ change }: Past.Past<Bid>, slot: ReadonlyArray<Past.Past<Bid>>): Made | string => {
  const { after, before, details, undoes } = change
  const { clears, inherited, overlay }: Details = details
  if (overlay === undefined) return "nothing says what the bid was without its overlay"
  const back = (over: Pick<BidOverlay, "policy" | "basisPoints">, to: Change["after"]): Made => ({
    action: "adjust_bid",
    before: after,
    after: to,
    details: {
      ...which(details),
      overlay: { ...swapped(overlay), ...over },
      ...(inherited === true ? { clears: true } : clears === true ? { inherited: true } : {})
    },
    notes: inherited === true ? [noneOfItsOwn] : []
  })
  if (overlay.basisPoints === 0) {
    const first =
      undoes === undefined
        ? undefined
        : slot.find((other) => Past.name(other) === Past.key(undoes.runId, undoes.changeId))?.change.details
            .overlay
    return first === undefined
      ? "the overlay ended because its time was over; it begins again when its time comes"
      : back({ policy: first.policy, basisPoints: first.basisPoints }, before)
  }
  return back({ policy: overlay.policy, basisPoints: 0 }, overlay.baseBeforeKopecks)
}

/** Which bid it is, and how it is paid. */
const which = ({ payment, placement }: Details): Pick<Details, "payment" | "placement"> => ({
  ...(payment === undefined ? {} : { payment }),
  ...(placement === undefined ? {} : { placement })
})

const swapped = ({ inherited, inheritedBefore, ...overlay }: BidOverlay): BidOverlay => ({
  ...overlay,
  baseBeforeKopecks: overlay.baseKopecks,
  baseKopecks: overlay.baseBeforeKopecks,
  ...(inheritedBefore === true ? { inherited: true } : {}),
  ...(inherited === true ? { inheritedBefore: true } : {})
})
