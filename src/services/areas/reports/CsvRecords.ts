/** Records of a CSV as they are parsed; quotes and a byte order mark are understood (field note A25). */
import { pipeline, Readable } from "node:stream"
import { parse } from "csv-parse"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { damaged, ReportUnreadable } from "./ReportUnreadable.js"

/** The cells of one record. */
export type CsvRecord = ReadonlyArray<string>

/** Longest record, bytes: an unclosed quote does not read the whole file into memory. */
const longestRecord = 1024 * 1024
const atOnce = 512

const options = {
  bom: true,
  max_record_size: longestRecord,
  relax_column_count: true,
  relax_quotes: true,
  skip_empty_lines: true
} as const

export const of = (
  bytes: Stream.Stream<Uint8Array, ReportUnreadable>
): Stream.Stream<CsvRecord, ReportUnreadable> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const source = Readable.from(Stream.toAsyncIterable(bytes))
      const parser = parse(options)
      // Errors reach whoever reads the parser; the callback only keeps them from being thrown.
      pipeline(source, parser, () => {})
      yield* Effect.addFinalizer(() => Effect.sync(() => void parser.destroy()))
      return Stream.flattenIterables(Stream.fromAsyncIterable(batches(parser), unreadable))
    })
  )

async function* batches(parsed: AsyncIterable<CsvRecord>): AsyncGenerator<ReadonlyArray<CsvRecord>> {
  let batch: Array<CsvRecord> = []
  for await (const record of parsed) {
    batch.push(record)
    if (batch.length < atOnce) continue
    yield batch
    batch = []
  }
  yield batch
}

const unreadable = (cause: unknown): ReportUnreadable =>
  cause instanceof ReportUnreadable
    ? cause
    : damaged("the CSV", cause instanceof Error ? cause.message.slice(0, 200) : String(cause))
