/**
 * The first day of an account in a store. A store that does not know the account, or whose marker is gone, may have lost
 * a journal with deposits in it, so the rules make none until the day is over or a person gives their word. Pure.
 */
import * as Days from "../../domain/Days.js"
import type { Held } from "./Plan.js"
import * as When from "./When.js"

/** Since when a store knows an account. Instants are epoch milliseconds. */
export interface Acquaintance {
  readonly sinceMs: number
  /** `marker`: the store knew the account, and what it noted beside itself was not there, so it may be an old copy. */
  readonly because: "new" | "marker"
  /** Whose word lets the rules make deposits at once. */
  readonly allowed?: { readonly atMs: number; readonly by: string }
}

/** An account in its first day without anybody's word. */
export interface Waiting extends Pick<Acquaintance, "because" | "sinceMs"> {
  readonly account: string
  readonly untilMs: number
  /** IANA zone for the instants in messages. */
  readonly zone: string
}

const hourMs = 3_600_000

/**
 * The end of the first day, epoch milliseconds: after 24 hours the day of the limits in which it began is over as well,
 * unless its clocks were set back.
 */
export const endMs = (sinceMs: number, zone: string): number => {
  const end = sinceMs + 24 * hourMs
  return Days.at(end, zone) === Days.at(sinceMs, zone) ? end + hourMs : end
}

export const isOver = ({ sinceMs }: Acquaintance, nowMs: number, zone: string): boolean =>
  nowMs >= endMs(sinceMs, zone)

/** Undefined when the rules may make deposits. */
export const waiting = (
  account: string,
  known: Acquaintance,
  nowMs: number,
  zone: string
): Waiting | undefined => {
  const { allowed, because, sinceMs } = known
  return allowed !== undefined || isOver(known, nowMs, zone)
    ? undefined
    : { account, because, sinceMs, untilMs: endMs(sinceMs, zone), zone }
}

/** Why a deposit is held, and what a person can do. */
export const verdict = (waiting: Waiting): Omit<Held, "change"> => {
  const { account, untilMs, zone } = waiting
  return {
    by: "first_day",
    limit: `no deposit of a rule before ${When.text(untilMs, zone)}`,
    over: `${story(waiting)}; if no other store pays for it: bidhelm account deposits ${account}`
  }
}

/** What is known of the account, for a person. */
export const story = ({ account, because, sinceMs, zone }: Omit<Waiting, "untilMs">): string =>
  because === "new"
    ? `this store knows account ${account} since ${When.text(sinceMs, zone)} only, and not what was deposited before`
    : `the file beside this store that notes account ${account} was missing on ${When.text(sinceMs, zone)}, so the store may be an old copy without the last deposits`
