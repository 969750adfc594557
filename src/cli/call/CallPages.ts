/** `bidhelm call --all`: asks page after page until the list ends, and answers as if it had been one. */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Entry } from "../../services/Catalogue.js"
import type { OddEntry, Told } from "../../services/OddEntries.js"
import type { Paging } from "../../services/Operation.js"
import { mostPages } from "../../services/Pages.js"
import type { Request } from "./CallRequest.js"

/** Parameters of the first page that a person need not give. */
export const defaults = (entry: Entry): Readonly<Record<string, unknown>> => {
  switch (entry.paging?.kind) {
    case undefined:
      return {}
    case "cursor":
      return { limit: entry.paging.most, next: 0 }
    case "offset":
      return { limit: entry.paging.most, offset: 0 }
    case "snapshot":
      return { pagination: { limit: entry.paging.most, offset: 0 } }
  }
}

export interface Walked extends Told<unknown> {
  readonly pages: number
  /** The list may go on: the walk had become too long, or nothing names the snapshot that the next page is of (field note A09). */
  readonly cutShort: boolean
}

/** Calls `ask` for every page. Answers in the shape of one page with all rows, and says how many pages it took. */
export const all = <E, R>(
  paging: Paging,
  request: Request,
  ask: (request: Request) => Effect.Effect<Told<unknown>, E, R>
): Effect.Effect<Walked, E, R> =>
  Effect.gen(function* () {
    const rows: Array<unknown> = []
    const unread: Array<OddEntry> = []
    let current = request
    let answer: unknown
    for (let pages = 1; ; pages++) {
      const told = yield* ask(current)
      answer = told.answer
      const found = rowsAt(answer, paging.rows)
      for (const row of found) rows.push(row)
      unread.push(...told.odd)
      const next = following(paging, current, answer, found.length + told.odd.length)
      const cutShort = next !== undefined && (next === "nowhere" || pages >= mostPages)
      if (next === undefined || next === "nowhere" || cutShort)
        return { answer: withRows(answer, paging.rows, rows), odd: unread, pages, cutShort }
      current = next
    }
  })

/** The request of the next page; undefined after the last, `nowhere` where none can be asked for. `found` counts rows that cannot be read too. */
const following = (
  paging: Paging,
  request: Request,
  answer: unknown,
  found: number
): Request | "nowhere" | undefined => {
  if (found === 0) return undefined
  if (paging.kind === "cursor") {
    const query = record(request.urlParams)
    const next = record(answer).next
    const ended = typeof next !== "number" || next === 0 || next === query.next
    return ended ? undefined : { ...request, urlParams: { ...query, next } }
  }
  if (paging.kind === "snapshot") {
    const payload = record(request.payload)
    const page = record(payload.pagination)
    if (found < count(page.limit, paging.most)) return undefined
    const snapshotTime = page.snapshotTime ?? record(record(answer).data).snapshotTime
    if (snapshotTime === undefined || snapshotTime === null) return "nowhere"
    const pagination = { ...page, offset: count(page.offset, 0) + found, snapshotTime }
    return { ...request, payload: { ...payload, pagination } }
  }
  const place = "offset" in record(request.payload) ? "payload" : "urlParams"
  const given = record(request[place])
  const offset = count(given.offset, 0) + found
  return found < count(given.limit, paging.most) ? undefined : { ...request, [place]: { ...given, offset } }
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (Predicate.isRecord(value) ? value : {})

const count = (value: unknown, otherwise: number): number => (typeof value === "number" ? value : otherwise)

const rowsAt = (answer: unknown, path: string): ReadonlyArray<unknown> => {
  const found = path.split(".").reduce<unknown>((value, key) => record(value)[key], answer)
  return Array.isArray(found) ? found : []
}

const withRows = (answer: unknown, path: string, rows: ReadonlyArray<unknown>): unknown => {
  const [key, ...rest] = path.split(".")
  if (key === undefined) return rows
  const { next: _cursor, ...whole } = record(answer)
  return { ...whole, [key]: rest.length === 0 ? rows : withRows(record(answer)[key], rest.join("."), rows) }
}
