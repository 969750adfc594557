/**
 * A sticker's picture as it came: a PNG is looked through to its last row before it is set, so that no empty or torn one
 * is printed, and its rows go into the PDF as they are.
 */
import { inflateSync } from "node:zlib"
import * as Either from "effect/Either"

/** Rows of a PNG, for a PDF to show; none of them when the PDF's library has to read it (transparency, interlacing). */
export interface Picture {
  readonly width: number
  readonly height: number
  readonly rows: Rows | undefined
  readonly file: Uint8Array
}

interface Rows {
  /** The rows behind their filter bytes, deflated. */
  readonly deflated: Uint8Array
  readonly bitsPerSample: number
  readonly samples: number
  /** Colours of a picture that names them by number, three bytes each. */
  readonly palette: Uint8Array | undefined
}

/** Why a file is no picture to print. */
export type Flaw = "not_png" | "torn"

/** Reads a PNG; what is left of a torn one is not shown. */
export const read = (file: Uint8Array): Either.Either<Picture, Flaw> => {
  if (!signature.every((byte, i) => file[i] === byte)) return Either.left("not_png")
  const chunks = chunksOf(file)
  const header = chunks?.find(({ type }) => type === "IHDR")?.data
  if (chunks === undefined || header === undefined || header.length < 13) return Either.left("torn")
  const view = new DataView(header.buffer, header.byteOffset)
  const [width, height] = [view.getUint32(0), view.getUint32(4)]
  const [bits = 0, colour = -1, , , interlaced] = header.subarray(8)
  const samples = samplesOf.get(colour)
  const deflated = joined(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data))
  if (samples === undefined || width * height === 0 || width * height > mostPixels) return Either.left("torn")
  const length = height * (1 + Math.ceil((width * samples * bits) / 8))
  if (interlaced === 0 && inflatedLength(deflated, length) !== length) return Either.left("torn")
  const palette = chunks.find(({ type }) => type === "PLTE")?.data
  const isPlain =
    interlaced === 0 && plain.has(colour) && bits <= 8 && chunks.every(({ type }) => type !== "tRNS")
  return isPlain && (colour !== indexed || palette !== undefined)
    ? Either.right({ width, height, file, rows: { deflated, bitsPerSample: bits, samples, palette } })
    : Either.right({ width, height, file, rows: undefined })
}

const signature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** A sticker has a quarter of a million. */
const mostPixels = 4_000_000

/** Grey, colours, colours by number, grey with transparency, colours with it. */
const samplesOf: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4]
])
const indexed = 3
const plain = new Set([0, 2, indexed])

interface Chunk {
  readonly type: string
  readonly data: Uint8Array
}

/** Undefined when the file ends before its last chunk. */
const chunksOf = (file: Uint8Array): ReadonlyArray<Chunk> | undefined => {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength)
  const found: Array<Chunk> = []
  for (let at = signature.length; at + 12 <= file.length; ) {
    const length = view.getUint32(at)
    const end = at + 12 + length
    if (end > file.length) return undefined
    const type = String.fromCharCode(...file.subarray(at + 4, at + 8))
    if (type === "IEND") return found
    found.push({ type, data: file.subarray(at + 8, at + 8 + length) })
    at = end
  }
  return undefined
}

const joined = (parts: ReadonlyArray<Uint8Array>): Uint8Array =>
  parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts)

/** Undefined when the rows cannot be inflated, or are more than there should be. */
const inflatedLength = (deflated: Uint8Array, most: number): number | undefined => {
  try {
    return inflateSync(deflated, { maxOutputLength: Math.max(1, most) }).length
  } catch {
    return undefined
  }
}
