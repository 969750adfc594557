/**
 * Rows as they were asked for. A filter in another spelling is ignored and everything is answered (field note A16),
 * so rows of items that nobody asked for are dropped and counted in a warning; rows of shifting pages come once.
 */
import * as Arr from "effect/Array"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { ItemId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import { local, Refused } from "../MarketplaceError.js"
import * as Pages from "../Pages.js"

/** Undefined means all items of the seller; an empty list means none, and nothing is sent. */
export type Items = ReadonlyArray<ItemId> | undefined

/** Further filters; they combine with AND, and an empty list filters nothing. */
export interface Filters {
  readonly subjectIds?: ReadonlyArray<number> | undefined
  readonly brands?: ReadonlyArray<string> | undefined
  readonly tagIds?: ReadonlyArray<number> | undefined
}

/** The filters in the words of the wire. */
export const filtersToWire = ({ brands, subjectIds, tagIds }: Filters) => ({
  subjectIds,
  brandNames: brands,
  tagIds
})

/** The items of each call: one call for all of them, none for an empty list. */
export const chunks = (items: Items, max: number): ReadonlyArray<Items> =>
  items === undefined ? [undefined] : Arr.chunksOf([...new Set(items)], max)

/** Refuses a named but empty list where it would mean everything to the marketplace. */
export const named = (operation: string, items: Items): Effect.Effect<void, Refused> =>
  items?.length === 0
    ? Effect.fail(
        new Refused(local(operation, "no item is named; leave the items out to ask for all of them"))
      )
    : Effect.void

/** The id of an item in an answer; 0 and what is no id are absent. */
export const itemId = (id: number | undefined): ItemId | undefined =>
  id !== undefined && Number.isSafeInteger(id) && id > 0 ? (id as ItemId) : undefined

interface OfItem {
  readonly itemId: ItemId
}

/** Rows that were asked for, and how many others came; `undefined` stands for a row without an item. */
export const only = <R extends OfItem>(
  items: Items,
  rows: Iterable<R | undefined>
): { readonly rows: ReadonlyArray<R>; readonly foreign: number } => {
  const asked = items === undefined ? undefined : new Set(items)
  const all = [...rows]
  const own = all.filter(
    (row): row is R => row !== undefined && (asked === undefined || asked.has(row.itemId))
  )
  return { rows: own, foreign: all.length - own.length }
}

/** Tells that rows were dropped. */
export const warn = (operation: string, foreign: number): Effect.Effect<void> =>
  foreign === 0
    ? Effect.void
    : Effect.logWarning(
        `${operation}: ${Plural.of(foreign, "row")} ${Plural.choose(foreign, "is of no item that was asked for and was", "are of no item that was asked for and were")} dropped. If this goes on, the marketplace no longer understands the filter: update bidhelm.`
      )

/** Tells that a write was answered with rows that it did not hold: nobody knows what was done to them. */
export const warnOfAnswer = (
  operation: string,
  foreign: number,
  first: Target.Target | undefined
): Effect.Effect<void> =>
  first === undefined
    ? Effect.void
    : Effect.logWarning(
        `${operation}: the answer tells of ${Plural.of(foreign, "row")} that the request did not hold, the first ${Target.key(first)}. Look at ${Plural.choose(foreign, "it: it", "them: they")} may have been changed.`
      )

/** As `only`, for rows that arrive. */
export const onlyAsked =
  <R extends OfItem>(operation: string, items: Items) =>
  <E, Q>(rows: Stream.Stream<R | undefined, E, Q>): Stream.Stream<R, E, Q> =>
    Stream.mapChunksEffect(rows, (chunk) => {
      const own = only(items, chunk)
      return Effect.as(warn(operation, own.foreign), Chunk.fromIterable(own.rows))
    })

/** Pages of every chunk of items: rows that were asked for, each item once. */
export const stream = <R extends OfItem, E, Q>(
  operation: string,
  items: Items,
  max: number,
  pages: (chunk: Items) => Stream.Stream<R | undefined, E, Q>
): Stream.Stream<R, E, Q> =>
  Stream.fromIterable(chunks(items, max)).pipe(
    Stream.flatMap((chunk) => pages(chunk).pipe(onlyAsked<R>(operation, chunk))),
    Pages.distinct((row) => row.itemId)
  )
