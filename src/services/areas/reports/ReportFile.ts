/** A downloaded report as a stream of typed rows, read by column name (field note A25). */
import { pipeline, Readable } from "node:stream"
import { crc32 } from "node:zlib"
import { parse } from "csv-parse"
import * as Chunk from "effect/Chunk"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as Sink from "effect/Sink"
import * as Stream from "effect/Stream"
import { type Entry, fromBuffer, type ZipFile } from "yauzl"
import * as CsvCells from "./CsvCells.js"
import { layouts, type ReportType, type Row, type RowOf } from "./ReportRow.js"

/** Rows of a file, a ZIP or a plain CSV, in its order; nothing beyond `bounds` is unpacked. */
export const read = <T extends ReportType>(
  type: T,
  file: Uint8Array,
  bounds: Bounds = unzipBounds
): Stream.Stream<RowOf[T], ReportUnreadable> =>
  Stream.unwrapScoped(
    Effect.gen(function* () {
      const [first, rest] = yield* Stream.peel(recordsOf(csvOf(file, bounds)), Sink.head())
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

// Records of a CSV as they are parsed; quotes and a byte order mark are understood (field note A25).

/** The cells of one record. */
type CsvRecord = ReadonlyArray<string>

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

const recordsOf = (
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

/**
 * The CSV inside a downloaded report: a ZIP with one CSV, or the CSV itself (field note A25). The file is foreign, so
 * it is inflated piece by piece and never beyond the bounds; names in it are judged and never used as paths.
 */
export interface Bounds {
  readonly mostEntries: number
  /** Unpacked size, bytes. */
  readonly mostBytes: number
  /** Unpacked size by packed size. */
  readonly mostRatio: number
}

export const unzipBounds: Bounds = { mostEntries: 5, mostBytes: 200 * 1024 * 1024, mostRatio: 100 }

/** Bytes of the CSV as they are unpacked; the stream fails where the file turns out to be bad. */
export const csvOf = (
  file: Uint8Array,
  { mostBytes, mostEntries, mostRatio }: Bounds = unzipBounds
): Stream.Stream<Uint8Array, ReportUnreadable> => {
  if (!looksLikeZip(file)) return plain(file, mostBytes)
  return Stream.unwrapScoped(
    Effect.gen(function* () {
      const archive = yield* opened(file)
      if (archive.entryCount > mostEntries) return yield* tooMany(archive.entryCount, mostEntries)
      const entry = yield* chosen(yield* entriesOf(archive, mostEntries))
      const where = `entry "${shown(entry.fileName)}"`
      const allowed = Math.min(mostBytes, entry.compressedSize * mostRatio)
      if (entry.uncompressedSize > allowed) return yield* tooLarge(where, entry.uncompressedSize, allowed)
      const content = yield* readable(archive, entry, where)
      return checked(
        Stream.fromAsyncIterable<Uint8Array, ReportUnreadable>(content, (cause) => broken(where, cause)),
        where,
        allowed,
        entry.crc32
      )
    })
  )
}

const looksLikeZip = (file: Uint8Array): boolean => file[0] === 0x50 && file[1] === 0x4b && (file[2] ?? 9) < 9

/** A file that is no archive: text, or something else altogether. */
const plain = (file: Uint8Array, mostBytes: number): Stream.Stream<Uint8Array, ReportUnreadable> => {
  const where = "the file"
  if (file.byteLength === 0) return Stream.fail(damaged(where, "it is empty"))
  if (file.byteLength > mostBytes) return Stream.fail(tooLarge(where, file.byteLength, mostBytes))
  const start = file.subarray(0, 4096)
  if (start.includes(0)) return Stream.fail(suspect(where, "it is neither a ZIP nor text"))
  if (/^\uFEFF?\s*[<{[]/.test(new TextDecoder().decode(start))) {
    return Stream.fail(suspect(where, "it is a web page or a message, not a report"))
  }
  return Stream.make(file)
}

const opened = (file: Uint8Array): Effect.Effect<ZipFile, ReportUnreadable, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.async<ZipFile, ReportUnreadable>((resume) => {
      const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength)
      const options = { lazyEntries: true, autoClose: false, validateEntrySizes: true, strictFileNames: true }
      const attempt = Either.try({
        try: () =>
          fromBuffer(bytes, options, (error, archive) =>
            resume(error === null ? Effect.succeed(archive) : Effect.fail(broken("the archive", error)))
          ),
        catch: (cause) => broken("the archive", cause)
      })
      if (Either.isLeft(attempt)) resume(Effect.fail(attempt.left))
    }),
    (archive) => Effect.sync(() => archive.close())
  )

/** All entries of the directory; yauzl refuses absolute names, `..` and backslashes by itself. */
const entriesOf = (archive: ZipFile, most: number): Effect.Effect<ReadonlyArray<Entry>, ReportUnreadable> =>
  Effect.async((resume) => {
    const found: Array<Entry> = []
    archive.on("entry", (entry: Entry) => {
      found.push(entry)
      if (found.length > most) resume(Effect.fail(tooMany(found.length, most)))
      else archive.readEntry()
    })
    archive.on("end", () => resume(Effect.succeed(found)))
    archive.on("error", (error: Error) =>
      resume(Effect.fail(refusedName(error) ?? broken("the archive", error)))
    )
    archive.readEntry()
  })

/** The one CSV of an archive in which nothing is out of place. */
const chosen = (entries: ReadonlyArray<Entry>): Either.Either<Entry, ReportUnreadable> => {
  for (const entry of entries) {
    const objection = objectionTo(entry)
    if (objection !== undefined) return Either.left(suspect(`entry "${shown(entry.fileName)}"`, objection))
  }
  const sheets = entries.filter(({ fileName }) => /\.csv$/i.test(fileName))
  const [sheet] = sheets
  return sheet !== undefined && sheets.length === 1
    ? Either.right(sheet)
    : Either.left(suspect("the archive", `it holds ${sheets.length} CSV files; a report has exactly one`))
}

const objectionTo = (entry: Entry): string | undefined => {
  if (entry.isEncrypted()) return "it is encrypted"
  const unixKind = (entry.externalFileAttributes >>> 16) & 0xf000
  if (unixKind === 0xa000) return "it is a symbolic link"
  if (unixKind !== 0 && unixKind !== 0x8000 && unixKind !== 0x4000) return "it is not an ordinary file"
  if (slips(entry.fileName)) return "its name leaves the archive"
  return undefined
}

const slips = (name: string): boolean =>
  /^[/\\]|^[A-Za-z]:|\\|\0/.test(name) || name.split("/").includes("..")

const readable = (archive: ZipFile, entry: Entry, where: string): Effect.Effect<Readable, ReportUnreadable> =>
  Effect.async((resume) => {
    const attempt = Either.try({
      try: () =>
        archive.openReadStream(entry, (error, content) =>
          resume(error === null ? Effect.succeed(content) : Effect.fail(broken(where, error)))
        ),
      catch: (cause) => broken(where, cause)
    })
    if (Either.isLeft(attempt)) resume(Effect.fail(attempt.left))
  })

/** Counts what comes out, whatever the directory promised, and compares the checksum at the end. */
const checked = (
  content: Stream.Stream<Uint8Array, ReportUnreadable>,
  where: string,
  allowed: number,
  checksum: number
): Stream.Stream<Uint8Array, ReportUnreadable> =>
  Stream.suspend(() => {
    let size = 0
    let sum = 0
    return content.pipe(
      Stream.tap((piece) => {
        size += piece.byteLength
        sum = crc32(piece, sum)
        return size > allowed ? Effect.fail(tooLarge(where, size, allowed)) : Effect.void
      }),
      Stream.concat(
        Stream.suspend(() =>
          sum === checksum >>> 0 ? Stream.empty : Stream.fail(damaged(where, "its checksum is wrong"))
        )
      )
    )
  })

const tooMany = (count: number, most: number): ReportUnreadable =>
  suspect("the archive", `it holds ${count} entries; a report has at most ${most}`)

const tooLarge = (where: string, size: number, allowed: number): ReportUnreadable =>
  suspect(where, `it unpacks to at least ${size} bytes; allowed are ${Math.floor(allowed)}`)

const refusedName = (error: Error): ReportUnreadable | undefined =>
  /absolute path|relative path|invalid characters/.test(error.message)
    ? suspect("the archive", `a name in it leaves the archive (${shown(error.message)})`)
    : undefined

const broken = (where: string, cause: unknown): ReportUnreadable =>
  damaged(
    where,
    `it is cut short or damaged (${shown(cause instanceof Error ? cause.message : String(cause))})`
  )

/** Foreign text for a message: short, and without what could steer a terminal. */
const shown = (text: string): string => text.replace(/[^\p{L}\p{N}\p{P}\p{Zs}]/gu, "?").slice(0, 120)

/** A downloaded report that cannot be used: where it is wrong, what is wrong there, and what to do about it. */
export class ReportUnreadable extends Data.TaggedError("ReportUnreadable")<{
  /** Part of the file, such as `the archive`, `entry "a.csv"` or `line 7`. */
  readonly where: string
  readonly what: string
  readonly mend: string
}> {
  override get message(): string {
    return `the report cannot be read: ${this.where}: ${this.what}. ${this.mend}`
  }
}

/** Damage on the way: the file itself is good at the marketplace. */
const damaged = (where: string, what: string): ReportUnreadable =>
  new ReportUnreadable({
    where,
    what,
    mend: "Download it again within 48 hours; if it stays so, create the report anew"
  })

/** Contents no report has, so that nothing of the file is used. */
const suspect = (where: string, what: string): ReportUnreadable =>
  new ReportUnreadable({
    where,
    what,
    mend: "Nothing of it was used; check the analytics host in the settings and create the report anew"
  })

/** A report laid out in a way this program does not know. */
const unknownLayout = (where: string, what: string): ReportUnreadable =>
  new ReportUnreadable({
    where,
    what,
    mend: "The marketplace changed the report: update bidhelm; the kept file can be read then"
  })
