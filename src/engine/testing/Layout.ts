/** The layout of a test file: which keys a map has, and what is reported when they are others. */
import * as Level from "../facts/Level.js"
import type { Each } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import * as Shape from "../language/shape/Shape.js"
import type { Entry, MapNode, Node, ScalarNode } from "../language/yaml/Node.js"
import { entry, isEmpty } from "../language/yaml/Node.js"
import type { Range } from "../language/yaml/Source.js"

export interface Keys {
  readonly known: ReadonlyArray<string>
  /** With what to say when it is missing. */
  readonly needed: Readonly<Record<string, string>>
}

/** The map, or undefined with a report. Keys outside `known` are reported, unless `others` may be any. */
export const map = (
  node: Node,
  place: string,
  keys: Keys,
  problems: Problems,
  others: "refused" | "facts" = "refused"
): MapNode | undefined => {
  if (node._tag !== "Map") {
    const wanted = keys.known.slice(0, 3).map((key) => `${key}:`)
    return problems.error("K16", node.range, `${place}: keys such as ${wanted.join(", ")} should stand here.`)
  }
  if (others === "refused") {
    for (const { key, keyRange } of node.entries) {
      if (!keys.known.includes(key)) Shape.unknownKey(key, keyRange, keys.known, problems, node.entries)
    }
  }
  for (const [key, why] of Object.entries(keys.needed)) {
    if (entry(node, key) === undefined) problems.error("K13", first(node), `${key}: is missing. ${why}`)
  }
  return node
}

/** Where to point when something is missing: the first key rather than the whole map. */
export const first = (node: Node): Range =>
  node._tag === "Map" ? (node.entries[0]?.keyRange ?? node.range) : node.range

/** A text that is not empty, or undefined with a report where the key is there. */
export const text = (map: Node, key: string, problems: Problems): ScalarNode | undefined => {
  const found = entry(map, key)
  if (found === undefined) return undefined
  const { value } = found
  if (value._tag !== "Scalar")
    return problems.error("K16", value.range, `${key}: one value should stand here.`)
  if (isEmpty(value) || value.text.trim() === "")
    return problems.error("K16", found.keyRange, `${key}: is empty.`)
  return value
}

/** The items of a list; an empty list is fine here. Undefined when the key is absent. */
export const list = (map: Node, key: string, problems: Problems): ReadonlyArray<Node> | undefined => {
  const found = entry(map, key)
  if (found === undefined) return undefined
  if (found.value._tag === "List") return found.value.items
  problems.error(
    "K16",
    found.keyRange,
    `${key}: a list should stand here, one line per entry, each after a dash.`
  )
  return []
}

/** The key under which a row lists the rows below it; undefined where there are none. */
export const keyBelow = (each: Each): string | undefined => {
  if (Level.below(each) === undefined) return undefined
  return each === "campaign" ? "items" : "campaigns"
}

/** A key as a text with places, so that expressions in it can be reported. */
export const keyScalar = ({ key, keyRange }: Entry): ScalarNode => {
  const quotes = keyRange.end - keyRange.start > key.length ? 1 : 0
  const offsets = Array.from({ length: key.length }, (_, i) => keyRange.start + quotes + i)
  return { _tag: "Scalar", text: key, kind: "text", range: keyRange, offsets }
}
