/**
 * Distinct texts; each has a number. Found by numbers alone: a `Map` of a million texts is copied whole as it grows, and looked
 * at by every garbage collection.
 */
export class Words {
  /** By their numbers. */
  readonly texts: Array<string> = []
  /** Of each text; longer than there are texts. */
  private hashes = new Int32Array(16)
  /** One more than the number of a text, at the place its hash leads to or the next free one; 0 is free. */
  private places = new Int32Array(32)
  /** The text that was asked for last: mostly the next question is about the same, or about the one that came after it. */
  private last = 0

  /** Memory of the numbers. */
  get bytes(): number {
    return this.hashes.byteLength + this.places.byteLength
  }

  /** Undefined for a text that has no number. */
  find(text: string): number | undefined {
    if (this.isNear(text)) return this.last
    const found = this.places[this.placeOf(text, hashOf(text))]!
    if (found === 0) return undefined
    this.last = found - 1
    return this.last
  }

  /** The text is given a number where it has none. */
  codeOf(text: string): number {
    if (this.isNear(text)) return this.last
    const hash = hashOf(text)
    const place = this.placeOf(text, hash)
    const found = this.places[place]!
    this.last = found === 0 ? this.add(text, hash, place) : found - 1
    return this.last
  }

  /** Moves `last` on where the text is the next. */
  private isNear(text: string): boolean {
    const { last, texts } = this
    if (texts[last] === text) return true
    if (last + 1 >= texts.length || texts[last + 1] !== text) return false
    this.last = last + 1
    return true
  }

  private add(text: string, hash: number, place: number): number {
    const code = this.texts.push(text) - 1
    this.hashes[code] = hash
    this.places[place] = code + 1
    if (this.texts.length === this.hashes.length) this.grow()
    return code
  }

  private grow(): void {
    const { hashes, texts } = this
    this.hashes = new Int32Array(hashes.length * 2)
    this.hashes.set(hashes)
    this.places = new Int32Array(this.places.length * 2)
    const last = this.places.length - 1
    for (let code = 0; code < texts.length; code++) {
      let at = hashes[code]! & last
      while (this.places[at] !== 0) at = (at + 1) & last
      this.places[at] = code + 1
    }
  }

  private placeOf(text: string, hash: number): number {
    const { hashes, places, texts } = this
    const last = places.length - 1
    let at = hash & last
    for (;;) {
      const code = places[at]! - 1
      if (code < 0 || (hashes[code] === hash && texts[code] === text)) return at
      at = (at + 1) & last
    }
  }
}

/** Reads signs by the function itself, whatever form V8 keeps the text in (`domain/Hash.ts`). */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  const { length } = text
  for (let i = 0; i < length; i++)
    hash = Math.imul(hash ^ String.prototype.charCodeAt.call(text, i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35)
  return hash ^ (hash >>> 13)
}
