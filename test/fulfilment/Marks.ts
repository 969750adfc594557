/** Marks drawn by the rules of the standard, with check digits computed on another way than the program's. */
import * as fc from "fast-check"

export const gs = "\u001d"

/** The digit that makes a GTIN whole: what is missing to the next ten, weights 3 and 1 from the right. */
export const gtinDigit = (body: string): string => {
  let sum = 0
  let weight = 3
  for (let at = body.length - 1; at >= 0; at--) {
    sum += Number(body[at]) * weight
    weight = 4 - weight
  }
  return String((10 - (sum % 10)) % 10)
}

/** The digit that makes an IMEI whole. */
export const imeiDigit = (body: string): string => {
  const doubled = [...body].map((digit, at) => (at % 2 === 1 ? String(Number(digit) * 2) : digit)).join("")
  const sum = [...doubled].reduce((total, digit) => total + Number(digit), 0)
  return String((10 - (sum % 10)) % 10)
}

const digits = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789"), minLength: length, maxLength: length })

const signs = `!"%&'()*+,-./0123456789:;<=>?ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz`
const text = (minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...signs), minLength, maxLength })

export const gtin13 = digits(12).map((body) => body + gtinDigit(body))
export const gtin14 = digits(13).map((body) => body + gtinDigit(body))
export const imei = digits(14).map((body) => body + imeiDigit(body))
export const uin = digits(16)

/** Letters and digits, as serial numbers mostly have. */
const plain = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghjkmnpqrstuvwxyz0123456789"
export const plainSerial = (minLength = 6, maxLength = 20) =>
  fc.string({ unit: fc.constantFrom(...plain), minLength, maxLength })

const key = fc.string({ unit: fc.constantFrom(..."ABCDEF0123456789"), minLength: 4, maxLength: 4 })
const proof = fc.string({ unit: fc.constantFrom(...`${plain}+/`), minLength: 44, maxLength: 44 })

/** Goods, serial, and in the full form key and proof: with any sign that the standard allows in the serial. */
export const parts = fc.record({
  gtin: gtin14,
  serial: text(1, 20),
  key,
  proof,
  form: fc.constantFrom("full", "short", "key")
})

export const sgtinOf = (one: {
  readonly gtin: string
  readonly serial: string
  readonly key: string
  readonly proof: string
  readonly form: string
}): string => {
  const head = `01${one.gtin}21${one.serial}`
  if (one.form === "full") return `${head}${gs}91${one.key}${gs}92${one.proof}`
  return one.form === "key" ? `${head}${gs}91${one.key}` : `${head}${gs}`
}

/** What a serial must not begin or hold so that a text written in the seller's way is read as it was meant. */
const spellings = /<GS>|_x001d_|%1D/iu
export const sgtin = parts.map(sgtinOf).filter((code) => code.length >= 16 && !spellings.test(code))

/** One digit of the text is another one. */
export const oneDigitWrong = (whole: string) =>
  fc
    .tuple(fc.nat(whole.length - 1), fc.integer({ min: 1, max: 9 }))
    .map(([at, by]) => whole.slice(0, at) + String((Number(whole[at]) + by) % 10) + whole.slice(at + 1))
