/** A sheet of marks on disk, read and checked: what `orders marks` works on. Its marks are secrets and print masked. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Duplicates from "../../engine/fulfilment/marks/Duplicates.js"
import * as MarkSheet from "../../engine/fulfilment/marks/MarkSheet.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as MarkWords from "../../reporting/fulfilment/MarkWords.js"
import * as TableFile from "../tables/TableFile.js"
import * as RegularFile from "../terminal/RegularFile.js"
import { stop } from "../terminal/Stop.js"

/** Reads a sheet against the marks that live orders have. Ends with 1 when there is none, with 3 when it is no such sheet. */
export const read = (path: string, live: Duplicates.LiveMarks = new Map()) =>
  Effect.gen(function* () {
    const content = yield* Effect.try({
      try: () => TableFile.read(path, { ...TableFile.bySight, looseQuotes: true }),
      catch: (cause) => stop(1, RegularFile.why(cleanLine(path), cause))
    })
    if (content._tag === "Unreadable") {
      const line = content.line === undefined ? "" : ` (line ${content.line})`
      return yield* stop(3, `${cleanLine(path)}: ${content.why.replace(/\.$/, "")}${line}`)
    }
    const sheet = MarkSheet.read(content.rows, yield* Clock.currentTimeMillis, live)
    if (sheet._tag === "Wrong")
      return yield* stop(
        3,
        sheet.problems.map((one) => `${cleanLine(path)}: ${MarkWords.ofHeader(one)}`).join("\n")
      )
    return sheet.read
  })
