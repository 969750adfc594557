/** The limiter's memory without a database, for tests and benchmarks. */
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TextOrder from "../../src/domain/TextOrder.js"
import type { Bucket } from "../../src/services/Limiter.js"
import { key, LimiterStore, type QuotaRow, type StoredBucket } from "../../src/services/ports/LimiterStore.js"

/** Rows that outlive the limiter that wrote them, but not the process. */
export interface Memory {
  readonly rows: Map<string, { readonly bucket: Bucket; readonly stored: StoredBucket }>
  readonly quotas: Map<string, QuotaRow>
  /** Owners whose process "has ended". */
  readonly dead: Set<string>
}

export const memory = (): Memory => ({ rows: new Map(), quotas: new Map(), dead: new Set() })

/** A store on `rows`, opened by the process named `owner`. */
export const fromMemory = (shared: Memory, owner = "this process"): Context.Tag.Service<LimiterStore> => ({
  owner,
  alive: (name) => !shared.dead.has(name),
  update: (bucket, change) =>
    Effect.sync(() => {
      const [answer, next] = change(shared.rows.get(key(bucket))?.stored)
      shared.rows.set(key(bucket), { bucket, stored: next })
      return answer
    }),
  list: Effect.sync(() => inOrder(shared.rows)),
  updateQuota: (account, quota, change) =>
    Effect.sync(() => {
      const name = JSON.stringify([account, quota.group])
      const [answer, next] = change(shared.quotas.get(name)?.stored)
      shared.quotas.set(name, { account, quota, stored: next })
      return answer
    }),
  listQuotas: Effect.sync(() => inOrder(shared.quotas))
})

const inOrder = <A>(rows: ReadonlyMap<string, A>): ReadonlyArray<A> =>
  [...rows].sort(TextOrder.byKey).map(([, row]) => row)

export const layerMemory = (shared: Memory = memory(), owner?: string): Layer.Layer<LimiterStore> =>
  Layer.succeed(LimiterStore, fromMemory(shared, owner))
