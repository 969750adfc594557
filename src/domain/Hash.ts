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
export const of = (json: unknown): string => createHash("sha256").update(canonical(json)).digest("hex")

/** SHA-256 of a text's UTF-8, in base64: as the security policy of a page names its one script. */
export const base64 = (text: string): string => createHash("sha256").update(text).digest("base64")

/** The canonical JSON text behind `of`: sorted keys, no spaces, no `undefined`. */
export const canonical = (json: unknown): string => {
  if (json === null || json === undefined) return "null"
  if (typeof json === "string") return quoted(json)
  if (typeof json === "number" && !Number.isFinite(json)) throw new RangeError(`${json} has no JSON form`)
  if (typeof json === "number" || typeof json === "boolean") return String(json)
  if (typeof json !== "object") return JSON.stringify(json) ?? "null"
  if (Array.isArray(json)) return `[${json.map(canonical).join(",")}]`
  const fields = json as Readonly<Record<string, unknown>>
  const keys = Object.keys(json)
  if (!isSorted(keys)) keys.sort()
  let text = ""
  for (const key of keys) {
    const value = fields[key]
    if (value !== undefined) text += `${text === "" ? "" : ","}${quoted(key)}:${canonical(value)}`
  }
  return `{${text}}`
}

const isSorted = (keys: ReadonlyArray<string>): boolean => {
  for (let i = 1; i < keys.length; i++) if (keys[i - 1]! > keys[i]!) return false
  return true
}

/** Most texts are words that JSON writes as they are, which is much faster than to have it look. */
const quoted = (text: string): string => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text))
