/**
 * Names for meanings: equal JSON gives an equal hash, whatever the order of its keys. Used for policy hashes,
 * rule-set hashes and plan ids.
 */
import { createHash } from "node:crypto"

/**
 * SHA-256 of the canonical JSON of a value, as 64 hexadecimal digits. Keys are sorted by code unit; absent and
 * `undefined` fields are the same; numbers that JSON cannot hold (NaN, infinities) throw, because a meaning that
 * cannot be printed must not be named. Input is plain data without cycles.
 */
export const of = (json: unknown): string => {
  const hash = createHash("sha256")
  // In pieces: the text of a large plan is a hundred megabytes.
  const writer = new Writer((piece) => hash.update(piece))
  writer.write(json)
  return hash.update(writer.text).digest("hex")
}

/** SHA-256 of a text's UTF-8, in base64: as the security policy of a page names its one script. */
export const base64 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** The canonical JSON text behind `of`: sorted keys, no spaces, no `undefined`. */
export const canonical = (json: unknown): string => {
  const writer = new Writer()
  writer.write(json)
  return writer.text
}

const pieceLength = 32_768

class Writer {
  /** What was written and not handed on. */
  text = ""

  constructor(private readonly handOn?: (piece: string) => void) {}

  write(json: unknown): void {
    if (typeof json === "string") this.text += quoted(json)
    else if (json === null || json === undefined) this.text += "null"
    else if (typeof json === "number") {
      if (!Number.isFinite(json)) throw new RangeError(`${json} has no JSON form`)
      this.text += json
    } else if (typeof json === "boolean") this.text += json
    else if (typeof json !== "object") this.text += JSON.stringify(json) ?? "null"
    else if (Array.isArray(json)) this.list(json)
    else this.record(json as Readonly<Record<string, unknown>>)
  }

  private list(values: ReadonlyArray<unknown>): void {
    this.text += "["
    for (let i = 0; i < values.length; i++) {
      if (i > 0) this.text += ","
      this.write(values[i])
      this.relieve()
    }
    this.text += "]"
  }

  private record(fields: Readonly<Record<string, unknown>>): void {
    const keys = sorted(Object.keys(fields))
    let before = "{"
    for (let i = 0; i < keys.length; i++) {
      const value = fields[keys[i]!]
      if (value === undefined) continue
      this.text += before + named(keys[i]!)
      before = ","
      this.write(value)
    }
    this.text += before === "{" ? "{}" : "}"
  }

  private relieve(): void {
    if (this.handOn === undefined || this.text.length < pieceLength) return
    this.handOn(this.text)
    this.text = ""
  }
}

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

/** A key as it stands before its value; the fields of records are few words, again and again. */
const named = (key: string): string => {
  const existing = names.get(key)
  if (existing !== undefined) return existing
  const made = `${quoted(key)}:`
  if (names.size < mostNames) names.set(key, made)
  return made
}
const names = new Map<string, string>()
const mostNames = 1_000

/** Most texts are words that JSON writes as they are, which is much faster than to have it look. */
const quoted = (text: string): string => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text))
