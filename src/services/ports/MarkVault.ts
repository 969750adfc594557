/**
 * Marks of orders, whole: the one place that keeps them, since a mark can be resold. Changes, journals and logs have their
 * fingerprint only.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { StoreFailure } from "../../domain/StoreFailure.js"

/** The marks of one key of an order; `fingerprint` as the change has it. */
export interface Marks {
  readonly orderId: number
  readonly key: string
  readonly fingerprint: string
  readonly marks: Redacted.Redacted<ReadonlyArray<string>>
}

/** So long a mark waits for its order to be in assembly, milliseconds. */
export const waitsMs = 14 * 86_400_000

export class MarkVault extends Context.Tag("bidhelm/MarkVault")<
  MarkVault,
  {
    /** Keeps marks, in one transaction, and forgets what is older than anything can be undone. */
    readonly keep: (account: string, marks: ReadonlyArray<Marks>) => Effect.Effect<void, StoreFailure>
    /** Keeps marks that wait for no turn, or not any more: as what was kept too long ago for one (`waitsMs`). */
    readonly keepSeen: (account: string, marks: ReadonlyArray<Marks>) => Effect.Effect<void, StoreFailure>
    /** All that was kept since an instant, epoch milliseconds; the latest last. */
    readonly since: (account: string, sinceMs: number) => Effect.Effect<ReadonlyArray<Marks>, StoreFailure>
    /** All that is kept of some orders. */
    readonly of: (
      account: string,
      orderIds: ReadonlyArray<number>
    ) => Effect.Effect<ReadonlyArray<Marks>, StoreFailure>
  }
>() {}
