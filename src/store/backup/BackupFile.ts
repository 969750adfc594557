/**
 * The file of a backup: gzipped lines of JSON, the same for both databases. A header, then for each table its columns
 * and a line per row, then the number of rows. Bytes are written as `{"base64": …}`. Beside it `FILE.sha256`.
 */
import { createHash, randomUUID } from "node:crypto"
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  type ReadStream,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { basename, dirname } from "node:path"
import { pipeline } from "node:stream"
import { createGunzip, gzipSync } from "node:zlib"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Json from "../../domain/Json.js"
import * as Lines from "../../domain/Lines.js"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as FileHints from "../clients/FileHints.js"

export const Header = Schema.Struct({
  format: Schema.Literal("bidhelm-backup"),
  version: Schema.Literal(1),
  /** ISO instant. */
  createdAt: Schema.String.pipe(Schema.pattern(/^\d{4}-\d\d-\d\dT[\d:.]{8,15}Z$/)),
  database: Schema.Literal("sqlite", "postgres"),
  /** Versions of the schema's steps. */
  schema: Schema.Array(Schema.Int),
  /** Where the audit chain of every account ended. */
  heads: Schema.Array(Schema.Struct({ account: Schema.String, seq: Schema.Int, hash: Schema.String }))
})
export type Header = typeof Header.Type

/** A table, a row of it, or the end. */
export const Line = Schema.Union(
  Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) }),
  Schema.Array(Schema.Unknown),
  Schema.Struct({ end: Schema.Literal(true), rows: Schema.Int })
)
export type Line = typeof Line.Type

/** Uncompressed bytes per gzip member. */
const memberBytes = 1_000_000

/** Longest line, bytes; the largest there is, a day's facts of one kind, has some millions. */
const mostLine = 256 * 1024 * 1024

/** Journals shrink to a tenth, never to a hundredth. What unpacks to less than `freely` bytes may be as it likes. */
const mostRatio = 100
const freely = 16 * 1024 * 1024

/** Writes a backup beside its final name first: what carries the name is whole. */
export class Writing {
  private readonly partial: string
  private readonly file: number
  private readonly hash = createHash("sha256")
  private text: Array<string> = []
  private size = 0

  constructor(private readonly path: string) {
    for (const taken of [path, sumOf(path)]) if (existsSync(taken)) throw exists(taken)
    // Two at a time under one name must not write into one file.
    this.partial = `${path}.${randomUUID().slice(0, 8)}.partial`
    this.file = openSync(this.partial, "wx", 0o600)
  }

  line(value: Header | Line): void {
    const line = `${JSON.stringify(value)}\n`
    if (line.length * 3 > mostLine && Buffer.byteLength(line) > mostLine) throw unrestorable(this.path)
    this.text.push(line)
    this.size += line.length
    if (this.size >= memberBytes) this.flush()
  }

  /** Everything is on the disk when this returns; answers the SHA-256 of the file. */
  finish(): string {
    this.flush()
    fsyncSync(this.file)
    closeSync(this.file)
    const sum = this.hash.digest("hex")
    if (existsSync(this.path)) throw exists(this.path)
    named(this.partial, this.path)
    noted(this.path, sum)
    const folder = openSync(dirname(this.path), "r")
    fsyncSync(folder)
    closeSync(folder)
    return sum
  }

  /** After a failure: nothing is left. */
  abandon(): void {
    rmSync(this.partial, { force: true })
  }

  private flush(): void {
    if (this.text.length === 0) return
    const member = gzipSync(this.text.join(""), { level: 3 })
    for (let from = 0; from < member.length; ) from += writeSync(this.file, member, from)
    this.hash.update(member)
    this.text = []
    this.size = 0
  }
}

/** Removes a backup and its checksum. */
export const remove = (path: string): void => {
  for (const part of [path, sumOf(path)]) rmSync(part, { force: true })
}

/** Gives the whole file its name, unless something has it by now. */
const named = (partial: string, path: string): void => {
  try {
    linkSync(partial, path)
  } catch (cause) {
    if (FileHints.codeOf(cause) === "EEXIST") throw exists(path)
    moved(partial, path)
  }
  rmSync(partial, { force: true })
}

/** Writes the sum beside the file; a file without it would be of no use, and in the way of the next attempt. */
const noted = (path: string, sum: string): void => {
  const beside = sumOf(path)
  try {
    writeFileSync(beside, `${sum}  ${basename(path)}\n`, { flag: "wx", flush: true })
  } catch (cause) {
    rmSync(path, { force: true })
    if (FileHints.codeOf(cause) === "EEXIST") throw exists(beside)
    rmSync(beside, { force: true })
    throw cause
  }
}

const sumOf = (path: string): string => `${path}.sha256`

/** For disks where a file has one name only, such as exFAT and many network shares. */
const moved = (partial: string, path: string): void => {
  // Moving alone would replace what has the name: so the name is taken first, by a file that must not exist.
  closeSync(openSync(path, "wx", 0o600))
  try {
    renameSync(partial, path)
  } catch (cause) {
    rmSync(path)
    throw cause
  }
}

const exists = (path: string): StoreFailure =>
  new StoreFailure({
    action: "could not write the backup",
    hint: `${path} exists, and a backup never replaces another; choose another name`,
    cause: undefined
  })

const unrestorable = (path: string): StoreFailure =>
  new StoreFailure({
    action: `could not write the backup ${path}`,
    hint: `one row of the store is larger than ${mostLine / 1024 / 1024} MiB, which no restore would read`,
    cause: undefined
  })

/** What a damaged or foreign file is told. */
export const unusable = (path: string, why: string, cause?: unknown): StoreFailure =>
  new StoreFailure({
    action: `could not use the backup ${path}`,
    hint: `${why}; nothing was changed, use another backup`,
    cause
  })

/** Holds the file against its `.sha256`. */
export const verify = async (path: string): Promise<void> => {
  const sidecar = sumOf(path)
  if (!existsSync(path)) throw unusable(path, "there is no such file")
  if (!existsSync(sidecar))
    throw unusable(path, `${sidecar} is missing, so nobody can tell whether the file is whole`)
  const hash = createHash("sha256")
  for await (const chunk of createReadStream(path)) hash.update(chunk as Uint8Array)
  const wanted = readFileSync(sidecar, "utf8").trim().split(/\s+/)[0]
  if (hash.digest("hex") !== wanted)
    throw unusable(path, "it is not as it was written: its SHA-256 differs from the noted one")
}

/** The lines of a verified file, one at a time; a file that unpacks to what no backup does is not read on. */
export async function* lines(path: string): AsyncGenerator<unknown, void, undefined> {
  const packed = createReadStream(path)
  // What goes wrong with the file ends the reading of the text, and the other way round.
  const text = pipeline(packed, createGunzip(), () => undefined)
  for await (const line of Lines.of(bounded(path, packed, text), mostLine)) {
    const json = Json.read(line)
    if (Either.isLeft(json)) throw unusable(path, `a line of it is ${json.left}`)
    yield json.right
  }
}

async function* bounded(path: string, packed: ReadStream, text: AsyncIterable<Uint8Array>) {
  let size = 0
  for await (const piece of text) {
    size += piece.byteLength
    if (size > freely && size > packed.bytesRead * mostRatio)
      throw unusable(path, `it unpacks to more than ${mostRatio} times its size, as no backup does`)
    yield piece
  }
}

/** The header of a file. */
export const header = async (path: string): Promise<Header> => {
  for await (const first of lines(path)) {
    if (isHeader(first)) return first
    break
  }
  throw unusable(path, "it is no backup of bidhelm, or one of a newer version")
}

const isHeader = Schema.is(Header)

/** A value of a row as JSON can hold it, and back. */
export const written = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return { base64: Buffer.from(value).toString("base64") }
  return typeof value === "bigint" ? Number(value) : (value ?? null)
}

export const read = (value: unknown): unknown =>
  typeof value === "object" && value !== null
    ? Buffer.from(String(Reflect.get(value, "base64")), "base64")
    : value
