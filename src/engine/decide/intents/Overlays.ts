/** The overlays of a run: which policies are at their time, which overlays end, and which nobody would end. */
import type * as Arr from "effect/Array"
import * as Groups from "../../../domain/Groups.js"
import * as Plural from "../../../domain/Plural.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import * as Print from "../../facts/Print.js"
import type { Table } from "../../facts/Table.js"
import * as Kinds from "../../kinds/Kinds.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import { acts } from "../../language/Mode.js"
import type { Policy, RuleSet } from "../../language/Policy.js"
import type { Notice } from "../Plan.js"
import * as Daytime from "./Daytime.js"
import type { Ground, Intent } from "./Intent.js"
import * as OverlayIntent from "./OverlayIntent.js"
import * as Standing from "./Standing.js"

/** False while an overlay policy is outside of its `during:`: then none of its rows matters. */
export const isAwake = (policy: Policy, nowMs: number, zone: string): boolean =>
  policy.during === undefined ||
  Daytime.begunAt(policy.during, policy.schedule?.tz ?? zone, nowMs) !== undefined

/** Slots with an overlay that the last applied change left, by the policy that laid it. */
export const byPolicy = (
  slots: ReadonlyMap<string, SlotHistory>
): ReadonlyMap<string, ReadonlyArray<SlotHistory>> => {
  const found = new Map<string, Arr.NonEmptyArray<SlotHistory>>()
  for (const history of slots.values())
    if (history.overlay !== undefined && history.overlay.basisPoints !== 0)
      Groups.add(found, history.overlay.policy, history)
  return found
}

/** What becomes of a policy's standing overlays over which it wants nothing in this run. */
export const rest = (
  policy: Policy,
  table: Table,
  standing: ReadonlyArray<SlotHistory>,
  asked: {
    readonly wanted: ReadonlySet<string>
    readonly undecided: Iterable<number>
  },
  groundOf: (row: number) => Ground
): ReadonlyArray<Intent> => {
  if (!acts(policy) || policy.during === undefined) return []
  const open = new Set(asked.undecided)
  return standing.flatMap((history) => {
    if (asked.wanted.has(history.slot)) return []
    const target = Kinds.placeOf(history.slot)?.target
    const row = target === undefined ? undefined : table.indexOf(target)
    if (row === undefined) return []
    const ground = groundOf(row)
    if (open.has(row)) return [OverlayIntent.keep(ground, history.slot)]
    const ending = OverlayIntent.end(ground, history)
    return ending === undefined ? [] : [ending]
  })
}

/** Most bids that a notice names. */
const mostNamed = 5

/**
 * Overlays that stand though their policy is gone, does not act, or is for other rows now: nothing brings those bases
 * back by itself.
 */
export const orphans = (
  standing: ReadonlyMap<string, ReadonlyArray<SlotHistory>>,
  rules: RuleSet,
  liveOf: (slot: string) => number | undefined,
  sign: string
): ReadonlyArray<Notice> =>
  [...standing].sort(TextOrder.byKey).flatMap(([id, histories]) => {
    const policy = rules.policies.find((one) => one.id === id)
    const isAlive = policy !== undefined && acts(policy) && policy.during !== undefined
    const left = histories
      .filter(
        ({ overlay, slot }) =>
          overlay !== undefined &&
          !Standing.endsByItself(rules, { overlay, slot }) &&
          Standing.of({ ...blank, slot, overlay }, liveOf(slot) ?? overlay.afterKopecks) !== undefined
      )
      .sort(TextOrder.by(({ slot }) => slot))
    if (left.length === 0) return []
    const shown = left.slice(0, mostNamed).map(({ overlay, slot }) => {
      const [after, base] = [overlay!.afterKopecks, overlay!.baseKopecks].map((n) => Print.money(n, sign))
      return `${slot.slice(slot.indexOf(":") + 1)} at ${after}, base ${base}`
    })
    const more = left.length > mostNamed ? `, and ${left.length - mostNamed} more` : ""
    const why =
      policy === undefined
        ? "its file is gone"
        : policy.during === undefined
          ? "it has no adjust_bid any more"
          : isAlive
            ? `it is for each: ${policy.each} now`
            : `it is in mode ${policy.mode}`
    const text = `${Plural.of(left.length, "bid")} still ${Plural.choose(left.length, "stands", "stand")} under its overlay though ${why}: ${shown.join("; ")}${more}. To bring the base back, run the policy once more in mode apply${isAlive ? " and with its earlier each:" : ""} outside of its during:, or set the bids by hand.`
    return [{ policy: id, campaignName: "", text }]
  })

const blank = { lastPolicy: "", lastAppliedAt: undefined, pendingSince: undefined, dayFirstBid: undefined }
