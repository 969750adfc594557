/** Secrets that somebody wrote into `bidhelm.yaml` after all: no message repeats them. */
import * as Node from "../../engine/language/yaml/Node.js"
import type * as Source from "../../engine/language/yaml/Source.js"
import * as ConfigKeys from "./ConfigKeys.js"
import * as StoreField from "./StoreField.js"

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
  known: ReadonlyArray<string> = ConfigKeys.places
): ReadonlyArray<Source.Range> => {
  if (place?._tag !== "Map") return ConfigKeys.written(place)
  return place.entries.flatMap(({ key, keyRange, value }) => {
    if (!known.includes(key)) return [keyRange, ...ConfigKeys.written(value)]
    return value._tag === "Scalar" && ConfigKeys.variable.test(value.text) ? [] : ConfigKeys.written(value)
  })
}

/** Values that would not be words, where a word is asked for that stands beside a token. */
const strangeIn = (node: Node.Node | undefined): ReadonlyArray<Source.Range> =>
  node?._tag === "Scalar" && /^[A-Za-z_-]{0,30}$/.test(node.text) ? [] : ConfigKeys.written(node)

/** Of an account, or of what stands where one belongs. */
const inAccount = (account: Node.Node): ReadonlyArray<Source.Range> =>
  account._tag === "Map"
    ? [...secretsIn(Node.get(account, "token")), ...strangeIn(Node.get(account, "token_kind"))]
    : ConfigKeys.written(account)

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
  const users = addresses.flatMap(ConfigKeys.written).map(({ end, start }) => {
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
