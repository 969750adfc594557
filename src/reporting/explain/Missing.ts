/** What is not known about a row, why, and when it may be. */
import type * as Arr from "effect/Array"
import * as Groups from "../../domain/Groups.js"
import * as Reason from "../../domain/Reason.js"
import * as Target from "../../domain/Target.js"
import * as Window from "../../domain/Window.js"
import * as Economics from "../../engine/facts/Economics.js"
import * as FactRefs from "../../engine/facts/FactRefs.js"
import * as Level from "../../engine/facts/Level.js"
import { factKey, type Table } from "../../engine/facts/Table.js"
import * as Vocabulary from "../../engine/facts/Vocabulary.js"
import type { Clause, FactRef } from "../../engine/language/Policy.js"
import type { Readings } from "./ReadFrom.js"

export interface Missing {
  /** As a rule writes it, with its window: `orders[7d]`. */
  readonly fact: string
  readonly reason: Reason.Reason
  /** One sentence: what is unknown and why. */
  readonly why: string
  /** When or how it may become known. */
  readonly until: string
  /** Rows below for which it is unknown; absent when it is the row's own. */
  readonly rows?: ReadonlyArray<string>
}

/** The unknown facts of the clauses, each once for each reason. `unasked` says why nobody asked for those that were not fetched. */
export const of = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  row: number,
  readings: Readings,
  unasked?: string
): ReadonlyArray<Missing> => {
  const refs = new Map(FactRefs.ofClauses(clauses).map((ref) => [factKey(ref), ref]))
  return [...refs.values()].flatMap((ref) => {
    const level = Vocabulary.byFactId(ref.id)?.level
    if (level === undefined || Economics.isOptional(ref.id)) return []
    const missing = Level.reaches(table.each, level)
      ? ofRow(ref, table, row, readings)
      : ofRowsBelow(ref, level, table, row, readings)
    return unasked === undefined ? missing : missing.map((one) => notAsked(one, unasked))
  })
}

const ofRow = (ref: FactRef, table: Table, row: number, readings: Readings): ReadonlyArray<Missing> => {
  // Today's price is known; figures of the promotion's days say nothing by it.
  const then = table.ahead(row)?.[0]?.said.get(ref.id)
  const isOther = then?._tag === "Unknown" && Reason.isOfOther(then.reason)
  const cell = isOther ? then : table.get(row, factKey(ref))
  return cell._tag === "Known" ? [] : [told(ref, cell.reason, readings)]
}

/** One sentence for each reason, however many rows lack the fact. */
const ofRowsBelow = (
  ref: FactRef,
  level: Level.Level,
  table: Table,
  row: number,
  readings: Readings
): ReadonlyArray<Missing> => {
  const finer = table.view(level)
  const lacking = new Map<Reason.Reason, Arr.NonEmptyArray<string>>()
  for (const one of finer.rowsUnder(table.rows[row] ?? {})) {
    const cell = finer.get(one, factKey(ref))
    if (cell._tag !== "Known") Groups.add(lacking, cell.reason, Target.key(finer.rows[one]!))
  }
  return [...lacking].map(([reason, rows]) => ({ ...told(ref, reason, readings), rows: rows.sort() }))
}

const told = (ref: FactRef, reason: Reason.Reason, readings: Readings): Missing => {
  const word = Vocabulary.byFactId(ref.id)?.word ?? ref.id
  const fact = ref.window === undefined ? word : `${word}[${Window.key(ref.window)}]`
  return {
    fact,
    reason,
    why: `${fact} is unknown: ${Reason.explain[reason]}`,
    until: until(ref, reason, readings)
  }
}

const notAsked = (missing: Missing, why: string): Missing =>
  missing.reason === "notFetched"
    ? {
        ...missing,
        why: `${missing.fact} is unknown: not asked, for ${why}`,
        until: "asked once that changes"
      }
    : missing

const until = ({ id }: FactRef, reason: Reason.Reason, { ownFacts }: Readings): string => {
  const file = ownFacts.find(({ fact }) => fact.id === id)?.data?.path ?? "your own table"
  switch (reason) {
    case "notFetched":
      return "a later run asks again, when the call limit leaves room"
    case "failed":
      return "the next run asks again"
    case "pending":
      return "known within minutes, when the change can be seen"
    case "stale":
      return ownFacts.some(({ fact }) => fact.id === id)
        ? `known once ${file} is written anew`
        : "the next run asks again"
    case "absent":
      return "known once the marketplace reports it"
    case "zeroOverZero":
      return "known once there is something to divide by"
    case "unlisted":
      return `known once ${file} has a value for the item`
    case "unreadable":
      return `known once ${file} is mended; bidhelm check names the line`
    case "unlearned":
      return "known once a campaign of the account was seen running for two days while a policy asks for it"
    case "otherPromotion":
      return "known once that promotion is over"
    case "otherUnread":
      return "known once the items of that promotion are read, or it is over"
    case "otherDay":
      return "known once both clocks name the same day"
    case "notApplicable":
      return "never known for this kind of campaign"
  }
}
