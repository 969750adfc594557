/**
 * How much of a row's money an action would move, guessed from facts that may be old: a bid that is nearly where it
 * should be is hardly worth a call. Only for choosing what to ask; what is changed is decided elsewhere. Pure.
 */
import * as Evaluate from "../facts/Evaluate.js"
import type { Table } from "../facts/Table.js"
import type { Action, Each, Expr, Move } from "../language/Policy.js"

/** A step of a bid that is said in money, or not bounded at all, is taken to be about this share of it. */
const usualStep = 0.15

/** Share of the row's money that the whole action would move: 0.1 for a bid raised by 10%, 1 for a pause. */
export const scaleOf = (action: Action): number => {
  switch (action._tag) {
    case "RaiseBid":
    case "LowerBid":
      return stepOf(action.by)
    case "SetBid":
      return action.maxStepBasisPoints === undefined ? usualStep : action.maxStepBasisPoints / 10_000
    default:
      return 1
  }
}

/** The part of it that the bounds leave, from 0 to 1; whole where they are not known. */
export const partOf = (action: Action, each: Each, table: Table, row: number): number => {
  if (action._tag !== "RaiseBid" && action._tag !== "LowerBid" && action._tag !== "SetBid") return 1
  const bid = amount(table, row, bidOf(each, action.placement))
  if (bid === undefined || bid <= 0) return 1
  const value = (expr: Expr | undefined): number | undefined =>
    expr === undefined ? undefined : numeric(Evaluate.value(expr, table, row))
  const within = (far: number | undefined): number =>
    far === undefined ? 1 : Math.min(1, Math.max(0, far / bid / scaleOf(action)))
  switch (action._tag) {
    case "RaiseBid": {
      const bounds = [value(action.toward), value(action.cap)].filter((bound) => bound !== undefined)
      return within(bounds.length === 0 ? undefined : Math.min(...bounds) - bid)
    }
    case "LowerBid": {
      const bounds = [value(action.toward), value(action.floor)].filter((bound) => bound !== undefined)
      return within(bounds.length === 0 ? undefined : bid - Math.max(...bounds))
    }
    case "SetBid": {
      const to = value(action.to)
      return within(to === undefined ? undefined : Math.abs(to - bid))
    }
  }
}

/** Fact of the bid an action moves. */
export const bidOf = (each: Each, placement: "search" | "recommendations"): string =>
  each === "cluster"
    ? "cluster.bid"
    : placement === "search"
      ? "campaign_item.bid"
      : "campaign_item.bid.recommendations"

const stepOf = (by: Move): number => (by._tag === "Percent" ? by.basisPoints / 10_000 : usualStep)

const amount = (table: Table, row: number, fact: string): number | undefined => numeric(table.get(row, fact))

const numeric = (cell: ReturnType<Table["get"]>): number | undefined =>
  cell._tag === "Known" && typeof cell.value === "number" && Number.isFinite(cell.value)
    ? cell.value
    : undefined
