/** How long a cycle that got into trouble waits until it is tried again. */
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import type { Trouble } from "./Job.js"

const secondMs = 1000

/** Waiting doubles from the first to the most. A refused token is only probed, with one call; a person has to act. */
const waits: Readonly<Record<Trouble, { readonly firstMs: number; readonly mostMs: number }>> = {
  Refused: { firstMs: 15 * Days.minuteMs, mostMs: 6 * Days.hourMs },
  Limited: { firstMs: 5 * Days.minuteMs, mostMs: Days.hourMs },
  Unreachable: { firstMs: Days.minuteMs, mostMs: 30 * Days.minuteMs },
  Unread: { firstMs: 3 * Days.minuteMs, mostMs: 10 * Days.minuteMs },
  StoreFailed: { firstMs: 5 * secondMs, mostMs: 5 * Days.minuteMs },
  LockLost: { firstMs: 30 * secondMs, mostMs: 5 * Days.minuteMs },
  Busy: { firstMs: 30 * secondMs, mostMs: 5 * Days.minuteMs },
  Broken: { firstMs: Days.minuteMs, mostMs: Days.hourMs }
}

/** The longest of all waits; a clock that was set back makes none longer. */
export const mostMs = Math.max(...Object.values(waits).map((wait) => wait.mostMs))

/** A defect that comes back so often is given up until the next due time. */
export const mostBroken = 5

/** A lock that is lost so often in a row, with nothing sent, is given up: a machine this busy must not plan all day. */
export const mostLockLost = 2

/** Of these a process or the store is the cause: they end by the machine's time, however fast the account's runs. */
const ofMachine: ReadonlySet<Trouble> = new Set(["StoreFailed", "LockLost", "Busy"])

/** Milliseconds of the account's clock to wait after the `attempt`th trouble of this kind in a row, counted from 1. */
export const waitMs = (trouble: Trouble, attempt: number): Effect.Effect<number> => {
  const { firstMs, mostMs: most } = waits[trouble]
  const ms = Math.min(most, firstMs * 2 ** Math.min(30, attempt - 1))
  return ofMachine.has(trouble) ? ScaledClock.ofMachine(ms) : Effect.succeed(ms)
}
