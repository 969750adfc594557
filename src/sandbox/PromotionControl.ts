/**
 * Control routes of the promo calendar, for tests and stories. What is played holds at once.
 *
 * - `GET promotions` every promotion as it stands, who is in and who of them was not from the start, and all tasks
 * - `POST promotions {promotionId, play}`: `"delete"`; `"move"` with `startDateTime`, `endDateTime` or both;
 *   `"lower_plan_prices"` by `percent`; `"enter"`: these `items` are in without the seller
 * - `GET sales?from=DAY&to=DAY&item=ID` what was sold of the items, by day, price and promotion, and the items' elasticity
 */
import * as Schema from "effect/Schema"
import * as Call from "./Call.js"
import * as Moscow from "./Moscow.js"
import * as Buyers from "./market/Buyers.js"
import * as Calendar from "./market/Calendar.js"
import * as Promotions from "./market/Promotions.js"
import * as World from "./market/World.js"
import { defaultSeller } from "./SandboxToken.js"
import type { Service } from "./Service.js"
import * as Sales from "./shop/Sales.js"
import type { Sale } from "./shop/State.js"

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

/** Longest that sales are told of, days. */
const mostDays = 92

/** Units by item, Moscow day, price and promotion; of all items that may enter promotions unless some are named. */
export const sales = (sandbox: Service, query: URLSearchParams, nowMs: number) => {
  const world = sandbox.world(query.get("seller") ?? defaultSeller)
  const day = (name: string): number => Moscow.parseDay(query.get(name) ?? "") ?? Moscow.dayOf(nowMs)
  const days = { from: Math.max(day("from"), day("to") - mostDays + 1), to: day("to") }
  const asked = query.getAll("item").map(Number)
  const items =
    asked.length === 0 ? Promotions.itemIds(world) : asked.filter((id) => World.hasItem(world, id))
  return {
    seller: world.seller,
    buyersAnswer: world.buyers,
    items: items.map((itemId) => ({ itemId, elasticity: Buyers.elasticity(world, itemId) })),
    sales: items.flatMap((itemId) => sold(Sales.ofItem(world, itemId, days, nowMs)))
  }
}

const sold = (all: ReadonlyArray<Sale>) => {
  const rows = new Map<string, { readonly sale: Sale; units: number }>()
  for (const sale of all) {
    const key = `${sale.day} ${sale.promotionId ?? 0} ${sale.priceKopecks}`
    const row = rows.get(key) ?? { sale, units: 0 }
    rows.set(key, row)
    row.units++
  }
  return [...rows.values()].map(({ sale: { day, itemId, priceKopecks, promotionId }, units }) => ({
    itemId,
    day: Moscow.dayText(day),
    promotionId: promotionId ?? null,
    priceKopecks,
    units
  }))
}
