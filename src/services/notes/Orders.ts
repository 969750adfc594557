/** Quirks of orders, labels, supplies and passes that clients run into, and what to do about each. */
import type { Note } from "./Note.js"

export const notes: Readonly<Record<string, Note>> = {
  O01: {
    quirk:
      "The `next` cursor has no end flag: it may stay equal, become 0 or null, or the page may be empty.",
    remedy: "Stop on any of the four, cap the pages, drop duplicates by id."
  },
  O02: {
    quirk:
      "listOrders takes unix seconds (not milliseconds) and at most 30 calendar days; default window is the last 30 days.",
    remedy: "Walk windows of up to 29 days with overlap of an hour."
  },
  O03: {
    quirk:
      "listNewOrders returns everything at once and an order leaves it when it enters a supply or is cancelled.",
    remedy: "Poll every 1..5 minutes; absence is not cancellation: ask the statuses."
  },
  O04: {
    quirk: "Lists carry no status; statuses change for weeks (also defect and return branches).",
    remedy:
      "Ask in batches of 1000 for all orders not in a final state, whatever their age; unknown values stay open."
  },
  O05: {
    quirk: "One order is one unit of goods; a basket is several orders with one orderUid.",
    remedy: "Count units as orders, group only for packing."
  },
  O06: {
    quirk: "rid of an order is the srid of reports and of the order feed.",
    remedy: "Use it as the join key, not the order id."
  },
  O07: {
    quirk:
      "Prices are integers times 100 in two currencies with numeric ISO codes; `price` leaves out the wallet discount; scanPrice is minor units of another meaning.",
    remedy: "Store amount plus currency; do not take any of them for revenue."
  },
  O08: {
    quirk: "requiredMeta, optionalMeta, offices, address and whole lists may be null.",
    remedy: "Normalise null to empty."
  },
  O09: {
    quirk:
      "Formats differ: createdAt RFC 3339, ddate and sellerDate dd.mm.yyyy, pass dateEnd with a space instead of T, archive createdAt a bare date.",
    remedy: "One parser per field."
  },
  O10: {
    quirk:
      "addOrdersToSupply answers 204 without a list; a 409 names no order, so one unfit order may sink the batch.",
    remedy:
      "Pre-group by warehouse, cargoType, crossBorderType and B2B flag; after 409 read order-ids, then halve the batch."
  },
  O11: {
    quirk: "A cancel of an order that just moved answers 409 and costs 10.",
    remedy: "Ask isCancellable first, cancel once, then read the status; a 409 with status cancel is success."
  },
  O12: {
    quirk:
      "Stickers come only for confirm and complete; orders in another state are silently missing or make the call fail.",
    remedy: "Compare returned orderIds with the asked ones; width and height must be a proper pair."
  },
  O13: {
    quirk: "Cross-border stickers arrive late and hold empty strings until then.",
    remedy: "Poll with growing pauses until ready; never print an empty file."
  },
  O14: {
    quirk:
      'Label checks are asynchronous: after PUT the decision is pending and turns later; a value may be null or the text "null".',
    remedy: "Poll the label record before hand-over; treat unknown decisions as blocking."
  },
  O15: {
    quirk:
      "The group separator of an sgtin must reach the service as the real control character, that is as the escape in JSON; scanners and spreadsheets lose it.",
    remedy: "Check for it locally, trim spaces, refuse non-Latin characters."
  },
  O16: {
    quirk:
      "A UIN needs about 30 minutes after the contract specification is loaded; a stale uinNotFound clears only after delete and set again.",
    remedy: "Wait 30 minutes, delete, set, poll; then give it to a person."
  },
  O17: {
    quirk:
      "expiration can be overwritten but not removed; the 30-day rule counts from the platform's current date.",
    remedy: "Compute with Moscow date and one day of margin."
  },
  O18: {
    quirk: "deliver fails as a whole: no orders, labels missing or unchecked, shipping data missing.",
    remedy:
      "Pre-check all three; on MetaValidationFail take the failing orders from data.orders, move them out or fix them, retry once."
  },
  O19: {
    quirk: "The supply code exists only after deliver (409 SupplyNotClosed before).",
    remedy: "Ask after 204 of deliver, retry a few times with pauses."
  },
  O20: {
    quirk:
      "Shipping method, date, point and waybill are set by operations outside the 90; from 1 Oct 2026 they are obligatory for many sellers; batch results hide in a 200 body.",
    remedy: "Show the fields, warn before deliver, keep a seam for the adapter."
  },
  O21: {
    quirk: "The reshipment list names orders of closed supplies; adding them to an active supply moves them.",
    remedy: "Read it daily; keep the old supply id as history."
  },
  O22: {
    quirk:
      "Units: only open supplies to a pickup point, at most half the orders, stickers only for units with orders. The add call is not idempotent.",
    remedy: "List before and after, delete surplus before deliver."
  },
  O23: {
    quirk: "A supply closes by itself when its code or first item is scanned.",
    remedy: "Expect done=true without own deliver; re-read before each write."
  },
  O24: {
    quirk:
      "One pass per 10 minutes, a wasted 4xx may block the next try; passes end after 48 h; expired ones may still be listed.",
    remedy: "Validate fully first, queue creations, filter by dateEnd."
  },
  O25: {
    quirk:
      "History codes are shown in both cases, dates may be null; client data exist for one country only and the list may be null.",
    remedy: "Compare without case; ask clients only for those orders."
  },
  O26: {
    quirk:
      "The archive is asked by year and month of creation, minimum page 100; an order can be in neither list for a while because a supply moves as a whole.",
    remedy: "Look 4 months back in both lists, drop duplicates by id."
  },
  O27: {
    quirk:
      "Spelling differs: orderID and supplyID in reshipment, history and client; orderId in stickers; id elsewhere.",
    remedy: "Map at the edge, one internal name."
  },
  O28: {
    quirk: "Lists and statuses lag writes by seconds.",
    remedy: "Read back with a short pause; do not repeat a write because the list looks old."
  },
  O29: {
    quirk: "createSupply has no duplicate check and an empty supply has cargoType 0 and null types.",
    remedy: "Put a unique marker into the name, look for it before a second try; delete strays."
  }
}
