/** Secrets that somebody wrote into `bidhelm.yaml` after all: no message repeats them. */
import * as Node from "../engine/language/Node.js"
import * as StoreField from "./StoreField.js"

/** Whatever looks like a token, wherever it stands: base64url that begins a JSON object. */
const tokenLike = /eyJ[\w-]{5,}(\.[\w-]*){0,2}/g

/** The text with what looks like a token or a password masked, of the same length. */
export const masked = (content: string): string =>
  StoreField.withoutPasswords(content.replace(tokenLike, (token) => "*".repeat(token.length)))

/** Values that somebody wrote into the file after all, where only the place of a secret belongs. */
const secretsIn = (place: Node.Node | undefined, known: ReadonlyArray<string>): ReadonlyArray<Node.Node> => {
  if (place?._tag !== "Map") return place === undefined ? [] : [place]
  return place.entries.filter(({ key }) => !known.includes(key)).map(({ value }) => value)
}

/** The text with what stands directly under `token:` or `store_password:` blotted out: no message repeats it. */
export const blotted = (content: string, root: Node.Node | undefined): string => {
  const accounts = root === undefined ? undefined : Node.get(root, "accounts")
  const list = accounts?._tag === "List" ? accounts.items : accounts === undefined ? [] : [accounts]
  const under = (section: string, key: string) => {
    const found = root === undefined ? undefined : Node.get(root, section)
    return found === undefined ? undefined : Node.get(found, key)
  }
  const secrets = [
    ...list.map((account) => Node.get(account, "token")),
    root === undefined ? undefined : Node.get(root, "store_password"),
    ...secretsIn(under("runner", "http_key"), ["env", "file"]),
    ...secretsIn(under("telemetry", "headers"), ["env"])
  ]
  return secrets.reduce((text: string, token) => {
    if (token?._tag !== "Scalar") return text
    const { end, start } = token.range
    return text.slice(0, start) + "*".repeat(end - start) + text.slice(end)
  }, content)
}
