/** Rows a rule found, as lists that grow: what the hand-written loop answers. */

/** Matched rows; and undecided ones with the byte of their first reason and the rule's test it belongs to. */
export class Lists {
  holds = new Int32Array(64)
  held = 0
  rows = new Int32Array(64)
  tests = new Uint8Array(64)
  reasons = new Uint8Array(64)
  left = 0

  /** Makes room for `more` rows in each list. */
  reserve(more: number): void {
    if (this.held + more > this.holds.length) this.holds = grown(this.holds, Int32Array, this.held + more)
    if (this.left + more <= this.rows.length) return
    const size = this.left + more
    this.rows = grown(this.rows, Int32Array, size)
    this.tests = grown(this.tests, Uint8Array, size)
    this.reasons = grown(this.reasons, Uint8Array, size)
  }
}

const grown = <A extends Int32Array | Uint8Array>(
  from: A,
  kind: new (size: number) => A,
  size: number
): A => {
  const to = new kind(Math.ceil(size * 1.5))
  to.set(from)
  return to
}
