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
import type * as Past from "./Past.js"

/** One that names weekdays comes once a week at least: what has not come for longer is taken to come no more. */
const rememberedMs = 8 * Days.dayMs

/** By policy: the share of the buyers of today to whom its overlay shows. */
export type Shares = ReadonlyMap<string, number>

export const sharesOf = ({ nowMs, rules, zone }: Pick<Ground, "nowMs" | "rules" | "zone">): Shares => {
  const dayMs = Days.startOfMarket(Days.ofMarket(nowMs))
  return new Map(
    rules.policies.flatMap((one) => {
      const { during, id, schedule } = one
      if (during === undefined || !acts(one)) return []
      const parts = Daytime.around(during, schedule?.tz ?? zone, dayMs)
      return [[`${id}`, 1 - Buyers.shareOutside(parts, dayMs)]]
    })
  )
}

const none: ReadonlyArray<Raise> = []

/** `moves` are those of the bid that it shows, `standing` the overlay that lies over it now. What nobody ends stays all day. */
export const raisesOf = (
  { nowMs, rules }: Pick<Ground, "nowMs" | "rules">,
  shares: Shares,
  slot: string,
  moves: ReadonlyArray<Past.Moved>,
  standing: Overlay | undefined
): ReadonlyArray<Raise> => {
  if (moves.length === 0 && standing === undefined) return none
  const factors = new Map<string, number>()
  for (const { atMs, raise } of moves)
    if (raise !== undefined && atMs >= nowMs - rememberedMs) factors.set(raise.policy, raise.factor)
  if (standing !== undefined) factors.set(standing.policy, standing.afterKopecks / standing.baseKopecks)
  return [...factors].flatMap(([policy, factor]) => {
    const isLeft = standing?.policy === policy && !Standing.endsByItself(rules, { slot, overlay: standing })
    const share = isLeft ? 1 : (shares.get(policy) ?? 0)
    return factor > 1 && share > 0 ? [{ factor, share }] : []
  })
}
