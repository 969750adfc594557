/** What the supervisor's last looks have shown, of each lane and as a whole. Instants are epoch milliseconds. */
import * as Lane from "../../domain/Lane.js"
import type { Schedule } from "../../domain/Schedule.js"
import * as DueLook from "./DueLook.js"
import type { DueRecord, DueTime } from "./DueTimes.js"
import type { Job, Jobs } from "./Job.js"
import type { LaneStatus, Problem } from "./RunnerStatus.js"
import { watchdogMs } from "./Ticker.js"

/** A lane that is looked at, with its jobs. */
export interface Place extends Lane.AccountLane {
  /** `Lane.key`. */
  readonly key: string
  readonly jobs: ReadonlyArray<Job>
  /** Of its jobs, all of them. */
  readonly schedules: ReadonlyArray<Schedule>
}

/** What the last looks have shown. */
export class State {
  isDraining = false
  lastLookAt: number | undefined
  /** Of the jobs at the last look that went through. */
  version: string
  private readonly lanes = new Map<string, Seen>()
  private known: { readonly version: string; readonly places: ReadonlyMap<string, Place> } | undefined

  /** `jobs`: as of the last look, whether it went through or not. */
  constructor(public jobs: Jobs) {
    this.version = jobs.version
  }

  of({ key }: Pick<Place, "key">): Seen {
    return this.lanes.get(key) ?? unseen
  }

  /** Changes what is known of a lane; answers what is known now. */
  set(place: Pick<Place, "key">, changed: Partial<Seen>): Seen {
    const seen = { ...this.of(place), ...changed }
    this.lanes.set(place.key, seen)
    return seen
  }

  /** How many accounts had something handed over. */
  get handed(): number {
    const busy = [...this.lanes].filter(([, { handed }]) => handed.dues.size > 0)
    return new Set(busy.map(([key]) => Lane.ofKey(key)?.account)).size
  }

  /** Lanes of the accounts that have jobs, or have something `open` of before; each account has one at least. */
  places(accounts: ReadonlyArray<string>, open?: ReadonlyMap<string, unknown>): ReadonlyArray<Place> {
    const places = this.withJobs(accounts)
    const others = [...(open?.keys() ?? [])].filter((key) => !places.has(key))
    const wanted = others.length === 0 ? undefined : new Set(accounts)
    return [
      ...places.values(),
      ...others.flatMap((key) => {
        const where = Lane.ofKey(key)
        return where !== undefined && wanted?.has(where.account)
          ? [{ ...where, key, jobs: [], schedules: [] }]
          : []
      })
    ]
  }

  private withJobs(accounts: ReadonlyArray<string>): ReadonlyMap<string, Place> {
    if (this.known?.version === this.jobs.version) return this.known.places
    const places = new Map(
      accounts.flatMap((account) => {
        const jobs = this.jobs.of(account)
        const lanes = Lane.lanes.filter((lane) => jobs.some((job) => job.lane === lane))
        return (lanes.length === 0 ? [Lane.lanes[0]] : lanes).map((lane) => {
          const key = Lane.key({ account, lane })
          const own = jobs.filter((job) => job.lane === lane)
          return [
            key,
            { account, lane, key, jobs: own, schedules: own.flatMap(DueLook.schedulesOf) }
          ] as const
        })
      })
    )
    // What comes back counts from then on: a lane without jobs was off the timetable.
    for (const [key, { scheduled }] of this.lanes) {
      if (scheduled !== undefined && !places.has(key))
        this.set({ key }, { scheduled: new Set(), waiting: [] })
    }
    this.known = { version: this.jobs.version, places }
    return places
  }
}

export interface Seen {
  /** Nothing can become due before this, as long as rules and clock stay. */
  readonly quietUntil: number | undefined
  /**
   * Jobs on the timetable when the lane was looked at last, without those that have been off it since;
   * undefined before the first look.
   */
  readonly scheduled: ReadonlySet<string> | undefined
  readonly waiting: ReadonlyArray<DueRecord>
  /** When its due times were handed over last, and which; `submittedAt` only while that has not ended. */
  readonly handed: Handed
  readonly submittedAt: number | undefined
  readonly problem: Problem | undefined
}

interface Handed {
  readonly at: number
  readonly dues: ReadonlySet<string>
  /** They are stored where they will be run: only a message that was lost has to be sent again. */
  readonly isStored: boolean
}

const unseen: Seen = {
  quietUntil: undefined,
  scheduled: undefined,
  waiting: [],
  handed: { at: 0, dues: new Set(), isStored: false },
  submittedAt: undefined,
  problem: undefined
}

/** Due times that were handed over now. */
export const handedAt = (at: number, dues: ReadonlyArray<DueTime>): Handed => ({
  at,
  dues: new Set(dues.map(keyOf)),
  isStored: false
})

/** So long a stored due time is left to those who have it, milliseconds; messages that are lost are rare. */
const storedMs = 10 * watchdogMs

/** Whoever stores due times for another runner answers at once; they are not handed over again with every look. */
export const isHanded = ({ handed, waiting }: Seen, nowMs: number): boolean =>
  Math.abs(nowMs - handed.at) < (handed.isStored ? storedMs : watchdogMs) &&
  waiting.every((due) => handed.dues.has(keyOf(due)))

const keyOf = ({ dueAt, job }: DueTime): string => `${job}@${dueAt}`

/** How a lane stands. */
export const standing = (
  { account, lane }: Lane.AccountLane,
  { problem, submittedAt, waiting }: Seen,
  nextDueAt: number | undefined,
  nowMs: number
): LaneStatus => ({
  account,
  lane,
  nextDueAt,
  lagMs: nowMs - Math.min(nowMs, ...waiting.map(({ dueAt }) => dueAt)),
  waiting: waiting.map(({ dueAt, job }) => ({ job, dueAt })),
  submittedAt,
  problem
})
