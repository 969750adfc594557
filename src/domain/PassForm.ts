/** What a pass says of driver and car, and what the marketplace asks of it (seed 000 "Pass"). */

/** As it is sent. */
export interface PassForm {
  readonly firstName: string
  readonly lastName: string
  readonly carModel: string
  /** The plate. */
  readonly carNumber: string
  readonly officeId: number
}

/** Why the marketplace would refuse it; `length` is in characters, of both names together for `names`. */
export type Fault =
  | { readonly field: "firstName" | "lastName" | "carModel" | "carNumber"; readonly is: "empty" }
  | { readonly field: "names" | "carModel" | "carNumber"; readonly is: "length"; readonly length: number }
  | { readonly field: "carNumber"; readonly is: "signs" }
  | { readonly field: "officeId"; readonly is: "noNumber" }

/** First and last name together, in characters. */
export const names = { least: 6, most: 100 } as const
export const longestModel = 100
export const plate = { least: 6, most: 9 } as const

/** Everything that is wrong with a form; a refused creation may block the next one for ten minutes (field note O24). */
export const faults = (form: PassForm): ReadonlyArray<Fault> => {
  const { carModel, carNumber, firstName, lastName } = form
  const empty = (["firstName", "lastName", "carModel", "carNumber"] as const).filter(
    (field) => form[field].trim() === ""
  )
  const length = firstName.length + lastName.length
  const areNamed = !empty.includes("firstName") && !empty.includes("lastName")
  return [
    ...empty.map((field) => ({ field, is: "empty" as const })),
    ...(areNamed && !isWithin(length, names)
      ? [{ field: "names" as const, is: "length" as const, length }]
      : []),
    ...(carModel.length > longestModel
      ? [{ field: "carModel" as const, is: "length" as const, length: carModel.length }]
      : []),
    ...(empty.includes("carNumber") ? [] : plateFaults(carNumber)),
    ...(Number.isSafeInteger(form.officeId) && form.officeId >= 1
      ? []
      : [{ field: "officeId" as const, is: "noNumber" as const }])
  ]
}

const plateFaults = (carNumber: string): ReadonlyArray<Fault> => [
  ...(/^[\p{L}\p{Nd}]*$/u.test(carNumber) ? [] : [{ field: "carNumber" as const, is: "signs" as const }]),
  ...(isWithin(carNumber.length, plate)
    ? []
    : [{ field: "carNumber" as const, is: "length" as const, length: carNumber.length }])
]

const isWithin = (
  length: number,
  { least, most }: { readonly least: number; readonly most: number }
): boolean => length >= least && length <= most
