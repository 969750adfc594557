/** The keys of one level (campaigns, items in campaigns, clusters) with their parents and their fact columns. */
import * as Target from "../../domain/Target.js"
import { Column, type Kind } from "./Column.js"

/** Keys are numbered in the order they were added; a number is never reused. */
export class Keyspace {
  readonly targets: Array<Target.Target> = []
  /** Number of the key's parent on the next coarser level. */
  readonly parents: Array<number> = []
  /** Numbers of the keys below a parent. */
  readonly children: Array<Array<number>> = []
  readonly columns = new Map<string, Column>()
  private readonly numbers = new Map<string, number>()

  find(key: string): number | undefined {
    return this.numbers.get(key)
  }

  add(target: Target.Target, parent: number): number {
    const key = Target.key(target)
    const existing = this.numbers.get(key)
    if (existing !== undefined) return existing
    const number = this.targets.push(target) - 1
    this.parents.push(parent)
    this.numbers.set(key, number)
    const siblings = this.children[parent]
    if (siblings === undefined) this.children[parent] = [number]
    else siblings.push(number)
    return number
  }

  column(factKey: string, kind: Kind): Column {
    const existing = this.columns.get(factKey)
    if (existing !== undefined) return existing
    const made = new Column(kind)
    this.columns.set(factKey, made)
    return made
  }
}
