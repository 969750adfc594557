/**
 * What a second process does in `Processes.test.ts`, which bundles and starts this file:
 * `Child.ts <file> count <times>` adds to a stored number, `Child.ts <file> journal` records change after change.
 */
import * as Effect from "effect/Effect"
import { AccountName } from "../../src/domain/Ids.js"
import type { StoreFailure } from "../../src/domain/StoreFailure.js"
import { Journal } from "../../src/engine/door/Journal.js"
import type { Bucket } from "../../src/services/Limiter.js"
import {
  LimiterStore,
  type LimiterStoreFailure,
  type StoredBucket
} from "../../src/services/ports/LimiterStore.js"
import { change, rows, run, type Store, store } from "./Fixture.js"

export const bucket: Bucket = {
  account: AccountName("shop"),
  tokenKind: "personal",
  limitGroup: "group",
  burst: 5,
  intervalMs: 200,
  cost4xx: 1
}

export const empty: StoredBucket = {
  creditMs: 0,
  creditAt: 0,
  intervalMs: 200,
  flights: [],
  frozenUntil: undefined,
  refusals: 0
}

const count = (times: number) =>
  Effect.gen(function* () {
    const limits = yield* LimiterStore
    const add = limits.update(bucket, (stored = empty) => [
      undefined,
      { ...stored, refusals: stored.refusals + 1 }
    ])
    yield* Effect.repeatN(add, times - 1)
  })

/** Says on its output what has been committed, as soon as it is. */
const journal = Effect.gen(function* () {
  const runs = yield* Journal
  const changes = Array.from({ length: 5_000 }, (_, n) => change(n))
  yield* runs.begin(run(), rows(changes))
  for (const { id } of changes) {
    yield* runs.move("run 1", [id], ["planned"], "dispatching", { nowMs: 5, sent: true })
    yield* Effect.sync(() => process.stdout.write(`${id}\n`))
  }
})

const [file, task, times] = process.argv.slice(2)
if (file !== undefined && (task === "count" || task === "journal")) {
  const work: Effect.Effect<void, StoreFailure | LimiterStoreFailure, Store> =
    task === "count" ? count(Number(times)) : journal
  await Effect.runPromise(Effect.provide(work, store({ filename: file })))
}
