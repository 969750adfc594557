/**
 * The operator's word. The seeds write a neutral `platform` where the wire carries the operator's abbreviation; the
 * real word is configuration and lives on the wire only. Exactly the names of the contract's `wireNames` are mapped,
 * so a seller's own texts are never touched.
 */
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Json from "../domain/Json.js"

/** Both directions for one word. `toWire(fromWire(x))` is `x` for any `x` that does not hold the neutral word. */
export interface Wire {
  readonly pathToWire: (path: string) => string
  readonly toWire: (json: unknown) => unknown
  readonly fromWire: (json: unknown) => unknown
  /** As `fromWire` on JSON text; text without the word, and text that is not JSON, comes back unchanged. */
  readonly textFromWire: (text: string) => string
  readonly textToWire: (text: string) => string
  /** Whether `textFromWire` might change the text of these bytes. */
  readonly isIn: (bytes: Buffer) => boolean
}

const neutral = "platform"

/** `word` is lower case, such as `acme`; the neutral word itself maps nothing. */
export const make = (word: string): Either.Either<Wire, string> => {
  if (!/^[a-z]{2,20}$/.test(word)) {
    return Either.left(`the operator's word "${word}" must be 2 to 20 lower-case latin letters`)
  }
  const toWire = rewriter(neutral, word)
  const fromWire = rewriter(word, neutral)
  return Either.right({
    pathToWire: (path) => path.split("/").map(segment(neutral, word)).join("/"),
    toWire,
    fromWire,
    textToWire: onText(neutral, toWire),
    textFromWire: onText(word, fromWire),
    isIn: (bytes) => new RegExp(word, "i").test(bytes.toString("latin1"))
  })
}

/** Keys that hold the word: order status and sales funnel; the bare word is a key inside `stocks` only. */
const keys = (word: string): ReadonlySet<string> =>
  new Set([`${word}Status`, `${word}Club`, `${word}ClubDynamic`])

const capital = (word: string): string => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`

const rewriter = (from: string, to: string): ((json: unknown) => unknown) => {
  const known = keys(from)
  const value = valueRewriter(from, to)
  const walk = (json: unknown, key: string): unknown => {
    if (typeof json === "string") return value(key, json)
    if (Array.isArray(json)) return json.map((item) => walk(item, key))
    if (!Predicate.isRecord(json)) return json
    return Object.fromEntries(
      Object.entries(json).map(([name, item]) => [
        known.has(name) || (name === from && key === "stocks") ? `${to}${name.slice(from.length)}` : name,
        walk(item, name)
      ])
    )
  }
  return from === to ? (json) => json : (json) => walk(json, "")
}

/** Values that hold the word, by the key they stand under. */
const valueRewriter = (from: string, to: string) => {
  const id = segment(from, to)
  const inCode = new RegExp(`(^|_)(${from}|${from.toUpperCase()})(?=_|$)`, "g")
  const quantity = `stock${capital(from)}Qty`
  return (key: string, text: string): string => {
    switch (key) {
      case "stockType":
        return text === from ? to : text
      case "field":
        if (text === quantity) return `stock${capital(to)}Qty`
        return text.startsWith(`${from}Club.`) ? `${to}${text.slice(from.length)}` : text
      case "code":
        return text.replace(inCode, (_, before: string, word: string) =>
          word === from ? `${before}${to}` : `${before}${to.toUpperCase()}`
        )
      default:
        return id(text)
    }
  }
}

/** Supply and shipping-unit ids, and the one path segment. */
const segment = (from: string, to: string): ((text: string) => string) => {
  const prefix = new RegExp(`^${from.toUpperCase()}-(?=(GI|TRBX)-[\\w-]+$)`)
  return (text) =>
    text === `${from}-warehouses` ? `${to}-warehouses` : text.replace(prefix, `${to.toUpperCase()}-`)
}

const onText = (word: string, rewrite: (json: unknown) => unknown) => {
  const present = new RegExp(word, "i")
  return (text: string): string => {
    if (!present.test(text)) return text
    const parsed = Json.read(text)
    return Either.isLeft(parsed) ? text : JSON.stringify(rewrite(parsed.right))
  }
}
