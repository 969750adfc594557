/** Whether a cluster is among the minus phrases of its item (seed 001, `normquery/set-minus`, field note M14). */
import * as Target from "../../domain/Target.js"
import type { Of } from "./Change.js"
import * as Keys from "./Keys.js"
import { deadlines, type Kind } from "./Kind.js"

export const name = "minus_phrase" as const
export const prefix = "minus"

export const slot = ({ campaignId, cluster, itemId }: Target.Target): string =>
  `${prefix}:${campaignId}/${itemId}/${cluster}`

export const kind: Kind<Of<typeof name>> = {
  lane: "ads",
  prefix,
  slotOf: ({ subject: target }) => slot(target),
  targetOf: Keys.clusterOf,
  shownBy: () => ({ each: "cluster", fact: "cluster.in_minus" }),
  live: (facts) => {
    const isIn = facts("cluster.in_minus")
    return isIn === undefined ? undefined : Boolean(isIn)
  },
  leaves: ({ after }) => ({ "cluster.in_minus": after }),
  counts: ({ after }) => ({ fact: "campaign_item.minus.count", by: after === true ? 1 : -1 }),
  order: 3,
  writeClass: "B",
  deadlineMs: deadlines.database,
  operations: () => ["setMinusPhrases"],
  // A second list of the item, made before the first can be seen, would undo it.
  together: ({ subject: target }) => `${target.campaignId}/${target.itemId}`,
  writerLooks: true,
  isSteered: false,
  isDearer: ({ after }) => after === false,
  isContested: true,
  rests: true,
  risk: "notable",
  // The marketplace refuses the bid of a minus phrase with everything that travels with it (field note M12).
  overtakes: ({ after, subject: target }) => (after === true ? `bid of ${Target.key(target)}` : undefined),
  overtaking: {
    does: "makes it a minus phrase",
    would: "make it a minus phrase",
    so: "which takes no bid"
  },
  inverse: ({ change: { after, before, details } }) => ({
    details,
    action: before === true ? "add_minus" : "remove_minus",
    before: after,
    after: before,
    notes: []
  }),
  backwards: ({ after }) => (after === true ? "add_minus" : "remove_minus"),
  print: (value) => (value === true ? "in the minus list" : "not in the minus list"),
  effect: ({ after }) => (after === true ? "becomes a minus phrase" : "is no minus phrase any more")
}
