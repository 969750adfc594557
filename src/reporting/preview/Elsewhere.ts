/** How a saved plan differs from one that was made here, for a terminal. Its file may hold anything, in every field. */
import * as Target from "../../domain/Target.js"
import type * as Elsewhere from "../../engine/decide/Elsewhere.js"
import * as Print from "../../engine/facts/Print.js"
import type { Change } from "../../engine/kinds/Change.js"
import * as Kinds from "../../engine/kinds/Kinds.js"
import { cleanLine } from "../Clean.js"
import * as Wording from "../Wording.js"

/** Changes that are named before the rest is only counted. */
const mostNamed = 20

/** One line for each change: whose it says it is, what the file says, and what the rules make of the slot. */
export const lines = (strays: ReadonlyArray<Elsewhere.Stray>, currency: string): ReadonlyArray<string> => [
  ...strays.slice(0, mostNamed).map((stray) => cleanLine(line(stray, currency))),
  ...(strays.length > mostNamed ? [`and ${strays.length - mostNamed} more`] : [])
]

const line = ({ change, made }: Elsewhere.Stray, currency: string): string =>
  `${change.action} of ${Target.key(change.target)} by ${change.policy}: the file says ${move(change, currency)}; ${said(made, change.policy, currency)}`

const said = (made: Elsewhere.Made, policy: string, currency: string): string => {
  switch (made._tag) {
    case "Otherwise":
      return made.fields.includes("before") || made.fields.includes("after")
        ? `${policy} makes it ${move(made.change, currency)}${bounds(made.change, currency)}`
        : `${policy} makes it with another ${made.fields.join(", ")}`
    case "ByAnother":
      return `it is ${made.change.policy} (${made.mode}) that changes this, ${move(made.change, currency)}`
    case "Held":
      return `held by ${made.limit}: ${made.over}`
    case "TakenBack":
      return "what is taken back stands in the store that did it; make it there: bidhelm undo"
    case "Nothing":
      return `${policy} does not make this change${made.why === undefined ? "" : `: ${made.why}`}`
  }
}

/** What bound the value, and where that is written; that bids end on a step bounds them all. */
const bounds = ({ clamps }: Change, currency: string): string => {
  const told = clamps.filter(({ by }) => by !== "step").map((one) => Wording.clamp(one, currency))
  return told.length === 0 ? "" : ` (${told.join("; ")})`
}

/** Not what a preview says: nothing of a file needs to fit anything else in it. */
const move = (change: Change, currency: string): string =>
  `${value(change, change.before, currency)} → ${value(change, change.after, currency)}`

const value = (change: Change, one: Change["before"], currency: string): string =>
  Kinds.of(change).print(one, Print.currencySign(currency))
