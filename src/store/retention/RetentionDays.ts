/** For how long the store keeps things. */

/** For how many days things are kept. */
export interface Keep {
  /** Plans, counts for `hold_for`, what was expected of days, and the spend of hours. */
  readonly plansDays: number
  /** Runs, their changes and the audit chain. */
  readonly journalDays: number
  /** Report tasks that have ended. */
  readonly reportsDays: number
}

export const usual: Keep = { plansDays: 90, journalDays: 400, reportsDays: 30 }
