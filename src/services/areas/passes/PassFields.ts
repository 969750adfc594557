/**
 * What a pass says of driver and car, checked before it is sent: one pass may be made in ten minutes, and a refused try
 * may use that up (seed 000 "Pass", field note O24).
 */
import * as Brand from "effect/Brand"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { OfficeId } from "../../../domain/Ids.js"

/** As somebody typed it. */
export interface Draft {
  readonly firstName: string
  readonly lastName: string
  readonly carModel: string
  readonly carNumber: string
  readonly officeId: number
}

/** Checked fields, without blanks at the ends. Only `check` makes them. */
export type PassFields = Omit<Draft, "officeId"> & { readonly officeId: OfficeId } & Brand.Brand<"PassFields">
const checked = Brand.nominal<PassFields>()

const names = { least: 6, most: 100 }
const mostModel = 100

/** The fields ready to send, or everything that is wrong with them, one sentence each. */
export const check = (draft: Draft): Either.Either<PassFields, ReadonlyArray<string>> => {
  const firstName = draft.firstName.trim()
  const lastName = draft.lastName.trim()
  const carModel = draft.carModel.trim()
  const carNumber = draft.carNumber.trim()
  const officeId = Schema.decodeOption(OfficeId)(draft.officeId)
  const problems = [
    ...(firstName === "" ? ["firstName is empty; give the driver's first name"] : []),
    ...(lastName === "" ? ["lastName is empty; give the driver's last name"] : []),
    ...nameProblems(firstName.length + lastName.length),
    ...modelProblems(carModel.length),
    ...numberProblems(carNumber),
    ...(Option.isNone(officeId)
      ? [`officeId ${draft.officeId} is not an office; take one from the list of offices`]
      : [])
  ]
  return problems.length > 0 || Option.isNone(officeId)
    ? Either.left(problems)
    : Either.right(checked({ firstName, lastName, carModel, carNumber, officeId: officeId.value }))
}

const nameProblems = (length: number): ReadonlyArray<string> =>
  length >= names.least && length <= names.most
    ? []
    : [
        `firstName and lastName together have ${length} characters; allowed are ${names.least} to ${names.most}` +
          (length < names.least ? ", so write them out, with the patronymic if need be" : "")
      ]

const modelProblems = (length: number): ReadonlyArray<string> => {
  if (length === 0) return ["carModel is empty; give make and model of the car"]
  return length > mostModel ? [`carModel has ${length} characters; shorten it to ${mostModel}`] : []
}

const numberProblems = (carNumber: string): ReadonlyArray<string> => {
  const { length } = carNumber
  const shape = /^[\p{L}\p{Nd}]*$/u.test(carNumber)
    ? []
    : [`carNumber "${carNumber}" has other signs than letters and digits; leave out blanks and dashes`]
  return length >= 6 && length <= 9
    ? shape
    : [...shape, `carNumber has ${length} characters; a plate has 6 to 9, with its region`]
}
