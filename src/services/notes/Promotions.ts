/** Quirks of the promo calendar that clients run into, and what to do about each. */
import type { Note } from "./Note.js"

export const notes: Readonly<Record<string, Note>> = {
  P01: {
    quirk:
      "Booleans must be the words true or false in lower case; date-times end in Z without fractions; allPromo and inAction are needed although they have defaults.",
    remedy: "Always send them."
  },
  P02: {
    quirk: "Auto promos, finished or unknown promos give 422.",
    remedy: "Look at type and dates first; do not retry."
  },
  P03: {
    quirk: "There is no total count.",
    remedy: "Page until the page is shorter than limit."
  },
  P04: {
    quirk:
      "Upload only files a task; alreadyExists true means the same task is known; success per item shows up elsewhere (prices host).",
    remedy: "Store uploadID, follow the state, never take 200 for enrolment."
  },
  P05: {
    quirk:
      "price and planPrice are decimals in roubles, discounts whole percent; planDiscount is the least discount for entry.",
    remedy: "Decimal type; compare with the own margin floor before enrolling."
  },
  P06: {
    quirk: "Promos are visible about a month ahead and change; none of the 90 operations withdraws an item.",
    remedy: "Refresh daily; treat enrolment as hard to undo, behind an approval."
  },
  P07: {
    quirk: "All calendar calls share one bucket; with a Base token that is one call an hour.",
    remedy: "Cache lists and details; fetch details 100 ids at a time."
  }
}
