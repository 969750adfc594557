/** Quirks of transport, limits and errors that clients run into, and what to do about each. */
import type { Note } from "./Note.js"

export const notes: Readonly<Record<string, Note>> = {
  T01: {
    quirk: "Limits depend on the token kind, which sits in the JWT claim `acc`.",
    remedy: "Decode it at start; unknown or undecodable means Base; log the kind, never the token."
  },
  T02: {
    quirk: "With a Base token two calls to the balance inside half an hour lock the operation for 1800 s.",
    remedy: "Plan polling from the bucket of the actual kind; refuse at start a schedule that cannot fit it."
  },
  T03: {
    quirk:
      "Buckets belong to the seller, not to the process: a second worker, a script or another tool with the same kind of token drains them too.",
    remedy: "One limiter per (seller, kind, limitGroup) shared by all workers; leave headroom of about 20 %."
  },
  T04: {
    quirk: "Waits announced on 429 run from seconds to hours (564 s to 18 236 s seen).",
    remedy:
      "Store the deadline durably per bucket, release the worker, re-queue; never sleep it out in a request handler."
  },
  T05: {
    quirk: "Calling during a lock prolongs it.",
    remedy: "No probe before the stored deadline, also not after a restart."
  },
  T06: {
    quirk:
      "The lock holds for one token and one operation although the text may speak of a global per-seller limit.",
    remedy:
      "Lock the bucket that was hit; slow the rest down only if several buckets answer 429 within a minute."
  },
  T07: {
    quirk: "A successful answer may already say `X-Ratelimit-Remaining: 0`.",
    remedy:
      "Take it as an order to wait one interval; also set the local bucket to the smaller of both views."
  },
  T08: {
    quirk: "`Retry-After` is usually missing, sometimes seconds, sometimes an HTTP date.",
    remedy: "Parse both; prefer X-Ratelimit-Retry; cap nonsense values; fall back to the interval."
  },
  T09: {
    quirk: "On the marketplace host each 4xx costs 10 requests, so 30 bad calls use up a minute.",
    remedy:
      "Validate bounds, states and formats locally; after a 4xx take 10 tokens from the local bucket; break loops of repeated 409."
  },
  T10: {
    quirk:
      "Error bodies come in at least eight shapes, with wrong content types, a body `status` unlike the HTTP one, plain text, empty or HTML.",
    remedy:
      "Read text first, try JSON, map to one internal error with raw text (cut, secrets removed); decide by HTTP status and operation."
  },
  T11: {
    quirk:
      '404 "path not found" and 405 on a known path mean that the path was retired, not that an object is missing.',
    remedy: "Distinguish by body; open a circuit for the operation and raise an alarm."
  },
  T12: {
    quirk:
      "401 may mean expired, malformed, wrong environment or withdrawn; 403 a missing category, a refused token kind, no subscription or a feature not granted.",
    remedy:
      "No retry; 401 stops all work of the token; 403 stops the one operation until configuration changes or a day passes."
  },
  T13: {
    quirk: "Date-times without offset are Moscow time, with Z they are UTC; other answers carry +03:00.",
    remedy: "Parse per field, keep UTC inside, keep the business day (Europe/Moscow) as a separate value."
  },
  T14: {
    quirk: "Two DELETE operations need a JSON body.",
    remedy: "Use an HTTP client that sends it, and test that no proxy drops it."
  },
  T15: {
    quirk:
      "200 does not mean data or success: the body may be `null`, empty, `{}`, a list with a 400 object inside, or success and failed lists.",
    remedy: "Validate the shape of every 2xx body; classify as empty, partial or failed."
  },
  T16: {
    quirk: "No operation takes an idempotency key; only the CSV id and the promo upload notice duplicates.",
    remedy:
      "Write an intent record before each non-idempotent call and reconcile by reading (verifyBy) after an unknown outcome."
  },
  T17: {
    quirk: "Nothing is pushed.",
    remedy: "Poll with cursors and stored high-water marks; tolerate gaps after downtime."
  },
  T18: {
    quirk: "Ids are int64 or uint64; money is int64 minor units.",
    remedy: "Parse ids as text or bigint where they may pass 2^53; never do money in floating point."
  },
  T19: {
    quirk: "Fields and enum values appear without notice, documented-required fields go missing.",
    remedy:
      "Ignore unknown fields, keep unknown codes as text, treat nearly all response fields as optional; count schema surprises in a metric."
  },
  T20: {
    quirk: "Status 461 was seen by one client and handled as a throttle.",
    remedy: "Treat an unknown 4xx as permanent for the item but transient for the schedule."
  },
  T21: {
    quirk: "Heavy reports answer 500 or 504 with a deadline text.",
    remedy: "Halve the batch or the period and retry; at most 5 tries with jitter, then park the job."
  },
  T22: {
    quirk:
      '"Nothing found" is 204 on payments and seller-warehouse stock, 200 with an empty or null list elsewhere; new orders were also seen with 204.',
    remedy: "Map 204, null and [] to the same empty result."
  }
}
