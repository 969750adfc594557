/** What is wrong with a pass, and why a hand-over has none: the one place that makes sentences of it. */
import * as PassForm from "../../domain/PassForm.js"
import type * as Passes from "../../engine/fulfilment/Passes.js"

type Refusal = ReturnType<typeof Passes.refusals>[number]

const fields = {
  firstName: "the driver's first name",
  lastName: "the driver's last name",
  names: "first and last name together",
  carModel: "the car's model",
  carNumber: "the plate",
  officeId: "the office"
} as const

/** A clause without a stop. */
export const ofRefusal = (refusal: Refusal): string => {
  const what = fields[refusal.field]
  switch (refusal.is) {
    case "empty":
      return `${what} is empty`
    case "length":
      return `${what} ${refusal.field === "names" ? "have" : "has"} ${refusal.length} characters; allowed are ${allowed(refusal.field)}`
    case "signs":
      return `${what} has signs that are no letters or digits; write it without blanks`
    case "noNumber":
      return `${what} is no number of an office; bidhelm call listPassOffices shows them`
    case "notListed":
      return `${what} is not among those that ask for passes; bidhelm call listPassOffices shows them`
  }
}

const allowed = (field: "names" | "carModel" | "carNumber"): string => {
  if (field === "carModel") return `1 to ${PassForm.longestModel}`
  const { least, most } = field === "names" ? PassForm.names : PassForm.plate
  return `${least} to ${most}`
}

/** Why a hand-over has no pass. */
export const ofLacking = (because: Passes.Lacking["because"]): string => {
  switch (because) {
    case "notYetMade":
      return "no pass yet"
    case "tooLate":
      return "NO PASS, and none can be made in time"
    case "endUnknown":
      return "there is a pass, and the marketplace does not say until when it admits"
  }
}
