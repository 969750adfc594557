/** What to say when a value is of another kind than its place. */
import * as FactType from "../../facts/FactType.js"
import type { Scope } from "../check/Scope.js"
import type { Ast } from "../syntax/Syntax.js"

/** Says what is wrong with a type in the place of another: bare numbers get the unit they lack. */
export const mismatch = (
  odd: FactType.FactType,
  expected: FactType.FactType,
  at: Ast,
  scope: Scope,
  comparison?: Extract<Ast, { _tag: "Compare" }>
): undefined => {
  const before = comparison === undefined ? "" : scope.node.text.slice(comparison.start, at.start)
  const digits = at._tag === "Number" ? at.digits : undefined
  const name = comparison === undefined ? "This" : scope.part(comparison.left)
  if (expected._tag === "Ratio" && odd._tag === "Number") {
    const share = digits !== undefined && Number(digits) < 1
    const percent =
      digits === undefined
        ? undefined
        : share
          ? `${Number((Number(digits) * 100).toPrecision(12))}%`
          : `${digits}%`
    const note = share ? `       (${digits} as a share is ${percent})` : ""
    const fix = percent === undefined ? undefined : `${before}${percent}${note}`
    return scope.error("E03", at, `${name} is a percentage; a bare number is not`, fix)
  }
  if (expected._tag === "Money" && odd._tag === "Number") {
    const fix = digits === undefined ? undefined : `${before}${digits} ₽`
    return scope.error("E04", at, `${name} is money; a bare number is not`, fix)
  }
  if (comparison === undefined) {
    return scope.error(
      "K09",
      at,
      `This should be ${FactType.describe(expected)}, and is ${FactType.describe(odd)}.`
    )
  }
  const message = `Cannot compare ${FactType.describe(expected)} with ${FactType.describe(odd)}.`
  return scope.error("E11", comparison, message)
}
