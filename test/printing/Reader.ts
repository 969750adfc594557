/** A PDF as another maker's program sees it: PDFium renders it as a label printer would, zxing reads what it drew. */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { type PDFiumDocument, PDFiumLibrary } from "@hyzyla/pdfium"
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader"

const require = createRequire(import.meta.url)

let library: Promise<PDFiumLibrary> | undefined

const pdfium = (): Promise<PDFiumLibrary> => {
  library ??= PDFiumLibrary.init()
  return library
}

prepareZXingModule({
  overrides: {
    wasmBinary: new Uint8Array(readFileSync(require.resolve("zxing-wasm/reader/zxing_reader.wasm"))).buffer
  }
})

export interface Page {
  /** In points. */
  readonly width: number
  readonly height: number
  readonly text: string
  readonly codes: ReadonlyArray<Code>
}

export interface Code {
  readonly format: string
  readonly text: string
  /** How the symbol begins: `]d2` is GS1 in a DataMatrix. */
  readonly symbology: string
}

/** Dots per inch of the label printers in use. */
const dots = 203

/** Every page; `look` chooses whose picture is read. */
export const pages = async (
  file: Uint8Array,
  look: (page: number) => boolean = () => true
): Promise<ReadonlyArray<Page>> => {
  const document: PDFiumDocument = await (await pdfium()).loadDocument(file)
  const found: Array<Page> = []
  for (const page of document.pages()) {
    const { originalHeight, originalWidth } = page.getOriginalSize()
    found.push({
      width: originalWidth,
      height: originalHeight,
      text: page.getText(),
      codes: look(page.number) ? await codesOf(page) : []
    })
  }
  document.destroy()
  return found
}

type PdfiumPage = ReturnType<PDFiumDocument["getPage"]>

const codesOf = async (page: PdfiumPage): Promise<ReadonlyArray<Code>> => {
  const { data, height, width } = await page.render({ scale: dots / 72, render: "bitmap" })
  return codes({ data: new Uint8ClampedArray(data), width, height })
}

/** Codes in a picture of four bytes a dot. */
export const codes = async (picture: {
  readonly data: Uint8ClampedArray
  readonly width: number
  readonly height: number
}): Promise<ReadonlyArray<Code>> => {
  const found = await readBarcodes(picture as Parameters<typeof readBarcodes>[0], {
    formats: ["Code128", "DataMatrix"],
    tryHarder: true,
    textMode: "Plain"
  })
  return found
    .filter(({ isValid }) => isValid)
    .map(({ format, symbologyIdentifier, text }) => ({ format, text, symbology: symbologyIdentifier }))
}
