/**
 * The apply lock of a lane: two runs never write in one lane of an account at once. The lock is a lease, so that a run
 * that died does not lock the lane for ever; a live run renews it while it works. Every new holder begins a new epoch,
 * and nothing is claimed or sent in an old one: a run that slept too long sends nothing, whatever the clocks say.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { type AccountLane, lanes } from "../../domain/Lane.js"
import * as ScaledClock from "../../domain/ScaledClock.js"
import { StoreFailure } from "../../domain/StoreFailure.js"
import { type Fence, Journal } from "./Journal.js"
import * as ObserveOnly from "./ObserveOnly.js"
import { Writer } from "./Writer.js"

/** Another `apply` works in this lane of the account. */
export class ApplyBusy extends Data.TaggedError("ApplyBusy")<{
  readonly account: string
  readonly holder: string
  /** Milliseconds of the machine until the lock ends by itself. */
  readonly leftMs: number
}> {
  override get message(): string {
    const seconds = Math.max(1, Math.ceil(this.leftMs / 1000))
    return `another apply of account "${this.account}" is running (${this.holder}); nothing was sent. Wait for it to end; if it died, its lock ends by itself in ${seconds} s`
  }
}

/** A lock held for the scope. */
export interface Lease {
  /** False once it could not be renewed in time, after which nothing may be sent. */
  readonly held: Effect.Effect<boolean>
  /** Under which the journal lets this run claim and send. */
  readonly fence: Fence
}

/**
 * So long after its last renewal a holder may send, in the machine's milliseconds: a process hangs, sleeps and dies by
 * the machine, however fast its account's clock runs. Counted by time that passed, not by the clock on the wall.
 */
const leaseMs = 30_000
/** So much longer the lock stays taken: a request that left at the last moment has its answer or its timeout by then. */
const graceMs = 15_000

/**
 * Takes the lock and renews it three times per lease until the scope ends. `abandoned` may tell that a holder is
 * certainly dead (its process is gone on this machine): its lock is then taken over at once.
 */
export const hold = (
  { account, lane }: AccountLane,
  holder: string,
  abandoned: (holder: string) => boolean = () => false
): Effect.Effect<Lease, ApplyBusy | StoreFailure, Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const heldMs = yield* ScaledClock.ofMachine(leaseMs)
    const takenMs = yield* ScaledClock.ofMachine(leaseMs + graceMs)
    const take = (renewing?: number) =>
      Effect.gen(function* () {
        const askedAt = yield* elapsedMs
        const nowMs = yield* Clock.currentTimeMillis
        const lock = yield* journal.acquire({ account, lane }, holder, nowMs, takenMs, renewing)
        return { ...lock, heldUntil: askedAt + heldMs }
      })
    const first = yield* take()
    if (!first.granted && abandoned(first.holder)) yield* journal.release({ account, lane }, first.holder)
    const lock = first.granted ? first : yield* take()
    if (!lock.granted) {
      const leftMs = (lock.until - (yield* Clock.currentTimeMillis)) / (yield* ScaledClock.ofMachine(1))
      return yield* new ApplyBusy({ account, holder: lock.holder, leftMs })
    }
    yield* Effect.addFinalizer(() =>
      Effect.orElseSucceed(journal.release({ account, lane }, holder), () => undefined)
    )
    const heldUntil = yield* Ref.make(lock.heldUntil)
    const renew = take(lock.epoch).pipe(
      Effect.flatMap((lease) => Ref.set(heldUntil, lease.granted ? lease.heldUntil : 0)),
      Effect.orElseSucceed(() => undefined)
    )
    yield* renew.pipe(Effect.delay(heldMs / 3), Effect.repeat(Schedule.forever), Effect.forkScoped)
    const held = Effect.zipWith(Ref.get(heldUntil), elapsedMs, (end, nowMs) => nowMs < end)
    return { held, fence: { account, lane, holder, epoch: lock.epoch } }
  })

/** Takes the locks of all lanes, for what concerns the account as a whole; none when one of them is another's. */
export const holdAll = (account: string, holder: string, abandoned?: (holder: string) => boolean) =>
  Effect.forEach(lanes, (lane) => hold({ account, lane }, holder, abandoned), { discard: true })

/**
 * Fails when nothing may be sent for the account. The journal refuses to begin a run of a store that only looks; this says so earlier,
 * and that the token is for reading only before a run of it is journaled.
 */
export const allowed = (account: string): Effect.Effect<void, StoreFailure, Journal | Writer> =>
  Effect.gen(function* () {
    const mark = yield* (yield* Journal).observeOnly(account)
    if (mark !== undefined) return yield* ObserveOnly.refusal(mark, account)
    if ((yield* Writer).isReadOnly === true)
      return yield* new StoreFailure({
        action: "nothing was sent",
        hint: ObserveOnly.readOnlyToken(account),
        cause: undefined
      })
  })

/** Time that passes evenly, whatever is done to the clock: milliseconds since an instant of its own. */
const elapsedMs: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)
