/**
 * Plans that the process did not outlive. A plan too big for the memory ends the process, and with it the plans of all
 * other accounts; what was due is taken again at the next start. So a due time whose plans were cut short several times
 * in a row plans without others like it beside it, and in the end is given up: one account must not stop all for ever.
 */
import * as Effect from "effect/Effect"
import * as Figures from "../../domain/Figures.js"
import * as Lane from "../../domain/Lane.js"
import type { DueRecord, DueTimes } from "./DueTimes.js"
import type { Doing, Trouble } from "./Job.js"
import * as Places from "./Places.js"
import type { Room, TurnStatus } from "./TurnRoom.js"

/**
 * A due time is given up after so many plans that were cut short in a row. A service that fails five times in ten
 * minutes is started no more (ops/bidhelm.service), so this has to come sooner.
 */
const most = 3

/** From so many on they plan one after the other: who is beside a plan that ends the process is not to blame. */
const aloneFrom = most - 1

/** Jobs to give up, with every due time of theirs that is open: one plan would be made for all of these. */
export const givenUp = (dues: ReadonlyArray<DueRecord>): ReadonlySet<string> =>
  new Set(dues.filter(({ cutShort }) => cutShort >= most).map(({ job }) => job))

export const isAlone = (dues: ReadonlyArray<DueRecord>): boolean =>
  dues.some(({ cutShort }) => cutShort >= aloneFrom)

/** Why due times are given up; undefined when there are none. */
export const why = (dues: ReadonlyArray<DueRecord>): string | undefined =>
  dues.length === 0
    ? undefined
    : `${[...new Set(dues.map(({ job }) => job))].join(", ")}: given up until the next due time, because bidhelm ended ${most} times in a row while it planned this, most likely for lack of memory. Give it more memory, or let fewer accounts plan at a time (runner: plans_at_once)`

/** Tells the operators of due times that are given up. */
export const tell = ({ givenUp, where }: Room, dues: ReadonlyArray<DueRecord>): Effect.Effect<void> =>
  Effect.gen(function* () {
    for (const { job } of dues) givenUp.add(job)
    yield* Figures.set(Figures.figures.givenUp, where, givenUp.size)
    const due = dues.map(({ job }) => job)
    yield* Effect.logError(`${Lane.text(where)}: ${why(dues)}`, {
      event: "given_up",
      ...Lane.labels(where),
      due
    })
  })

/** A cycle of these jobs went through. */
export const ran = (room: Room, dues: ReadonlyArray<DueRecord>): Effect.Effect<void> => {
  const jobs = new Set(dues.map(({ job }) => job))
  return forget(room, (job) => jobs.has(job))
}

/** Jobs that are gone, as policies that a person has switched off, are given up no longer. */
export const keepOnly = (room: Room, wanted: ReadonlySet<string>): Effect.Effect<void> =>
  forget(room, (job) => !wanted.has(job))

/**
 * How the lane stands. Of one whose only job is gone nothing becomes due any more that could tell that nothing is
 * wrong, so that is looked at here.
 */
export const status = (room: Room, wanted: Effect.Effect<ReadonlySet<string>>): Effect.Effect<TurnStatus> =>
  Effect.gen(function* () {
    if (room.givenUp.size === 0) return room.status
    yield* keepOnly(room, yield* wanted)
    if (room.givenUp.size === 0 && room.status.state === "idle") room.rest()
    return room.status
  })

const forget = ({ givenUp, where }: Room, isOver: (job: string) => boolean): Effect.Effect<void> =>
  Effect.suspend(() => {
    const before = givenUp.size
    for (const job of givenUp) if (isOver(job)) givenUp.delete(job)
    return givenUp.size === before ? Effect.void : Figures.set(Figures.figures.givenUp, where, givenUp.size)
  })

/** Troubles that a cycle has behind it once it has a plan to send; the others may come again until something was sent. */
const plannedPast: ReadonlySet<Trouble> = new Set(["Refused", "Limited", "Unreachable", "Unread"])

/**
 * Follows a cycle of the run, and notes in the store once that its plan begins, and once that it was made. The trouble of
 * before is told until it is over, and not to the end of a cycle that may send for hours. `left` is for
 * a cycle that is interrupted because the lane goes to another runner: that ended no process. Nobody waits for it.
 */
export const noting = ({ planning }: typeof DueTimes.Service, room: Room, runId: string) => {
  let noted: "begins" | "made" | undefined
  let isSending = false
  const note = (what: "begins" | "made") =>
    Effect.suspend(() => {
      if (noted === what || (noted === undefined && what === "made")) return Effect.void
      noted = what
      return planning(room.where, runId, what)
    }).pipe(
      // The cycle itself will say that the store fails.
      Effect.catchAll(({ message }) => Effect.logWarning(`${Lane.text(room.where)}: ${message}`))
    )
  return {
    doing: (what: Doing) =>
      Effect.suspend(() => {
        const { stoppedBy } = room.status
        const heals = what === "sending" && stoppedBy !== undefined && plannedPast.has(stoppedBy)
        // Told once more, it has the lock and has sent something.
        room.set({ doing: what, ...(heals || isSending ? { stoppedWhy: undefined } : {}) })
        isSending ||= what === "sending"
        return what === "planning" ? note("begins") : Effect.void
      }),
    planned: note("made"),
    left: Effect.suspend(() =>
      noted === "begins" ? Effect.forkDaemon(Effect.ignore(planning(room.where, runId, "left"))) : Effect.void
    )
  }
}

export interface Rooms {
  /** For plans of all accounts, of each lane its own: an order does not wait until advertising has planned. */
  readonly places: Readonly<Record<Lane.Lane, Effect.Semaphore>>
  /** The one place of plans that may end the process, whatever their lane. */
  readonly alone: Effect.Semaphore
}

/** Places for so many plans of each lane. */
export const rooms = (places: number): Effect.Effect<Rooms> =>
  Effect.all({
    places: Effect.all({
      ads: Effect.makeSemaphore(places),
      orders: Effect.makeSemaphore(places),
      promotions: Effect.makeSemaphore(places)
    }),
    alone: Effect.makeSemaphore(1)
  })

/** Runs the work when there is a place for it, as `Places.held`. */
export const held = <A, E, R>(
  { alone, places }: Rooms,
  lane: Lane.Lane,
  isAlone: boolean,
  work: (place: Places.Place) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  isAlone
    ? Places.held(alone, (outer) =>
        Places.held(places[lane], (inner) =>
          work({
            leave: Effect.zipRight(inner.leave, outer.leave),
            away: (waiting) => inner.away(outer.away(waiting))
          })
        )
      )
    : Places.held(places[lane], work)
