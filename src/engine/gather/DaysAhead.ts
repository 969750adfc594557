/**
 * What the seller's table says of an item on the days of a promotion, where that is not what it says today. A table without days costs
 * nothing here, nor does an item whose rows have none to come (decision 0119).
 */
import * as Days from "../../domain/Days.js"
import type * as Target from "../../domain/Target.js"
import type { Cell } from "../facts/Cell.js"
import type { Table } from "../facts/Table.js"
import * as EconomicsTable from "../language/shared/EconomicsTable.js"
import type { DatedTerm, OwnFact } from "../language/shared/OwnFact.js"

/** A fact of the table with days. */
interface Term {
  readonly id: string
  readonly dated: DatedTerm
  readonly rest: Cell
}

/** The seller's code of an item; with `unread` rows that it alone could find may say anything. */
export type Code =
  | { readonly _tag: "Read"; readonly code: string | undefined }
  | { readonly _tag: "Unread"; readonly as: Cell }

/** The facts of items that may say something else on a later day than today. */
export interface Ahead {
  readonly terms: ReadonlyArray<Term>
  readonly nowMs: number
  readonly today: Days.Day
  /** Days of promotions as they are looked up, by number. */
  readonly spans: Map<number, Span>
}

interface Span {
  readonly from: Days.Day
  readonly to: string
}

/** Undefined where no fact says anything else on a later day. */
export const of = (own: ReadonlyArray<OwnFact>, nowMs: number): Ahead | undefined => {
  const today = Days.ofMarket(nowMs)
  const terms = own.flatMap(({ data, dated, fact, rest }) =>
    data !== undefined && dated !== undefined && fact.level === "item" && dated.latestFrom > today
      ? [{ id: fact.id, dated, rest }]
      : []
  )
  return terms.length === 0 ? undefined : { terms, nowMs, today, spans: new Map() }
}

/** Enters of an item in a promotion what the promotion's days that are still to come say otherwise than today. */
export const enter = (
  { nowMs, spans, terms, today }: Ahead,
  table: Table,
  { itemId, promotionId }: Target.Subject,
  code: Code
): void => {
  const [first] = terms
  if (first === undefined || itemId === undefined || promotionId === undefined) return
  const keys = keysOf(first, itemId, code)
  const { lastFrom } = first.dated
  const rows = table.view("promotion_item")
  const row = rows.indexOf({ promotionId, itemId })
  if (row === undefined) return
  if (!keys.some((key) => (lastFrom.get(key) ?? "") > today)) {
    rows.setAhead(row, undefined)
    return
  }
  const span = spans.get(promotionId) ?? daysOf(rows, row, nowMs)
  spans.set(promotionId, span)
  const changes = new Set<string>()
  for (const { dated } of terms)
    for (const key of keys)
      for (const { from } of dated.said[key] ?? []) if (from > span.from && from <= span.to) changes.add(from)
  const days = [span.from, ...[...changes].sort().flatMap((from) => Days.parse(from) ?? [])]
  const now = terms.map((term) => saidOn(term, itemId, code, today))
  const ahead = days.map((day) => {
    const other = new Map<string, Cell>()
    for (const [at, term] of terms.entries()) {
      const cell = saidOn(term, itemId, code, day)
      if (!isSame(cell, now[at]!)) other.set(term.id, cell)
    }
    return { from: day, said: other }
  })
  rows.setAhead(row, ahead.some(({ said }) => said.size > 0) ? ahead : undefined)
}

/** Numbers of the keys that say something of the item. */
const keysOf = ({ dated: { numbers } }: Term, itemId: number, code: Code): ReadonlyArray<number> =>
  [
    itemId,
    code._tag === "Read" ? EconomicsTable.codeKey(code.code ?? "") : undefined,
    EconomicsTable.everyItem
  ].flatMap((key) => (key === undefined ? [] : (numbers.get(key) ?? [])))

/** From the promotion's first day, or today where it runs or nobody knows, to its last. */
const daysOf = (
  rows: Table,
  row: number,
  nowMs: number
): { readonly from: Days.Day; readonly to: string } => {
  const at = (id: string): number | undefined => {
    const cell = rows.get(row, id)
    return cell._tag === "Known" ? nowMs + Number(cell.value) : undefined
  }
  const [startsAt, endsAt] = [at("promotion.starts_in"), at("promotion.ends_in")]
  return {
    from: Days.ofMarket(Math.max(nowMs, startsAt ?? nowMs)),
    to: endsAt === undefined ? endless : Days.ofMarket(endsAt - 1)
  }
}

/** After every day. */
const endless = "9999-12-31"

/** By the item's number, else by its code, else by what holds for every item. */
const saidOn = ({ dated, rest }: Term, itemId: number, code: Code, day: Days.Day): Cell => {
  const own = EconomicsTable.ofKey(dated, itemId, day)
  if (own !== undefined) return own
  if (code._tag === "Unread") return code.as
  const coded =
    code.code === undefined
      ? undefined
      : (EconomicsTable.ofKey(dated, code.code, day) ?? EconomicsTable.ofLookAlike(dated, code.code))
  return coded ?? EconomicsTable.ofKey(dated, EconomicsTable.everyItem, day) ?? rest
}

const isSame = (one: Cell, other: Cell): boolean =>
  one._tag === "Known"
    ? other._tag === "Known" && one.value === other.value
    : other._tag === "Unknown" && one.reason === other.reason
