/** A downloaded report that cannot be used: where it is wrong, what is wrong there, and what to do about it. */
import * as Data from "effect/Data"

export class ReportUnreadable extends Data.TaggedError("ReportUnreadable")<{
  /** Part of the file, such as `the archive`, `entry "a.csv"` or `line 7`. */
  readonly where: string
  readonly what: string
  readonly mend: string
}> {
  override get message(): string {
    return `the report cannot be read: ${this.where}: ${this.what}. ${this.mend}`
  }
}

/** Damage on the way: the file itself is good at the marketplace. */
export const damaged = (where: string, what: string): ReportUnreadable =>
  new ReportUnreadable({
    where,
    what,
    mend: "Download it again within 48 hours; if it stays so, create the report anew"
  })

/** Contents no report has, so that nothing of the file is used. */
export const suspect = (where: string, what: string): ReportUnreadable =>
  new ReportUnreadable({
    where,
    what,
    mend: "Nothing of it was used; check the analytics host in the settings and create the report anew"
  })

/** A report laid out in a way this program does not know. */
export const unknownLayout = (where: string, what: string): ReportUnreadable =>
  new ReportUnreadable({
    where,
    what,
    mend: "The marketplace changed the report: update bidhelm; the kept file can be read then"
  })
