/** From the keys of a level to what they belong to, and back. Numbers only: there may be a million of them. */
export class Links {
  /** Number of each key's parent; longer than there are keys. */
  parents = none
  /** Parents never fall from one key to the next, so keys of one parent follow each other. */
  ascend = true
  /** By parent: one more than its newest child, and how many it has. */
  private newest = none
  private counts = none
  /** By child: one more than the child of the same parent that came before it; 0 for the first. */
  private earlier = none

  /** Children join once each, in the order of their numbers. */
  join(child: number, parent: number): void {
    if (child >= this.parents.length) {
      this.parents = grown(this.parents, child)
      this.earlier = grown(this.earlier, child)
    }
    if (parent >= this.newest.length) {
      this.newest = grown(this.newest, parent)
      this.counts = grown(this.counts, parent)
    }
    this.ascend &&= child === 0 || this.parents[child - 1]! <= parent
    this.parents[child] = parent
    this.earlier[child] = this.newest[parent]!
    this.newest[parent] = child + 1
    this.counts[parent]! += 1
  }

  /** Numbers of the keys below a parent, ascending. */
  children(parent: number): ReadonlyArray<number> {
    const count = this.counts[parent] ?? 0
    const made = new Array<number>(count)
    let next = this.newest[parent] ?? 0
    for (let i = count - 1; i >= 0; i--) {
      made[i] = next - 1
      next = this.earlier[next - 1]!
    }
    return made
  }
}

const grown = (from: Int32Array, index: number): Int32Array<ArrayBuffer> => {
  const to = new Int32Array(Math.max(16, index * 2))
  to.set(from)
  return to
}

const none = new Int32Array(0)
