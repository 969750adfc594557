/**
 * Any number of keys through an operation that takes a bounded list. Chunks stand on their own: one that fails does
 * not drop the others (field note M18). A refused token or a closed limit stops the chunks not yet begun.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { CallError } from "./MarketplaceError.js"

/** What arrived, in the order of the keys, and what did not. Every key is in a chunk of exactly one of the two. */
export interface Batched<K, V> {
  readonly values: ReadonlyArray<V>
  readonly failures: ReadonlyArray<Failure<K>>
}

export interface Failure<K> {
  readonly keys: ReadonlyArray<K>
  readonly error: CallError
}

export interface Settings {
  /** Chunks in the air at once; 1 for writes, so that their order is kept. */
  readonly concurrency?: number
  /** How often a chunk that met a 5xx or a timeout is halved and asked again (T21, M22); 0 unless set. */
  readonly halvings?: number
}

/** Calls once per chunk of at most `max` keys. Never fails: failures are part of the answer. */
export const run = <K, V, R>(
  keys: ReadonlyArray<K>,
  max: number,
  call: (chunk: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<V>, CallError, R>,
  settings: Settings = {}
): Effect.Effect<Batched<K, V>, never, R> => runChunks(Arr.chunksOf(keys, max), call, settings)

/** As `run`, for chunks the caller has made. */
export const runChunks = <K, V, R>(
  chunks: ReadonlyArray<ReadonlyArray<K>>,
  call: (chunk: ReadonlyArray<K>) => Effect.Effect<ReadonlyArray<V>, CallError, R>,
  { concurrency = 1, halvings = 0 }: Settings = {}
): Effect.Effect<Batched<K, V>, never, R> =>
  Effect.suspend(() => {
    let stopped: CallError | undefined
    const one = (chunk: ReadonlyArray<K>, halvingsLeft: number): Effect.Effect<Batched<K, V>, never, R> =>
      Effect.suspend(() =>
        stopped === undefined
          ? Effect.matchEffect(call(chunk), {
              onSuccess: (values) => Effect.succeed({ values, failures: [] }),
              onFailure: (error) => {
                if (halvingsLeft > 0 && chunk.length > 1 && tooHeavy(error))
                  return all(Arr.chunksOf(chunk, Math.ceil(chunk.length / 2)), halvingsLeft - 1)
                if (stopsAll(error)) stopped = error
                return Effect.succeed(failed(chunk, error))
              }
            })
          : Effect.succeed(failed(chunk, stopped))
      )
    const all = (
      parts: ReadonlyArray<ReadonlyArray<K>>,
      halvingsLeft: number,
      together = 1
    ): Effect.Effect<Batched<K, V>, never, R> => {
      const [first, ...others] = parts
      return first !== undefined && others.length === 0
        ? one(first, halvingsLeft)
        : Effect.map(
            Effect.forEach(parts, (part) => one(part, halvingsLeft), { concurrency: together }),
            join
          )
    }
    return all(chunks, halvings, concurrency)
  })

/** True when no other chunk of the operation is worth sending. */
export const stopsAll = ({ _tag }: CallError): boolean =>
  _tag === "Unauthorised" || _tag === "LimitStopped" || _tag === "Withheld"

/** As if the parts that chunks answered had been chunks of their own. */
export const flat = <K, V>({ failures, values }: Batched<K, Batched<K, V>>): Batched<K, V> =>
  join([...values, { values: [], failures }])

const tooHeavy = (error: CallError): boolean =>
  error._tag === "Unavailable" || (error._tag === "Transport" && error.arrived === "maybe")

const failed = <K>(keys: ReadonlyArray<K>, error: CallError): Batched<K, never> => ({
  values: [],
  failures: [{ keys, error }]
})

const join = <K, V>(parts: ReadonlyArray<Batched<K, V>>): Batched<K, V> => ({
  values: parts.flatMap((part) => part.values),
  failures: parts.flatMap((part) => part.failures)
})
