/** What is wrong with the rows of a table of the seller's: a warning each. */
import type * as Arr from "effect/Array"
import * as Groups from "../../../domain/Groups.js"
import type { Code } from "../problems/Codes.js"
import type { Diagnostic } from "../problems/Diagnostic.js"

/** What is wrong with a row that `moved`, after its subject. */
export const movedRow = {
  long: "has more cells than the first line has names (name the last column, quote what has a comma in it, or put ; between columns)",
  short:
    "has fewer cells than the first line has names (quote each name that has a comma in it and write the commas of empty cells too, or put ; between columns)"
} as const

const short = (text: string): string => (text.length > 30 ? `${text.slice(0, 29)}…` : text)

/** Gathers them, in the order of the rows. A cell of a file that lies elsewhere is not quoted. */
export class Complaints {
  private readonly byCode = new Map<Code, Arr.NonEmptyArray<Diagnostic>>()
  constructor(
    private readonly file: string,
    readonly isQuoted: boolean,
    /** How many of a kind are told one by one; further ones are counted. */
    private readonly most = 10
  ) {}

  /** The text of a cell for a message. */
  quoted(text: string): string {
    return this.isQuoted ? `"${short(text)}"` : "What stands"
  }

  add(code: Code, line: number, message: string): void {
    const span = { file: this.file, line, column: 1, endLine: line, endColumn: 1 }
    Groups.add(this.byCode, code, { code, severity: "warning", file: this.file, span, message })
  }

  list(): ReadonlyArray<Diagnostic> {
    return [...this.byCode.values()].flatMap((all) => {
      const more = all.length - this.most
      if (more <= 0) return all
      return all
        .slice(0, this.most)
        .map((one, i) =>
          i < this.most - 1 ? one : { ...one, message: `${one.message} And ${more} more such rows.` }
        )
    })
  }
}
