/** What the marketplace made of a mark, in a sentence and in what to do: the one place that makes them. */
import { isKind } from "../../engine/fulfilment/marks/Mark.js"
import type { AllowanceCode, RefusalCode } from "../../engine/fulfilment/marks/Verdict.js"
import * as OrderMark from "../../engine/kinds/fulfilment/OrderMark.js"
import { cleanLine } from "../Clean.js"
import { scannerSetup } from "./MarkWords.js"

/** `says` is a clause about the mark, `action` begins with what to do. Neither ends with a stop. */
export interface Words {
  readonly says: string
  readonly action: string
}

const scanAgain = `scan the square code again and set it anew; if it stays so, ${scannerSetup}`
const anotherUnit = "take another unit of the same goods, and set its code"
const askIssuer = "finish that in the marking system, or take another unit of the same goods and set its code"

/** `decision` is what the marketplace said where no code is for it. */
export const refused = (code: RefusalCode, decision?: string): Words =>
  code === "unknown_decision"
    ? {
        says: `the marketplace says "${cleanLine(decision ?? "").slice(0, 60)}", which this program does not know`,
        action:
          "look at the order in the seller's account; until it is clear, move the order to another supply"
      }
    : words[code]

const words: Readonly<Record<Exclude<RefusalCode, "unknown_decision">, Words>> = {
  required: { says: "it is missing", action: "scan it and set it, or move the order to another supply" },
  no_decision: {
    says: "the marketplace says nothing about its check",
    action: "read it again in some minutes; if it stays so, delete it and set it once more"
  },
  imeiInvalidFormat: {
    says: "its form is not that of an IMEI",
    action: "compare the 15 digits with the device (*#06#), and set the first IMEI"
  },
  imeiAlreadySold: {
    says: "a device with this IMEI was sold already",
    action: "check that the IMEI is that of the device in your hands; if it is, take another device"
  },
  uinBadStatus: {
    says: "the article with this UIN may not be sold in its present status",
    action: "correct its status in the register of precious metals, or take another article and set its UIN"
  },
  uinBadProcess: {
    says: "the article with this UIN is in a process that does not allow its sale",
    action: "finish the process in the register of precious metals, or take another article and set its UIN"
  },
  uinBadStatusAndBadProcess: {
    says: "neither status nor process of the article with this UIN allow its sale",
    action: "correct both in the register of precious metals, or take another article and set its UIN"
  },
  uinInvalidFormat: {
    says: "its form is not that of a UIN",
    action: "compare the 16 digits with the tag, and set it again"
  },
  uinNotFound: {
    says: "it is in no contract specification that the marketplace knows",
    action:
      "load the specification of the contract, wait 30 minutes, then delete the UIN and set it once more: by itself this answer does not change"
  },
  sgtinInvalidFormat: { says: "its form is not that of a marking code", action: scanAgain },
  sgtinNoGS: { says: "its group separators are lost", action: `${scannerSetup}; then set it anew` },
  sgtinHasInvalidSymbols: { says: "it has signs that no marking code has", action: scanAgain },
  sgtinHasNonLatinSymbols: {
    says: "it has letters that are not Latin",
    action:
      "switch the computer, or the scanner, to the English keyboard layout, scan the code again and set it anew"
  },
  sgtinInvalidPattern: {
    says: "its parts do not stand where they should",
    action: `scan the square code of the marking, not another one on the package; ${scanAgain}`
  },
  sgtinNotFound: {
    says: "the marking system does not know it",
    action: `scan it again, letter by letter the same; if it is right, ${anotherUnit}`
  },
  sgtinEmitted: {
    says: "it was ordered and never put on goods, as the marking system sees it",
    action: `report it as applied and introduce it: ${askIssuer}`
  },
  sgtinApplied: {
    says: "it is on the goods, and the goods were not introduced into circulation",
    action: `introduce it into circulation: ${askIssuer}`
  },
  sgtinAppliedNotPaid: {
    says: "it is on the goods, and was not paid for",
    action: `pay for it, and introduce it: ${askIssuer}`
  },
  sgtinWrittenOff: { says: "it was written off", action: `put this unit aside and ${anotherUnit}` },
  sgtinWithdrawn: {
    says: "it was withdrawn from circulation: sold, or used otherwise",
    action: `put this unit aside and ${anotherUnit}; a unit that a buyer gave back must first be returned to circulation in the marking system`
  },
  sgtinRetired: { says: "it was taken out of circulation", action: `put this unit aside and ${anotherUnit}` },
  sgtinDisaggregated: {
    says: "it is of a package that was taken apart",
    action: `scan the code of the single unit, not that of the package; else ${anotherUnit}`
  },
  sgtinDisaggregation: {
    says: "its package is being taken apart in the marking system",
    action: "wait until that is finished there and set the code anew, or take another unit"
  }
}

/** What lets it go, where that is more than yes. */
export const allowed: Readonly<Record<AllowanceCode, string>> = {
  filled: "accepted",
  optional: "not needed",
  deadlineExceeded: "its check takes too long and blocks no more; it may still fail",
  imeiMaySell: "the device may be sold",
  imeiSoldB2B: "sold to a business, which is no obstacle",
  uinMaySell: "the article may be sold",
  sgtinIntroduced: "in circulation",
  sgtinSoldB2B: "sold to a business, which is no obstacle"
}

/** Of a check that goes on. */
export const pending = (key: string): Words => ({
  says: "its check goes on",
  action:
    key === "uin"
      ? "wait: a UIN takes about 30 minutes after the specification of the contract was loaded"
      : "wait: it ends by itself, mostly within minutes"
})

/** What people call a kind of label, also one that is not known. */
export const keyName = (key: string): string =>
  isKind(key) ? OrderMark.called[key] : `label "${cleanLine(key).slice(0, 40)}"`
