/** The files inside a ZIP that a person gave: unpacked within bounds, and only when their checksums agree. */
import { crc32 } from "node:zlib"
import { unzipSync } from "fflate"

/** Why the archive cannot be used: a clause that follows "it". */
export class Refusal extends Error {}

/** Unpacked bytes of all wanted files together. */
const mostBytes = 128 * 1024 * 1024

/** The files whose names are wanted, by name. Throws a `Refusal`. */
export const files = (
  bytes: Uint8Array,
  wanted: (name: string) => boolean
): ReadonlyMap<string, Uint8Array> => {
  const unpacked = new Map(Object.entries(unzipped(bytes, wanted)))
  const sums = checksums(bytes)
  for (const [name, content] of unpacked)
    if (sums.get(name) !== crc32(content)) throw new Refusal("is damaged: a checksum in it does not agree")
  return unpacked
}

const unzipped = (bytes: Uint8Array, wanted: (name: string) => boolean): Record<string, Uint8Array> => {
  let total = 0
  try {
    return unzipSync(bytes, {
      // What a file says of its size is also all the room it gets.
      filter: ({ name, originalSize }) => {
        if (!wanted(name)) return false
        total += originalSize
        if (total > mostBytes) throw new Refusal(`unpacks to more than ${mostBytes / 1024 / 1024} MiB`)
        return true
      }
    })
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal("is cut short or damaged")
  }
}

/** The directory's checksums by name; the unpacking library leaves them unread. */
const checksums = (bytes: Uint8Array): ReadonlyMap<string, number> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const sums = new Map<string, number>()
  const decoder = new TextDecoder()
  try {
    for (let at = directoryOf(view); view.getUint32(at, true) === entrySign; ) {
      const [nameLength, extra, comment] = [28, 30, 32].map((place) => view.getUint16(at + place, true))
      const name = bytes.subarray(at + 46, at + 46 + nameLength!)
      sums.set(decoder.decode(name), view.getUint32(at + 16, true))
      at += 46 + nameLength! + extra! + comment!
    }
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
  }
  return sums
}

const entrySign = 0x02014b50
const endSign = 0x06054b50
const longEndSign = 0x06064b50

/** Where the directory begins; an archive of the long form says it 56 bytes and a locator of 20 before its end. */
const directoryOf = (view: DataView): number => {
  let end = view.byteLength - 22
  while (end > 0 && view.getUint32(end, true) !== endSign) end -= 1
  const start = view.getUint32(end + 16, true)
  if (start !== 0xffffffff) return start
  const long = Number(view.getBigUint64(end - 20 + 8, true))
  return view.getUint32(long, true) === longEndSign ? Number(view.getBigUint64(long + 48, true)) : start
}
