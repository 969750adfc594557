/** Compares what a change wanted with what the marketplace shows now. Pure. */
import type { Change, Value } from "../kinds/Change.js"
import * as Kinds from "../kinds/Kinds.js"
import type { Seen } from "../kinds/Seen.js"
import type { Live } from "./Ports.js"

/** What a live value means for a change. A change the reader does not mention was not read. */
export const compare = (change: Change, live: Live | undefined): Seen => {
  if (live === undefined) return { _tag: "Silent", why: "the marketplace did not mention it" }
  switch (live._tag) {
    case "Unreadable":
      return { _tag: "Silent", why: live.why }
    case "Gone":
      return { _tag: "Other", why: `gone: ${live.why}`, isGone: true }
    case "Value":
      return Kinds.compare(change, live)
  }
}

/** A value of a change in the seller's words: `440 ₽`, `paused`, `in the list`. */
export const print = (change: Change, value: Value): string => Kinds.of(change).print(value, "₽")
