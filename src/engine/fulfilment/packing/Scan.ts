/** What a scan at the packing table is: a sticker, goods, or a mark; a scanner only sends signs. */
import type { OrderId } from "../../../domain/Ids.js"
import { type Mark, type MarkKind, separator } from "../marks/Mark.js"
import type { MarkProblem } from "../marks/MarkProblem.js"
import * as ReadMark from "../marks/ReadMark.js"

export type Scan =
  | { readonly _tag: "Sticker"; readonly orderId: OrderId }
  /** A short form of stickers that several orders have. */
  | { readonly _tag: "Ambiguous"; readonly orders: ReadonlyArray<OrderId> }
  /** The sticker of an order in another supply. */
  | { readonly _tag: "Stranger"; readonly orderId: OrderId }
  | { readonly _tag: "Goods"; readonly code: string }
  | { readonly _tag: "Mark"; readonly mark: Mark }
  /** It can only be a mark, and something is wrong with it. */
  | { readonly _tag: "SpoiltMark"; readonly kind: MarkKind; readonly problem: MarkProblem }
  | { readonly _tag: "Unknown" }

/** What is known of codes. */
interface Known {
  readonly orders: ReadonlyArray<{
    readonly orderId: OrderId
    readonly barcodes: ReadonlyArray<string>
    readonly stickers: ReadonlyArray<string>
  }>
  readonly strangers: ReadonlyMap<string, OrderId>
}

/** `asked` are the kinds of marks that the order in hand still needs: only their digits are taken for a mark. */
export const of = (known: Known, given: string, asked: ReadonlyArray<MarkKind>, nowMs: number): Scan => {
  const text = given.trim()
  const [sticker, ...others] = known.orders.filter(({ stickers }) => stickers.includes(text))
  if (sticker !== undefined)
    return others.length === 0
      ? { _tag: "Sticker", orderId: sticker.orderId }
      : { _tag: "Ambiguous", orders: [sticker, ...others].map(({ orderId }) => orderId) }
  if (known.orders.some(({ barcodes }) => isOfGoods(barcodes, text))) return { _tag: "Goods", code: text }
  const stranger = known.strangers.get(text)
  if (stranger !== undefined) return { _tag: "Stranger", orderId: stranger }
  const code = ReadMark.read("sgtin", text, nowMs)
  if (code._tag === "Mark") return { _tag: "Mark", mark: code.mark }
  // Before the others: without its separators it would do for a declaration.
  if (looksLikeCode.test(text)) return { _tag: "SpoiltMark", kind: "sgtin", problem: code.problem }
  for (const kind of asked) {
    const mark = ReadMark.read(kind, kind === "gtin" ? asGtin(text) : text, nowMs)
    if (mark._tag === "Mark") return { _tag: "Mark", mark: mark.mark }
  }
  const like = asked.find((kind) => likes[kind]?.test(text) === true)
  if (like === undefined) return { _tag: "Unknown" }
  const spoilt = ReadMark.read(like, text, nowMs)
  return spoilt._tag === "Wrong"
    ? { _tag: "SpoiltMark", kind: like, problem: spoilt.problem }
    : { _tag: "Mark", mark: spoilt.mark }
}

/** The twelve digits of a UPC are a GTIN with a zero before them; of fourteen, as some scanners say it, the first is a zero too. */
export const asGtin = (text: string): string =>
  /^\d{12}$/.test(text) ? `0${text}` : /^0\d{13}$/.test(text) ? text.slice(1) : text

/** Whether goods of these barcodes were scanned. */
export const isOfGoods = (barcodes: ReadonlyArray<string>, text: string): boolean =>
  barcodes.some((barcode) => asGtin(barcode) === asGtin(text))

/** Goods and serial of a marking code, whatever else was lost; on the Russian layout digits stay digits. */
const looksLikeCode = new RegExp(`^(?:\\]\\S\\d)?${separator}?\\(?01\\)?\\d{14}\\(?21`, "u")

/** Digits of a length, or nearly; a slash is of none. */
const nearly = (length: number): RegExp => new RegExp(`^(?=.{${length}}$)\\d*(?:[^\\d/]\\d*){0,2}$`, "u")

/** What a kind looks like where it is not right: a day in whatever spelling, a declaration by its first slash. */
const likes: Readonly<Partial<Record<MarkKind, RegExp>>> = {
  imei: nearly(15),
  uin: nearly(16),
  gtin: new RegExp(`${nearly(13).source}|${nearly(14).source}`, "u"),
  expiration: /^(?:\d{1,4}\D\d{1,2}\D\d{1,4}|\d{6}|\d{8})$/u,
  customsDeclaration: /^\d{2,}\s*\//u
}
