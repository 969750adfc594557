/** What a stream of traffic stands in: its market, item and subject. From these and a day follows how it is then. */
import type { Model } from "./Model.js"

export interface Setting {
  readonly model: Model
  /** Hashes that chance of the whole item, and of its whole subject, is drawn from. */
  readonly itemSeed: number
  readonly subjectSeed: number
}
