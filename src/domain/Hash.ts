/**
 * Names for meanings: equal JSON gives an equal hash, whatever the order of its keys. Used for policy hashes,
 * rule-set hashes and plan ids.
 */
import type * as Crypto from "node:crypto"
import { createRequire } from "node:module"

/**
 * SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits. Keys are sorted by code unit; absent and
 * `undefined` fields are the same; numbers that JSON cannot hold (NaN, infinities) throw, because a meaning that
 * cannot be printed must not be named. Input is plain data without cycles. With `shared`, a long list that stands in several values
 * is written out once for all of them.
 */
export const of = (json: unknown, shared?: Shared): string => {
  const hash = sha256()
  write(json, (piece, length) => hash.update(piece.subarray(0, length)), shared)
  return hash.digest("hex")
}

/** Opened by whoever names something: `check` mostly does not, and would wait 7 ms for it. */
const sha256 = (): Crypto.Hash => {
  crypto ??= open()
  return crypto.createHash("sha256")
}
const open = (): typeof Crypto => createRequire(import.meta.url)("node:crypto")
let crypto: typeof Crypto | undefined

/** The bytes of long lists that were met a second time; of one that is met once they would only fill the memory. */
export type Shared = WeakMap<ReadonlyArray<unknown>, Buffer | "met">
const longList = 256

/** SHA-256 of a text's UTF-8, in base64: as the security policy of a page names its one script. */
export const base64 = (text: string): string => sha256().update(text).digest("base64")

/** The canonical JSON text behind `of`: sorted keys, no spaces, no `undefined`. */
export const canonical = (json: unknown): string => {
  let text = ""
  write(json, (piece, length) => {
    text += piece.toString("utf8", 0, length)
  })
  return text
}

/** Told of the first bytes of a piece, which is written over once it has returned. No piece ends within a character. */
type HandOn = (piece: Buffer, length: number) => void

const write = (json: unknown, handOn: HandOn, shared?: Shared): void => {
  const buffer = spare ?? Buffer.allocUnsafe(pieceBytes)
  spare = undefined
  const writer = new Writer(buffer, handOn, shared)
  writer.write(json)
  writer.end()
  spare = buffer
}
const pieceBytes = 16_384

const bytesOf = (json: unknown): Buffer => {
  const pieces: Array<Buffer> = []
  write(json, (piece, length) => pieces.push(Buffer.from(piece.subarray(0, length))))
  return Buffer.concat(pieces)
}

/** Lent to one value at a time, for most are small; a value that is written meanwhile takes another. */
let spare: Buffer | undefined

/** Writes bytes: the text of a large plan is a hundred megabytes, and strings of it would leave several times as much to collect. */
class Writer {
  private at = 0

  constructor(
    private readonly buffer: Buffer,
    private readonly handOn: HandOn,
    private readonly shared: Shared | undefined
  ) {}

  end(): void {
    this.handOn(this.buffer, this.at)
    this.at = 0
  }

  write(json: unknown): void {
    if (typeof json === "string") this.string(json)
    else if (json === null || json === undefined) this.plain("null")
    else if (typeof json === "number") this.number(json)
    else if (typeof json === "boolean") this.plain(json ? "true" : "false")
    else if (typeof json !== "object") this.whole(JSON.stringify(json) ?? "null")
    else if (Array.isArray(json)) {
      if (this.shared === undefined || json.length < longList) this.list(json)
      else this.sharedList(json, this.shared)
    } else this.record(json as Readonly<Record<string, unknown>>)
  }

  private list(values: ReadonlyArray<unknown>): void {
    this.plain("[")
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.plain(",")
      this.write(values[i])
    }
    this.plain("]")
  }

  private sharedList(values: ReadonlyArray<unknown>, shared: Shared): void {
    const known = shared.get(values)
    if (known === undefined) {
      shared.set(values, "met")
      this.list(values)
      return
    }
    const bytes = known === "met" ? bytesOf(values) : known
    shared.set(values, bytes)
    this.end()
    this.handOn(bytes, bytes.length)
  }

  private record(fields: Readonly<Record<string, unknown>>): void {
    const keys = sorted(Object.keys(fields))
    let isFirst = true
    this.plain("{")
    for (let i = 0; i < keys.length; i++) {
      const value = fields[keys[i]!]
      if (value === undefined) continue
      if (!isFirst) this.plain(",")
      isFirst = false
      this.string(keys[i]!)
      this.plain(":")
      this.write(value)
    }
    this.plain("}")
  }

  private number(value: number): void {
    if (!Number.isFinite(value)) throw new RangeError(`${value} has no JSON form`)
    this.plain(`${value}`)
  }

  /**
   * Most texts hold nothing that JSON writes otherwise than it is. V8 keeps texts in many forms, and after the fourth it would
   * look `text.charCodeAt` up anew for every character.
   */
  private string(text: string): void {
    const { length } = text
    const most = length * 3 + 2
    if (most > pieceBytes) {
      this.whole(JSON.stringify(text))
      return
    }
    if (this.at + most > pieceBytes) this.end()
    const { buffer } = this
    let at = this.at
    buffer[at++] = quote
    for (let i = 0; i < length; i++) {
      const unit = String.prototype.charCodeAt.call(text, i)
      if (unit < 0x20 || unit === quote || unit === backslash || (unit >= 0xd800 && unit <= 0xdfff)) {
        this.whole(JSON.stringify(text))
        return
      }
      if (unit < 0x80) buffer[at++] = unit
      else if (unit < 0x800) {
        buffer[at++] = 0xc0 | (unit >> 6)
        buffer[at++] = 0x80 | (unit & 0x3f)
      } else {
        buffer[at++] = 0xe0 | (unit >> 12)
        buffer[at++] = 0x80 | ((unit >> 6) & 0x3f)
        buffer[at++] = 0x80 | (unit & 0x3f)
      }
    }
    buffer[at++] = quote
    this.at = at
  }

  /** Signs, words and numbers of JSON: a byte each, and few. */
  private plain(text: string): void {
    if (this.at + text.length > pieceBytes) this.end()
    for (let i = 0; i < text.length; i++) this.buffer[this.at++] = text.charCodeAt(i)
  }

  private whole(text: string): void {
    this.end()
    const piece = Buffer.from(text)
    this.handOn(piece, piece.length)
  }
}
const quote = 0x22
const backslash = 0x5c

/** In place. Most records have few keys, of which most stand right: what sorts long lists takes memory of its own. */
const sorted = (keys: Array<string>): Array<string> => {
  if (keys.length > manyKeys) return keys.sort()
  for (let i = 1; i < keys.length; i++) {
    const key = keys[i]!
    let at = i
    for (; at > 0 && keys[at - 1]! > key; at--) keys[at] = keys[at - 1]!
    keys[at] = key
  }
  return keys
}
const manyKeys = 32
