/** What the supervisor's last looks have shown, of each account and as a whole. Instants are epoch milliseconds. */
import type { RuleSet } from "../language/Policy.js"
import type { DueRecord, DueTime } from "./DueTimes.js"
import type { AccountStatus } from "./RunnerStatus.js"
import { watchdogMs } from "./Ticker.js"

/** What the last looks have shown. */
export class State {
  isDraining = false
  lastLookAt: number | undefined
  rulesProblem: string | undefined
  private readonly accounts = new Map<string, Seen>()
  constructor(
    public rulesVersion: string,
    public rules: RuleSet
  ) {}

  of(account: string): Seen {
    return this.accounts.get(account) ?? unseen
  }

  /** Changes what is known of an account; answers what is known now. */
  set(account: string, changed: Partial<Seen>): Seen {
    const seen = { ...this.of(account), ...changed }
    this.accounts.set(account, seen)
    return seen
  }

  /** How many accounts had something handed over. */
  get handed(): number {
    return [...this.accounts.values()].filter(({ handed }) => handed.dues.size > 0).length
  }
}

export interface Seen {
  /** Nothing can become due before this, as long as rules and clock stay. */
  readonly quietUntil: number | undefined
  /**
   * Policies on the timetable when the account was looked at last, without those that have been off it since;
   * undefined before the first look.
   */
  readonly scheduled: ReadonlySet<string> | undefined
  readonly waiting: ReadonlyArray<DueRecord>
  /** When its due times were handed over last, and which; `submittedAt` only while that has not ended. */
  readonly handed: Handed
  readonly submittedAt: number | undefined
  readonly problem: string | undefined
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

const keyOf = ({ dueAt, policy }: DueTime): string => `${policy}@${dueAt}`

/** How an account stands. */
export const standing = (
  account: string,
  { problem, submittedAt, waiting }: Seen,
  nextDueAt: number | undefined,
  nowMs: number
): AccountStatus => ({
  account,
  nextDueAt,
  lagMs: nowMs - Math.min(nowMs, ...waiting.map(({ dueAt }) => dueAt)),
  waiting: waiting.map(({ dueAt, policy }) => ({ policy, dueAt })),
  submittedAt,
  problem
})
