/**
 * Labels of a supply as one PDF: for each order the marketplace's sticker, and a page of ours that tells a packer what is
 * to be in the parcel. Pages follow the order that is handed in.
 */
import { PDFDocument } from "@cantoo/pdf-lib"
import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Line from "./Line.js"
import * as Mark from "./Mark.js"
import { type Fonts, type Letters, type Millimetres, Paper, type Sheet } from "./Paper.js"
import * as Picture from "./Picture.js"

export type Size = "58x40" | "40x30"

/** Paper of a size, and the pixels of the picture that comes for it (seed 000 "Stickers"). */
export const sizes: Readonly<Record<Size, Millimetres & { readonly pixels: Millimetres }>> = {
  "58x40": { width: 58, height: 40, pixels: { width: 580, height: 400 } },
  "40x30": { width: 40, height: 30, pixels: { width: 400, height: 300 } }
}

/** What the marketplace made for an order: a picture, or pages of a PDF. */
export type Sticker =
  | { readonly _tag: "picture"; readonly picture: Picture.Picture }
  | { readonly _tag: "pages"; readonly file: Uint8Array }

/** One order's labels. */
export interface Label {
  readonly line: Line.Line
  readonly sticker: Sticker
  /** Second part of the readable id of the sticker: four digits. */
  readonly digits: string | undefined
  /** Whole marking codes; printed and nowhere told. */
  readonly marks: ReadonlyArray<string>
}

/** What a page of ours may say, beside number, cell and the last four digits, which it always does. */
export const pageFields = ["article", "name", "size", "colour", "order", "mark"] as const
type PageField = (typeof pageFields)[number]

export interface Wanted {
  readonly size: Size
  /** What our page behind each sticker says; without it there is none. */
  readonly ownPage: ReadonlyArray<PageField> | undefined
  /** A page between goods that differ. */
  readonly separators: boolean
  /** Orders of the whole supply, for `7/300`. */
  readonly total: number
  readonly fonts: Fonts
}

/** A PDF has at most so many labels: viewers and printers choke on longer ones. */
const mostLabels = 500

/** Then whatever else runs in the process has its turn. */
const labelsATurn = 10

/** Why a sticker cannot be printed. */
export type Flaw = Picture.Flaw | "other_size" | "not_pdf"

/** A picture of exactly the pixels that the paper asks for. */
export const picture = (file: Uint8Array, size: Size): Either.Either<Sticker, Flaw> =>
  Either.flatMap(Picture.read(file), (found): Either.Either<Sticker, Flaw> => {
    const { height, width } = sizes[size].pixels
    return found.width === width && found.height === height
      ? Either.right({ _tag: "picture", picture: found })
      : Either.left("other_size")
  })

/** A PDF with a page in it. */
export const pages = async (file: Uint8Array): Promise<Either.Either<Sticker, Flaw>> => {
  try {
    const { length } = (await PDFDocument.load(file, { updateMetadata: false })).getPages()
    return length > 0 ? Either.right({ _tag: "pages", file }) : Either.left("not_pdf")
  } catch {
    return Either.left("not_pdf")
  }
}

/** Parts of at most `mostLabels`, each a PDF of its own, in the order of the labels. */
export const parts = (labels: ReadonlyArray<Label>): ReadonlyArray<ReadonlyArray<Label>> =>
  Arr.chunksOf(labels, mostLabels)

/** `labels.pdf` of the only part, `labels-1of2.pdf` of the first of two; nothing but the name differs. */
export const fileOf = (path: string, part: number, parts: number): string =>
  parts === 1 ? path : path.replace(/(\.[^./\\]*)?$/, `-${part}of${parts}$1`)

/** The PDF of one part; `title` is what a viewer shows above it. */
export const make = async (
  labels: ReadonlyArray<Label>,
  wanted: Wanted,
  title: string
): Promise<Uint8Array> => {
  const paper = await Paper.open(wanted.fonts, title)
  const size = sizes[wanted.size]
  for (const [i, label] of labels.entries()) {
    const before = labels[i - 1]
    if (wanted.separators && (before === undefined || !Line.isSame(before.line, label.line)))
      separator(paper, size, following(labels, i))
    if (label.sticker._tag === "picture") await paper.picturePage(label.sticker.picture, size)
    else await paper.pagesOf(label.sticker.file)
    if (wanted.ownPage !== undefined) ownPages(paper, size, label, wanted.total, wanted.ownPage)
    if (i % labelsATurn === labelsATurn - 1) await new Promise((resolve) => setImmediate(resolve))
  }
  return paper.bytes()
}

/** Labels from a place on that are of the same goods. */
const following = (labels: ReadonlyArray<Label>, from: number): ReadonlyArray<Label> => {
  const rest = labels.slice(from)
  const end = rest.findIndex((label) => !Line.isSame(label.line, rest[0]!.line))
  return end === -1 ? rest : rest.slice(0, end)
}

/** Letters of a page of 58 mm by 40 mm, smaller on the smaller one. */
const lettersOf = ({ width }: Millimetres) => {
  const scale = width / 58
  const letters = (size: number, bold = false): Letters => ({ size: size * scale, bold })
  return { scale, letters }
}

/** As many pages as the order has marks that are to be shown, and one where it has none. */
const ownPages = (
  paper: Paper,
  size: Millimetres,
  whole: Label,
  total: number,
  fields: ReadonlyArray<PageField>
): void => {
  const label = only(whole, fields)
  const { marks } = label
  if (marks.length === 0) ownPage(paper, size, label, total, undefined)
  for (const [i, mark] of marks.entries())
    ownPage(paper, size, label, total, {
      squares: Mark.squares(mark),
      words: marks.length > 1 ? `код ${i + 1}/${marks.length}` : ""
    })
}

type Shown = Label & { readonly isNamed: boolean; readonly isNumbered: boolean }

/** A label without what its page is not to say. */
const only = (label: Label, fields: ReadonlyArray<PageField>): Shown => {
  const has = (field: PageField) => fields.includes(field)
  const { line, marks } = label
  return {
    ...label,
    isNamed: has("article"),
    isNumbered: has("order"),
    marks: has("mark") ? marks : [],
    line: {
      ...line,
      name: has("name") ? line.name : undefined,
      size: has("size") ? Line.sizeOf(line) : undefined,
      colour: has("colour") ? line.colour : undefined
    }
  }
}

const ownPage = (
  paper: Paper,
  size: Millimetres,
  { digits, isNamed, isNumbered, line }: Shown,
  total: number,
  mark: { readonly squares: Mark.Squares; readonly words: string } | undefined
): void => {
  const { letters, scale } = lettersOf(size)
  const sheet = paper.page(size)
  const [margin, right] = [2 * scale, size.width - 2 * scale]
  const beside = mark === undefined ? right - margin : size.width - 24 * scale
  sheet.text(`${line.position}/${total}`, margin, 4.5 * scale, letters(9, true))
  if (isNumbered) sheet.textTo(`заказ ${line.orderId}`, right, 4.5 * scale, letters(7))
  const say = downward(paper, sheet, margin, 4.5 * scale)
  if (isNamed) say(Line.articleOf(line), letters(11, true), 5 * scale, right - margin)
  say(line.name, letters(7), 3.2 * scale, right - margin, 2)
  for (const [word, value] of [
    ["размер", line.size],
    ["цвет", line.colour],
    ["ячейка", line.cell]
  ] as const)
    if (value !== undefined) say(`${word} ${value}`, letters(8, true), 3.6 * scale, beside)
  sheet.text(digits ?? "", margin, size.height - 2.5 * scale, letters(26, true))
  if (mark === undefined) return
  sheet.squares(mark.squares, right, size.height - 2 * scale, 19 * scale)
  sheet.text(mark.words, margin, size.height - 12.5 * scale, letters(7))
}

/** Before goods that differ from the ones before: what comes, and how many. */
const separator = (paper: Paper, size: Millimetres, labels: ReadonlyArray<Label>): void => {
  const [first] = labels
  if (first === undefined) return
  const { letters, scale } = lettersOf(size)
  const sheet = paper.page(size)
  const [margin, width] = [2 * scale, size.width - 4 * scale]
  const say = downward(paper, sheet, margin, 2 * scale)
  if (first.line.cell !== undefined) say(`ячейка ${first.line.cell}`, letters(12, true), 5.6 * scale, width)
  say(Line.articleOf(first.line), letters(12, true), 5.6 * scale, width)
  const goodsSize = Line.sizeOf(first.line)
  if (goodsSize !== undefined) say(`размер ${goodsSize}`, letters(10), 5 * scale, width)
  say(first.line.name, letters(7), 3.4 * scale, width, 2)
  sheet.text(`${labels.length} шт.`, margin, size.height - 3 * scale, letters(20, true))
  sheet.textTo(
    `№ ${Line.places(labels.map(({ line }) => line.position))}`,
    size.width - margin,
    size.height - 3 * scale,
    letters(8)
  )
}

/** Writes lines one below the other, from under `top`; `most` lines of a text that is wider than `width`. */
const downward = (paper: Paper, sheet: Sheet, x: number, top: number) => {
  let y = top
  return (text: string | undefined, letters: Letters, step: number, width: number, most = 1): void => {
    for (const line of paper.lines(text ?? "", letters, width, most)) {
      y += step
      sheet.text(line, x, y, letters)
    }
  }
}
