/**
 * Why a value is unknown. Unknown never acts and is never zero; every unknown carries one of these
 * (the language's "Missing data"). The codes are stored as one byte beside each value of a column.
 */
export const known = 0
export const unknowns = [
  "notFetched",
  "absent",
  "zeroOverZero",
  "stale",
  "failed",
  "notApplicable",
  "pending",
  "unlisted",
  "unreadable",
  "unlearned",
  "otherPromotion",
  "otherUnread",
  "otherDay"
] as const
export const reasons = ["known", ...unknowns] as const

/** Text of a reason code; `known` is code 0. */
export type Reason = (typeof unknowns)[number]

/** Byte of a reason; never 0. */
export const code = (reason: Reason): number => reasons.indexOf(reason)

/** Reason of a byte; undefined for 0, a known value. */
export const fromCode = (byte: number): Reason | undefined =>
  byte === known ? undefined : (reasons[byte] as Reason)

/** The marketplace has no such value; other reasons mean that it may have one that could not be read. */
export const isMissing = (byte: number): boolean => missing[byte] === true
const missing = reasons.map((reason) => /^(absent|zeroOverZero|notApplicable|unlisted)$/.test(reason))

/** Today's price is that of another promotion, or may be: how far it falls is unknown. */
export const isOfOther = (reason: Reason): boolean => reason === "otherPromotion" || reason === "otherUnread"

/**
 * Why a value made of two others is unknown: the first reason, unless it means that there is no such value and the second that
 * one could not be read. So whoever stands in for a missing value (`isMissing`) never stands in for an unread one.
 */
export const worse = (first: number, second: number): number => worseOf[(first << bits) | second]!
const bits = 4
const worseOf = Uint8Array.from({ length: 1 << (2 * bits) }, (_, both) => {
  const [first, second] = [both >> bits, both & ((1 << bits) - 1)]
  const gives = first === known || (isMissing(first) && second !== known && !isMissing(second))
  return gives ? second : first
})

/** One sentence a marketer understands. */
export const explain: Readonly<Record<Reason, string>> = {
  notFetched: "not fetched: the call limit left no room for it",
  absent: "the marketplace did not report it",
  zeroOverZero: "nothing to divide: both numbers are zero",
  stale: "too old to decide on",
  failed: "could not be fetched",
  notApplicable: "does not exist for this kind of campaign",
  pending: "a change was just sent and is not visible yet",
  unlisted: "your own table has no value for it",
  unreadable: "what your own table says of it cannot be read",
  unlearned: "too little has been seen of it yet",
  otherPromotion: "today's price is that of a promotion which is over before this one begins",
  otherUnread:
    "today's price may be that of a promotion which is over before this one begins, and whose items are not read",
  otherDay: "by the marketplace's clock it is another day; set the clock (NTP), bidhelm doctor compares them"
}
