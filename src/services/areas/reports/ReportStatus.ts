/** Where the marketplace stands with a report task (not-shown §7.3). */
import type { CsvTask } from "../../endpoints/CsvReports.js"
import * as OrderDates from "../orders/OrderDates.js"

export type ReportStatus =
  | { readonly _tag: "Waiting" }
  | { readonly _tag: "Processing" }
  /** The marketplace will try again by itself. */
  | { readonly _tag: "Retrying" }
  /** `readyAt` epoch milliseconds; undefined when it could not be read. */
  | { readonly _tag: "Ready"; readonly readyAt: number | undefined }
  | { readonly _tag: "Failed" }
  /** A word that came later: taken as being on its way. */
  | { readonly _tag: "Unknown"; readonly word: string }

/** How long a finished report is kept. */
export const keptMs = 48 * 3_600_000

export const of = ({ createdAt, status }: typeof CsvTask.Type): ReportStatus => {
  switch (status) {
    case "WAITING":
      return { _tag: "Waiting" }
    case "PROCESSING":
      return { _tag: "Processing" }
    case "RETRY":
      return { _tag: "Retrying" }
    case "SUCCESS":
      return { _tag: "Ready", readyAt: moscowTime(createdAt) }
    case "FAILED":
      return { _tag: "Failed" }
    default:
      return { _tag: "Unknown", word: status ?? "" }
  }
}

/** `YYYY-MM-DD HH:MM:SS` without a zone is Moscow time (field note T13); one with a zone is taken at its word. */
export const moscowTime = (text: string | undefined): number | undefined =>
  OrderDates.instant(text?.trim().replace(" ", "T"))
