/** Quirks of advertising that clients run into, and what to do about each. */
import type { Note } from "./Note.js"

export const notes: Readonly<Record<string, Note>> = {
  M01: {
    quirk: "delete, start, pause and stop are GET requests that change state.",
    remedy:
      'Exclude from GET retry, cache, prefetch, link checks and "safe method" rules; require the write path of the client.'
  },
  M02: {
    quirk:
      "Effects are delayed: bids 30 s, status 1 min, data base 3 min; the last change inside an interval wins.",
    remedy:
      "One writer per campaign, coalesce changes, read back after 90 s for bids and 3 min for the rest; until then trust the own journal."
  },
  M03: {
    quirk: "adverts, advert_list, nm_settings, items, norm_queries and cashbacks come as null when empty.",
    remedy: "Normalise to []."
  },
  M04: {
    quirk: "timestamps.deleted of a live campaign lies far in the future (year 2100); started may be null.",
    remedy: "Judge deletion by status -1 only."
  },
  M05: {
    quirk:
      "The word is `recommendation` in bids/min and `recommendations` everywhere else; `combined` only for standard bids.",
    remedy: "Two separate enums with a mapper."
  },
  M06: {
    quirk: "PATCH of bids is all or nothing: one bad row gives 400 for the whole batch.",
    remedy:
      "On 400 take the offending ids and floor from the text if possible, else halve the batch; keep campaigns apart."
  },
  M07: {
    quirk:
      "Bids move in steps: cpm in whole roubles (multiples of 100 minor units); other currencies have other steps, told by the config operation (Personal and Service tokens only).",
    remedy: "Round to the step toward the safe side, then check floor and own ceiling again."
  },
  M08: {
    quirk: 'Bid 0 fails validation; there is no "off" bid.',
    remedy: "Switch a placement off by the placements call, remove a cluster bid by DELETE."
  },
  M09: {
    quirk:
      "Floors are asked per campaign, 20 per minute; with thousands of campaigns that takes hours. Floors change without notice.",
    remedy:
      'Cache by (campaign, payment type, placement) with a day of life; refresh on a floor error; parse "no less than X" (roubles) and "min" (minor units) texts with unit checks.'
  },
  M10: {
    quirk:
      "For standard-bid campaigns the current bid appears under search and recommendations alike or in one of them.",
    remedy: "Read the larger value, write with placement combined, verify by read-back."
  },
  M11: {
    quirk: "The v0 cluster set takes whole roubles in `bid`; a bid_kopecks field is ignored; 0 is refused.",
    remedy:
      "Convert explicitly, never pass minor units here (a slip is 100 times too much); bound by an own ceiling before sending."
  },
  M12: {
    quirk:
      "Cluster set and delete answer 200 with success and failed; a phrase that is disabled can fail the whole batch and every row repeats its reason; some rows are in neither list.",
    remedy:
      "Rows in neither list are unknown: read them back; retry without the named phrase, then one by one."
  },
  M13: {
    quirk: "A reason that mentions views out of 100 means the cluster is still gathering data.",
    remedy: "Not an error: try again next day."
  },
  M14: {
    quirk:
      "set-minus replaces the list; the body is flat (an items wrapper gives 400 invalid campaign id); an unknown phrase gives 400.",
    remedy:
      "Read, merge, write; never write after a failed or null read; keep the previous list for rollback."
  },
  M15: {
    quirk:
      "active, excluded, archived and items may be null; clusters under 100 views are not listed at all.",
    remedy: 'Absence is not "no such cluster".'
  },
  M16: {
    quirk: "Cluster operations need (campaign, item) pairs; a campaign id alone gives 200 with null.",
    remedy: "Build pairs from nm_settings; treat null as empty for that pair."
  },
  M17: {
    quirk:
      "v0 speaks snake_case, v1 and list speak camelCase; from and to are at the top level, not inside items.",
    remedy: "Separate request builders per operation, contract-tested."
  },
  M18: {
    quirk: "The bound of 100 entries is hard (300 gives 400).",
    remedy: "Chunk by 100, one failed chunk does not drop the others."
  },
  M19: {
    quirk: "`bid` and `bid_kopecks` of a cluster bid may disagree (even in the published sample).",
    remedy: "Trust bid_kopecks; flag a mismatch."
  },
  M20: {
    quirk:
      "Cluster statistics: cpc campaigns lack views, ctr, cpm; money is roubles, not minor units; live period limit is 30 days (31 gives 400).",
    remedy:
      "Fields optional; never compute CTR for cpc from here; windows of at most 30 days counted inclusively."
  },
  M21: {
    quirk:
      'fullstats "no data" has four faces: 400 with a no-statistics text, 200 null, 200 with an embedded 400 object, ids silently left out.',
    remedy: 'Map all to "no data for this id"; ask omitted ids singly once before believing it.'
  },
  M22: {
    quirk: "Today alone may answer 400; big batches time out.",
    remedy: "Include yesterday; on 5xx halve ids, then days."
  },
  M23: {
    quirk:
      "days[].date is `YYYY-MM-DDT00:00:00Z` or with +03:00, meaning the Moscow day; arrays are unordered.",
    remedy: "Take the first 10 characters; sort yourself; sum only unique (day, app, item)."
  },
  M24: {
    quirk:
      "Rows with views 0 and orders above 0 are associated orders: other items bought after the click (2547 against 6260 in one live sample).",
    remedy: "Keep direct and associated orders apart; bid formulas use direct ones by default."
  },
  M25: {
    quirk: "Statistics lag 1..2 h and past days are still corrected (orders, cancellations) for days.",
    remedy: "Re-read a sliding window (3..7 days), overwrite by key, decide on closed windows only."
  },
  M26: {
    quirk:
      "name and type of a campaign are null there; sum is spend, sum_price is order value, both roubles with fractions; boosterStats only for standard bids.",
    remedy: "Convert to minor units by decimal text, not by float arithmetic."
  },
  M27: {
    quirk:
      "Recommendations have two shapes, by payment type, any part may be missing, top2 may be 0; a campaign that is not running gives 400.",
    remedy: "Union type; 0 or absent = no advice; never bid on it without own bounds."
  },
  M28: {
    quirk:
      "Deposit takes whole roubles, at least 1000, in practice multiples of 50; the answer is empty unless return=true; clients lost money by sending minor units.",
    remedy:
      "Manual or twice-confirmed, hard cap per call and day, budget before and after in the ledger, never retried automatically."
  },
  M29: {
    quirk:
      "save-ad returns a bare number, wants at least one item in practice, and refuses some items with a text; placement_types must be left out for standard bid.",
    remedy: "Parse a number or numeric text; unique name; look for it after a timeout."
  },
  M30: {
    quirk:
      "cash and netting are always 0; total is the budget, in roubles. The reader is announced to end on 16 Nov 2026.",
    remedy: "Use total; hide behind a port with a batch variant."
  },
  M31: {
    quirk:
      "updNum is 0 and updTime null until the document is issued; the same spend returns later with numbers. Currency is present live, absent in the file.",
    remedy: "Identity by (advertId, updTime, updSum, paymentType), replace a whole day at a time."
  },
  M32: {
    quirk:
      "payments: 204 when empty; dates with or without zone, fractional or not; cardStatus may be empty.",
    remedy: "Tolerant parser; zone missing = Moscow."
  },
  M33: {
    quirk:
      "stop cannot be undone; delete works only in status 4; stop and delete in quick succession hit a 429.",
    remedy: "Confirm stop, space lifecycle calls of one campaign by 10 s; never use stop as a pause."
  },
  M34: {
    quirk: "There is no schedule, no daily limit and no stop-loss in the interface.",
    remedy: "Build them in the engine; a dead engine must fail safe (watchdog pauses)."
  },
  M35: {
    quirk: "rename answers text, works in any status, 100 characters at most.",
    remedy: "Count characters, not bytes; compare before sending."
  },
  M36: {
    quirk: "subjects and items lists may be null; subjects may answer 404 without a body.",
    remedy: "Empty list."
  },
  M37: {
    quirk:
      "Added items start at the current floor; can_change_nms may be false; an item may not be in add and delete; 50 items per campaign.",
    remedy: "Check first; set the bid in a later step after read-back."
  },
  M38: {
    quirk:
      "promotion/count is the only full list; it holds old types and closed campaigns; changeTime allows delta reads.",
    remedy: "Filter by type 9 and status; fetch details only for changed ids."
  },
  M39: {
    quirk:
      "v2/adverts silently leaves out unknown ids and takes 50; without ids it filters by status and may be large.",
    remedy: "Ask by ids in chunks of 50; missing = unknown to this seller."
  },
  M40: {
    quirk: "Daily cluster statistics list several entries per date, one per cluster.",
    remedy:
      "Key by (campaign, item, date, cluster); normalise the cluster text only for comparing, send it back unchanged."
  }
}

// Quirks of the promo calendar that clients run into, and what to do about each.

export const promotionNotes: Readonly<Record<string, Note>> = {
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
