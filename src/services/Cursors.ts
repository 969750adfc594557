/**
 * Lists that are walked by the cursor `next` (field note O01). No flag marks the end: the cursor may be null, 0 or one
 * that was asked before, or the page may be empty; the walk stops on any of them.
 */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { CallError } from "./MarketplaceError.js"
import { distinct, mostPages } from "./Pages.js"

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
