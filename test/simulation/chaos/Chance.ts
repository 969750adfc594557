/** Chance of one concern: its own stream of numbers under the seed, so that drawing more of one never shifts another. */
import * as Dice from "../../../src/sandbox/Dice.js"

export class Chance {
  private readonly hash: number
  private drawn = 0

  constructor(seed: number, concern: string) {
    this.hash = Dice.ofText(seed, concern)
  }

  /** In [0, 1). */
  unit(): number {
    return Dice.unit(Dice.mix(this.hash, this.drawn++))
  }

  /** A whole number from `low` to `high`, both included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.unit() * (high - low + 1))
  }

  /** True with this probability. */
  happens(probability: number): boolean {
    return this.unit() < probability
  }

  /** One of the choices; the list must not be empty. */
  pick<A>(choices: ReadonlyArray<A>): A {
    return choices[this.int(0, choices.length - 1)] as A
  }
}
