/** What is to be told of an order on paper, and the order of a supply's orders: pick list, labels and packing have the same. */
import * as Groups from "../domain/Groups.js"
import type { OrderId } from "../domain/Ids.js"
import * as TextOrder from "../domain/TextOrder.js"

/** The goods of an order; what nobody told is undefined. */
export interface Goods {
  readonly article: string | undefined
  readonly itemId: number | undefined
  readonly barcode: string | undefined
  readonly name: string | undefined
  readonly size: string | undefined
  readonly colour: string | undefined
  /** Where it lies in the seller's warehouse. */
  readonly cell: string | undefined
}

export interface Line extends Goods {
  readonly orderId: OrderId
  /** Place in the stored order of the supply, from 1. */
  readonly position: number
  /** Orders of one basket share it. */
  readonly basketId: string | undefined
}

/** What orders can be sorted by. */
export const keys = ["cell", "article", "size"] as const
export type Key = (typeof keys)[number]

/** As a supply is sorted unless somebody says otherwise. */
export const usualKeys: ReadonlyArray<Key> = keys

/** Numbers within texts count as numbers, what is not known comes last, and orders of equal goods follow their ids. */
export const sorted = <A extends Goods & { readonly orderId: OrderId }>(
  lines: ReadonlyArray<A>,
  by: ReadonlyArray<Key>
): ReadonlyArray<A> => {
  const wanted = [...by, ...usualKeys.filter((key) => !by.includes(key))]
  return lines
    .map((line) => ({
      line,
      place: [...wanted.map((key) => placeOf(line, key)), line.barcode ?? ""].join("\u0000")
    }))
    .sort((a, b) => TextOrder.compare(a.place, b.place) || TextOrder.compare(a.line.orderId, b.line.orderId))
    .map(({ line }) => line)
}

const placeOf = (goods: Goods, key: Key): string => {
  const text = key === "article" ? (goods.article ?? textOf(goods.itemId)) : goods[key]
  return text === undefined ? "\uffff" : text.replace(/\d+/g, (digits) => digits.padStart(15, "0"))
}

const textOf = (id: number | undefined): string | undefined => (id === undefined ? undefined : String(id))

/** How people call the goods: the seller's article, else the marketplace's number of the item. */
export const articleOf = ({ article, itemId }: Goods): string => article ?? textOf(itemId) ?? unknown

/** The size; where nobody told it, how the barcode ends, which tells sizes apart: `…0016`. */
export const sizeOf = ({ barcode, size }: Goods): string | undefined =>
  size ?? (barcode === undefined ? undefined : `…${barcode.slice(-4)}`)

/** What stands on paper where something is not known. */
export const unknown = "—"

/** True when two orders are of the same goods from the same cell. */
export const isSame = (a: Goods, b: Goods): boolean =>
  a.cell === b.cell && a.barcode === b.barcode && a.size === b.size && articleOf(a) === articleOf(b)

export interface Group<A> {
  readonly key: string
  readonly lines: ReadonlyArray<A>
}

/** In the order in which their first lines stand. */
export const grouped = <A>(lines: ReadonlyArray<A>, key: (line: A) => string): ReadonlyArray<Group<A>> =>
  [...Groups.by(lines, key)].map(([key, lines]) => ({ key, lines }))

/** `1–3, 7`: places in as few words as say all of them. */
export const places = (positions: ReadonlyArray<number>): string => {
  const found: Array<[from: number, to: number]> = []
  for (const position of positions.toSorted((a, b) => a - b)) {
    const last = found.at(-1)
    if (last !== undefined && last[1] + 1 === position) last[1] = position
    else found.push([position, position])
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(", ")
}
