/**
 * The least price of an item (`price floor` of the economics table), the highest of the promotion's days, against the price at which it would join a promotion. A floor
 * that is there and cannot be read holds as well: nobody knows that the price is not below it. So do floors that are gone. Pure.
 */
import type { Reason } from "../../../domain/Reason.js"
import * as Needs from "../../facts/Needs.js"
import type { Facts, Reading } from "../../facts/Reading.js"
import type { Change } from "../../kinds/Change.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import type { RuleSet } from "../../language/Policy.js"
import type { OwnFact } from "../../language/shared/OwnFact.js"

/** What stands against a plan price. */
export type Against =
  | { readonly _tag: "Below"; readonly floorKopecks: number }
  | { readonly _tag: "Unknown"; readonly reason: Reason }
  | { readonly _tag: "Malformed"; readonly value: string }

/** Reasons that say that the seller set no floor, or that nobody asked for one. */
const noFloor: ReadonlySet<Reason> = new Set(["unlisted", "absent", "notFetched"])

/** Of a row of an item in a promotion; undefined where the price may be. */
export const against = (planPriceKopecks: number, facts: Facts, row: number): Against | undefined => {
  const today = facts.get(row, Needs.priceFloor)
  const cells = facts.ahead(row)?.map(({ said }) => said.get(Needs.priceFloor) ?? today) ?? [today]
  let floor = Number.NEGATIVE_INFINITY
  for (const cell of cells) {
    if (cell._tag === "Unknown") {
      if (!noFloor.has(cell.reason)) return { _tag: "Unknown", reason: cell.reason }
    } else {
      if (!Number.isFinite(Number(cell.value))) return { _tag: "Malformed", value: String(cell.value) }
      floor = Math.max(floor, Number(cell.value))
    }
  }
  return planPriceKopecks < floor ? { _tag: "Below", floorKopecks: Math.ceil(floor) } : undefined
}

/** The table in which floors of the account stood, and the last day on which they were seen there. */
export interface Gone {
  readonly path: string
  readonly lastSeen: string
}

/** The fact of a table that has a column of floors, though it may be empty; undefined where none has. */
export const columnOf = ({ ownFacts = [] }: Pick<RuleSet, "ownFacts">): OwnFact | undefined =>
  ownFacts.find(({ column, fact }) => fact.id === Needs.priceFloor && column !== undefined)

/** What holds an enrolment that was planned, by the table as it is now; `items` are the account's items in promotions. */
export const verdict = (
  change: Change,
  { ownFacts = [] }: Pick<RuleSet, "ownFacts">,
  items: Reading,
  gone?: Gone
): HeldReason | undefined => {
  // Only what joins a promotion gets another price.
  if (!Enrolment.isEnrolment(change)) return undefined
  if (gone !== undefined) return { code: "price_floors_gone", ...gone }
  if (!ownFacts.some(({ data, fact }) => fact.id === Needs.priceFloor && data !== undefined)) return undefined
  const { planPriceKopecks } = change.details
  const row = items.table.indexOf(change.subject)
  if (row === undefined || planPriceKopecks === undefined)
    return { code: "price_floor_unknown", reason: "notFetched" }
  const found = against(planPriceKopecks, items, row)
  switch (found?._tag) {
    case undefined:
      return undefined
    case "Below":
      return { code: "price_floor", planPriceKopecks, floorKopecks: found.floorKopecks }
    case "Unknown":
      return { code: "price_floor_unknown", reason: found.reason }
    case "Malformed":
      return { code: "price_floor_unknown", reason: "unreadable" }
  }
}
