/** The options of `bidhelm history` that ask for changes of all runs, and what is wrong with them. */
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Days from "../../domain/Days.js"
import { CampaignId } from "../../domain/Ids.js"
import { journalStates } from "../../engine/door/Journal.js"
import * as LocalTime from "../../engine/schedule/LocalTime.js"
import type { Asked } from "../../reporting/history/History.js"
import * as Flags from "../terminal/Flags.js"

export const options = {
  campaign: Flags.text("campaign", "Changes of this campaign, of all runs, the latest first"),
  policy: Flags.text("policy", "Changes by this policy: the name of its file without the ending"),
  state: Flags.text("state", `Changes that are ${journalStates.join(", ")}`),
  day: Flags.text("day", "Changes of the runs that began on this day, YYYY-MM-DD in the configured time_zone")
}

/** The options as they were written. */
export interface Written {
  readonly campaign: Option.Option<string>
  readonly policy: Option.Option<string>
  readonly state: Option.Option<string>
  readonly day: Option.Option<string>
  readonly run: Option.Option<string>
  readonly limit: number
  readonly verify: boolean
  readonly exported: Option.Option<string>
}

/** Changes or runs of a page unless it is said. */
export const usualLimit = 20

/** Most changes of a page. */
const mostAtOnce = 10_000

/** Whether changes are asked for, and not runs. */
export const isAsked = ({ campaign, day, policy, state }: Written): boolean =>
  [campaign, policy, state, day].some(Option.isSome)

/** What the options ask for beside the filters. */
export interface Beside extends Pick<Written, "exported" | "limit" | "run" | "verify"> {
  readonly before: Option.Option<string>
  /** True when the limit was written, and is not the usual one by itself. */
  readonly isLimited: boolean
}

/** What does not go together where no changes are asked for: a run, a page of runs, the check and the export. */
export const misfits = ({
  before,
  exported,
  isLimited,
  limit,
  run,
  verify
}: Beside): ReadonlyArray<string> => {
  const isWhole = verify || Option.isSome(exported)
  const isPaged = isLimited || Option.isSome(before)
  return [
    ...(verify && Option.isSome(exported)
      ? ["--verify checks and --export writes; give one of them, and then the other"]
      : []),
    ...(isWhole && Option.isSome(run)
      ? [`${run.value}: --verify and --export are about every run; leave it out`]
      : []),
    ...(isWhole && isPaged
      ? ["--verify and --export are about everything; leave --limit and --before out"]
      : []),
    ...(!isWhole && isPaged && Option.isSome(run)
      ? [`${run.value}: a run is shown whole; leave it out, or leave --limit and --before out`]
      : []),
    ...outOfBounds(limit, "runs")
  ]
}

/** What is asked; everything that is wrong with it at once. */
export const read = (
  written: Written,
  account: string | undefined,
  zone: string
): Either.Either<Asked, ReadonlyArray<string>> => {
  const campaign = Option.getOrUndefined(written.campaign)
  const policy = Option.getOrUndefined(written.policy)
  const day = Option.getOrUndefined(written.day)
  const named = Option.getOrUndefined(written.state)
  const state = journalStates.find((one) => one === named)
  const parsed = day === undefined ? undefined : Days.parse(day)
  const problems = [
    ...(campaign === undefined || isId(campaign)
      ? []
      : [`--campaign ${campaign}: write the number of a campaign, such as 777`]),
    ...(policy === "" ? ["--policy: write the name of a policy, such as 01-raise-to-reach-max"] : []),
    ...(named === undefined || state !== undefined
      ? []
      : [`--state ${named}: there is no such state; the states are ${journalStates.join(", ")}`]),
    ...(day === undefined || parsed !== undefined
      ? []
      : [`--day ${day}: write a day of the calendar as YYYY-MM-DD, such as 2026-09-01`]),
    ...contradictions(written)
  ]
  if (problems.length > 0) return Either.left(problems)
  return Either.right({
    zone,
    ...(account === undefined ? {} : { account }),
    ...(campaign === undefined ? {} : { campaignId: CampaignId.make(Number(campaign)) }),
    ...(policy === undefined ? {} : { policy }),
    ...(state === undefined ? {} : { state }),
    ...(parsed === undefined ? {} : { day: parsed, ...instants(parsed, zone) })
  })
}

const isId = (text: string): boolean => /^[1-9]\d{0,14}$/.test(text)

const outOfBounds = (limit: number, what: string): ReadonlyArray<string> =>
  limit >= 1 && limit <= mostAtOnce
    ? []
    : [`--limit ${limit}: write a number of ${what} from 1 to ${mostAtOnce}`]

const contradictions = ({ exported, limit, run, verify }: Written): ReadonlyArray<string> => [
  ...outOfBounds(limit, "changes"),
  ...(Option.isNone(run)
    ? []
    : [
        `${run.value}: a run is shown whole; leave it out, or leave --campaign, --policy, --state and --day out`
      ]),
  ...(verify || Option.isSome(exported)
    ? ["--verify and --export are about everything; leave --campaign, --policy, --state and --day out"]
    : [])
]

/** From the first instant of a day in a zone to the first of the next. */
const instants = (day: Days.Day, zone: string) => {
  const number = Math.round(Date.parse(`${day}T00:00:00Z`) / Days.dayMs)
  return {
    fromMs: LocalTime.instantOf(number, 0, zone),
    toMs: LocalTime.instantOf(number + 1, 0, zone)
  }
}
