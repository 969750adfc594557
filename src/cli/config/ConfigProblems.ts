/** Secrets that somebody wrote into `bidhelm.yaml` after all: no message repeats them. */
import type * as SchemaAST from "effect/SchemaAST"
import type { Diagnostic, Problems } from "../../engine/language/problems/Diagnostic.js"
import * as Suggest from "../../engine/language/problems/Suggest.js"
import * as Node from "../../engine/language/yaml/Node.js"
import * as Source from "../../engine/language/yaml/Source.js"
import { Fields } from "./ConfigFields.js"
import * as StoreField from "./StoreField.js"

/** What was wrong, with the text it was wrong in; secrets in that text are masked. */
export interface Refused {
  readonly problems: ReadonlyArray<Diagnostic>
  readonly source: Source.Source
}

// The keys of `bidhelm.yaml` that its schema does not know, told without repeating what may be a secret.

/** What may be said where a secret is; a map that knows only these holds the place of one. */
const places: ReadonlyArray<string> = ["env", "file"]

/** The name of an environment variable as most write it. A token has small letters, too. */
const variable = /^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$/

/**
 * Compares the keys of every map with those its schema knows, and asks each for a value: what somebody began to say, or
 * wrote as `~`, is not what is usual. Answers what no excerpt may show of the unknown ones:
 * whatever stands under them, and a key that may be a secret itself.
 */
export const unknown = (
  node: Node.Node,
  ast: SchemaAST.AST,
  problems: Problems
): ReadonlyArray<Source.Range> => {
  const shape = shapeOf(ast)
  if (node._tag === "List" && shape._tag === "TupleType") {
    const element = shape.elements[0]?.type ?? shape.rest[0]?.type
    return element === undefined ? [] : node.items.flatMap((item) => unknown(item, element, problems))
  }
  if (node._tag !== "Map" || shape._tag !== "TypeLiteral") return []
  const names = shape.propertySignatures.map(({ name }) => String(name))
  const isOfSecret = names.every((name) => places.includes(name))
  return node.entries.flatMap(({ key, keyRange, value }) => {
    const property = shape.propertySignatures.find(({ name }) => name === key)
    if (property !== undefined && Node.isEmpty(value))
      problems.error("K16", keyRange, `${key}: has no value. Give it one, or leave it out.`)
    if (property !== undefined) return unknown(value, property.type, problems)
    const isTold = !isOfSecret && ordinary.test(key)
    const said = isTold ? `Unknown key "${key}".` : "Unknown key; it is not repeated, as it may be a secret."
    problems.error("K01", keyRange, `${said} ${Suggest.sentence(key, names)}`)
    return isTold ? written(value) : [keyRange, ...written(value)]
  })
}

/** Of a file that is one value or a list as a whole. It may be a secret, so nothing of it is repeated. */
export const noKeys = (root: Node.ListNode | Node.ScalarNode): string =>
  `This file holds ${root._tag === "List" ? "a list" : "one value"} where keys such as version:, accounts: and hosts: should be.`

/** Where the scalars of a value stand, its keys among them. */
const written = (node: Node.Node | undefined): ReadonlyArray<Source.Range> => {
  if (node === undefined) return []
  if (node._tag === "Scalar") return [node.range]
  if (node._tag === "List") return node.items.flatMap(written)
  return node.entries.flatMap(({ keyRange, value }) => [keyRange, ...written(value)])
}

/** A misspelt key is a word; a token or a password has digits among its letters, or is longer. */
const ordinary = /^(?=.{1,30}$)\p{L}[\p{L}_-]*\d{0,2}$/u

const shapeOf = (ast: SchemaAST.AST): SchemaAST.AST => (ast._tag === "Refinement" ? shapeOf(ast.from) : ast)

/** Every key that the schema knows anywhere. */
const keyNames = (ast: SchemaAST.AST): ReadonlySet<string> => {
  const shape = shapeOf(ast)
  if (shape._tag === "TypeLiteral") {
    return new Set(shape.propertySignatures.flatMap(({ name, type }) => [String(name), ...keyNames(type)]))
  }
  return shape._tag === "TupleType"
    ? new Set([...shape.elements, ...shape.rest].flatMap(({ type }) => [...keyNames(type)]))
    : new Set()
}

/** Means nothing to YAML, so that the problem told is the token itself, and is in no name. */
const mask = "×"

/** Whatever looks like a token, wherever it stands: base64url that begins a JSON object. */
const tokenLike = /eyJ[\w-]{5,}(\.[\w-]*){0,2}/g

/** The text with what looks like a token or a password masked, of the same length. */
export const masked = (content: string): string =>
  StoreField.withoutPasswords(content.replace(tokenLike, (token) => mask.repeat(token.length)))

/** As long as the text, on as many lines. */
const stars = (text: string): string => text.replace(/[^\r\n]/g, "*")

/** What a line says behind a hash sign; it may be inside quotes, and is then no comment, but nobody misses it. */
const comment = /(^|\s)(#[^\r\n]*)/g

/** Name and password in an address, with everything up to the last `@`: they may hold one themselves. */
const inAddress = /(https?:\/\/)([^\s"']*)(?=@)/gi

/** What somebody wrote into the file after all, keys and values, where only the place of a secret belongs. */
const secretsIn = (
  place: Node.Node | undefined,
  known: ReadonlyArray<string> = places
): ReadonlyArray<Source.Range> => {
  if (place?._tag !== "Map") return written(place)
  return place.entries.flatMap(({ key, keyRange, value }) => {
    if (!known.includes(key)) return [keyRange, ...written(value)]
    return value._tag === "Scalar" && variable.test(value.text) ? [] : written(value)
  })
}

/** Values that would not be words, where a word is asked for that stands beside a token. */
const strangeIn = (node: Node.Node | undefined): ReadonlyArray<Source.Range> =>
  node?._tag === "Scalar" && /^[A-Za-z_-]{0,30}$/.test(node.text) ? [] : written(node)

/** Of an account, or of what stands where one belongs. */
const inAccount = (account: Node.Node): ReadonlyArray<Source.Range> =>
  account._tag === "Map"
    ? [...secretsIn(Node.get(account, "token")), ...strangeIn(Node.get(account, "token_kind"))]
    : written(account)

/**
 * The text with what is written where only the place of a secret belongs blotted out: no message repeats it. The same
 * for `unknown` parts, and for comments, in which somebody may have put a secret aside.
 */
export const blotted = (
  content: string,
  root: Node.Node | undefined,
  unknown: ReadonlyArray<Source.Range> = []
): string => {
  const at = (key: string) => (root === undefined ? undefined : Node.get(root, key))
  const accounts = at("accounts")
  const list = accounts?._tag === "List" ? accounts.items : accounts === undefined ? [] : [accounts]
  const secrets = [
    ...unknown,
    ...list.flatMap(inAccount),
    ...secretsIn(at("store_password")),
    ...secretsIn(Node.get(at("runner"), "http_key")),
    ...secretsIn(Node.get(at("telemetry"), "headers"), ["env"]),
    ...["name", "scheme"].flatMap((key) => strangeIn(Node.get(at("header"), key)))
  ]
  const addresses = [at("hosts"), Node.get(at("telemetry"), "otlp")]
  const users = addresses.flatMap(written).map(({ end, start }) => {
    return { start, end: start + content.slice(start, end).lastIndexOf("@") }
  })
  const hidden = [...secrets, ...users.filter(({ end, start }) => end > start)].reduce(
    (text: string, { end, start }) => text.slice(0, start) + stars(text.slice(start, end)) + text.slice(end),
    content
  )
  return hidden
    .replace(inAddress, (_, before: string, secret: string) => before + stars(secret))
    .replace(comment, (_, before: string, said: string) => before + stars(said))
}

// A configuration that is no YAML. Nobody can tell there which of its words is a secret, so messages and excerpts
// repeat only what is surely none: known keys, names of variables, and lines that say something harmless.

/** Problems and text of such a file without the words that may be secrets. */
export const told = (
  path: string,
  content: string,
  root: Node.Node | undefined,
  problems: ReadonlyArray<Diagnostic>
): Refused => {
  const hidden = new Set<string>()
  const shown = content.replace(/[^\r\n]+/g, (line) =>
    isHarmless(line)
      ? line
      : line.replace(word, (one) => {
          if (known.has(one) || variable.test(one)) return one
          hidden.add(one)
          return "*".repeat(one.length)
        })
  )
  const source = Source.make(path, blotted(shown, root))
  return { source, problems: problems.map((one) => without(one, hidden)) }
}

/** Rules read the same YAML, and their problems quote what they are about. */
const without = (problem: Diagnostic, hidden: ReadonlySet<string>): Diagnostic => {
  const { fix, message, ...rest } = problem
  const quoting = (text: string) => (text.match(word) ?? []).some((one) => isOf(hidden, one))
  const said = message
    .replace(/".*"/, (quoted) => (quoting(quoted) ? '"…"' : quoted))
    .replace(/^(This (?:file )?cannot be read as YAML): .*$/, (whole, before) =>
      quoting(whole) ? `${before}.` : whole
    )
  return { ...rest, message: said, ...(fix === undefined || quoting(fix) ? {} : { fix }) }
}

/** A quotation may end within a word, or begin in one. */
const isOf = (hidden: ReadonlySet<string>, one: string): boolean =>
  hidden.has(one) ||
  (one.length > 3 &&
    !known.has(one) &&
    [...hidden].some((other) => other.includes(one) || (other.length > 3 && one.includes(other))))

const word = /[^\s{}[\],:"'`!&*?|>@%#=-]+/g

const known = keyNames(Fields.ast)

/** Begins with a known key, and no secret is anywhere near it. */
const isHarmless = (line: string): boolean => {
  const first = /^\s*(?:-\s+)?(\w+):(?:\s|$)/.exec(line)?.[1]
  return first !== undefined && known.has(first) && !beside.test(line)
}

/** Words of a line that speaks of a secret or of the place of one; a nested map may hide a misspelt one. */
const beside = /\b(\w*token\w*|\w*password|\w*key|header\w*|scheme|env|file)\b|[{[].*[{[]/i
