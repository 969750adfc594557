/**
 * One PDF being made. Nothing of the machine or the moment is in it: the same pages make the same bytes. Lengths are
 * millimetres from the upper left corner, sizes of letters are points.
 */
import {
  concatTransformationMatrix,
  drawObject,
  PDFDocument,
  type PDFFont,
  PDFHexString,
  type PDFPage,
  type PDFRef,
  popGraphicsState,
  pushGraphicsState,
  rgb
} from "@cantoo/pdf-lib"
import * as fontkit from "fontkit"
import type { Squares } from "./Mark.js"
import type { Picture } from "./Picture.js"

/** Files of the letters, TrueType. */
export interface Fonts {
  readonly regular: Uint8Array
  readonly bold: Uint8Array
}

/** Width by height. */
export interface Millimetres {
  readonly width: number
  readonly height: number
}

export const a4: Millimetres = { width: 210, height: 297 }

export interface Letters {
  readonly size: number
  readonly bold?: boolean
}

const pointsPerMm = 72 / 25.4
/** Dots of the label printers in use. */
const dotMm = 25.4 / 203

export class Paper {
  /** Of single letters at one point. */
  private readonly widths = { regular: new Map<string, number>(), bold: new Map<string, number>() }

  private constructor(
    private readonly document: PDFDocument,
    private readonly fonts: { readonly regular: PDFFont; readonly bold: PDFFont },
    private readonly known: ReadonlySet<number>
  ) {}

  static async open(fonts: Fonts, title: string): Promise<Paper> {
    const document = await PDFDocument.create({ updateMetadata: false })
    document.registerFontkit({ create: (bytes) => fontkit.create(Buffer.from(bytes)) })
    document.setTitle(title)
    document.setProducer("bidhelm")
    const regular = await document.embedFont(fonts.regular, { subset: true })
    const bold = await document.embedFont(fonts.bold, { subset: true })
    return new Paper(document, { regular, bold }, new Set(regular.getCharacterSet()))
  }

  page({ height, width }: Millimetres): Sheet {
    const page = this.document.addPage([width * pointsPerMm, height * pointsPerMm])
    return new Sheet(page, this, height)
  }

  /** A page that the picture fills. */
  async picturePage(picture: Picture, size: Millimetres): Promise<void> {
    const page = this.document.addPage([size.width * pointsPerMm, size.height * pointsPerMm])
    const name = page.node.newXObject("Image", await this.picture(picture))
    page.pushOperators(
      pushGraphicsState(),
      concatTransformationMatrix(size.width * pointsPerMm, 0, 0, size.height * pointsPerMm, 0, 0),
      drawObject(name),
      popGraphicsState()
    )
  }

  /** All pages of another PDF. */
  async pagesOf(file: Uint8Array): Promise<void> {
    const other = await PDFDocument.load(file, { updateMetadata: false })
    for (const page of await this.document.copyPages(other, other.getPageIndices()))
      this.document.addPage(page)
  }

  bytes(): Promise<Uint8Array> {
    return this.document.save()
  }

  /** What can be set of a text: line breaks and what steers them are spaces, a sign without a letter is a question mark. */
  settable(text: string): string {
    const flat = text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, " ").trim()
    return [...flat].map((sign) => (this.known.has(sign.codePointAt(0) ?? 0) ? sign : "?")).join("")
  }

  font({ bold }: Letters): PDFFont {
    return bold === true ? this.fonts.bold : this.fonts.regular
  }

  /** Width of a settable text: its letters side by side, as they are set. */
  widthOf(text: string, letters: Letters): number {
    const widths = letters.bold === true ? this.widths.bold : this.widths.regular
    let sum = 0
    for (const sign of text) {
      const known = widths.get(sign) ?? this.font(letters).widthOfTextAtSize(sign, 1)
      widths.set(sign, known)
      sum += known
    }
    return (sum * letters.size) / pointsPerMm
  }

  /** Lines that fit into the width, at most so many; the last ends with an ellipsis when something was left out. */
  lines(text: string, letters: Letters, width: number, most: number): ReadonlyArray<string> {
    const fits = (line: string) => this.widthOf(line, letters) <= width
    const found: Array<string> = []
    let rest = this.settable(text)
    while (rest !== "") {
      const head = fitting(rest, fits)
      if (head === rest || found.length + 1 < most) found.push(head)
      else found.push(`${fitting(rest, (line) => fits(`${line}…`), false)}…`)
      if (found.length === most) break
      rest = rest.slice(head.length).trim()
    }
    return found
  }

  /** A drawing whose unit is one square. */
  squares(squares: Squares): PDFRef {
    const { context } = this.document
    const [rows, columns] = [squares.length, squares[0]?.length ?? 0]
    const dark = squares.flatMap((row, y) =>
      runs(row).map(([from, length]) => `${from} ${rows - 1 - y} ${length} 1 re`)
    )
    return context.register(
      context.flateStream(`0 g\n${dark.join("\n")}\nf`, {
        Type: "XObject",
        Subtype: "Form",
        BBox: [0, 0, columns, rows]
      })
    )
  }

  private async picture({ file, height, rows, width }: Picture): Promise<PDFRef> {
    if (rows === undefined) return (await this.document.embedPng(file)).ref
    const { context } = this.document
    const { bitsPerSample, deflated, palette, samples } = rows
    const colours =
      palette === undefined
        ? samples === 1
          ? "DeviceGray"
          : "DeviceRGB"
        : [
            "Indexed",
            "DeviceRGB",
            palette.length / 3 - 1,
            PDFHexString.of(Buffer.from(palette).toString("hex"))
          ]
    return context.register(
      context.stream(deflated, {
        Type: "XObject",
        Subtype: "Image",
        Width: width,
        Height: height,
        ColorSpace: colours,
        BitsPerComponent: bitsPerSample,
        Filter: "FlateDecode",
        // Rows of a PNG say by themselves how they are filtered.
        DecodeParms: { Predictor: 15, Colors: samples, BitsPerComponent: bitsPerSample, Columns: width }
      })
    )
  }
}

/** A page that is drawn on. */
export class Sheet {
  constructor(
    private readonly page: PDFPage,
    private readonly paper: Paper,
    private readonly height: number
  ) {}

  /** One line; `y` is where its letters stand. */
  text(text: string, x: number, y: number, letters: Letters): void {
    const settable = this.paper.settable(text)
    if (settable === "") return
    this.page.drawText(settable, {
      x: x * pointsPerMm,
      y: (this.height - y) * pointsPerMm,
      size: letters.size,
      font: this.paper.font(letters)
    })
  }

  /** Ends at `right`. */
  textTo(text: string, right: number, y: number, letters: Letters): void {
    this.text(text, right - this.paper.widthOf(this.paper.settable(text), letters), y, letters)
  }

  line(x: number, y: number, width: number): void {
    const at = (this.height - y) * pointsPerMm
    this.page.drawLine({
      start: { x: x * pointsPerMm, y: at },
      end: { x: (x + width) * pointsPerMm, y: at },
      thickness: 0.4
    })
  }

  box(x: number, y: number, side: number): void {
    this.page.drawRectangle({
      x: x * pointsPerMm,
      y: (this.height - y - side) * pointsPerMm,
      width: side * pointsPerMm,
      height: side * pointsPerMm,
      borderWidth: 0.8,
      borderColor: rgb(0, 0, 0)
    })
  }

  /** Squares of whole printer's dots, as large as fit into `most`, ending at `right` and `bottom`. */
  squares(squares: Squares, right: number, bottom: number, most: number): void {
    const [rows, columns] = [squares.length, squares[0]?.length ?? 0]
    const module = Math.max(1, Math.floor(most / Math.max(rows, columns) / dotMm)) * dotMm * pointsPerMm
    const name = this.page.node.newXObject("Mark", this.paper.squares(squares))
    this.page.pushOperators(
      pushGraphicsState(),
      concatTransformationMatrix(
        module,
        0,
        0,
        module,
        right * pointsPerMm - module * columns,
        (this.height - bottom) * pointsPerMm
      ),
      drawObject(name),
      popGraphicsState()
    )
  }
}

/** Stretches of dark squares as `[from, length]`. */
const runs = (row: ReadonlyArray<boolean>): ReadonlyArray<readonly [number, number]> => {
  const found: Array<readonly [number, number]> = []
  for (let x = 0; x < row.length; x++) {
    const from = x
    while (row[x] === true) x++
    if (x > from) found.push([from, x - from])
  }
  return found
}

/** The longest beginning that fits, to the end of a word where there is one. */
const fitting = (text: string, fits: (line: string) => boolean, atWords = true): string => {
  if (fits(text)) return text
  const signs = [...text]
  let count = signs.length - 1
  while (count > 1 && !fits(signs.slice(0, count).join(""))) count--
  const head = signs.slice(0, count).join("")
  const space = head.lastIndexOf(" ")
  return atWords && space > 0 ? head.slice(0, space) : head.trimEnd()
}
