/** The cells of a table of own facts: text as a spreadsheet writes it → a value, or what is wrong with it. */
import * as Money from "../../../domain/Money.js"
import type { TypeName } from "../../facts/Own.js"
import * as Texts from "../../facts/Texts.js"

type Read =
  | { readonly _tag: "Value"; readonly value: number | string | boolean }
  /** An empty cell. */
  | { readonly _tag: "Nothing" }
  | { readonly _tag: "Wrong"; readonly wanted: string }

const wrong = (wanted: string): Read => ({ _tag: "Wrong", wanted })
const value = (of: number | string | boolean): Read => ({ _tag: "Value", value: of })

/** Reads a cell; `decimal` is the mark before the fraction. Money with more than two decimals is rounded to kopecks. */
export const read = (cell: string, type: TypeName, decimal: string): Read => {
  const text = cell.trim()
  // A row without a label says so.
  if (type === "labels") return value(Texts.labels(cell))
  if (text === "") return { _tag: "Nothing" }
  switch (type) {
    case "text":
      return value(text)
    case "yes_no": {
      const word = text.toLowerCase()
      if (/^(yes|true|1|да)$/.test(word)) return value(true)
      return /^(no|false|0|нет)$/.test(word) ? value(false) : wrong("yes or no")
    }
    case "money": {
      const digits = plain(text.replace(/(₽|руб\.?|р\.|RUB)$/iu, ""), decimal)
      const kopecks = digits === undefined ? undefined : Money.fromDecimal(digits)
      return kopecks?._tag === "Right" ? value(kopecks.right) : wrong(`money, such as 120${decimal}50`)
    }
    case "ratio": {
      const digits = text.endsWith("%") ? plain(text.slice(0, -1), decimal) : undefined
      return digits === undefined
        ? wrong(`a percentage, such as 12${decimal}5%`)
        : value(Number(`${digits}e-2`))
    }
    case "count": {
      const digits = plain(text, decimal)
      const isWhole = digits !== undefined && /^\d+$/.test(digits) && Number.isSafeInteger(Number(digits))
      return isWhole ? value(Number(digits)) : wrong("a whole number")
    }
    case "number": {
      const digits = plain(text, decimal)
      return digits === undefined ? wrong(`a number, such as 12${decimal}5`) : value(Number(digits))
    }
  }
}

/** Number of an item or a campaign. */
export const number = (cell: string): number | undefined => {
  const text = cell.trim()
  const number = Number(text)
  return /^\d{1,15}$/.test(text) && number > 0 ? number : undefined
}

/**
 * Digits with a point, of a number with spaces or apostrophes between the thousands. The other mark is refused: in
 * `12,500` it may mean twelve and a half or twelve thousand.
 */
const plain = (text: string, decimal: string): string | undefined => {
  const spaced = /^-?\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?!\d)/.test(text.trim())
  const bare = spaced ? text.replace(/[ \u00a0\u202f\u2009'’]/g, "") : text.trim()
  const point = bare.replace(decimal, ".")
  if (decimal === "," && bare.includes(".")) return undefined
  return /^-?\d{1,12}(\.\d{1,10})?$/.test(point) ? point : undefined
}
