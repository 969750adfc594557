/**
 * What a log leaves out while the store is away: PostgreSQL does not answer, or SQLite's file was moved. The cluster's library asks it every second and tells every failure
 * with its whole stack; of those one thing is kept: away since then, for that reason. `StoreWatch` tells it, once, and
 * when the store is back. What fails for another reason is told as ever, and at the level `debug` nothing is left out.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as FiberRefs from "effect/FiberRefs"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Predicate from "effect/Predicate"
import * as Failure from "../store/clients/Failure.js"

/** Since when the store is away, and what was said of it first. */
export interface Outage {
  readonly sinceMs: number
  readonly why: string
}

/** What is known of the store of one running program. */
export class StoreAway {
  /** True while somebody tells what the log leaves out; otherwise it leaves nothing out. */
  isWatched = false
  /** True once the program closes down: from now on it is right that no runner is left. */
  isClosing = false
  /** How many failures were heard of. */
  failures = 0
  outage: Outage | undefined
  private readonly latch = Effect.unsafeMakeLatch(false)

  /** The store did not answer. */
  failed(atMs: number, why: string): void {
    this.failures++
    this.outage ??= { sinceMs: atMs, why }
    this.latch.unsafeOpen()
  }

  /** The store answers again. */
  back(): void {
    this.outage = undefined
    this.latch.unsafeClose()
  }

  /** Waits until the store is away. */
  readonly noticed: Effect.Effect<void> = this.latch.await
}

/** Of the program that a fiber belongs to; none outside of `bidhelm run`. */
export const current = FiberRef.unsafeMake<StoreAway | undefined>(undefined)

type Entry = Logger.Logger.Options<unknown>

/** A logger that is told only what a person needs. */
export const sifted = <Out>(logger: Logger.Logger<unknown, Out>): Logger.Logger<unknown, Out | undefined> => {
  const told: Told = { outage: undefined, texts: new Set(), isRecoveryKnown: false }
  return Logger.make((entry) => {
    const away = FiberRefs.getOrDefault(entry.context, current)
    const kept = away === undefined ? entry : keep(away, entry, told)
    return kept === undefined ? undefined : logger.log(kept)
  })
}

/** What one logger was told of the time that the store is away. */
interface Told {
  outage: Outage | undefined
  readonly texts: Set<string>
  /** True when the library's trouble was left out, so that its end is too. */
  isRecoveryKnown: boolean
}

/** What the library says again and again, and what the watch says for it. */
const unhealthy = "Shard lock storage is unhealthy"
const repeated = new Set([
  "Could not read messages from storage",
  "Could not acquire/release shards",
  unhealthy
])
const recovered = "Shard lock storage has recovered"
const nobody = "No healthy runners available"

const keep = (away: StoreAway, entry: Entry, told: Told): Entry | undefined => {
  const text = textOf(entry.message)
  const why = lossOf(entry.cause, repeated.has(text ?? ""))
  if (why !== undefined) away.failed(entry.date.getTime(), why)
  const least = FiberRefs.getOrDefault(entry.context, FiberRef.currentMinimumLogLevel)
  if (LogLevel.lessThanEqual(least, LogLevel.Debug)) return entry
  if (text === nobody && away.isClosing) return undefined
  if (text === recovered && told.isRecoveryKnown) {
    told.isRecoveryKnown = false
    return undefined
  }
  const { isWatched, outage } = away
  if (!isWatched || outage === undefined || text === undefined) return entry
  if (why !== undefined && repeated.has(text)) {
    told.isRecoveryKnown ||= text === unhealthy
    return undefined
  }
  const isTrouble = LogLevel.greaterThanEqual(entry.logLevel, LogLevel.Warning)
  const isPlain = why !== undefined || Cause.isEmpty(entry.cause)
  if (isTrouble && isPlain && !isNew(told, outage, text)) return undefined
  return why === undefined ? entry : { ...entry, cause: Cause.empty }
}

/** True for the first time that it is said while the store is away. */
const isNew = (told: Told, outage: Outage, text: string): boolean => {
  if (told.outage !== outage) {
    told.outage = outage
    told.texts.clear()
  }
  return told.texts.size !== told.texts.add(text).size
}

/** Of a line that is words alone; events with fields are no repetition. */
const textOf = (message: unknown): string | undefined => {
  const parts = Array.isArray(message) ? message : [message]
  return parts.every(Predicate.isString) ? parts.join(" ") : undefined
}

/** Why the store is away; undefined when anything else is in the cause too. The library's own deadline counts for it. */
const lossOf = (cause: Cause.Cause<unknown>, isDeadlined: boolean): string | undefined => {
  const reasons = [...Cause.failures(cause), ...Cause.defects(cause)]
  const losses = reasons.map((reason) =>
    isDeadlined && Predicate.isTagged(reason, "TimeoutException")
      ? "it did not answer in time"
      : lossIn(reason)
  )
  return losses.includes(undefined) ? undefined : losses[0]
}

/** The server is gone, going or just coming. */
const gone = /^(08...|57P0[123])$/

/** Follows the causes of a statement that failed down to the one that says that there is no connection. */
const lossIn = (reason: unknown): string | undefined => {
  let isStatement = false
  let at = reason
  for (let depth = 0; depth < 8 && Predicate.isRecord(at); depth++) {
    isStatement ||= at._tag === "SqlError"
    if (typeof at.code === "string" || !Predicate.isRecord(at.cause))
      return isStatement ? spokenOf(at) : undefined
    at = at.cause
  }
  return undefined
}

/** What an error without another cause says of the connection, if it does. */
const spokenOf = ({ code, message, severity, syscall }: Readonly<Record<string, unknown>>) => {
  const text = typeof message === "string" ? message : ""
  if (typeof code !== "string") return isSpoken(text) ? text : undefined
  if (code === Failure.movedCode) return text
  const call = typeof syscall === "string" ? syscall : undefined
  const isLost = severity === undefined ? Failure.bySystem(code, call) !== undefined : gone.test(code)
  return isLost ? text || code : undefined
}

/** The driver gives no code of its own; a refused password is no connection that was lost. */
const isSpoken = (text: string): boolean => Failure.byText(text) !== undefined && !/SASL/.test(text)
