/** What happens to the promo calendar while the program plans and files: by the marketplace, and by others of the seller. */
import type * as Calendar from "../../../src/sandbox/market/Calendar.js"
import * as Promotions from "../../../src/sandbox/market/Promotions.js"
import * as PromotionControl from "../../../src/sandbox/PromotionControl.js"
import * as SandboxToken from "../../../src/sandbox/SandboxToken.js"
import type { Service } from "../../../src/sandbox/Service.js"
import type { CalendarPlay, Event } from "./Events.js"

const hourMs = 3_600_000

/** Plays it with one of the promotions that have not ended; says what was played, or that there was none. */
export const play = (
  sandbox: Service,
  { amount, kind, pick }: Extract<Event, { _tag: "Calendar" }>,
  nowMs: number
): string => {
  const world = sandbox.world(SandboxToken.defaultSeller)
  const open = Promotions.all(world, nowMs).filter(
    ({ endsAt, startsAt, type }) => type === "regular" && (kind === "end" ? endsAt : startsAt) > nowMs
  )
  const promotion = open[pick % Math.max(1, open.length)]
  if (promotion === undefined) return `calendar: nothing to ${kind}`
  const items = Promotions.itemIds(world)
  const item = items[Math.floor(pick / 7) % items.length]
  const common = { promotionId: promotion.id }
  const staged = stagedAs(kind, promotion, amount, item === undefined ? [] : [item], nowMs)
  const problem = PromotionControl.stage(sandbox, { ...common, ...staged }, nowMs)
  return `calendar: ${kind} of ${promotion.id}${problem === undefined ? "" : `: ${problem}`}`
}

type Staged<S = PromotionControl.Staged> = S extends PromotionControl.Staged
  ? Omit<S, "promotionId" | "seller">
  : never

const stagedAs = (
  kind: CalendarPlay,
  { endsAt, startsAt }: Calendar.Promotion,
  amount: number,
  items: ReadonlyArray<number>,
  nowMs: number
): Staged => {
  const move = (start: number, end: number): Staged => ({
    play: "move",
    startDateTime: new Date(start).toISOString(),
    endDateTime: new Date(end).toISOString()
  })
  switch (kind) {
    case "lower":
      return { play: "lower_plan_prices", percent: 5 + Math.floor(60 * amount) }
    case "start":
      return move(nowMs - 60_000, Math.max(endsAt, nowMs + hourMs))
    case "soon":
      return move(nowMs + Math.ceil((0.5 + 4 * amount) * hourMs), Math.max(endsAt, nowMs + 72 * hourMs))
    case "later":
      return move(startsAt + 60 * hourMs, endsAt + 60 * hourMs)
    case "longer":
      return move(startsAt, endsAt + 120 * hourMs)
    case "end":
      return move(Math.min(startsAt, nowMs - 2 * hourMs), nowMs - 60_000)
    case "delete":
      return { play: "delete" }
    case "enter":
      return { play: "enter", items }
  }
}
