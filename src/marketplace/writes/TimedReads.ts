/**
 * Reads of many keys of which every value tells when it was read: a call limit may lie between two requests, or between
 * two operations that are read together, and then what came first is old when the last has come.
 */
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Batches from "../../services/Batches.js"
import type { CallError } from "../../services/MarketplaceError.js"

export interface TimedBatch<K, V> extends Batches.Batched<K, V> {
  /** The keys of each request, and when it was answered, epoch milliseconds. */
  readonly readAt: ReadonlyArray<{ readonly keys: ReadonlyArray<K>; readonly atMs: number }>
}

/** As `read` of all keys, `most` at a time; one refusal that is about all of them ends it. */
export const run = <K, V>(
  keys: ReadonlyArray<K>,
  most: number,
  read: (chunk: ReadonlyArray<K>) => Effect.Effect<Batches.Batched<K, V>>
): Effect.Effect<TimedBatch<K, V>> =>
  Effect.gen(function* () {
    let stop: CallError | undefined
    const one = (chunk: ReadonlyArray<K>) =>
      Effect.gen(function* () {
        const answer: Batches.Batched<K, V> =
          stop === undefined ? yield* read(chunk) : { values: [], failures: [{ keys: chunk, error: stop }] }
        stop ??= answer.failures.find(({ error }) => Batches.stopsAll(error))?.error
        return { ...answer, keys: chunk, atMs: yield* Clock.currentTimeMillis }
      })
    const parts = yield* Effect.forEach(Arr.chunksOf(keys, most), one, { concurrency: 4 })
    return {
      values: parts.flatMap(({ values }) => values),
      failures: parts.flatMap(({ failures }) => failures),
      readAt: parts.map((part) => ({ keys: part.keys, atMs: part.atMs }))
    }
  })
