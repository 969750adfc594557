/** The keys of one level (campaigns, items, items in campaigns, clusters) with their parents and their fact columns. */
import { Column, type Kind } from "./Column.js"
import { Links } from "./Links.js"

/** What tells a key from its siblings: a campaign's or an item's number, a cluster's text. */
export type Name = number | string

/**
 * Keys are numbered in the order they were added; a number is never reused. They are found by their parent and their
 * own name; an object per key, or a text that names both, would take more memory than the facts.
 */
export class Keyspace {
  readonly columns = new Map<string, Column>()
  /** To the parent among whose children a key is looked up. */
  readonly links = new Links()
  private readonly names: Array<Name> = []
  /** One more than the number of a key, at the place its parent and name lead to or the next free one; 0 is free. */
  private places = allFree

  get size(): number {
    return this.names.length
  }

  nameOf(key: number): Name | undefined {
    return this.names[key]
  }

  find(parent: number, name: Name): number | undefined {
    const found = this.places[this.placeOf(parent, name)]!
    return found === 0 ? undefined : found - 1
  }

  /** The key must not be there yet. */
  add(parent: number, name: Name): number {
    const key = this.names.push(name) - 1
    this.links.join(key, parent)
    if (this.names.length * 4 > this.places.length * 3) {
      this.places = new Int32Array(Math.max(32, this.places.length * 2))
      for (let one = 0; one < key; one++) this.settle(one)
    }
    this.settle(key)
    return key
  }

  column(factKey: string, kind: Kind): Column {
    const existing = this.columns.get(factKey)
    if (existing !== undefined) return existing
    const made = new Column(kind)
    this.columns.set(factKey, made)
    return made
  }

  private settle(key: number): void {
    this.places[this.placeOf(this.links.parents[key]!, this.names[key]!)] = key + 1
  }

  private placeOf(parent: number, name: Name): number {
    const { names, places } = this
    const { parents } = this.links
    const last = places.length - 1
    let at = mixed(parent, name) & last
    for (;;) {
      const key = places[at]! - 1
      if (key < 0 || (parents[key] === parent && names[key] === name)) return at
      at = (at + 1) & last
    }
  }
}

/** Of an empty keyspace; nothing is ever written there. */
const allFree = new Int32Array(1)

const mixed = (parent: number, name: Name): number => {
  let hash = Math.imul(parent ^ 0x9e3779b9, 0x85ebca6b)
  if (typeof name === "number") hash ^= Math.trunc(name)
  else for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return hash ^ (hash >>> 13)
}
