/** The expressions that an action's amounts are made of, in a fixed order. */
import type { Action, Expr } from "../../src/engine/language/Policy.js"

export const of = (action: Action): ReadonlyArray<Expr> => {
  const all =
    action._tag === "RaiseBid"
      ? [action.cap, action.toward]
      : action._tag === "LowerBid"
        ? [action.floor, action.toward]
        : action._tag === "SetBid"
          ? [action.to, action.cap, action.floor]
          : []
  return all.filter((one) => one !== undefined)
}
