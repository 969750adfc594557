/** Passes that admit a vehicle to a platform warehouse for 48 hours (seed 000, "Passes"; field note O24). */
import * as Brand from "effect/Brand"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { OfficeId, type PassId } from "../../../domain/Ids.js"
import * as PassForm from "../../../domain/PassForm.js"
import type { WritePermit } from "../../../domain/WritePermit.js"
import type * as Wire from "../../endpoints/Passes.js"
import type { Client } from "../../MarketplaceClient.js"
import type { CallError } from "../../MarketplaceError.js"
import { lookAfter } from "../Lookback.js"
import * as OrderDates from "../orders/OrderDates.js"

/** An office that asks for a pass; the list changes, so read it daily. */
interface PassOffice {
  readonly officeId: OfficeId
  readonly name: string | undefined
  readonly address: string | undefined
}

export const make = ({ api }: Client) => {
  const offices: Effect.Effect<ReadonlyArray<PassOffice>, CallError> = Effect.map(
    api.passes.listPassOffices({}),
    (rows) => rows.map(({ address, id, name }) => ({ officeId: id, name, address }))
  )

  const listAll: Effect.Effect<ReadonlyArray<Pass>, CallError> = Effect.map(
    api.passes.listPasses({}),
    (rows) => rows.map(fromWire)
  )

  const find = (fits: (pass: Pass) => boolean) => Effect.map(listAll, (passes) => passes.find(fits))

  return {
    offices,

    /** As the marketplace lists them, expired ones too. */
    listAll,

    /**
     * Makes a pass, at most one in ten minutes; the limiter holds a further one back. After an unknown outcome the
     * pass is looked for, never made again.
     */
    create: (fields: PassFields): Effect.Effect<PassId, CallError, WritePermit> =>
      Effect.gen(function* () {
        const before = new Set((yield* listAll).map(({ passId }) => passId))
        const found = find((pass) => !before.has(pass.passId) && same(pass, fields))
        const made = Effect.map(api.passes.createPass({ payload: fields }), ({ id }) => ({ passId: id }))
        return (yield* lookAfter(found)(made)).passId
      })
  }
}

/** Passes that have not ended; one whose end is unknown is kept. */
export const live = (passes: ReadonlyArray<Pass>, nowMs: number): ReadonlyArray<Pass> =>
  passes.filter(({ validUntilMs }) => validUntilMs === undefined || validUntilMs > nowMs)

/** `2026-11-21 13:05:00+03:00`, a space where others have T (field note O09); without an offset Moscow time (T13). */
export const dateEnd = (text: string | undefined): number | undefined => {
  const match = /^(\S+)[ T](\d{2}:\d{2}:\d{2}(?:\.\d+)?) ?(?:(Z)|([+-]\d{2}):?(\d{2}))?$/.exec(text ?? "")
  if (match === null) return undefined
  const [, day, time, utc, hours, minutes] = match
  const offset = utc ?? (hours === undefined ? "" : `${hours}:${minutes}`)
  return OrderDates.instant(`${day}T${time}${offset}`)
}

const fromWire = ({ id, dateEnd: end, ...rest }: typeof Wire.PassRecord.Type) => ({
  passId: id,
  firstName: rest.firstName,
  lastName: rest.lastName,
  carModel: rest.carModel,
  carNumber: rest.carNumber,
  officeId: rest.officeId,
  officeName: rest.officeName,
  officeAddress: rest.officeAddress,
  /** End, epoch milliseconds; undefined when it was not given or cannot be read. */
  validUntilMs: dateEnd(end)
})

export type Pass = Readonly<ReturnType<typeof fromWire>>

/** Names, car number and office are what the contract compares (`verifyBy`). */
export const same = (pass: Pass, fields: Omit<Draft, "carModel">): boolean =>
  pass.firstName === fields.firstName &&
  pass.lastName === fields.lastName &&
  pass.carNumber === fields.carNumber &&
  pass.officeId === fields.officeId

// What a pass says of driver and car, checked before it is sent: one pass may be made in ten minutes, and a refused
// try may use that up (seed 000 "Pass", field note O24).

/** As somebody typed it. */
export type Draft = PassForm.PassForm

/** Checked fields, without blanks at the ends. Only `check` makes them. */
type PassFields = Omit<Draft, "officeId"> & { readonly officeId: OfficeId } & Brand.Brand<"PassFields">
const checked = Brand.nominal<PassFields>()

const { longestModel: mostModel, names, plate } = PassForm

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
  return length >= plate.least && length <= plate.most
    ? shape
    : [
        ...shape,
        `carNumber has ${length} characters; a plate has ${plate.least} to ${plate.most}, with its region`
      ]
}
