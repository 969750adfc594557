/**
 * Blots secrets out of text that leaves the program as commentary: messages, logs, traces. It knows secrets by their
 * look, because a text that quotes one does not say so.
 */

const removed = "[removed]"

/** The text without what looks like a token or a password by itself. Of any length; what is written stays readable. */
export const tokens = (said: string): string =>
  said
    .replace(webToken, removed)
    .replace(markingCode, `$1${removed}`)
    .replace(longScheme, `$1 ${removed}`)
    .replace(inAddress, `$1${removed}@`)
    .replace(opaque, (word) => (isRandom(word) ? removed : word))

/** The same, and without whatever follows a word such as `token:` or `password=`: for text that nobody has to mend. */
export const text = (said: string): string =>
  tokens(said).replace(scheme, `$1 ${removed}`).replace(named, `$1$2${removed}`)

/**
 * A value as JSON holds it, with every string in it redacted; what stands under a key that names a secret loses all of
 * its words, also where key and value are told apart as `{key, value}`. Numbers too large for JSON become their digits.
 */
export const value = (given: unknown): unknown => within(given, [])

/** `above` are the objects that it is a part of; of what is secret no word is left. */
const within = (given: unknown, above: ReadonlyArray<object>, isSecret = false): unknown => {
  if (isSecret && (typeof given === "string" || typeof given === "bigint")) return removed
  if (typeof given === "string") return text(given)
  if (typeof given === "bigint") return String(given)
  if (given === null || typeof given !== "object") return given
  if (above.length >= deepest || above.includes(given)) return "…"
  const below = [...above, given]
  if (Array.isArray(given)) return given.map((one) => within(one, below, isSecret))
  const isPair = "key" in given && typeof given.key === "string" && secretKey.test(given.key)
  return Object.fromEntries(
    Object.entries(given).map(([key, one]) => [
      key,
      within(one, below, isSecret || secretKey.test(key) || (isPair && key === "value"))
    ])
  )
}

/** A log's event or a span is not as deep. */
const deepest = 24

/** A marking code of goods up to its serial number, and what stands behind: separators as they are or as JSON writes them. */
const markingCode =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: a marking code has control characters in it
  /(\b01\d{14}21)[^\s\u001d]{1,20}?(?:(?:\u001d|\\u001d)[^\s"\u001d\\]*)+/gi
/** Base64url that begins a JSON object, as web tokens do, whole or in part. */
const webToken = /eyJ[\w-]{5,}(\.[\w-]*){0,2}/g
const longScheme = /\b(Bearer|Basic)\s+[^\s"',;]{16,}/gi
const scheme = /\b(Bearer|Basic)\s+[^\s"',;]+/gi
/** `scheme://user:password@`: the password may hold an `@` itself. */
const inAddress = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s:@/"']{0,200}:)[^\s"']{1,500}@/gi
const secretNames = "token|secret|password|passwd|pwd|authorization|cookie|api[-_]?key"
const named = new RegExp(
  `\\b((?:[a-z]{1,30}[-_])?(?:${secretNames}))("?\\s*[:=]\\s*"?)(?!\\[removed\\])[^\\s"',;}&]+`,
  "gi"
)
const secretKey = new RegExp(`(^|[-_.])(${secretNames})$`, "i")
const opaque = /[\w-]{40,}/g

/** Hashes have no capitals, names no digits between both kinds of letters. */
const isRandom = (word: string): boolean =>
  /[a-z]/.test(word) && /[A-Z]/.test(word) && (word.match(/\d/g)?.length ?? 0) >= 3
