/** Quirks of analytics that clients run into, and what to do about each. */
import type { Note } from "./Note.js"

export const notes: Readonly<Record<string, Note>> = {
  A01: {
    quirk:
      "Names vary: orderCount here, ordersCount in inventory and CSV, orders in search; buyoutPercent lies inside conversions; stocks is nested.",
    remedy: "One internal metric dictionary per source."
  },
  A02: {
    quirk:
      "Over 365 days back is refused; a missing past period is filled with the preceding span of equal length.",
    remedy: "Always send pastPeriod if the comparison matters; read the period back from the answer."
  },
  A03: {
    quirk:
      "History covers 7 days at most, else 400 about an excess of days; an unknown item fails the whole call.",
    remedy: "Windows of 7 days ending yesterday; chunk by 20; on 400 bisect the items."
  },
  A04: {
    quirk:
      "Item history is a bare array, grouped history is wrapped in data; product fields of a group may be 0 or empty.",
    remedy: "Separate decoders; identify a group by the asked filter and the filled fields."
  },
  A05: {
    quirk: "Days are Moscow days; dt or date is a plain date.",
    remedy: "Do not shift by zone."
  },
  A06: {
    quirk: "Buyouts, cancellations and returns are booked on the order day, so past days grow for weeks.",
    remedy: "Re-read 14..30 days on a falling schedule; mark young days as immature; never train on them."
  },
  A07: {
    quirk:
      "orderCount differs from orders of the feed and of the FBS lists (other moments, cancelled ones included); cartCount may be below orderCount.",
    remedy: "Do not reconcile to zero; compare trends only."
  },
  A08: {
    quirk:
      "Percentages are whole numbers; sums are whole roubles; once the brand held the vendor code and subjectId was 0.",
    remedy: "Recompute rates from counts; take item attributes from one trusted source."
  },
  A09: {
    quirk:
      "The order feed is paged by snapshot: without the first snapshotTime rows shift; one call a minute.",
    remedy: "limit 10000, keep snapshotTime, new snapshot for each changed filter."
  },
  A10: {
    quirk:
      "Its period is by time of the current status, so a row returns when its status changes; it mixes fulfilment kinds (isMp); cancelType only on cancelled rows.",
    remedy: "Upsert by srid with the newest updatedAt; overlap the windows."
  },
  A11: {
    quirk: "Search reports answer 403 without the paid plan, and limits depend on the plan.",
    remedy: "Probe once a day, degrade without them; start with 30, go up only when configured."
  },
  A12: {
    quirk: "dynamics is left out without a past period; data may be {}; lists may be missing.",
    remedy: "Optional everywhere; no past period means no comparison, not zero."
  },
  A13: {
    quirk: "Average position 0 means no shows, not first place; visibility is a percentage.",
    remedy: "Treat 0 as missing in formulas."
  },
  A14: {
    quirk: "Platform warehouses are reported as one aggregate (negative id, constant names, empty offices).",
    remedy: "Do not spread it over regions; regional logic must switch itself off."
  },
  A15: {
    quirk:
      "A missing warehouse row is not zero stock: rows exist only where something is or moves; seller stock answers 204 when empty; refresh every 30 minutes.",
    remedy:
      "Zero only after a complete walk of all pages; protect against pausing campaigns on a half-read list."
  },
  A16: {
    quirk:
      "Spelling: nmIDs, subjectIDs, tagIDs and nmID here; nmIds elsewhere. A wrong spelling is ignored and returns everything.",
    remedy: "Typed builders; check that returned ids belong to the asked set."
  },
  A17: {
    quirk:
      "Sentinels: hours -1 endless, -2 zero, -3 not computed, -4 absent the whole period (officeMissingTime); lost values -2 zero, other negatives not computed.",
    remedy: "Decode to a tagged value before any arithmetic."
  },
  A18: {
    quirk: "data may be null; the period must lie inside the last 3 months and should not end after today",
    remedy: "Clip dates; null = empty."
  },
  A19: {
    quirk: "Sizes of an unsized item without offices is an empty body.",
    remedy: "Skip JSON parsing of an empty body; pick includeOffice by hasSizes."
  },
  A20: {
    quirk:
      "Rating periods end yesterday and reach 364 days back; percentile may be null. Personal and Service tokens only.",
    remedy: "Clip; hide the feature for other kinds."
  },
  A21: {
    quirk: "20 CSV reports a day; the quota has its own 429; polling the list costs the same small bucket.",
    remedy:
      "Book the quota locally (persisted), poll one list call for all tasks, first after 15..20 s, then at the interval."
  },
  A22: {
    quirk: "The id is chosen by the caller; re-using one spoils the report.",
    remedy: "New UUID per task, stored before the call; after a timeout look for it in the list."
  },
  A23: {
    quirk: "The filter name holds brackets.",
    remedy:
      "Percent-encode; an unknown id gives 400; without filter the list holds recent tasks of every tool."
  },
  A24: {
    quirk:
      "Emoji in the name give 400; a start date too early gives 400 with the earliest date in the text; files are gone after 48 h.",
    remedy: "Plain names; parse the date or clip to the bound; download at once and keep the raw file."
  },
  A25: {
    quirk:
      'The download is a ZIP with a CSV named after the id, sometimes a plain CSV; UTF-8; quoted numbers may use a decimal comma; text such as "no rating", blanks and a bucket row "Остальные" occur.',
    remedy:
      "Sniff the magic bytes, limit the unpacked size, read by header name, tolerant number parser, skip the bucket row in sums by item."
  }
}
