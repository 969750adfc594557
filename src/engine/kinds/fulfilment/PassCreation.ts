/**
 * A pass that admits a car to a platform warehouse for 48 hours (seed 000 "Passes", field note O24). Its value is until when a
 * pass of this car and driver admits, epoch milliseconds; 0 is none.
 */
import type { PassTarget } from "../../../domain/Target.js"
import type { Of, Value } from "../Change.js"
import type { Kind } from "../Kind.js"
import * as Seen from "../Seen.js"
import { assemblyKind, forGood } from "./AssemblyKind.js"
import * as SupplyRef from "./SupplyRef.js"

export const name = "pass_creation" as const
export const prefix = "pass_creation"

export const slot = ({ pass }: Pick<PassTarget, "pass">): string => `${prefix}:${pass}`

/** A pass of the same car and driver that lasts at least as long is as good as the one that was to be made. */
const compare = ({ after, before }: Pick<Of<typeof name>, "before" | "after">, value: Value): Seen.Seen => {
  if (Number(value) >= Number(after)) return { _tag: "After" }
  return value === before
    ? { _tag: "Before" }
    : { _tag: "Other", reason: Seen.byHand(before, value), live: value }
}

export const kind: Kind<Of<typeof name>> = {
  ...assemblyKind,
  ...forGood("a pass ends by itself after 48 hours; it can be deleted by hand: bidhelm call deletePass"),
  prefix,
  slotOf: ({ subject }) => slot(subject),
  targetOf: SupplyRef.passOf,
  order: 47,
  writeClass: "C",
  operations: () => ["createPass"],
  makes: "pass",
  compare: (change, { value }) => compare(change, value),
  risk: "notable",
  backwards: () => "book_pass",
  print: (value) =>
    value === 0 ? "no pass" : `a pass until ${new Date(Number(value)).toISOString().slice(0, 16)}Z`,
  effect: ({ details: { carModel, carNumber, officeId } }) =>
    `books a pass for ${carModel} ${carNumber} at office ${officeId}`
}
