/**
 * Where the seller's economics table is found: a table beside the rules under its own name (`_shared/economics.csv`), or one that a
 * file with `kind: economics` names; and what is said of policies that ask what a unit costs or earns where there is none.
 */

import * as Days from "../../../domain/Days.js"
import * as Economics from "../../facts/Economics.js"
import * as FactRefs from "../../facts/FactRefs.js"
import * as Amounts from "../check/Amounts.js"
import type { Policy } from "../Policy.js"
import type { Diagnostic, Problems } from "../problems/Diagnostic.js"
import * as Schema from "../shape/Schema.js"
import * as Shape from "../shape/Shape.js"
import type { Node } from "../yaml/Node.js"
import { Complaints } from "./Complaints.js"
import * as EconomicsTable from "./EconomicsTable.js"
import type { DataFile } from "./OwnFact.js"
import * as OwnFacts from "./OwnFacts.js"

export interface Found {
  readonly table: EconomicsTable.Table
  /** Problems of the table's cells. */
  readonly diagnostics: ReadonlyArray<Diagnostic>
}

const mostDays = 3650
/** Further problems of one kind are counted. */
const mostTold = 1000

/** `root` is of the file that names the table; undefined of the table itself. Without `data` nobody has read it. */
export const read = (
  root: Node | undefined,
  data: DataFile | undefined,
  problems: Problems,
  most = mostTold
): Found => {
  if (root !== undefined)
    Shape.check(Schema.Economics, root, { key: "This file", range: root.range }, problems)
  const maxAgeMs = Amounts.milliseconds(
    Amounts.keyed(root, "max_age"),
    Days.hourMs,
    mostDays * 24 * Days.hourMs,
    problems
  )
  const none = { table: EconomicsTable.none, diagnostics: [] }
  if (data === undefined || problems.count > 0) return none
  const rows = OwnFacts.rowsOf(data, root, problems)
  if (rows === undefined) return none
  if (root !== undefined) OwnFacts.tooOld(data, maxAgeMs, root, problems)
  const complaints = new Complaints(data.path, data.linkedTo === undefined, most)
  const table = EconomicsTable.read(data, rows, maxAgeMs, problems, complaints)
  return table === undefined ? none : { table, diagnostics: complaints.list() }
}

/** The first fact of the economics table that a policy reads, by its word. */
export const firstAsked = (policy: Policy): string | undefined => {
  const found = FactRefs.ofPolicy(policy).find(({ id }) => Economics.isTerm(id))
  return found?.id.slice("item.".length)
}

/** S12: a policy that can decide on no row, for nothing says what an item costs. Of one that is turned off nobody needs to hear it. */
export const lacking = (policy: Policy): ReadonlyArray<Diagnostic> => {
  const word = policy.mode === "disabled" ? undefined : firstAsked(policy)
  if (word === undefined) return []
  const clauses = [...policy.where, ...policy.rules.flatMap(({ when }) => when)]
  const clause = clauses.find(({ condition }) =>
    FactRefs.ofCondition(condition).some(({ id }) => Economics.isTerm(id))
  )
  const span = clause?.span ?? policy.rules[0]!.action.span
  const message = `Nothing says what ${word} is: there is no economics table, so this stays unknown for every item.`
  const fix = "bidhelm economics template --out rules/_shared/economics.csv"
  return [{ code: "S12", severity: "warning", file: span.file, span, message, fix }]
}
