/** What a check made of a label identifier, and whether it lets the supply be handed over (not-shown §4.5). */
import * as State from "../State.js"

/** A key of the list, or another as text. */
export type LabelKey = "imei" | "uin" | "gtin" | "sgtin" | "expiration" | "customsDeclaration" | (string & {})

export type Decision = ReturnType<typeof decision>
export const decision = State.reader([
  "filled",
  "optional",
  "required",
  "pending",
  "deadlineExceeded",
  "imeiMaySell",
  "imeiSoldB2B",
  "imeiInvalidFormat",
  "imeiAlreadySold",
  "uinMaySell",
  "uinBadStatus",
  "uinBadProcess",
  "uinBadStatusAndBadProcess",
  "uinInvalidFormat",
  "uinNotFound",
  "sgtinIntroduced",
  "sgtinSoldB2B",
  "sgtinInvalidFormat",
  "sgtinNoGS",
  "sgtinHasInvalidSymbols",
  "sgtinHasNonLatinSymbols",
  "sgtinInvalidPattern",
  "sgtinNotFound",
  "sgtinEmitted",
  "sgtinApplied",
  "sgtinAppliedNotPaid",
  "sgtinWrittenOff",
  "sgtinWithdrawn",
  "sgtinRetired",
  "sgtinDisaggregated",
  "sgtinDisaggregation"
])

export interface Decided {
  readonly key: LabelKey
  readonly decision: Decision
}

const always: ReadonlySet<string> = new Set(["filled", "optional"])
const alsoByKey: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["imei", new Set(["deadlineExceeded", "imeiMaySell", "imeiSoldB2B"])],
  ["uin", new Set(["deadlineExceeded", "uinMaySell"])],
  ["sgtin", new Set(["deadlineExceeded", "sgtinIntroduced", "sgtinSoldB2B"])]
])

/** True when this identifier does not stand in the way of the hand-over; a decision that is not known does (O14). */
export const allowsHandover = ({ decision, key }: Decided): boolean =>
  always.has(decision._tag) || alsoByKey.get(key)?.has(decision._tag) === true
