/** What a running `bidhelm run` tells of itself, as JSON over its socket and as text for people. */
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { exact: true })

/** Instants are epoch milliseconds, of the accounts' clock. */
const Account = Schema.Struct({
  account: Schema.String,
  state: Schema.String,
  /** The process that has the account. */
  runner: optional(Schema.String),
  runningSince: optional(Schema.Number),
  nextDueAt: optional(Schema.Number),
  /** How late the oldest due time is that was not run yet. */
  lagMs: Schema.Number,
  waiting: Schema.Array(Schema.Struct({ policy: Schema.String, dueAt: Schema.Number })),
  stoppedWhy: optional(Schema.String),
  /** Why nothing is sent for it: the store was restored. */
  onlyLooks: optional(Schema.String),
  retryAt: optional(Schema.Number),
  last: optional(Schema.Struct({ at: Schema.Number, outcome: Schema.String, said: Schema.String }))
})

const Status = Schema.Struct({
  pid: Schema.Number,
  config: Schema.String,
  nowMs: Schema.Number,
  rulesVersion: Schema.String,
  rulesProblem: optional(Schema.String),
  isStopping: Schema.Boolean,
  accounts: Schema.Array(Account)
})

export type Status = typeof Status.Type
export type AccountStatus = typeof Account.Type

/** Undefined when it is not what this version writes. */
export const read = (told: unknown): Status | undefined =>
  Option.getOrUndefined(Schema.decodeUnknownOption(Status)(told))

export const text = (status: Status): string => {
  const lines = [
    `bidhelm run, pid ${status.pid}, ${status.config}, rules ${status.rulesVersion}${status.isStopping ? ", stopping" : ""}`
  ]
  if (status.rulesProblem !== undefined)
    lines.push("The rules of before stay in force, the files have errors:", status.rulesProblem)
  for (const account of status.accounts) lines.push(...linesOf(account, status.nowMs))
  return lines.join("\n")
}

const linesOf = (account: AccountStatus, nowMs: number): ReadonlyArray<string> => {
  const { lagMs, last, nextDueAt, onlyLooks, retryAt, runningSince, stoppedWhy, waiting } = account
  const since = runningSince === undefined ? "" : ` since ${at(runningSince)}`
  const late = lagMs >= 60_000 ? `, ${Math.floor(lagMs / 60_000)} min behind` : ""
  const next =
    nextDueAt === undefined
      ? "no policy has a schedule"
      : `next due ${at(nextDueAt)} (${soon(nextDueAt - nowMs)})`
  return [
    `${account.account}: ${account.state}${since}${late}; ${next}`,
    ...(waiting.length === 0 ? [] : [`  waiting: ${waiting.map(({ policy }) => policy).join(", ")}`]),
    ...(stoppedWhy === undefined ? [] : [`  stopped: ${stoppedWhy}${again(retryAt)}`]),
    ...(onlyLooks === undefined ? [] : [`  only looks: ${onlyLooks}`]),
    ...(last === undefined ? [] : [`  last: ${at(last.at)} ${last.outcome}: ${last.said}`])
  ]
}

const again = (retryAt: number | undefined): string =>
  retryAt === undefined ? "" : `; tried again at ${at(retryAt)}`

/** `2026-09-01 12:00:05 UTC`. */
const at = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`

const soon = (ms: number): string =>
  ms < 60_000
    ? "within a minute"
    : ms < 7_200_000
      ? `in ${Math.round(ms / 60_000)} min`
      : `in ${Math.round(ms / 3_600_000)} h`
