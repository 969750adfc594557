/** Order and paging of report rows: by the asked field, ties by item number, so that pages never overlap. */
import * as Either from "effect/Either"
import { type Refusal, refuse } from "../Answer.js"

export interface OrderBy {
  readonly field: string
  readonly mode: string
}

/** How a field is read from a row; the names are those of not-shown §7.1. */
export type Fields<A> = Readonly<Record<string, (row: A) => number>>

/** Sorts by a field both known to the report and named in the request; any other is refused. */
export const sorted = <A>(
  rows: ReadonlyArray<A>,
  orderBy: OrderBy,
  fields: Fields<A>,
  idOf: (row: A) => number
): Either.Either<ReadonlyArray<A>, Refusal> => {
  const read = Object.hasOwn(fields, orderBy.field) ? fields[orderBy.field] : undefined
  if (read === undefined) return Either.left(refuse(400, `orderBy.field: unknown value ${orderBy.field}`))
  if (orderBy.mode !== "asc" && orderBy.mode !== "desc")
    return Either.left(refuse(400, `orderBy.mode: unknown value ${orderBy.mode}`))
  const sign = orderBy.mode === "asc" ? 1 : -1
  const keyed = rows.map((row) => ({ row, key: read(row), id: idOf(row) }))
  keyed.sort((a, b) => sign * (a.key - b.key) || a.id - b.id)
  return Either.right(keyed.map(({ row }) => row))
}

export const page = <A>(rows: ReadonlyArray<A>, offset: number, limit: number): ReadonlyArray<A> =>
  rows.slice(offset, offset + limit)
