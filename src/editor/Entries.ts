/** The entries of a map; none of anything else. */
import type { Entry, Node } from "../engine/language/Node.js"

export const entries = (node: Node | undefined): ReadonlyArray<Entry> =>
  node?._tag === "Map" ? node.entries : []
