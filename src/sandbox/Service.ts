/** The state of a sandbox marketplace: what its routes and the tests work on. */
import type * as Buckets from "./Buckets.js"
import type * as Faults from "./Faults.js"
import type * as Ledger from "./Ledger.js"
import type * as World from "./market/World.js"

export interface Service {
  readonly seed: number
  readonly speed: number
  readonly originMs: number
  readonly testEnvironment: boolean
  readonly ledger: Ledger.Ledger
  readonly faults: Faults.Faults
  readonly buckets: Buckets.Buckets
  /** The account of a seller, made on first use; each seller has campaigns of their own. */
  readonly world: (seller: string) => World.World
}
