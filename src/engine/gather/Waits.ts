/** Who waits for the answers about which keys at one desk: eight bytes for each key that the table has. */
import type * as Deferred from "effect/Deferred"
import * as Target from "../../domain/Target.js"

/** Somebody who waits for so many keys yet. */
export interface Wait {
  left: number
  readonly done: Deferred.Deferred<void>
}

/** Of one key: those who wait, until its answer was entered. */
export type Waits = ReadonlyArray<Wait> | "entered"

export const nobody: ReadonlyArray<Wait> = []

export class WaitsOfKeys {
  /** By the number of a key in the table. */
  private readonly known: Array<Waits | undefined> = []
  /** By name, of keys that were not in the table when they came. */
  private readonly strangers = new Map<string, Waits>()

  constructor(private readonly numberOf: (key: Target.Subject) => number | undefined) {}

  /** Undefined for a key that nobody has brought. */
  get(key: Target.Subject): Waits | undefined {
    const stranger = this.strangers.size === 0 ? undefined : this.strangers.get(Target.key(key))
    if (stranger !== undefined) return stranger
    const number = this.numberOf(key)
    return number === undefined ? undefined : this.known[number]
  }

  set(key: Target.Subject, waits: Waits): void {
    const number = this.numberOf(key)
    const isStranger =
      number === undefined || (this.strangers.size > 0 && this.strangers.has(Target.key(key)))
    if (isStranger) {
      this.strangers.set(Target.key(key), waits)
      return
    }
    // Without gaps it stays an array for the engine, of eight bytes a key.
    while (this.known.length < number) this.known.push(undefined)
    this.known[number] = waits
  }
}
