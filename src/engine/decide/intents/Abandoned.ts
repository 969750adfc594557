/** What stands because a rule set it, while the rule is gone: nothing brings it back by itself, and nothing else sets it. */
import * as Arr from "effect/Array"
import * as Plural from "../../../domain/Plural.js"
import type * as Target from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as ClusterBid from "../../kinds/ClusterBid.js"
import * as ItemBid from "../../kinds/ItemBid.js"
import * as Kinds from "../../kinds/Kinds.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import * as OperatorHold from "../../kinds/OperatorHold.js"
import type { SlotHistory, SlotValue } from "../../kinds/SlotHistory.js"
import * as Status from "../../kinds/Status.js"
import { acts } from "../../language/Mode.js"
import type { Action, Policy, RuleSet } from "../../language/Policy.js"
import type { Notice } from "../Plan.js"

/** Most that a notice names. */
const mostNamed = 5

/** What the facts of a plan tell beside the journal. */
export interface Around {
  readonly liveOf: (slot: string) => SlotValue | undefined
  /** Whether a policy is known to leave the row of a target out by its `where:`. */
  readonly isLeftOut: (policy: Policy, target: Target.Subject) => boolean
}

/** What policies whose file is gone have left, as far as it is read to stand as they set it. */
export const notices = (
  slots: ReadonlyMap<string, SlotHistory>,
  rules: RuleSet,
  around: Around
): ReadonlyArray<Notice> => {
  const known = new Set<string>([...rules.policies.map(({ id }) => id), ...persons])
  const found = [...slots.values()].flatMap((history) => {
    const { ours, slot } = history
    if (ours === undefined || known.has(ours.policy)) return []
    const at = slot.indexOf(":")
    const left = leftBy(slot.slice(0, at), history)
    if (left === undefined || around.liveOf(slot) !== ours.after) return []
    const { setBy } = kinds[left]
    if (setBy !== undefined && rules.policies.some((one) => maySet(one, setBy, slot, around))) return []
    return [{ policy: ours.policy, left, name: slot.slice(at + 1) }]
  })
  return Object.values(Arr.groupBy(found, ({ left, policy }) => JSON.stringify([policy, left])))
    .map(([first, ...others]) => ({
      policy: first.policy,
      campaignName: "",
      text: text(kinds[first.left], [first, ...others].map(({ name }) => name).sort(TextOrder.compare))
    }))
    .sort((a, b) => TextOrder.compare(a.policy, b.policy) || TextOrder.compare(a.text, b.text))
}

/** In whose name people change things: these are no files. */
const persons = [OperatorHold.undoPolicy, OperatorHold.callPolicy]

/** What its rule has left in a slot, by the slot's prefix; undefined where it is nothing that waits for anybody. */
const leftBy = (prefix: string, { lastWritten, ours, overlay }: SlotHistory): Left | undefined => {
  if (ours === undefined) return undefined
  const { after, before, parked, returns } = ours
  switch (prefix) {
    case Status.prefix:
      if (after === "active") return returns === true ? "started" : "running"
      return after === "paused" && returns === true ? "paused" : undefined
    case MinusPhrase.prefix:
      if (after !== true) return undefined
      return parked === true ? "parked" : returns === true ? "minus" : undefined
    case ItemBid.prefix:
    case ClusterBid.prefix:
      return overlay === undefined && lastWritten?.clears !== true && after > before ? "raised" : undefined
    default:
      return undefined
  }
}

/** Whether a policy may set a slot in some run: only where its rows are read to leave it out, or are others, it does not. */
const maySet = (
  policy: Policy,
  setBy: ReadonlySet<Action["_tag"]>,
  slot: string,
  { isLeftOut }: Around
): boolean => {
  if (!acts(policy) || !policy.rules.some(({ action }) => setBy.has(action._tag))) return false
  const place = Kinds.placeOf(slot)
  if (place === undefined) return true
  const { campaignId } = place.target
  if (policy.each === place.each) return !isLeftOut(policy, place.target)
  return policy.each === "campaign" && campaignId !== undefined && !isLeftOut(policy, { campaignId })
}

const setsBids: ReadonlySet<Action["_tag"]> = new Set<Action["_tag"]>([
  "RaiseBid",
  "LowerBid",
  "SetBid",
  "AdjustBid",
  "Optimise"
])

interface Kind {
  /** What stands; with how many of it. */
  readonly stands: (count: number) => string
  /** What is lost beside the file, of `it` or `them`. */
  readonly lost: (them: string) => string
  /** How a person ends it. */
  readonly way: (them: string) => string
  /** Actions of other rules that have it in hand; absent where only the lost one brought it back. */
  readonly setBy?: ReadonlySet<Action["_tag"]>
}

const noReturn = (them: string) => `and with it the revert_when: that would bring ${them} back`

type Left = "paused" | "started" | "minus" | "parked" | "raised" | "running"

const kinds: Readonly<Record<Left, Kind>> = {
  paused: {
    stands: (count) =>
      `${Plural.of(count, "campaign")} ${Plural.choose(count, "stays", "stay")} paused by it`,
    lost: noReturn,
    way: (them) => `start ${them} by hand`
  },
  started: {
    stands: (count) =>
      `${Plural.of(count, "campaign")} ${Plural.choose(count, "stays", "stay")} started by it`,
    lost: noReturn,
    way: (them) => `pause ${them} by hand`
  },
  minus: {
    stands: (count) => `${Plural.of(count, "minus phrase")} of it ${Plural.choose(count, "stands", "stand")}`,
    lost: noReturn,
    way: (them) => `take out ${them} by hand`
  },
  parked: {
    stands: (count) => `${Plural.of(count, "cluster")} ${Plural.choose(count, "stays", "stay")} parked by it`,
    lost: (them) => `and with it the optimise that would try ${them} again`,
    way: (them) => `take ${them} out of the minus phrases by hand`
  },
  raised: {
    stands: (count) =>
      `${Plural.of(count, "bid")} ${Plural.choose(count, "stands as it last raised it", "stand as it last raised them")}`,
    lost: (them) => `and no rule sets ${them} any more`,
    way: (them) => `lower ${them} by hand, have a rule set ${them}`,
    setBy: setsBids
  },
  running: {
    stands: (count) =>
      `${Plural.of(count, "campaign")} ${Plural.choose(count, "runs as it last started it", "run as it last started them")}`,
    lost: (them) => `and no rule pauses or starts ${them} any more`,
    way: (them) => `pause ${them} by hand, have a rule pause ${them}`,
    setBy: new Set<Action["_tag"]>(["Pause", "Start"])
  }
}

const text = ({ lost, stands, way }: Kind, names: ReadonlyArray<string>): string => {
  const them = Plural.choose(names.length, "it", "them")
  return `${stands(names.length)} though its file is gone, ${lost(them)}: ${Plural.named(names, mostNamed)}. To end this, ${way(them)}, or give the file its name back`
}
