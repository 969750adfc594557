/** What a running `bidhelm run` tells of itself, as JSON over its socket and as text for people. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Lane from "../../domain/Lane.js"
import * as When from "../../domain/When.js"
import { troubles } from "../../engine/schedule/Job.js"
import { notLooking } from "../../engine/schedule/RunnerStatus.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as AccountMarks from "../account/AccountMarks.js"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** A kill switch or a hold of the whole account, and the command that lifts it. */
const Stop = Schema.Struct({
  kind: Schema.Literal("kill", "account"),
  since: Schema.Number,
  until: optional(Schema.Number),
  by: Schema.String,
  why: optional(Schema.String),
  resume: Schema.String
})

/** Instants are epoch milliseconds, of the accounts' clock. */
const Account = Schema.Struct({
  account: Schema.String,
  /** The lane of the account; absent for that of advertising. */
  lane: optional(Schema.Literal(...Lane.lanes)),
  state: Schema.String,
  /** The process that has the account; absent while it does not answer. */
  runner: optional(Schema.String),
  runningSince: optional(Schema.Number),
  /** What the running cycle is at. */
  doing: optional(Schema.String),
  nextDueAt: optional(Schema.Number),
  /** How late the oldest due time is that was not run yet. */
  lagMs: Schema.Number,
  waiting: Schema.Array(Schema.Struct({ job: Schema.String, dueAt: Schema.Number })),
  stoppedWhy: optional(Schema.String),
  /** The trouble that it was; absent where none was named. */
  stoppedBy: optional(Schema.Literal(...troubles)),
  /** What a person has stopped of it; absent when nothing. */
  stops: optional(Schema.Array(Stop)),
  /** Why nothing is sent for it: the store was restored. */
  onlyLooks: optional(Schema.String),
  /** What the marketplace refuses to its token, and is not asked for. */
  switchedOff: optional(Schema.Array(Schema.String)),
  retryAt: optional(Schema.Number),
  last: optional(Schema.Struct({ at: Schema.Number, outcome: Schema.String, said: Schema.String }))
})

const Status = Schema.Struct({
  pid: Schema.Number,
  /** This process as accounts name their runner. */
  runner: optional(Schema.String),
  config: Schema.String,
  zone: optional(Schema.String),
  nowMs: Schema.Number,
  rulesVersion: Schema.String,
  rulesProblem: optional(Schema.String),
  isStopping: Schema.Boolean,
  /** When it looked last for what is due; null before the first time, absent while every account says why it cannot. */
  lookedAt: optional(Schema.NullOr(Schema.Number)),
  /** The file that stops all sending of this machine, while it exists. */
  stopFile: optional(Schema.String),
  /** Why nobody can tell whether that file exists, which stops all sending as well. */
  stopFileUnread: optional(Schema.String),
  /** The file with `kill_switch: true`, while the program may send nothing because of it. */
  killSwitchIn: optional(Schema.String),
  /** What of accounts and store the configuration says differently since the program began: `main → shop2`. */
  configChanged: optional(Schema.String),
  /** Why it is not known what people have stopped. */
  stopsUnread: optional(Schema.String),
  /** Why the store does not answer: this program lives all the same, as it has told the rest. */
  storeAway: optional(Schema.String),
  accounts: Schema.Array(Account)
})

export type Status = typeof Status.Type
export type AccountStatus = typeof Account.Type

/** Undefined when it is not what this version writes. */
export const read = (told: unknown): Status | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Status)(told))

/** What people have stopped, beside what the program tells of itself. */
export interface Stopped {
  readonly stops: ReadonlyArray<AccountMarks.Stop>
  readonly stopFile?: string
  readonly stopFileUnread?: string
  readonly stopsUnread?: string
}

/**
 * The status with what people have stopped. Where the configuration has changed, that they are unread says nothing of the store. While it
 * is away an account has no due time that it waits for: nobody knows what it will find.
 */
export const stopped = (status: Status, { stops, ...more }: Stopped): Status => {
  const isMissed = more.stopsUnread !== undefined && status.configChanged === undefined
  return {
    ...status,
    ...more,
    ...(isMissed && isShut(status) ? { storeAway: more.stopsUnread } : {}),
    accounts: status.accounts.map((one) => {
      const own = stops
        .filter(({ account }) => account === one.account)
        .map(({ account: _, ...stop }) => stop)
      const isUnknown = (isMissed && isSilent(one)) || (status.storeAway !== undefined && one.state === idle)
      const state = isUnknown ? "unknown while the store is away" : one.state
      return own.length === 0 ? { ...one, state } : { ...one, state, stops: own }
    })
  }
}

/** Runners find one another through the store: while it is away none of them answers, this one's own included. */
const isSilent = ({ runner }: AccountStatus): boolean => runner === undefined

/** That the store could not be read here may be for another reason; this tells that the program misses it too. */
const isShut = ({ accounts }: Status): boolean =>
  accounts.some((one) => isSilent(one) || one.stoppedBy === "StoreFailed")

/** One line of what each account is at, then why. Times are of the configuration's zone. */
export const text = (status: Status): string => {
  const zone = status.zone ?? "UTC"
  const lines = [
    `bidhelm run, pid ${status.pid}, ${status.config}, rules ${status.rulesVersion}${status.isStopping ? ", stopping" : ""}; times of ${zone}`
  ]
  const { configChanged, isStopping, killSwitchIn, lookedAt, nowMs, stopFile, stopsUnread, storeAway } =
    status
  if (configChanged !== undefined)
    lines.push(
      `${status.config} has changed since it began (${cleanLine(configChanged)}): it goes on as before and takes no command that changes or stops anything; start it again, or take the change back`
    )
  if (storeAway !== undefined) lines.push(awayText(storeAway, lookedAt, zone))
  if (stopFile !== undefined)
    lines.push(`Nothing is sent from this machine: the file ${stopFile} exists; remove it to go on`)
  if (status.stopFileUnread !== undefined)
    lines.push(`Nothing is sent from this machine: ${cleanLine(status.stopFileUnread)}`)
  if (killSwitchIn !== undefined)
    lines.push(
      `Nothing is sent from this machine: kill_switch is true in ${cleanLine(killSwitchIn)}; set it to false to go on`
    )
  if (stopsUnread !== undefined)
    lines.push(
      `What people have stopped is not known${storeAway === undefined ? `: ${cleanLine(stopsUnread)}` : " until then"}`
    )
  const stuck = lookedAt === undefined || isStopping ? undefined : notLooking(lookedAt ?? undefined, nowMs)
  if (stuck !== undefined) lines.push(`Nothing that becomes due is taken up: ${stuck}`)
  if (status.rulesProblem !== undefined)
    lines.push("The rules of before stay in force, the files have errors:", status.rulesProblem)
  for (const account of status.accounts) lines.push(...linesOf(account, status, zone))
  return lines.join("\n")
}

/** It looks every minute at least, so that the last time it could is about when the store went away. */
const awayText = (why: string, lookedAt: number | null | undefined, zone: string): string =>
  `The store is away: ${cleanLine(why)}. ${lookedAt == null ? "" : `It answered last at ${When.text(lookedAt, zone)}. `}This program lives, sends nothing meanwhile, and goes on by itself when the store is back`

const linesOf = (account: AccountStatus, status: Status, zone: string): ReadonlyArray<string> => {
  const { last, onlyLooks, runner, stoppedWhy, stops = [], switchedOff = [], waiting } = account
  const word = wordOf(account, zone)
  const late = word === idle ? "" : behind(account.lagMs)
  return [
    `${Lane.text({ lane: "ads", ...account })}: ${word}${late}${nextOf(account, status.nowMs, zone, word === idle)}`,
    ...(waiting.length === 0 ? [] : [`  due now: ${[...new Set(waiting.map(({ job }) => job))].join(", ")}`]),
    ...(runner === undefined || runner === status.runner ? [] : [`  runner: ${runner}`]),
    ...(stoppedWhy === undefined ? [] : [`  stopped: ${stoppedWhy}`]),
    ...stops.map((stop) => `  ${AccountMarks.stopText(stop, zone)}; resume with: ${stop.resume}`),
    ...(onlyLooks === undefined ? [] : [`  only looks: ${onlyLooks}`]),
    ...switchedOff.map((text) => `  refused: ${text}`),
    ...(last === undefined
      ? []
      : [`  last: ${When.text(last.at, zone)} ${lastWord(last.outcome)}${last.said}`])
  ]
}

const idle = "idle"

/** What the account is at, in one word or a few; only one of them is true at a time. */
const wordOf = ({ doing, retryAt, runningSince, state, waiting }: AccountStatus, zone: string): string => {
  if (state === "running") {
    return `${doing ?? "working"}${runningSince === undefined ? "" : `, since ${When.text(runningSince, zone)}`}`
  }
  if (state === "waiting") {
    return `waiting after trouble${retryAt === undefined ? "" : `, tries again at ${When.text(retryAt, zone)}`}`
  }
  return state === idle && waiting.length > 0 ? "waiting for its turn" : state
}

const behind = (lagMs: number): string =>
  lagMs >= 60_000 ? `, ${Math.floor(lagMs / 60_000)} min behind` : ""

const nextOf = (
  { nextDueAt, retryAt }: AccountStatus,
  nowMs: number,
  zone: string,
  isIdle: boolean
): string => {
  if (nextDueAt === undefined) return isIdle ? ": no policy has a schedule" : ""
  // When it tries again is told already.
  if (retryAt !== undefined && nextDueAt <= retryAt) return ` (${soon(retryAt - nowMs)})`
  const at = `${When.text(nextDueAt, zone)} (${soon(nextDueAt - nowMs)})`
  return isIdle ? ` until ${at}` : `; next due ${at}`
}

/** What a cycle that ran says needs no word before it. */
const lastWord = (outcome: string): string => (outcome === "ran" ? "" : `${outcome}: `)

const soon = (ms: number): string =>
  ms < 60_000
    ? "within a minute"
    : ms < 7_200_000
      ? `in ${Math.round(ms / 60_000)} min`
      : `in ${Math.round(ms / 3_600_000)} h`
