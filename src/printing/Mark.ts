/** A marking code as the squares of a GS1 DataMatrix. */
import bwip from "bwip-js"

/** Rows from the top; true is dark. The white margin is not among them. */
export type Squares = ReadonlyArray<ReadonlyArray<boolean>>

/** Group separator of a marking code, U+001D. */
const separator = "\u001d"

/**
 * The squares of a marking code. It begins with the sign that says GS1 (FNC1), and keeps its group separators; a code that
 * was written down with a leading separator instead of that sign is the same code.
 */
export const squares = (code: string): Squares => {
  const text = code.startsWith(separator) ? code.slice(1) : code
  const [made] = bwip.raw({
    bcid: "datamatrix",
    text: `^FNC1${text.replaceAll("^", "^^")}`,
    parsefnc: true
  })
  if (made === undefined || !("pixs" in made)) throw new Error("a DataMatrix has squares")
  const { pixs, pixx, pixy } = made
  return Array.from({ length: pixy }, (_, y) =>
    Array.from({ length: pixx }, (_, x) => pixs[y * pixx + x] === 1)
  )
}
