/** Changes that another change of the same plan makes pointless, or would have the marketplace refuse. */
import * as Target from "../../domain/Target.js"
import { acts } from "../language/Mode.js"
import type { Policy } from "../language/Policy.js"
import * as Inverse from "./Inverse.js"
import type { Change, Unchanged } from "./Plan.js"

export interface Parted {
  readonly changes: ReadonlyArray<Change>
  readonly overtaken: ReadonlyArray<Unchanged>
}

interface Case {
  /** What a change overtakes of others; undefined where it overtakes nothing. */
  readonly overtakes: (change: Change) => string | undefined
  /** What would overtake this change; undefined where nothing can. */
  readonly yieldsTo: (change: Change) => string | undefined
  readonly why: (policy: string) => string
}

const cases: ReadonlyArray<Case> = [
  {
    /** A campaign that is paused could not spend a deposit, and the two would fight. */
    overtakes: ({ after, target }) => (after === "paused" ? String(target.campaignId) : undefined),
    yieldsTo: ({ target, unit }) => (unit === "kopecks_deposit" ? String(target.campaignId) : undefined),
    why: (policy) => `${policy} pauses the campaign, which gets no money then`
  },
  {
    /** The marketplace refuses the bid of a minus phrase with everything that travels with it (field note M12). */
    overtakes: ({ action, target }) => (action === "add_minus" ? Target.key(target) : undefined),
    yieldsTo: ({ placement, target }) => (placement === "cluster" ? Target.key(target) : undefined),
    why: (policy) => `${policy} makes it a minus phrase, which takes no bid`
  }
]

/** Parts what others overtake from the rest. A preview never bends what is applied. */
export const part = (changes: ReadonlyArray<Change>, policies: ReadonlyArray<Policy>): Parted => {
  const applied = new Set<string>(policies.flatMap((policy) => (acts(policy) ? [policy.id] : [])))
  return cases.reduce<Parted>(
    (parted, each) => {
      const { changes, overtaken } = partBy(each, parted.changes, applied)
      return { changes, overtaken: [...parted.overtaken, ...overtaken] }
    },
    { changes, overtaken: [] }
  )
}

const partBy = (each: Case, changes: ReadonlyArray<Change>, applied: ReadonlySet<string>): Parted => {
  const overtakers = new Map(
    changes.flatMap((change) => {
      const what = each.overtakes(change)
      return what === undefined ? [] : [[what, change.policy] as const]
    })
  )
  const overtaken: Array<Unchanged> = []
  const left = changes.filter((change) => {
    const what = each.yieldsTo(change)
    const by = what === undefined ? undefined : overtakers.get(what)
    if (by === undefined || Inverse.isByPerson(change)) return true
    if (!applied.has(by) && applied.has(change.policy)) return true
    const { campaignName, policy, target } = change
    overtaken.push({ policy, target, campaignName, why: each.why(by) })
    return false
  })
  return { changes: left, overtaken }
}
