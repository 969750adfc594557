/** Everything that is noted during a run; the oracles look at this and at the sandbox, never at what the engine says of itself. */
import type { Plan } from "../../../src/engine/decide/Plan.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import type * as World from "../../../src/sandbox/World.js"
import type { Event } from "./Events.js"

/** A request as it reached the network, and what came back. Instants by the marketplace's clock. */
export interface Request {
  readonly at: number
  readonly life: number
  readonly operation: string
  readonly isWrite: boolean
  /** Of the token's claims. */
  readonly seller: string | undefined
  readonly url: string
  readonly body: string
  /** Rows of the journal that were committed and on their way when a write left. */
  readonly claimed: ReadonlyArray<Claimed>
  /** Runs that had begun before this life did. */
  endedAt: number | undefined
  /** Status of the answer as it reached the caller; undefined when none did. */
  status: number | undefined
  /** The answer says certainly what became of the request. */
  isClear: boolean
  /** Refused because a limit was used up. */
  isBreach: boolean
  /** Numbers of the ledger's entries it made. */
  entries: ReadonlyArray<number>
}

export interface Claimed {
  readonly runId: string
  readonly slot: string
  readonly state: string
  readonly operation: string | null
  readonly hash: string | null
  readonly after: unknown
}

/** A row of the journal when all was over. */
export interface Row extends Claimed {
  readonly policy: string
  readonly updatedAt: number
  readonly detail: string | null
  readonly change: string
  readonly decoded: boolean
}

/** One turn of the driver. */
export interface Cycle {
  readonly life: number
  readonly startedAt: number
  readonly rules: RuleSet
  plannedAt: number | undefined
  plan: Plan | undefined
  applyFrom: number | undefined
  endedAt: number | undefined
  /** Requests that had been made when planning began and ended. */
  readonly requestsFrom: number
  requestsPlanned: number
  /** The same plan was made again from the same input. */
  isRepeatable: boolean | undefined
  error: string | undefined
}

export class Record {
  readonly requests: Array<Request> = []
  readonly cycles: Array<Cycle> = []
  readonly trace: Array<string> = []
  /** Entries of the ledger that the network made by repeating a request, or by delivering it late. */
  readonly echoed = new Set<number>()
  readonly events: Array<Event> = []
  /** Runs that a life found when it began. */
  readonly runsBefore = new Map<number, ReadonlySet<string>>()
  /** Spans in which the kill switch was engaged. */
  readonly killed: Array<{ readonly from: number; to: number }> = []
  crashes = 0
}

/** What the invariants are asked about. */
export interface Observed
  extends Pick<Record, "requests" | "cycles" | "echoed" | "events" | "killed" | "runsBefore"> {
  readonly seed: number
  readonly fromMs: number
  readonly toMs: number
  /** From here on nothing goes wrong any more. */
  readonly healedAt: number
  readonly ledger: ReadonlyArray<Ledger.Entry>
  readonly world: World.World
  readonly seller: string
  readonly rows: ReadonlyArray<Row>
  readonly versions: ReadonlyArray<RuleSet>
}

/** What an oracle found. */
export interface Violation {
  readonly invariant: number
  readonly at: number
  readonly what: string
  /** Numbers of the ledger's entries involved. */
  readonly entries: ReadonlyArray<number>
}
