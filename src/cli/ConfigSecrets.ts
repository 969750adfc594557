/** Secrets that somebody wrote into `bidhelm.yaml` after all: no message repeats them. */
import * as Node from "../engine/language/Node.js"
import { variable } from "./ConfigFields.js"
import * as StoreField from "./StoreField.js"

/** Whatever looks like a token, wherever it stands: base64url that begins a JSON object. */
const tokenLike = /eyJ[\w-]{5,}(\.[\w-]*){0,2}/g

/** The text with what looks like a token or a password masked, of the same length. */
export const masked = (content: string): string =>
  StoreField.withoutPasswords(content.replace(tokenLike, (token) => "*".repeat(token.length)))

/** As long as the text, on as many lines. */
const stars = (text: string): string => text.replace(/[^\r\n]/g, "*")

/** Name and password in an address, with everything up to the last `@`: they may hold one themselves. */
const inAddress = /(https?:\/\/)([^\s"']*)(?=@)/gi

/** Values that somebody wrote into the file after all, where only the place of a secret belongs. */
const secretsIn = (
  place: Node.Node | undefined,
  known: ReadonlyArray<string>
): ReadonlyArray<Node.ScalarNode> => {
  if (place?._tag !== "Map") return leaves(place)
  return place.entries
    .filter(({ key, value }) => !known.includes(key) || (key === "env" && !isVariable(value)))
    .flatMap(({ value }) => leaves(value))
}

const isVariable = (node: Node.Node): boolean => node._tag === "Scalar" && variable.test(node.text)

const leaves = (node: Node.Node | undefined): ReadonlyArray<Node.ScalarNode> => {
  if (node === undefined) return []
  if (node._tag === "Scalar") return [node]
  return (node._tag === "List" ? node.items : node.entries.map(({ value }) => value)).flatMap(leaves)
}

/** The text with what is written where only the place of a secret belongs blotted out: no message repeats it. */
export const blotted = (content: string, root: Node.Node | undefined): string => {
  const accounts = root === undefined ? undefined : Node.get(root, "accounts")
  const list = accounts?._tag === "List" ? accounts.items : accounts === undefined ? [] : [accounts]
  const under = (section: string, key: string) => {
    const found = root === undefined ? undefined : Node.get(root, section)
    return found === undefined ? undefined : Node.get(found, key)
  }
  const secrets = [
    ...list.flatMap((account) => secretsIn(Node.get(account, "token"), ["env", "file"])),
    ...secretsIn(root === undefined ? undefined : Node.get(root, "store_password"), ["env", "file"]),
    ...secretsIn(under("runner", "http_key"), ["env", "file"]),
    ...secretsIn(under("telemetry", "headers"), ["env"])
  ].map(({ range }) => range)
  const addresses = [root === undefined ? undefined : Node.get(root, "hosts"), under("telemetry", "otlp")]
  const users = addresses.flatMap(leaves).map(({ range: { end, start } }) => {
    return { start, end: start + content.slice(start, end).lastIndexOf("@") }
  })
  const hidden = [...secrets, ...users.filter(({ end, start }) => end > start)].reduce(
    (text: string, { end, start }) => text.slice(0, start) + stars(text.slice(start, end)) + text.slice(end),
    content
  )
  return hidden.replace(inAddress, (_, before: string, secret: string) => before + stars(secret))
}
