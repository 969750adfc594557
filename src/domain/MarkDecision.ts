/** What the marketplace may decide of a mark of an order, as it spells it (not-shown §4.5). */

/** Stand in the way of a hand-over, of any mark. */
export const refusals = [
  "required",
  "imeiInvalidFormat",
  "imeiAlreadySold",
  "uinBadStatus",
  "uinBadProcess",
  "uinBadStatusAndBadProcess",
  "uinInvalidFormat",
  "uinNotFound",
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
] as const

/** Let the supply go, of the kinds of marks that know them. */
export const allowances = [
  "filled",
  "optional",
  "deadlineExceeded",
  "imeiMaySell",
  "imeiSoldB2B",
  "uinMaySell",
  "sgtinIntroduced",
  "sgtinSoldB2B"
] as const

/** Its check goes on. */
export const pending = "pending"
