/** What a picker walks with, and what a packer packs by: rows of a supply's orders as tables. */
import type { OrderId } from "../domain/Ids.js"
import * as Line from "./Line.js"
import type { Row, Table } from "./Table.js"

/** Goods to fetch from one place: how many, and for which labels of the supply. */
export interface Pick extends Line.Goods {
  readonly count: number
  readonly positions: ReadonlyArray<number>
}

export interface Total {
  readonly article: string
  readonly count: number
}

/** An order that is in the supply still, and was cancelled: nobody picks or packs it. */
export interface LeftOut {
  readonly orderId: OrderId
  readonly position: number
  /** As the marketplace spells it. */
  readonly status: string
}

/** Each goods of each cell once, by the key that is asked for, and what it is of each article. */
export const picks = (
  lines: ReadonlyArray<Line.Line>,
  by: Line.Key
): { readonly picks: ReadonlyArray<Pick>; readonly totals: ReadonlyArray<Total> } => {
  const inOrder = Line.sorted(lines, [by])
  const same = Line.grouped(inOrder, (line) =>
    JSON.stringify([line.cell, Line.articleOf(line), line.size, line.barcode])
  )
  return {
    picks: same.flatMap(({ lines }) => {
      const [first] = lines
      if (first === undefined) return []
      const { article, barcode, cell, colour, itemId, name, size } = first
      const positions = lines.map(({ position }) => position)
      return [{ article, barcode, cell, colour, itemId, name, size, count: lines.length, positions }]
    }),
    totals: Line.grouped(Line.sorted(lines, ["article"]), Line.articleOf).map(({ key, lines }) => ({
      article: key,
      count: lines.length
    }))
  }
}

/** `title` names the supply. */
export const pickTable = (
  title: string,
  lines: ReadonlyArray<Line.Line>,
  by: Line.Key,
  leftOut: ReadonlyArray<LeftOut> = []
): Table => {
  const found = picks(lines, by)
  return {
    title: `Лист подбора. ${title}`,
    columns: [
      { title: "Ячейка", share: 14 },
      { title: "Артикул", share: 24 },
      { title: "Название", share: 34 },
      { title: "Размер", share: 12 },
      { title: "Цвет", share: 18 },
      { title: "Шт.", share: 8, right: true },
      { title: "Этикетки", share: 18 }
    ],
    rows: [
      ...found.picks.map(
        (pick): Row => ({
          _tag: "row",
          cells: [...goods(pick), String(pick.count), Line.places(pick.positions)]
        })
      ),
      { _tag: "heading", text: "Итого по артикулам" },
      ...found.totals.map(({ article, count }): Row => ({ _tag: "sum", text: article, count })),
      { _tag: "sum", text: "Всего", count: lines.length },
      ...leftOutRows(leftOut)
    ]
  }
}

/** Whoever counts the parcels has to know which numbers are missing. */
const leftOutRows = (leftOut: ReadonlyArray<LeftOut>): ReadonlyArray<Row> =>
  leftOut.length === 0
    ? []
    : [
        { _tag: "heading", text: `Отменены, не собирать: ${leftOut.length} шт.` },
        ...leftOut.map(
          ({ orderId, position, status }): Row => ({
            _tag: "sum",
            text: `№ ${position}, заказ ${orderId}: ${status}`,
            count: 1
          })
        )
      ]

const goods = (line: Line.Goods): ReadonlyArray<string> => [
  line.cell ?? Line.unknown,
  Line.articleOf(line),
  line.name ?? Line.unknown,
  Line.sizeOf(line) ?? Line.unknown,
  line.colour ?? Line.unknown
]

export type PackBy = "article" | "basket"

export interface Pack {
  /** The article, or the basket's id; undefined for orders that are alone in their basket. */
  readonly key: string | undefined
  readonly lines: ReadonlyArray<Line.Line>
}

/** Each order once: under its article, or with the others of its basket, those that are alone at the end. */
export const packs = (lines: ReadonlyArray<Line.Line>, by: PackBy): ReadonlyArray<Pack> => {
  const inPlace = lines.toSorted((a, b) => a.position - b.position)
  if (by === "article") return Line.grouped(inPlace, Line.articleOf)
  const baskets = Line.grouped(inPlace, ({ basketId, orderId }) => basketId ?? `order ${orderId}`)
  const shared = baskets.filter(({ lines }) => lines.length > 1)
  const alone = baskets.filter(({ lines }) => lines.length === 1).flatMap(({ lines }) => lines)
  return alone.length === 0
    ? shared
    : [...shared, { key: undefined, lines: alone.toSorted((a, b) => a.position - b.position) }]
}

export const packTable = (
  title: string,
  lines: ReadonlyArray<Line.Line>,
  by: PackBy,
  leftOut: ReadonlyArray<LeftOut> = []
): Table => ({
  title: `Лист упаковки. ${title}`,
  columns: [
    { title: "№", share: 7, right: true },
    { title: "Заказ", share: 18 },
    { title: "Ячейка", share: 12 },
    { title: "Артикул", share: 22 },
    { title: "Название", share: 34 },
    { title: "Размер", share: 11 },
    { title: "Цвет", share: 13 }
  ],
  rows: [
    ...packs(lines, by).flatMap(
      ({ key, lines }): ReadonlyArray<Row> => [
        { _tag: "heading", text: `${headingOf(by, key)}: ${lines.length} шт.` },
        ...lines.map(
          (line): Row => ({
            _tag: "row",
            cells: [String(line.position), String(line.orderId), ...goods(line)]
          })
        )
      ]
    ),
    { _tag: "sum", text: "Всего", count: lines.length },
    ...leftOutRows(leftOut)
  ]
})

const headingOf = (by: PackBy, key: string | undefined): string => {
  if (key === undefined) return "По одному в корзине"
  return by === "article" ? key : `Корзина ${key}`
}
