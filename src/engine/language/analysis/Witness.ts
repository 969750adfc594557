/**
 * An example row for a list of clauses. Boxes say which values to try; the engine's own evaluator says whether the row
 * really makes every clause true, so an example that is shown is never wrong, and `Plausible` that it could occur. None
 * may be found where one exists.
 */
import { CampaignId, Cluster, ItemId } from "../../../domain/Ids.js"
import type { Target } from "../../../domain/Target.js"
import * as Cells from "../../facts/Cell.js"
import * as Evaluate from "../../facts/Evaluate.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Kleene from "../../facts/Kleene.js"
import * as Table from "../../facts/Table.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Clause, Each, FactRef } from "../Policy.js"
import type { Box } from "./Box.js"
import * as Candidates from "./Candidates.js"
import * as Plausible from "./Plausible.js"

/** One value of the row, by its fact's key (`cluster.ctr@7d`). */
export interface Value {
  readonly fact: FactRef
  readonly value: number | string | boolean
}

/** Sorted by the fact's key. */
export type Row = ReadonlyArray<Value>

/** Rows that are tried when the likeliest one does not do. */
const tries = 512

/** A row of the box for which every clause is true, if one is found. */
export const find = (each: Each, clauses: ReadonlyArray<Clause>, box: Box): Row | undefined => {
  const facts = named(clauses)
  if (facts.some(({ id }) => Vocabulary.byFactId(id) === undefined)) return undefined
  const choices = facts.map((fact) => Candidates.of(fact, box, clauses))
  if (choices.some((choice) => choice.length === 0)) return undefined
  const pick = (at: (index: number) => number): Row | undefined =>
    Plausible.settled(facts.map((fact, i) => ({ fact, value: choices[i]![at(i) % choices[i]!.length]! })))
  const likeliest = pick(() => 0)
  if (likeliest !== undefined && satisfying(each, clauses, [likeliest]) === 0) return likeliest
  const free = choices.map((choice) => choice.length > 1)
  if (!free.includes(true)) return undefined
  // One of the first few nearly always does: a table of all of them would be made for nothing.
  for (let from = 0, size = 8; from < tries; from += size, size *= 8) {
    const rows = Array.from({ length: Math.min(size, tries - from) }, (_, n) =>
      pick((i) => digit(from + n, i))
    ).filter((row) => row !== undefined)
    if (rows.length === 0) continue
    const found = satisfying(each, clauses, rows)
    if (found !== undefined) return rows[found]
  }
  return undefined
}

/** Number of the first row that makes every clause true. */
export const satisfying = (
  each: Each,
  clauses: ReadonlyArray<Clause>,
  rows: ReadonlyArray<Row>
): number | undefined => {
  const table = Table.make(each)
  for (const [n, row] of rows.entries()) {
    const at = table.add(target(each, n + 1))
    for (const { fact, value } of row) table.set(at, Table.factKey(fact), Cells.known(value))
  }
  if (rows.length === 1) return clauses.every((clause) => isTrue(clause, table)) ? 0 : undefined
  return Evaluate.sift(
    clauses,
    table,
    rows.map((_, n) => n)
  ).holds[0]
}

const isTrue = ({ condition }: Clause, table: Table.Table): boolean =>
  Evaluate.condition(condition, table, [0]).truth[0] === Kleene.True

const named = (clauses: ReadonlyArray<Clause>): ReadonlyArray<FactRef> => {
  const byKey = new Map(FactRefs.ofClauses(clauses).map((fact) => [Table.factKey(fact), fact]))
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).map(([, fact]) => fact)
}

const target = (each: Each, n: number): Target => {
  const campaign = { campaignId: CampaignId.make(n) }
  if (each === "campaign") return campaign
  const item = { ...campaign, itemId: ItemId.make(n) }
  return each === "campaign_item" ? item : { ...item, cluster: Cluster.make("example") }
}

/** Scattered evenly and the same on every machine: the n-th try picks another mixture of candidates. */
const digit = (n: number, index: number): number => {
  let mixed = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) >>> 0
}
