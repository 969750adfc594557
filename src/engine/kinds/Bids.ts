/** What bids of items and of clusters have in common: money that is steered, and overlays over it. */
import { format, Kopecks } from "../../domain/Money.js"
import type { Change, Payment } from "./Change.js"
import { deadlines, type Kind, type Made, note } from "./Kind.js"
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

/** `bid 440 → 450 ₽ per 1000 views (+2.3%)`; `which` says which bid. */
export const effect = (change: Omit<Change, "moneyPerDayKopecks">, which: string, sign: string): string => {
  const [before, after] = [Number(change.before), Number(change.after)]
  const amount = `${bare(before)} → ${format(Kopecks(after), sign)}`
  const how = overlaid(change, sign) ?? percent(before, after)
  return `${which} ${amount} ${change.payment === undefined ? "" : `${per[change.payment]} `}(${how})`
}

/**
 * `evening-boost +20% over base 440 ₽`, `evening-boost is over, the base returns`, `base 440 → 484 ₽ under
 * evening-boost +20%`; undefined for a bid without an overlay.
 */
export const overlaid = (change: Omit<Change, "moneyPerDayKopecks">, sign: string): string | undefined => {
  const { baseBeforeKopecks: before, baseKopecks: base, overlayBasisPoints: share, overlayPolicy } = change
  if (base === undefined || share === undefined || overlayPolicy === undefined) return undefined
  if (share === 0) return `${overlayPolicy} is over, the base returns`
  const shown = (kopecks: number) => format(Kopecks(kopecks), sign)
  const overlay = `${overlayPolicy} ${share > 0 ? "+" : ""}${share / 100}%`
  return before === undefined || before === base
    ? `${overlay} over base ${shown(base)}`
    : `base ${shown(before)} → ${shown(base)} under ${overlay}`
}

/** True when a change begins, changes or ends an overlay; steering under an overlay does not. */
export const isEdge = (change: Pick<Change, "action">): boolean => change.action === "adjust_bid"

export const shared = {
  writeClass: "A",
  deadlineMs: deadlines.bid,
  isSteered: true,
  isDearer: ({ after, before }) => Number(after) > Number(before),
  price: ({ after }) => Number(after),
  risk: "measured",
  inverse: (past, slot) => (isEdge(past.change) ? edge(past, slot) : steered(past.change)),
  backwards: ({ after, before }) => (Number(after) > Number(before) ? "raise_bid" : "lower_bid"),
  print: (value, sign) => (typeof value === "number" ? format(Kopecks(value), sign) : String(value))
} satisfies Partial<Kind>

const steered = (change: Change): Made => {
  const { after, baseBeforeKopecks, baseKopecks, before, clears, inherited } = change
  const moved = { before: after, after: before }
  if (clears === true) return { action: "set_bid", ...moved, inherited: true, notes: [] }
  if (inherited === true) {
    const notes = [note("no bid of its own again", "the item's bid in search holds, as before")]
    return { action: "set_bid", ...moved, clears: true, notes }
  }
  const base =
    baseKopecks === undefined || baseBeforeKopecks === undefined
      ? {}
      : { ...overlayOf(change), baseBeforeKopecks: baseKopecks, baseKopecks: baseBeforeKopecks }
  return { action: Number(before) > Number(after) ? "raise_bid" : "lower_bid", ...moved, ...base, notes: [] }
}

/** An overlay that began is ended. One that ended is not begun again, unless it was an undo that ended it. */
const edge = ({ change }: Past.Past, slot: ReadonlyArray<Past.Past>): Made | string => {
  const { after, baseBeforeKopecks, baseKopecks, before, overlayBasisPoints, undoes } = change
  if (baseBeforeKopecks === undefined || baseKopecks === undefined)
    return "nothing says what the bid was without its overlay"
  const bases = { baseBeforeKopecks: baseKopecks, baseKopecks: baseBeforeKopecks }
  const back = { action: "adjust_bid" as const, before: after, after: before, ...bases, notes: [] }
  if (overlayBasisPoints === 0) {
    const first =
      undoes === undefined
        ? undefined
        : slot.find((other) => Past.name(other) === Past.key(undoes.runId, undoes.changeId))?.change
    return first === undefined
      ? "the overlay ended because its time was over; it begins again when its time comes"
      : { ...back, ...overlayOf(first) }
  }
  if (before !== baseBeforeKopecks) return "it took the place of another overlay, which is over"
  const { overlayPolicy } = overlayOf(change)
  return { ...back, ...(overlayPolicy === undefined ? {} : { overlayPolicy }), overlayBasisPoints: 0 }
}

const overlayOf = ({ overlayBasisPoints, overlayPolicy }: Change) => ({
  ...(overlayPolicy === undefined ? {} : { overlayPolicy }),
  ...(overlayBasisPoints === undefined ? {} : { overlayBasisPoints })
})
