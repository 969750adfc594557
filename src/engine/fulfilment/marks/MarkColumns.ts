/** What the columns of a sheet of marks are called, in English and Russian. */
import { kinds, type MarkKind } from "./Mark.js"

export type Meaning =
  | { readonly _tag: "Order" }
  | { readonly _tag: "Kind" }
  | { readonly _tag: "Value" }
  /** Values of one kind. */
  | { readonly _tag: "Mark"; readonly kind: MarkKind }

interface Known {
  readonly meaning: Meaning
  /** As documents call it. */
  readonly title: string
  readonly names: ReadonlyArray<string>
}

/** Of a kind as people write it, in a header and in a cell of the column `kind`. Names as `normal` leaves them. */
const kindNames: Readonly<Record<MarkKind, ReadonlyArray<string>>> = {
  sgtin: [
    "sgtin",
    "sgtins",
    "marking code",
    "mark code",
    "data matrix",
    "datamatrix",
    "код маркировки",
    "коды маркировки",
    "марка",
    "км",
    "киз",
    "кизы",
    "ки",
    "честный знак",
    "чз"
  ],
  uin: ["uin", "уин"],
  imei: ["imei", "imei 1", "imei1", "имей"],
  gtin: ["gtin", "gtin 13", "ean", "ean 13", "ean13", "гтин"],
  expiration: [
    "expiration",
    "expiration date",
    "expires",
    "expiry",
    "expiry date",
    "best before",
    "use by",
    "срок годности",
    "срок",
    "годен до",
    "годен"
  ],
  customsDeclaration: [
    "customs declaration",
    "customsdeclaration",
    "customs",
    "customs declaration number",
    "декларация",
    "таможенная декларация",
    "номер таможенной декларации",
    "гтд",
    "номер гтд",
    "дт",
    "номер дт",
    "тд"
  ]
}

/** In the order that documents tell them. */
export const columns: ReadonlyArray<Known> = [
  {
    meaning: { _tag: "Order" },
    title: "order",
    names: [
      "order",
      "order id",
      "orderid",
      "order number",
      "assembly order",
      "id",
      "заказ",
      "номер заказа",
      "id заказа",
      "заказ номер",
      "сборочное задание",
      "номер сборочного задания",
      "id сборочного задания",
      "задание",
      "номер задания",
      "id задания"
    ]
  },
  {
    meaning: { _tag: "Kind" },
    title: "kind",
    names: [
      "kind",
      "type",
      "key",
      "mark type",
      "вид",
      "тип",
      "вид марки",
      "тип марки",
      "тип кода",
      "тип маркировки"
    ]
  },
  {
    meaning: { _tag: "Value" },
    title: "value",
    names: ["value", "mark", "code", "значение", "код", "маркировка"]
  },
  ...kinds.map(
    (kind): Known => ({ meaning: { _tag: "Mark", kind }, title: kindNames[kind][0]!, names: kindNames[kind] })
  )
]

/** What a header means; undefined for a column of the seller's own. */
export const headerOf = (text: string): Meaning | undefined => {
  const name = normal(text)
  return columns.find(({ names }) => names.includes(name))?.meaning
}

/** The kind that a cell names; undefined for another word. */
export const kindOf = (text: string): MarkKind | undefined => {
  const name = normal(text)
  return kinds.find((kind) => kindNames[kind].includes(name))
}

/** Without case, signs between words and what stands in brackets: `№ заказа (ID)` is `номер заказа`. */
const normal = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll("ё", "е")
    .replace(/\(.*?\)/g, " ")
    .replace(/№|#/g, " номер ")
    .replace(/[\s_.,:;/\\-]+/g, " ")
    .trim()
