/**
 * The account's apply lock: two runs never write to one account at once. The lock is a lease, so that a run that
 * died does not lock the account for ever; a live run renews it while it works.
 */
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Ref from "effect/Ref"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { Journal, type StoreFailure } from "./Ports.js"

/** Another `apply` of this account is running. */
export class ApplyBusy extends Data.TaggedError("ApplyBusy")<{
  readonly account: string
  readonly holder: string
  readonly until: number
  readonly nowMs: number
}> {
  override get message(): string {
    const seconds = Math.max(1, Math.ceil((this.until - this.nowMs) / 1000))
    return `another apply of account "${this.account}" is running (${this.holder}); nothing was sent. Wait for it to end; if it died, its lock ends by itself in ${seconds} s`
  }
}

/** A lock held for the scope; `held` is false once it could not be renewed, after which nothing may be sent. */
export interface Lease {
  readonly held: Effect.Effect<boolean>
}

export const leaseMs = 30_000

/**
 * Takes the lock and renews it three times per lease until the scope ends. `abandoned` may tell that a holder is
 * certainly dead (its process is gone on this machine): its lock is then taken over at once.
 */
export const hold = (
  account: string,
  holder: string,
  abandoned: (holder: string) => boolean = () => false
): Effect.Effect<Lease, ApplyBusy | StoreFailure, Journal | Scope.Scope> =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const take = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      journal.acquire(account, holder, nowMs, leaseMs)
    )
    const first = yield* take
    if (!first.granted && abandoned(first.holder)) yield* journal.release(account, first.holder)
    const lock = first.granted ? first : yield* take
    if (!lock.granted) {
      const nowMs = yield* Clock.currentTimeMillis
      return yield* new ApplyBusy({ account, holder: lock.holder, until: lock.until, nowMs })
    }
    yield* Effect.addFinalizer(() => Effect.orElseSucceed(journal.release(account, holder), () => undefined))
    const until = yield* Ref.make(lock.until)
    const renew = take.pipe(
      Effect.flatMap((lease) => Ref.set(until, lease.granted ? lease.until : 0)),
      Effect.orElseSucceed(() => undefined)
    )
    yield* renew.pipe(Effect.delay(leaseMs / 3), Effect.repeat(Schedule.forever), Effect.forkScoped)
    const held = Effect.zipWith(Ref.get(until), Clock.currentTimeMillis, (end, nowMs) => nowMs < end)
    return { held }
  })
