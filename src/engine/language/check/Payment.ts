/** Which payment types the rows of a policy can have: bid money means per 1000 views in cpm, per click in cpc. */
import type { Clause, Condition } from "../Policy.js"

export type PaymentType = "cpm" | "cpc"

/** The one payment type the conditions leave, or undefined when both remain (or none). */
export const decided = (clauses: ReadonlyArray<Clause>): PaymentType | undefined => {
  const left = (["cpm", "cpc"] as const).filter((payment) =>
    clauses.every((clause) => possible(clause.condition, payment).true)
  )
  return left.length === 1 ? left[0] : undefined
}

/** Which answers a condition can still give when only the payment type is known. */
interface Possible {
  readonly true: boolean
  readonly false: boolean
}

const open: Possible = { true: true, false: true }
const sure = (answer: boolean): Possible => ({ true: answer, false: !answer })

const possible = (condition: Condition, payment: PaymentType): Possible => {
  switch (condition._tag) {
    case "And": {
      const parts = condition.all.map((part) => possible(part, payment))
      return { true: parts.every((p) => p.true), false: parts.some((p) => p.false) }
    }
    case "Or": {
      const parts = condition.any.map((part) => possible(part, payment))
      return { true: parts.some((p) => p.true), false: parts.every((p) => p.false) }
    }
    case "Not": {
      const inner = possible(condition.condition, payment)
      return { true: inner.false, false: inner.true }
    }
    case "Compare": {
      const { left, right, op } = condition
      const [fact, word] = left._tag === "Fact" ? [left, right] : [right, left]
      if (fact._tag !== "Fact" || fact.fact.id !== "campaign.payment" || word._tag !== "Literal") return open
      return sure((word.value === payment) === (op === "="))
    }
    case "In": {
      const { value, options } = condition
      if (value._tag !== "Fact" || value.fact.id !== "campaign.payment") return open
      return sure(options.some((option) => option._tag === "Literal" && option.value === payment))
    }
    default:
      return open
  }
}
