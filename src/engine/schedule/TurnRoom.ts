/** How a lane of an account stands within this process: what its turn is at, and the troubles it had since all went well. */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Queue from "effect/Queue"
import type { AccountLane } from "../../domain/Lane.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import * as Backoff from "./Backoff.js"
import type { Doing, Trouble } from "./Job.js"

/** What became of a due time; `said` is for people. `covered`: by a cycle that ran before, or nothing is left of it. */
export interface TurnEnd {
  readonly outcome: "ran" | "covered" | "failed" | "refused"
  readonly said: string
}

/** How a lane stands. Instants are epoch milliseconds. */
export interface TurnStatus {
  readonly state: "idle" | "running" | "waiting" | "stopping"
  readonly runningSince: number | undefined
  /** What the running cycle is at. */
  readonly doing?: Doing | undefined
  /** Why the last cycle got nowhere, and when it is tried again; undefined once one sends again or went through. */
  readonly stoppedWhy: string | undefined
  /** The trouble that it was; absent when the program gave a due time up by itself. */
  readonly stoppedBy?: Trouble | undefined
  readonly retryAt: number | undefined
  readonly last:
    | { readonly at: number; readonly end: TurnEnd; readonly runId: string | undefined }
    | undefined
  /** What the running or the last cycle goes by: the version of the rules. */
  readonly rulesVersion: string | undefined
}

/** What this process knows of a lane. */
export class Room {
  readonly turn = Effect.unsafeMakeSemaphore(1)
  /** Taken while a cycle runs, not while trouble is waited out. */
  readonly cycle = Effect.unsafeMakeSemaphore(1)
  /** Jobs that were given up because their plans ended the process, until they run again. */
  readonly givenUp = new Set<string>()
  /** What the account showed when its last cycle began. */
  credential: string | undefined
  status: TurnStatus = {
    state: "idle",
    runningSince: undefined,
    doing: undefined,
    stoppedWhy: undefined,
    retryAt: undefined,
    last: undefined,
    rulesVersion: undefined
  }

  constructor(
    readonly where: AccountLane,
    readonly stopping: Deferred.Deferred<void>,
    readonly woken: Queue.Queue<void>
  ) {}

  private readonly troubles = new Map<Trouble, number>()

  set(changed: Partial<TurnStatus>): void {
    const doing = changed.state === undefined ? {} : { doing: undefined }
    const stopped = "stoppedWhy" in changed ? { stoppedBy: undefined } : {}
    this.status = { ...this.status, ...doing, ...stopped, ...changed }
  }

  /** How often a trouble came since the last cycle that went through. */
  seen(trouble: Trouble): number {
    return this.troubles.get(trouble) ?? 0
  }

  /** Notes a trouble; answers how often it came since the last cycle that went through. */
  count(trouble: Trouble): number {
    const count = this.seen(trouble) + 1
    this.troubles.set(trouble, count)
    return count
  }

  /** The lane went to another runner, or the program ends; what came of it before stays told. */
  forget(): void {
    this.troubles.clear()
    this.givenUp.clear()
    this.set({ state: "idle", runningSince: undefined, stoppedWhy: undefined, retryAt: undefined })
  }

  /** Nothing is left to do, and nothing is wrong any more. */
  rest(last: TurnStatus["last"] = this.status.last): void {
    this.troubles.clear()
    this.set({ state: "idle", runningSince: undefined, stoppedWhy: undefined, retryAt: undefined, last })
  }
}

/** What is never tried again ends with the trouble of before: that cycle had taken everything due of the lane. */
export const troubled = ({ status: { retryAt, stoppedWhy } }: Room): Effect.Effect<TurnEnd | undefined> =>
  Effect.map(Clock.currentTimeMillis, (nowMs) =>
    stoppedWhy === undefined || retryAt === undefined || retryAt <= nowMs
      ? undefined
      : { outcome: "failed", said: stoppedWhy }
  )

/** After trouble the lane waits, also with due times that came meanwhile. `credential`: what the account shows now. */
export const waitOut = (room: Room, credential: Effect.Effect<string> | undefined) =>
  Effect.gen(function* () {
    const { retryAt, stoppedBy } = room.status
    const nowMs = yield* Clock.currentTimeMillis
    if (retryAt === undefined || retryAt <= nowMs) return
    const mostMs = yield* ScaledClock.ofMachine(Backoff.mostMs)
    const ends = [Queue.take(room.woken), Deferred.await(room.stopping)]
    if (stoppedBy === "Refused" && credential !== undefined) ends.push(untilOther(room, credential))
    yield* Effect.raceAll([Effect.sleep(Math.min(mostMs, retryAt - nowMs)), ...ends])
  })

/** Looks once a minute of the machine's time, by which people act. */
const untilOther = (room: Room, credential: Effect.Effect<string>) =>
  Effect.gen(function* () {
    const lookMs = yield* ScaledClock.ofMachine(60_000)
    while ((yield* credential) === room.credential) yield* Effect.sleep(lookMs)
  })
