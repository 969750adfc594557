/** A report that will not come, and why. */
import * as Data from "effect/Data"
import * as Days from "../../../domain/Days.js"
import type { ReportId } from "../../../domain/Ids.js"

const next = {
  refused: "Mend the order and ask again",
  failed: "Ask for it again later, or for a shorter period",
  expired: "Ask for it again and fetch it within 48 hours",
  overdue: "It stays open: run again to take it up where it stands"
} as const

export class ReportStopped extends Data.TaggedError("ReportStopped")<{
  /** Undefined when the order was refused before it had one. */
  readonly id: ReportId | undefined
  /** `overdue` leaves the task open; the others are final. */
  readonly reason: keyof typeof next
  readonly text: string
  /** First day the marketplace has data for, where its refusal named one (field note A24). */
  readonly earliest: Days.Day | undefined
}> {
  override get message(): string {
    const from = this.earliest === undefined ? "" : ` from ${this.earliest} on`
    return `report ${this.id ?? ""}: ${this.text}. ${next[this.reason]}${from}`.replace("report :", "report:")
  }
}

/** A refusal in the marketplace's words. */
export const refused = (id: ReportId | undefined, text: string): ReportStopped => {
  const [day] = /\d{4}-\d{2}-\d{2}/.exec(text) ?? []
  return new ReportStopped({
    id,
    reason: "refused",
    text: text.replace(/[\s.]+$/, ""),
    earliest: day === undefined ? undefined : Days.parse(day)
  })
}
