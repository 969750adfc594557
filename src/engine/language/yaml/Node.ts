/** A rule file as a small tree with places: what the checks read, whatever YAML library made it. */
import type { Variables } from "../syntax/Syntax.js"
import type { Range } from "./Source.js"

export interface MapNode {
  readonly _tag: "Map"
  readonly entries: ReadonlyArray<Entry>
  readonly range: Range
}

export interface Entry {
  readonly key: string
  readonly keyRange: Range
  readonly value: Node
}

export interface ListNode {
  readonly _tag: "List"
  readonly items: ReadonlyArray<Node>
  readonly range: Range
}

/** `text` is the value as written (`10%`, `900`), unquoted. */
export interface ScalarNode {
  readonly _tag: "Scalar"
  readonly text: string
  /** What YAML makes of it; `empty` is a key without a value, or one whose value is written as none: `~`, `null`. */
  readonly kind: "text" | "number" | "yesNo" | "empty"
  /** Stands for a variable without a value, which was reported: the empty place says nothing more. */
  readonly told?: true
  readonly range: Range
  /** The place in the file of each unit of the text; of the first where the others follow it. */
  readonly offsets: ReadonlyArray<number> | number
  /** What `$name` means here; only texts with a `$` carry it. */
  readonly vars?: Variables
}

export type Node = MapNode | ListNode | ScalarNode

/** Value of a key of a map; undefined for other nodes and for keys without a value. */
export const get = (node: Node | undefined, key: string): Node | undefined => {
  const found = entry(node, key)?.value
  return found === undefined || isEmpty(found) ? undefined : found
}

/** The text of a key whose value is one. */
export const textAt = (node: Node | undefined, key: string): string | undefined => {
  const found = get(node, key)
  return found?._tag === "Scalar" ? found.text.trim() : undefined
}

export const entry = (node: Node | undefined, key: string): Entry | undefined =>
  node?._tag === "Map" ? node.entries.find((e) => e.key === key) : undefined

export const isEmpty = (node: Node): boolean => node._tag === "Scalar" && node.kind === "empty"

/** Whether no value stands where one should, and nobody has said so yet. */
export const lacksValue = (node: Node): boolean =>
  node._tag === "Scalar" && node.kind === "empty" && node.told !== true

/** The scalars of a value that may be one text or a list of texts. */
export const scalars = (node: Node | undefined): ReadonlyArray<ScalarNode> => {
  const items = node === undefined ? [] : node._tag === "List" ? node.items : [node]
  return items.filter((item): item is ScalarNode => item._tag === "Scalar" && item.kind !== "empty")
}

/** Place in the file of a part of a scalar's text. */
export const rangeIn = (node: ScalarNode, start: number, end: number): Range => {
  const from = placeIn(node, start) ?? node.range.end
  const to = end > start ? (placeIn(node, end - 1) ?? node.range.end - 1) + 1 : from
  const { elsewhere } = node.range
  return { start: from, end: Math.max(from, to), ...(elsewhere === undefined ? {} : { elsewhere }) }
}

/** The units of a part of a scalar's text. */
export const offsetsIn = ({ offsets }: ScalarNode, start: number, end: number): ScalarNode["offsets"] =>
  typeof offsets === "number" ? offsets + start : offsets.slice(start, end)

const placeIn = ({ offsets, text }: ScalarNode, unit: number): number | undefined => {
  if (typeof offsets !== "number") return offsets[unit]
  return unit >= 0 && unit < text.length ? offsets + unit : undefined
}
