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

// Lists that are walked by the cursor `next` (field note O01). No flag marks the end: the cursor may be null, 0 or one
// that was asked before, or the page may be empty; the walk stops on any of them.

export interface Page<A> {
  readonly next: number | undefined
  readonly rows: ReadonlyArray<A>
}

/** Rows page by page from cursor 0, which so ends the walk too, each key once; asks for the next page only when it is wanted. */
export const walk = <A, R>(
  fetch: (next: number) => Effect.Effect<Page<A>, CallError, R>,
  keyOf: (row: A) => string | number
): Stream.Stream<A, CallError, R> =>
  Stream.suspend(() => {
    const asked = new Set<number>()
    return Stream.paginateChunkEffect(0, (cursor: number) => {
      asked.add(cursor)
      return Effect.map(fetch(cursor), ({ next, rows }) => {
        const ends = next === undefined || rows.length === 0
        const onward = ends || asked.has(next) || asked.size >= mostPages ? Option.none() : Option.some(next)
        return [Chunk.fromIterable(rows), onward]
      })
    }).pipe(distinct(keyOf))
  })
