/**
 * What is wrong with a mark as somebody typed, scanned or exported it, and what was mended on the way: codes with fields.
 * Sentences are made in `reporting/fulfilment/MarkWords`. No field holds a mark: a place (from 1) and single signs tell
 * enough.
 */
import type * as Days from "../../../domain/Days.js"

/** `place` counts from 1, in the text after it was mended. `sign` is `U+0410`, with the sign itself where it can be shown. */
export type MarkProblem =
  | { readonly code: "empty" }
  /** A spreadsheet made a number of it, and digits are gone: `4,6E+12`. */
  | { readonly code: "shortened" }
  /** Letters of the Cyrillic layout: the scanner types as a keyboard, and the computer reads Russian. */
  | { readonly code: "cyrillic_layout"; readonly place: number }
  /** Single Cyrillic letters that look like Latin ones; somebody typed the code. */
  | { readonly code: "look_alike"; readonly place: number; readonly sign: string }
  | { readonly code: "foreign_sign"; readonly place: number; readonly sign: string }
  | { readonly code: "space_inside"; readonly place: number }
  /** No group separator at all. */
  | { readonly code: "separator_lost" }
  /** One is there, and another is lost before the part that begins at `place`. */
  | { readonly code: "separator_missing"; readonly place: number }
  /** `(01)…(21)…`, as it is printed for people. */
  | { readonly code: "bracketed" }
  | { readonly code: "no_gtin" }
  | { readonly code: "no_serial" }
  | { readonly code: "serial_length"; readonly length: number; readonly most: number }
  /** A part between separators that begins with no number of its kind. */
  | { readonly code: "part_unreadable"; readonly place: number }
  | { readonly code: "length"; readonly length: number; readonly least: number; readonly most: number }
  /** `likely` is the digit that a letter looks like. */
  | {
      readonly code: "no_digit"
      readonly place: number
      readonly sign: string
      readonly likely: string | undefined
    }
  /** The last digit does not follow from the others; `of` says of which number. */
  | { readonly code: "check_digit"; readonly of: "imei" | "gtin" | "sgtin" }
  /** A GTIN that lost its leading zero: with it the check digit is right. */
  | { readonly code: "zero_lost" }
  /** A device with two: the first only. */
  | { readonly code: "two_imeis" }
  | { readonly code: "no_day" }
  | { readonly code: "too_soon"; readonly day: Days.Day; readonly earliest: Days.Day }

/** What was taken as meant, and is told: none of it changes which mark it is. */
export type Mended =
  /** Blanks and signs without width at the ends. */
  | { readonly code: "blanks" }
  /** An apostrophe or `="…"` that keeps a spreadsheet from counting. */
  | { readonly code: "spreadsheet_quotes" }
  /** `.0` behind a whole number. */
  | { readonly code: "decimals" }
  /** A group separator written as text: `\u001D`, `<GS>`, `^]`. */
  | { readonly code: "separator_written"; readonly written: string; readonly count: number }
  /** What a scanner says before the code: its kind, or a separator. */
  | { readonly code: "scanner_prefix"; readonly written: string }
  /** Blanks and dashes between the digits. */
  | { readonly code: "grouping" }
  /** Fourteen digits of a GTIN, the first of them zero. */
  | { readonly code: "gtin14" }
  /** Dots between the parts of a declaration's number: the slash of the Latin layout is a dot on the Russian one. */
  | { readonly code: "layout_dots" }
  /** Another spelling of the same day. */
  | { readonly code: "day_spelling" }

export type MendedCode = Mended["code"]
