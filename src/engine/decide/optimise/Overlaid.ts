/**
 * What overlays will add today to a bid that `optimise` sets: they lie over it for hours that the plan of the morning does not see. Which
 * bids an overlay takes is known from the last days alone, for its conditions are not asked before its time (decision 0132).
 */
import * as Days from "../../../domain/Days.js"
import type { Overlay } from "../../kinds/SlotHistory.js"
import { acts } from "../../language/Mode.js"
import type { Raise } from "../../optimise/Stream.js"
import * as Daytime from "../intents/Daytime.js"
import type { Ground } from "../intents/Intent.js"
import * as Standing from "../intents/Standing.js"
import * as Buyers from "./Buyers.js"
import * as Past from "./Past.js"

/** One that names weekdays comes once a week at least: what has not come for longer is taken to come no more. */
const rememberedMs = 8 * Days.dayMs

/** By policy: the times of today at which its overlay shows. */
export type Times = ReadonlyMap<string, ReadonlyArray<Past.Span>>

export const timesOf = ({ nowMs, rules, zone }: Pick<Ground, "nowMs" | "rules" | "zone">): Times => {
  const dayMs = dayOf(nowMs)
  return new Map(
    rules.policies.flatMap((one) => {
      const { during, id, schedule } = one
      return during === undefined || !acts(one)
        ? []
        : [[`${id}`, Daytime.around(during, schedule?.tz ?? zone, dayMs)]]
    })
  )
}

const none: ReadonlyArray<Raise> = []

/**
 * `moves` are those of the bid that it shows, `standing` the overlay that lies over it now. What nobody ends stays all day. At one time one
 * overlay lies over a bid: of several the highest counts.
 */
export const raisesOf = (
  { nowMs, rules }: Pick<Ground, "nowMs" | "rules">,
  times: Times,
  slot: string,
  moves: ReadonlyArray<Past.Moved>,
  standing: Overlay | undefined
): ReadonlyArray<Raise> => {
  if (moves.length === 0 && standing === undefined) return none
  const factors = new Map<string, number>()
  for (const { atMs, overlay } of moves)
    if (overlay !== undefined && atMs >= nowMs - rememberedMs) factors.set(overlay.policy, overlay.factor)
  if (standing !== undefined) factors.set(standing.policy, standing.afterKopecks / standing.baseKopecks)
  const dayMs = dayOf(nowMs)
  let taken: ReadonlyArray<Past.Span> = []
  return [...factors]
    .filter(([, factor]) => factor > 1)
    .sort(([, a], [, b]) => b - a)
    .flatMap(([policy, factor]) => {
      const isLeft = standing?.policy === policy && !Standing.endsByItself(rules, { slot, overlay: standing })
      const own = isLeft ? [{ fromMs: dayMs, toMs: dayMs + Days.dayMs }] : (times.get(policy) ?? [])
      const outside = Buyers.shareOutside(taken, dayMs)
      taken = Past.joined([taken, own])
      const share = outside - Buyers.shareOutside(taken, dayMs)
      return share > 0 ? [{ factor, share }] : []
    })
}

const dayOf = (nowMs: number): number => Days.startOfMarket(Days.ofMarket(nowMs))
