/**
 * Lists that are walked by offset (field note P03): there is no total, a page shorter than the limit is the last. Pages
 * shift while they are walked, so rows may repeat: see `distinct`.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallError } from "./MarketplaceError.js"
import * as OddEntries from "./OddEntries.js"

/** A walk ends here even if the marketplace never shows an end. */
export const mostPages = 1000

/** Rows page by page; asks for the next page only when it is wanted. */
export const byOffset = <A, R>(
  limit: number,
  fetch: (limit: number, offset: number) => Effect.Effect<ReadonlyArray<A>, CallError, R>
): Stream.Stream<A, CallError, R> =>
  Stream.paginateChunkEffect(0, (page: number) =>
    Effect.map(OddEntries.passing(fetch(limit, page * limit)), ({ answer: rows, odd }) => [
      Chunk.fromIterable(rows),
      // A page is as long as it came: one that lost entries is not the last for that.
      rows.length + odd.length < limit || page + 1 >= mostPages ? Option.none() : Option.some(page + 1)
    ])
  )

/** Lets each key through once: lists that overlap repeat rows. */
export const distinct =
  <A>(keyOf: (row: A) => string | number) =>
  <E, R>(rows: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
    Stream.suspend(() => {
      const seen = new Set<string | number>()
      return Stream.filter(rows, (row) => {
        const key = keyOf(row)
        return !seen.has(key) && seen.add(key) !== undefined
      })
    })
