/** The entries of a map; none of anything else. */
import type { Entry, Node } from "../engine/language/yaml/Node.js"

export const entries = (node: Node | undefined): ReadonlyArray<Entry> =>
  node?._tag === "Map" ? node.entries : []
