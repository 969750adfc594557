/** What comes out when two kinds of value are added or multiplied; everything not listed is refused. */
import * as FactType from "../../facts/FactType.js"
import type { ArithmeticOp } from "../Policy.js"

type Tag = FactType.FactType["_tag"]

const results: Readonly<Record<"+" | "*" | "/", Readonly<Record<string, FactType.FactType>>>> = {
  "+": {
    "Money Money": FactType.money,
    "MoneySquared MoneySquared": FactType.moneySquared,
    "Count Count": FactType.count,
    "Ratio Ratio": FactType.ratio,
    "Number Number": FactType.number,
    "Duration Duration": FactType.duration,
    "Count Number": FactType.count,
    "Number Count": FactType.count
  },
  "*": {
    "Money Ratio": FactType.money,
    "Money Number": FactType.money,
    "Money Count": FactType.money,
    "Money Money": FactType.moneySquared,
    "MoneySquared Ratio": FactType.moneySquared,
    "MoneySquared Number": FactType.moneySquared,
    "MoneySquared Count": FactType.moneySquared,
    "Count Ratio": FactType.count,
    "Count Number": FactType.count,
    "Ratio Ratio": FactType.ratio,
    "Ratio Number": FactType.ratio,
    "Number Number": FactType.number,
    "Duration Ratio": FactType.duration,
    "Duration Number": FactType.duration
  },
  "/": {
    "Money Money": FactType.ratio,
    "Count Count": FactType.ratio,
    "Duration Duration": FactType.ratio,
    "Ratio Ratio": FactType.number,
    "Number Number": FactType.number,
    "Money Count": FactType.money,
    "Money Number": FactType.money,
    "Money Ratio": FactType.money,
    "MoneySquared Money": FactType.money,
    "MoneySquared MoneySquared": FactType.ratio,
    "MoneySquared Count": FactType.moneySquared,
    "MoneySquared Number": FactType.moneySquared,
    "MoneySquared Ratio": FactType.moneySquared,
    "Count Number": FactType.count,
    "Count Ratio": FactType.count,
    "Ratio Number": FactType.ratio,
    "Number Ratio": FactType.number,
    "Duration Number": FactType.duration
  }
}

/** Type of `left op right`, or undefined when they do not go together (money + a percentage). */
export const combine = (op: ArithmeticOp, left: Tag, right: Tag): FactType.FactType | undefined => {
  if (op === "*") return results["*"][`${left} ${right}`] ?? results["*"][`${right} ${left}`]
  return results[op === "-" ? "+" : op][`${left} ${right}`]
}

/** Values of these two kinds can be compared; a bare number goes with a count. */
export const comparable = (left: Tag, right: Tag): boolean =>
  left === right || (left === "Count" && right === "Number") || (left === "Number" && right === "Count")

/** The kinds that are larger and smaller than each other. */
export const ordered = (tag: Tag): boolean =>
  tag !== "Text" && tag !== "Labels" && tag !== "Enum" && tag !== "YesNo"

/** True for what may only stand inside a calculation: nobody can say how much it is. */
export const isUnfinished = (tag: Tag): boolean => tag === "MoneySquared"
