/** A sheet of marks on disk, read and checked: what `orders marks` works on. Its marks are secrets and print masked. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Duplicates from "../../engine/fulfilment/marks/Duplicates.js"
import type { HeaderProblem } from "../../engine/fulfilment/marks/MarkSheet.js"
import * as MarkSheet from "../../engine/fulfilment/marks/MarkSheet.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as MarkWords from "../../reporting/fulfilment/MarkWords.js"
import * as TableFile from "../tables/TableFile.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"

/** What is wrong with a sheet as a whole, as answers in JSON have it beside the problems of its cells. */
export interface SheetProblem {
  readonly row: number | null
  readonly column: null
  readonly name: null
  readonly orderId: null
  readonly kind: null
  readonly code: HeaderProblem["code"] | "unreadable"
  readonly message: string
}

interface Reading {
  readonly live?: Duplicates.LiveMarks
  /** Told before the command ends with 3: a command that answers in JSON answers so. */
  readonly answer?: (problems: ReadonlyArray<SheetProblem>) => Effect.Effect<void>
}

/** Reads a sheet against the marks that live orders have. Ends with 1 when there is none, with 3 when it is no such sheet. */
export const read = (path: string, { answer, live = new Map() }: Reading = {}) =>
  Effect.gen(function* () {
    const wrong = (problems: ReadonlyArray<SheetProblem>, said: ReadonlyArray<string>) =>
      Effect.zipRight(
        answer?.(problems) ?? Effect.void,
        stop(3, said.map((one) => `${cleanLine(path)}: ${one}`).join("\n"))
      )
    const content = yield* Effect.try({
      try: () => TableFile.read(path, { ...TableFile.bySight, looseQuotes: true }),
      catch: (cause) => stop(1, RegularFile.why(cleanLine(path), cause))
    })
    if (content._tag === "Unreadable") {
      const why = content.why.replace(/\.$/, "")
      const line = content.line === undefined ? "" : ` (line ${content.line})`
      return yield* wrong([ofSheet(content.line ?? null, "unreadable", why)], [`${why}${line}`])
    }
    const { rows } = content
    const sheet = MarkSheet.read(rows, yield* Clock.currentTimeMillis, live)
    if (sheet._tag === "Wrong")
      return yield* wrong(
        sheet.problems.map((one) => ofSheet(rows[0]?.line ?? null, one.code, MarkWords.ofHeader(one))),
        sheet.problems.map(MarkWords.ofHeader)
      )
    return sheet.read
  })

const ofSheet = (row: number | null, code: SheetProblem["code"], message: string): SheetProblem => ({
  row,
  column: null,
  name: null,
  orderId: null,
  kind: null,
  code,
  message
})
