/** Actions and example rows as sentences. */
import * as Window from "../../../domain/Window.js"
import * as Cells from "../../facts/Cell.js"
import * as Print from "../../facts/Print.js"
import * as Vocabulary from "../../facts/Vocabulary.js"
import type { Action } from "../Policy.js"
import type { Row } from "./Witness.js"

/** `raises the bid`, `pauses it`; `what` is the bid, phrase or campaign. */
export const verb = (action: Action, what = nounOf(action)): string => {
  switch (action._tag) {
    case "RaiseBid":
      return `raises ${what}`
    case "LowerBid":
      return `lowers ${what}`
    case "SetBid":
      return `sets ${what}`
    case "AdjustBid":
      return `lays a share over ${what}`
    case "AddMinus":
      return `adds ${what}`
    case "RemoveMinus":
      return `removes ${what}`
    case "Pause":
      return `pauses ${what}`
    case "Start":
      return `starts ${what}`
    case "Deposit":
      return `adds money to ${what}`
    case "Placements":
      return `sets the placements of ${what}`
    case "Notify":
      return `tells of ${what}`
    default:
      return `changes ${what}`
  }
}

const nounOf = ({ _tag }: Action): string =>
  _tag === "Pause" || _tag === "Start" || _tag === "Deposit" || _tag === "Placements" || _tag === "Notify"
    ? "the campaign"
    : _tag === "AddMinus" || _tag === "RemoveMinus"
      ? "the minus phrase"
      : "the bid"

/** `orders[7d] = 3, avg_pos[yesterday] = 2.7`; the account's currency is not known here, so money is shown in ₽. */
export const row = (values: Row): string =>
  values.length === 0
    ? "every row"
    : values
        .map(({ fact, value }) => {
          const known = Vocabulary.byFactId(fact.id)
          if (known === undefined) return fact.id
          const window = fact.window === undefined ? "" : `[${Window.key(fact.window)}]`
          return `${known.word}${window} = ${Print.cell(Cells.known(value), known.type, "₽")}`
        })
        .join(", ")
