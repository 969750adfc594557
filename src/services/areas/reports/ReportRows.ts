/** A downloaded report as a stream of typed rows, read by column name (field note A25). */
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import * as CsvCells from "./CsvCells.js"
import * as CsvRecords from "./CsvRecords.js"
import { layouts } from "./ReportLayouts.js"
import type { ReportType, Row, RowOf } from "./ReportRow.js"
import { damaged, type ReportUnreadable, unknownLayout } from "./ReportUnreadable.js"
import * as Unzip from "./Unzip.js"

/** Rows of a file, a ZIP or a plain CSV, in its order; nothing beyond `bounds` is unpacked. */
export const read = <T extends ReportType>(
  type: T,
  file: Uint8Array,
  bounds: Unzip.Bounds = Unzip.bounds
): Stream.Stream<RowOf[T], ReportUnreadable> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const [first, rest] = yield* Stream.peel(CsvRecords.of(Unzip.csv(file, bounds)), Sink.head())
      if (Option.isNone(first)) return yield* damaged("the CSV", "it has no header line")
      const header = CsvCells.header(first.value)
      const row = layouts[type](header)
      if (header.missing.length > 0) {
        const names = [...new Set(header.missing)].map((name) => `"${name}"`).join(", ")
        return yield* unknownLayout("line 1", `the report ${type} lacks the column ${names}`)
      }
      return Stream.mapChunks(rest, Chunk.map(row))
    })
  )

/** Only rows that belong to an item, for sums by item. */
export const ofItems = <A extends Row, E, R>(rows: Stream.Stream<A, E, R>): Stream.Stream<A, E, R> =>
  Stream.filter(rows, ({ itemId, rest }) => !rest && itemId !== undefined)
