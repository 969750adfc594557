/** Changes of all runs that fit a question, for a terminal. */
import type { Day } from "../../domain/Days.js"
import * as When from "../../domain/When.js"
import type { Browsed, ChangeFilter } from "../../engine/door/ChangeLog.js"
import { cleanLine } from "../Clean.js"
import * as History from "./History.js"

/** What is asked, with the day as it was named. */
export interface Asked extends ChangeFilter {
  readonly day?: Day
  /** IANA name of the zone of the day, and of all times shown. */
  readonly zone: string
}

/** The changes under their runs, in the order given. */
export const list = (changes: ReadonlyArray<Browsed>, currency: string, zone: string): string =>
  changes
    .flatMap((row, at) => {
      const { account, beganAt, runId, sentAt } = row
      const head = `${cleanLine(runId)}  ${When.text(beganAt, zone)} ${zone}  ${cleanLine(account)}`
      const when = sentAt === undefined ? "" : `, sent ${When.text(sentAt, zone)}`
      const lines = History.entry(row, currency, "", when).replaceAll(/^/gm, "  ")
      return changes[at - 1]?.runId === runId ? [lines] : [head, lines]
    })
    .join("\n")

/** That nothing fits: `no change of campaign 5, by policy 01-raise was ever journaled`. */
export const none = (asked: Asked, isFirstPage: boolean, isAllKept: boolean): string => {
  const which = `no ${isFirstPage ? "" : "earlier "}change${described(asked)}`
  if (!isAllKept) return `${which} is kept`
  return asked.day === undefined ? `${which} was ever journaled` : `${which} was journaled`
}

/** ` of account main, of campaign 5, by policy 01-raise, with the state parked, on 2026-09-01 (Europe/Moscow)`. */
const described = ({ account, campaignId, day, policy, state, zone }: Asked): string => {
  const parts = [
    ...(account === undefined ? [] : [`of account ${account}`]),
    ...(campaignId === undefined ? [] : [`of campaign ${campaignId}`]),
    ...(policy === undefined ? [] : [`by policy ${cleanLine(policy)}`]),
    ...(state === undefined ? [] : [`with the state ${state}`]),
    ...(day === undefined ? [] : [`on ${day} (${zone})`])
  ]
  return ` ${parts.join(", ")}`
}

/** What became of older changes, where somebody might look for them; nothing when all of them are kept. */
export const forgotten = (sinceMs: number | undefined, { fromMs, zone }: Asked): string | undefined =>
  sinceMs === undefined || (fromMs !== undefined && fromMs >= sinceMs)
    ? undefined
    : `Older ones were purged: of what had ended before ${When.text(sinceMs, zone)} only the latest change of each value, and what was taken back lately, is kept (keep: journal_days in the configuration).`

/** That a policy never changed anything, and which did: their names in order. */
export const unknownPolicy = (policies: ReadonlyArray<string>): string => {
  const shown = policies.slice(0, mostPolicies).map(cleanLine).join(", ")
  const more = policies.length > mostPolicies ? `, and ${policies.length - mostPolicies} more` : ""
  return policies.length === 0
    ? "No policy made a change yet."
    : `Policies that made changes: ${shown}${more}.`
}

const mostPolicies = 20
