/** Weeks that an account lived under rules, whichever way they were run. */
import type * as Load from "../../src/engine/language/Load.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import type { Model } from "../../src/sandbox/market/model/Model.js"
import type { Scale } from "../../src/sandbox/market/Scale.js"
import type * as World from "../../src/sandbox/market/World.js"

export interface Asked {
  readonly seed: number
  readonly days: number
  readonly market: Model
  readonly scale: Scale
  readonly files: ReadonlyArray<Load.File>
  /** The limit of the policy that stops campaigns for the day, kopecks. */
  readonly dailyKopecks: number
}

export interface Lived {
  readonly world: World.World
  /** Writes that the marketplace accepted, oldest first. */
  readonly entries: ReadonlyArray<Ledger.Entry>
  readonly cycles: number
  /** Changes that a limit stopped, by policy and limit; changes that were not accepted, by outcome. */
  readonly held: ReadonlyMap<string, number>
  readonly failed: ReadonlyMap<string, number>
}
