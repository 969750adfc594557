/** Marks that people give for orders: most of them right, some that the marketplace finds wanting; no two alike. */
import type { LabelKey } from "../../../src/sandbox/shop/State.js"

/** A mark of an order; another one at another `pick`. One in six is refused after its check. */
export const of = (key: LabelKey, orderId: number, pick: number): string => {
  const own = `${orderId % 1_000_000}`.padStart(6, "0")
  const turn = `${pick % 10_000}`.padStart(4, "0")
  const isWrong = pick % 6 === 0
  switch (key) {
    case "sgtin":
      return `010460043993125621${isWrong ? "SOLD" : "7777"}${own}${turn}\u001d91AB${turn}`
    case "imei":
      return luhn(`${isWrong ? "9001" : "7777"}${own}${turn}`)
    case "uin":
      return `${isWrong ? "9002" : "7777"}${own}${turn}00`
    case "gtin":
      return "4600439931256"
    case "expiration":
      return `${String(1 + (pick % 28)).padStart(2, "0")}.01.2028`
    case "customsDeclaration":
      return `10702020/010926/0${own}`
  }
}

/** What must stand nowhere but in the vault and in the request; undefined of what is no secret. */
export const secretOf = (key: LabelKey, mark: string): string | undefined => {
  if (key === "sgtin") return mark.slice(18, 32)
  return key === "imei" || key === "uin" ? mark : undefined
}

/** Fourteen digits with the check digit that an IMEI has. */
const luhn = (digits: string): string => {
  const sum = [...digits].reduce((total, digit, i) => {
    const doubled = i % 2 === 1 ? Number(digit) * 2 : Number(digit)
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return `${digits}${(10 - (sum % 10)) % 10}`
}
