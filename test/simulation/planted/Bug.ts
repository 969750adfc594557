/**
 * A bug that is put in on purpose, to see that an invariant can fail. It wraps or replaces a service, or stands in the
 * source (`Plant`); nothing in `src` knows of it. It comes with rules and events under which it shows within its hours.
 */
import type { RuleSet } from "../../../src/engine/language/Policy.js"
import * as Scenario from "../../scenario/Scenario.js"
import type { Event } from "../chaos/Events.js"
import type { Wrap } from "../chaos/Program.js"
import type { Edit } from "./Plant.js"

export interface Bug {
  readonly name: string
  /** The first is the one that it is planted for; the others cannot but be broken too, or may be. */
  readonly invariants: ReadonlyArray<number>
  /** What it puts in the place of services. */
  readonly wrap?: Wrap
  /** What it changes in the source. */
  readonly plant?: ReadonlyArray<Edit>
  readonly rules: RuleSet
  /** What the engine makes of rules, which has not read them rightly. */
  readonly misread?: (rules: RuleSet) => RuleSet
  /** What else happens; nothing unless stated, so that only the bug can be to blame. */
  readonly events?: ReadonlyArray<Event>
  readonly seed?: number
  /**
   * It is about orders: on ordinary seeds it is looked for where orders are assembled, by those policies of the seed alone,
   * for the turns of all the others take most of the time.
   */
  readonly isOfOrders?: true
  readonly hours?: number
}

/** When stories begin, epoch milliseconds. */
export const { startMs } = Scenario
export const minuteMs = 60_000

/** For the first fifty minutes. */
export const always = { at: startMs + 1, untilMs: startMs + 50 * minuteMs }

/** The marketplace misbehaves for all that time. */
export const faults = (...list: Extract<Event, { _tag: "Faults" }>["list"]): Event => ({
  _tag: "Faults",
  ...always,
  list
})
