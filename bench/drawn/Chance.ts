/** Chance that can be repeated: the same seed, the same draws. */

/** Numbers from 0 up to 1 (mulberry32). */
export const generator = (seed: number): (() => number) => {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Draws from lists; `chance` is true with that probability. */
export class Draw {
  constructor(readonly next: () => number) {}

  whole(low: number, high: number): number {
    return low + Math.floor((high - low + 1) * this.next())
  }

  one<A>(options: ReadonlyArray<A>): A {
    return options[Math.floor(options.length * this.next())]!
  }

  chance(probability: number): boolean {
    return this.next() < probability
  }

  /** One of the options, by their weights. */
  weighted<A>(options: ReadonlyArray<readonly [weight: number, A]>): A {
    let left = this.next() * options.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, option] of options) {
      left -= weight
      if (left < 0) return option
    }
    return options[options.length - 1]![1]
  }
}
