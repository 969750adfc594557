/**
 * Control routes of the promo calendar, for tests and stories. What is played holds at once.
 *
 * - `GET promotions` every promotion as it stands, who is in and who of them was not from the start, and all tasks
 * - `POST promotions {promotionId, play}`: `"delete"`; `"move"` with `startDateTime`, `endDateTime` or both;
 *   `"lower_plan_prices"` by `percent`; `"enter"`: these `items` are in without the seller
 */
import * as Schema from "effect/Schema"
import * as Call from "./Call.js"
import * as Moscow from "./Moscow.js"
import * as Calendar from "./market/Calendar.js"
import * as Promotions from "./market/Promotions.js"
import type * as World from "./market/World.js"
import { defaultSeller } from "./SandboxToken.js"
import type { Service } from "./Service.js"

const common = { seller: Schema.optional(Schema.String), promotionId: Schema.Int }
const DateTime = Schema.String.pipe(Schema.filter((text) => !Number.isNaN(Date.parse(text))))

/** What the marketplace does to a promotion. */
export const Staged = Schema.Union(
  Schema.Struct({ ...common, play: Schema.Literal("delete") }),
  Schema.Struct({
    ...common,
    play: Schema.Literal("move"),
    startDateTime: Schema.optional(DateTime),
    endDateTime: Schema.optional(DateTime)
  }),
  Schema.Struct({
    ...common,
    play: Schema.Literal("lower_plan_prices"),
    percent: Schema.Int.pipe(Schema.between(1, 99))
  }),
  Schema.Struct({
    ...common,
    play: Schema.Literal("enter"),
    items: Schema.Array(Schema.Int).pipe(Schema.minItems(1))
  })
)
export type Staged = typeof Staged.Type

/** Plays a step at once; answers what forbids it, if anything. */
export const stage = (sandbox: Service, staged: Staged, nowMs: number): string | undefined => {
  const world = sandbox.world(staged.seller ?? defaultSeller)
  const { promotionId: id } = staged
  const promotion = Promotions.byId(world, id, nowMs)
  if (promotion === undefined) return `promotion ${id} does not exist`
  switch (staged.play) {
    case "delete":
      return void Promotions.remove(world, id, nowMs)
    case "move": {
      const at = (text: string | undefined, before: number) =>
        text === undefined ? before : Date.parse(text)
      const startsAt = at(staged.startDateTime, promotion.startsAt)
      const endsAt = at(staged.endDateTime, promotion.endsAt)
      if (startsAt >= endsAt) return "a promotion must start before it ends"
      return void Promotions.move(world, id, { startsAt, endsAt }, nowMs)
    }
    case "lower_plan_prices":
      return void Promotions.cheapen(world, id, staged.percent, nowMs)
    case "enter":
      return enter(sandbox, world, staged, nowMs)
  }
}

const enter = (
  { ledger }: Service,
  world: World.World,
  { items, promotionId }: Extract<Staged, { play: "enter" }>,
  nowMs: number
): string | undefined => {
  const open = new Set(Promotions.itemIds(world))
  const strange = items.find((itemId) => !open.has(itemId))
  if (strange !== undefined) return `item ${strange} may not enter promotions`
  const before = Promotions.members(world, promotionId, nowMs)
  Promotions.enter(world, promotionId, items, nowMs)
  Call.record(
    { operation: "human-edit", world, ledger, nowMs },
    {
      slot: "promotion",
      target: { promotionId },
      before,
      after: Promotions.members(world, promotionId, nowMs),
      effectiveAt: nowMs
    }
  )
  return undefined
}

/** The calendar as it is now. */
export const report = (sandbox: Service, query: URLSearchParams, nowMs: number) => {
  const world = sandbox.world(query.get("seller") ?? defaultSeller)
  return {
    seller: world.seller,
    promotions: Promotions.all(world, nowMs).map(({ endsAt, startsAt, ...promotion }) => ({
      ...promotion,
      startDateTime: Moscow.utcText(startsAt),
      endDateTime: Moscow.utcText(endsAt),
      ranging: Calendar.ladder(world.seed, promotion.id),
      boost: Promotions.boostPercent(world, promotion.id, nowMs),
      items: Promotions.members(world, promotion.id, nowMs),
      cameLater: Promotions.cameLater(world, promotion.id, nowMs)
    })),
    tasks: world.promotions.tasks
  }
}
