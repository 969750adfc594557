/** Everything that is noted during a run; the oracles look at this and at the sandbox, never at what the engine says of itself. */
import * as FiberRef from "effect/FiberRef"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import type * as Ledger from "../../../src/sandbox/Ledger.js"
import type * as World from "../../../src/sandbox/market/World.js"
import type { Event } from "./Events.js"
import type { ShopLook } from "./ShopLook.js"

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
  endedAt: number | undefined
  /** Status of the answer as it reached the caller; undefined when none did. */
  status: number | undefined
  /** The answer says certainly what became of the request. */
  isClear: boolean
  /** Refused because a limit was used up. */
  isBreach: boolean
  /** Numbers of the ledger's entries it made. */
  entries: ReadonlyArray<number>
  /** Of those that it made when it was delivered after the caller gave up. */
  lateEntries?: ReadonlyArray<number>
  /** Who held the account's lock in the store when a write left; empty when nobody did. */
  readonly lockedBy?: string
  /** How the orders stood that a write is about, when it left. */
  readonly shop?: ShopLook
  /** Its text, where it answers statistics: what reached the program. */
  answer?: string
  /** The turn that made it; turns of one life may overlap. */
  readonly cycle: Cycle | undefined
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
  readonly reason: string | null
  readonly change: string
  readonly decoded: boolean
}

/**
 * One turn: of the timetable, or what a person does beside it. A `look` only plans; an `undo` takes the run `undid`
 * back, an `approve` carries out what waited for a person, a `call` is theirs alone.
 */
export interface Cycle {
  readonly kind: "schedule" | "look" | "undo" | "approve" | "call"
  readonly undid?: string
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

/** When the kill switch was pulled, and let go. */
export interface Killed {
  readonly from: number
  to: number
  /** Requests that had been made when it was pulled, where that was while a change waited for its call limit. */
  readonly requestsFrom?: number
}

export interface Zombie {
  readonly life: number
  readonly hungAt: number
  wokenAt: number | undefined
  /** It hung when nothing was left to be looked at: between its last look and the first byte of a request. */
  readonly isAtRequest?: boolean
}

/** Labels of a supply, as somebody printed them. */
export interface Printed {
  readonly at: number
  readonly supplyId: string
  /** As the labels came, first to last, each with the place it says. */
  readonly labels: ReadonlyArray<{ readonly orderId: number; readonly position: number }>
  /** The stored order of the supply at that time, as the store has it. */
  readonly stored: ReadonlyArray<number>
}

/** A mark, whole, where it must not be. */
export interface Leak {
  readonly at: number
  readonly where: string
}

/** What a person's look at the orders says in the end. */
export interface Left {
  readonly at: number
  /** Why an order is in no supply, by its number. */
  readonly why: ReadonlyMap<number, string>
  /** Orders that a turn would put into a supply now, and whose turns may do that alone. */
  readonly planned: ReadonlySet<number>
  readonly alone: ReadonlySet<number>
}

/** The turn in which a fiber works. */
export const current: FiberRef.FiberRef<Cycle | undefined> = FiberRef.unsafeMake<Cycle | undefined>(undefined)

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
  readonly killed: Array<Killed> = []
  /** When a life was asked to end. */
  readonly stops: Array<{ readonly life: number; readonly at: number }> = []
  /** Lives that hung while another one had begun, and went on. */
  readonly zombies: Array<Zombie> = []
  /** Labels that were printed. */
  readonly prints: Array<Printed> = []
  /** Marks that people gave, by what nobody may read of them anywhere else. */
  readonly secrets = new Set<string>()
  /** Where such a secret stood. */
  readonly leaks: Array<Leak> = []
  /** Orders that are in no supply when all is over, and what is said of them; undefined where nobody could ask. */
  left: Left | undefined
  /** What happened how often, for the summary: `crash of the store`, `undo: applied`. */
  readonly counts = new Map<string, number>()
  crashes = 0

  count(what: string, times = 1): void {
    if (times > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + times)
  }

  /** Up to here only the counts, the events and the kill switch are known. */
  forgottenTo: number | undefined

  /** Everything but the counts and what happened to the program, so that months fit into memory. */
  forget(nowMs: number): void {
    for (const list of [this.requests, this.cycles, this.trace, this.stops, this.zombies, this.prints])
      list.length = 0
    this.echoed.clear()
    this.runsBefore.clear()
    this.forgottenTo = nowMs
  }
}

/** What the invariants are asked about. */
export interface Observed
  extends Pick<
    Record,
    | "requests"
    | "cycles"
    | "echoed"
    | "events"
    | "killed"
    | "runsBefore"
    | "stops"
    | "zombies"
    | "prints"
    | "leaks"
    | "left"
  > {
  readonly seed: number
  readonly fromMs: number
  readonly toMs: number
  /** What was before is not known any more; absent where all is. */
  readonly forgottenTo?: number | undefined
  /** From here on nothing goes wrong any more. */
  readonly healedAt: number
  readonly ledger: ReadonlyArray<Ledger.Entry>
  readonly world: World.World
  readonly seller: string
  readonly rows: ReadonlyArray<Row>
  /** What does not fit in the audit chain, as verifying it says. */
  readonly chain: ReadonlyArray<string>
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
