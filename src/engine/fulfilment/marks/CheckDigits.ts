/** Last digits that follow from the others: of goods' numbers (GS1) and of devices (Luhn). Texts of digits only. */

/** Whether the last digit of a GTIN of any length fits: weights 3 and 1 from the right. */
export const gtin = (digits: string): boolean =>
  sum(digits, (digit, fromRight) => (fromRight % 2 === 1 ? digit * 3 : digit))

/** Whether the last digit of an IMEI fits: every second digit counts double, its own digits added. */
export const luhn = (digits: string): boolean =>
  sum(digits, (digit, fromRight) => (fromRight % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)))

const sum = (digits: string, weighed: (digit: number, fromRight: number) => number): boolean =>
  [...digits].reduce((total, digit, at) => total + weighed(Number(digit), digits.length - 1 - at), 0) % 10 ===
  0
