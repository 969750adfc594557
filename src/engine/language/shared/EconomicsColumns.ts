/** The columns of the economics table: what their headers are called, in English and Russian, and how their cells are read. */
import * as Days from "../../../domain/Days.js"
import type { Cell } from "../../facts/Cell.js"
import * as Cells from "../../facts/Cell.js"
import * as Suggest from "../problems/Suggest.js"

/** What a column holds. */
export type Meaning =
  | { readonly _tag: "Item" }
  | { readonly _tag: "VendorCode" }
  | { readonly _tag: "ValidFrom" }
  /** For people only. */
  | { readonly _tag: "Name" }
  /** A term of `facts/Economics`, by its word. */
  | { readonly _tag: "Term"; readonly word: string; readonly reads: Reads }

type Reads = "money" | "share" | "taxBase"

interface Known {
  readonly meaning: Meaning
  /** How the template calls it. */
  readonly title: string
  readonly names: ReadonlyArray<string>
}

const term = (word: string, reads: Reads, title: string, ...names: ReadonlyArray<string>): Known => ({
  meaning: { _tag: "Term", word, reads },
  title,
  names: [word.replaceAll("_", " "), ...names]
})

/** In the order of the template. Names as `normal` leaves them. */
export const columns: ReadonlyArray<Known> = [
  {
    meaning: { _tag: "Item" },
    title: "item",
    names: [
      "item",
      "item id",
      "nm",
      "nm id",
      "nmid",
      "id",
      "id товара",
      "номер товара",
      "номенклатура",
      "код номенклатуры"
    ]
  },
  {
    meaning: { _tag: "VendorCode" },
    title: "vendor code",
    names: [
      "vendor code",
      "vendorcode",
      "article",
      "sku",
      "артикул",
      "артикул продавца",
      "артикул поставщика"
    ]
  },
  { meaning: { _tag: "Name" }, title: "name", names: ["name", "название", "наименование", "товар"] },
  {
    meaning: { _tag: "ValidFrom" },
    title: "valid from",
    names: ["valid from", "from", "since", "date", "с", "дата", "с даты", "действует с", "дата начала"]
  },
  term(
    "unit_cost",
    "money",
    "unit cost",
    "cost",
    "cost price",
    "себестоимость",
    "закупка",
    "закупочная цена",
    "цена закупки"
  ),
  term("packaging", "money", "packaging", "packing", "упаковка"),
  term("commission", "share", "commission, %", "commission rate", "комиссия", "комиссия площадки"),
  term(
    "commission_in_promo",
    "share",
    "commission in promo, %",
    "commission in promotions",
    "promo commission",
    "комиссия в акции",
    "комиссия в акциях",
    "комиссия по акции"
  ),
  term("acquiring", "share", "acquiring, %", "эквайринг"),
  term(
    "logistics_out",
    "money",
    "logistics out",
    "logistics",
    "delivery",
    "логистика",
    "доставка",
    "логистика до покупателя",
    "прямая логистика"
  ),
  term(
    "logistics_back",
    "money",
    "logistics back",
    "return logistics",
    "логистика возврата",
    "обратная логистика"
  ),
  term("storage", "money", "storage", "хранение"),
  term("tax_rate", "share", "tax rate, %", "tax", "налог", "ставка налога", "налоговая ставка"),
  term(
    "tax_on_profit",
    "taxBase",
    "tax base",
    "tax base",
    "налоговая база",
    "база налога",
    "налог с",
    "объект налога"
  ),
  term("extra", "money", "extra", "other", "other costs", "прочее", "прочие расходы", "прочие затраты"),
  term(
    "price_floor",
    "money",
    "price floor",
    "min price",
    "minimum price",
    "минимальная цена",
    "мин цена",
    "цена минимальная",
    "порог цены",
    "цена не ниже"
  ),
  term(
    "stated_buyout_share",
    "share",
    "buyout, %",
    "buyout",
    "buyout share",
    "выкуп",
    "доля выкупа",
    "процент выкупа"
  )
]

export interface Header {
  readonly meaning: Meaning
  /** Whether bare numbers of the column are percent: its name says so. */
  readonly isPercent: boolean
}

/** What a header means; undefined for a column that the program does not know. */
export const headerOf = (text: string): Header | undefined => {
  const isPercent = /%|процент|percent/i.test(text)
  const name = normal(text.replace(units, " "))
  const meaning = named(name)
  if (isPercent && meaning?._tag === "Term" && meaning.reads !== "share") return undefined
  if (meaning !== undefined) return { meaning, isPercent }
  // The marketplace's own number is often called the article with the marketplace's short name behind it.
  return /^артикул [a-z]{2,3}$/.test(name) ? { meaning: { _tag: "Item" }, isPercent } : undefined
}

/** What a header that means nothing may be meant to say, and why it is not read. */
export interface Doubt {
  readonly meant: Known
  readonly why: "otherUnit" | "otherAlphabet"
}

/**
 * What a header which means nothing begins with: `себестоимость, коп`, `Минимальная цена, тг`, `price floor (USD)`; or what it is but for
 * letters of another alphabet that look alike.
 */
export const doubtOf = (text: string): Doubt | undefined => {
  const name = Suggest.lookAlike(normal(text))
  const alike = columns.find(({ names }) => names.some((one) => Suggest.lookAlike(one) === name))
  if (alike !== undefined && !alike.names.includes(normal(text)))
    return { meant: alike, why: "otherAlphabet" }
  const bare = Suggest.lookAlike(normal(text.replace(parentheses, " ").replace(otherUnits, " ")))
  const [longest] = columns
    .flatMap((meant) =>
      [...meant.names, ...(ambiguous[meant.title] ?? [])].map((start) => ({ meant, start }))
    )
    .filter(({ meant, start }) => isTelling(meant, start) && beginsWith(bare, Suggest.lookAlike(start)))
    .sort((one, other) => other.start.length - one.start.length)
  return longest === undefined ? undefined : { meant: longest.meant, why: "otherUnit" }
}

/** Words that may mean a column, by its title, or another: a return in roubles, or the share of orders that come back. */
const ambiguous: Readonly<Record<string, ReadonlyArray<string>>> = {
  "logistics back": ["возврат", "возвраты", "return", "returns"]
}

/** Words that hardly begin the name of anything else: `дата` begins many. */
const isTelling = ({ meaning }: Known, start: string): boolean =>
  meaning._tag === "Term" ||
  (meaning._tag === "ValidFrom" && (start === "valid from" || start === "действует с"))

const beginsWith = (name: string, start: string): boolean =>
  name.startsWith(start) && !/^[\p{L}\p{N}]/u.test(name.slice(start.length))

const named = (name: string): Meaning | undefined =>
  columns.find(({ names }) => names.includes(name))?.meaning

/** Units that are read: other words in parentheses may be another one, or say that the column is something else. */
const units = /\(\s*(?:[₽%]|руб|р|rub|percent|процент)\.?(?:\s*\/\s*(?:шт|pcs)\.?)?\s*\)/giu
const parentheses = /\(.*?\)/g
const otherUnits = /(?<!\p{L})(?:тыс|коп|долл|евро|usd|eur|cny|kzt|byn)(?!\p{L})|[$€¥]/giu

/** Whether a text is nothing but a unit: the one that such a column is read in, or another. */
export const unitOf = (text: string, reads: Reads): "own" | "other" | undefined => {
  const bare = text.replace(/[()\s.,/]+/g, " ").trim()
  const isMoney = /^(?:₽|руб|рублей|р|rub)(?: (?:шт|ед|pcs))?$/iu.test(bare)
  if (isMoney || /^(?:%|percent|процент)(?: (?:шт|ед|pcs))?$/iu.test(bare))
    return isMoney === (reads === "money") ? "own" : "other"
  return bare !== "" &&
    bare
      .replace(otherUnits, " ")
      .replace(/(?<!\p{L})(?:руб|р|шт|ед|pcs)(?!\p{L})/giu, "")
      .trim() === ""
    ? "other"
    : undefined
}

/** Whether a text of any words speaks of money, thousands or percent. */
export const speaksOfUnits = (text: string): boolean =>
  /[%₽$€¥]|(?<!\p{L})(?:тыс|коп|руб|р|rub|долл|евро|usd|eur|cny|kzt|byn)(?!\p{L})|(?<!\p{L})(?:тысяч|копе|рубл|доллар|процент|percent|юан|тенге)/iu.test(
    text
  )

/** Without case, units and signs between words: `Комиссия, %` is `комиссия`. */
const normal = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("ё", "е")
    .replace(/[₽%]|\b(rub|percent)\b|(^|[\s,])(руб|р)(?=[\s.,]|$)\.?/g, " ")
    .replace(/[\s_.,:;/\\-]+/g, " ")
    .trim()

/** A cell's value, nothing where it is empty, or what is wanted instead of it. */
export type Read =
  | { readonly _tag: "Value"; readonly cell: Cell }
  | { readonly _tag: "Wrong"; readonly wanted: string }

const wrong = (wanted: string): Read => ({ _tag: "Wrong", wanted })
const value = (of: number | boolean): Read => ({ _tag: "Value", cell: Cells.known(of) })

/** Of a cell that is not empty. Costs are rounded up to whole kopecks. `isNumber` of a workbook's cell that no person typed as text. */
export const readTerm = (
  text: string,
  word: string,
  reads: Reads,
  isPercent: boolean,
  isNumber = false
): Read => {
  switch (reads) {
    case "money": {
      const plain = hundredths(text)
      if (plain !== undefined) return value(plain)
      const amount = text.replace(roubles, "")
      const digits = isNumber || !mayBeThousands(amount) ? digitsOf(amount, isNumber) : undefined
      if (digits === undefined)
        return wrong(`an amount of money, such as 120.50 or 120,50${hintOf(text, amount)}`)
      const kopecks = scaled(digits, 2)
      return kopecks.above > mostKopecks ? wrong("an amount below ten billion") : value(kopecks.above)
    }
    case "share": {
      const hasSign = text.endsWith("%")
      const digits = digitsOf(hasSign ? text.slice(0, -1) : text)
      if (digits === undefined) return wrong("a percentage, such as 12.5%")
      const { above, isExact } = scaled(digits, 4)
      if (!hasSign && above > 0 && above < leastBare(word))
        return wrong(`a percentage for sure: write ${above / 100}% or ${text}%`)
      if (!hasSign && !isPercent)
        return wrong(`a percentage: write ${text}%, or put % into the column's name`)
      if (!isExact) return wrong("a percentage with at most four digits after the point")
      if (above > 1_000_000) return wrong("a share of at most 100%")
      if (above === 0 && word === "stated_buyout_share") return wrong("a share above 0%")
      return value(above / 1_000_000)
    }
    case "taxBase": {
      const name = normal(text.replace(parentheses, " "))
      if (/^(revenue|income|turnover|доход|доходы|выручка|оборот)$/.test(name)) return value(false)
      if (/^(profit|income minus expenses|прибыль|доходы? минус расходы?|доходы? расходы?)$/.test(name))
        return value(true)
      return wrong("revenue or profit")
    }
  }
}

/** Behind an amount: the sign that stands for the account's currency in rules too. */
export const roubles = /(?:₽|руб(?:\.|лей|ля|ль)?|р\.?|rub)(?:\s*\/\s*(?:шт|ед|pcs)\.?)?$/iu
const hasUnit = /[\p{Sc}%‰]|\d\s+["\p{L}]/u

/**
 * Below it a number without its sign is a fraction in all likelihood, in ten-thousandths of a percent: a commission of 0.17 is 17%. What
 * taking a payment costs may be less than one percent.
 */
const leastBare = (word: string): number => (word === "acquiring" ? 1000 : 10_000)

const hintOf = (text: string, amount: string): string =>
  mayBeThousands(amount)
    ? ", and may be thousands"
    : hasUnit.test(text)
      ? ", without another currency or unit"
      : ""

const mostKopecks = 1_000_000_000_000

/** Hundredths of a number as most cells hold it, `120`, `120.5` or `120,50`; undefined of any other text. */
export const hundredths = (text: string): number | undefined => {
  if (text.length > mostPlain) return undefined
  let digits = 0
  let mark = text.length
  for (let at = 0; at < text.length; at++) {
    const sign = text.charCodeAt(at)
    if (sign >= zero && sign <= nine) digits = digits * 10 + sign - zero
    else if ((sign === point || sign === comma) && at > 0 && mark === text.length) mark = at
    else return undefined
  }
  switch (text.length - mark) {
    case 0:
      return text === "" ? undefined : digits * 100
    case 2:
      return digits * 10
    case 3:
      return digits
    default:
      return undefined
  }
}
const mostPlain = 10
const [zero, nine, point, comma] = [0x30, 0x39, 0x2e, 0x2c]

/** Digits with a point, of a number above or equal to zero that may have spaces between the thousands. */
const digitsOf = (text: string, isNumber = false): string | undefined => {
  const joined = ungrouped(text.trim())
  if (!isNumber && joined.includes(",") && mayBeThousands(joined)) return undefined
  return /^\d{1,12}([.,]\d{1,10})?$/.test(joined) ? joined.replace(",", ".") : undefined
}

/** `12,500` may mean twelve and a half or twelve thousand, and `4.000` four or four thousand. */
export const mayBeThousands = (text: string): boolean => /^[1-9]\d{0,2}[.,]\d{3}$/.test(text.trim())

/** Whether a text begins like no number, and so is no value of most columns. */
export const isWord = (text: string): boolean => /^\p{L}{2,}/u.test(text)

/** A number without the spaces or apostrophes between its thousands. */
export const ungrouped = (text: string): string =>
  /^\d{1,3}(?:[ \u00a0\u202f\u2009'’]\d{3})+(?!\d)/.test(text)
    ? text.replace(/[ \u00a0\u202f\u2009'’]/g, "")
    : text

/** A decimal in units of 10^-places: the whole number that is not below it, and whether it is the same. */
const scaled = (digits: string, places: number): { readonly above: number; readonly isExact: boolean } => {
  const [units = "", fraction = ""] = digits.split(".")
  const kept = fraction.slice(0, places).padEnd(places, "0")
  const isExact = /^0*$/.test(fraction.slice(places))
  return { above: Number(`${units}${kept}`) + (isExact ? 0 : 1), isExact }
}

/** A day as `2026-12-01` or `01.12.2026`; a workbook may show the midnight that it begins with. */
export const readDay = (text: string): Days.Day | undefined => {
  const day = text.replace(/ 0?0:00(:00)?$/, "")
  const turned = /^(\d{1,2})\.(\d{1,2})\.(\d{4})$/.exec(day)
  const iso =
    turned === null ? day : `${turned[3]}-${turned[2]!.padStart(2, "0")}-${turned[1]!.padStart(2, "0")}`
  return Days.parse(iso)
}
