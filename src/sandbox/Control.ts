/**
 * Routes under `/_sandbox/` for tests and demos; they need no token and have no limit.
 *
 * - `GET ledger?since=N` accepted writes after number N, counters per operation, breaches of limits
 * - `GET clock` `{nowMs, speed}`; `GET state?campaign=ID` what the account looks like now
 * - `GET faults`, `POST faults {faults: [Fault]}` replaces the list (`[]` heals)
 * - `GET shop`, `POST shop` assembly orders and supplies (see the shop below)
 * - `GET promotions`, `POST promotions`, `GET sales` the promo calendar and what it sold (PromotionControl.ts)
 * - `POST demand {campaignId, factor}` from the next day on its buyers are so many times the usual: 0.2 is a fifth of them
 * - `POST human-edit` someone else changes a bid, a status or a minus list, seen at once
 */
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as TextOrder from "../domain/TextOrder.js"
import * as Answer from "./Answer.js"
import * as Call from "./Call.js"
import * as Faults from "./Faults.js"
import * as Ledger from "./Ledger.js"
import * as Moscow from "./Moscow.js"
import * as Bids from "./market/Bids.js"
import * as Purse from "./market/Purse.js"
import * as World from "./market/World.js"
import * as PromotionControl from "./PromotionControl.js"
import { defaultSeller } from "./SandboxToken.js"
import type { Service } from "./Service.js"
import * as LabelChecks from "./shop/LabelChecks.js"
import * as Orders from "./shop/Orders.js"
import * as Play from "./shop/Play.js"
import * as Staging from "./shop/Staging.js"
import type { Order, Supply } from "./shop/State.js"
import * as Stock from "./shop/Stock.js"
import * as Supplies from "./shop/Supplies.js"
import * as Warehouses from "./shop/Warehouses.js"
import * as Timeline from "./Timeline.js"

export const prefix = "/_sandbox/"

const FaultList = Schema.parseJson(Schema.Struct({ faults: Schema.Array(Faults.Fault) }))

/** A change by another person. `bidKopecks: null` removes a cluster's own bid. */
export const HumanEdit = Schema.Struct({
  seller: Schema.optional(Schema.String),
  campaignId: Schema.Int,
  itemId: Schema.optional(Schema.Int),
  cluster: Schema.optional(Schema.String),
  bidKopecks: Schema.optional(Schema.NullOr(Schema.Int)),
  placement: Schema.optional(Schema.Literal("search", "recommendations")),
  status: Schema.optional(Schema.Int),
  minus: Schema.optional(Schema.Array(Schema.String))
})
export type HumanEdit = typeof HumanEdit.Type

/** Answers a control request. */
export const answer = (
  sandbox: Service,
  method: string,
  url: URL,
  body: string,
  nowMs: number
): Answer.Answer => {
  const route = `${method} ${url.pathname.slice(prefix.length)}`
  switch (route) {
    case "GET ledger":
      return Answer.json(Ledger.report(sandbox.ledger, Number(url.searchParams.get("since") ?? 0)))
    case "GET clock":
      return Answer.json({ nowMs, speed: sandbox.speed })
    case "GET faults":
      return Answer.json({ faults: Faults.report(sandbox.faults) })
    case "GET state":
      return Answer.json(state(sandbox, url.searchParams, nowMs))
    case "GET shop":
      return Answer.json(report(sandbox, url.searchParams, nowMs))
    case "POST shop":
      return decoded(Schema.parseJson(Played), body, (played) => done(play(sandbox, played, nowMs)))
    case "GET promotions":
      return Answer.json(PromotionControl.report(sandbox, url.searchParams, nowMs))
    case "GET sales":
      return Answer.json(PromotionControl.sales(sandbox, url.searchParams, nowMs))
    case "POST promotions":
      return decoded(Schema.parseJson(PromotionControl.Staged), body, (staged) =>
        done(PromotionControl.stage(sandbox, staged, nowMs))
      )
    case "POST faults":
      return decoded(FaultList, body, ({ faults }) => {
        Faults.arm(sandbox.faults, faults)
        return Answer.json({ faults: Faults.report(sandbox.faults) })
      })
    case "POST demand":
      return decoded(Schema.parseJson(DemandShift), body, (shift) => done(shiftDemand(sandbox, shift, nowMs)))
    case "POST human-edit":
      return decoded(Schema.parseJson(HumanEdit), body, (edit) => done(humanEdit(sandbox, edit, nowMs)))
    default:
      return Answer.json({ error: `no control route ${route}` }, 404)
  }
}

const done = (problem: string | undefined): Answer.Answer =>
  problem === undefined ? Answer.empty(204) : Answer.json({ error: problem }, 400)

const decoded = <A, I>(schema: Schema.Schema<A, I>, body: string, then: (value: A) => Answer.Answer) =>
  Either.match(Schema.decodeUnknownEither(schema)(body), {
    onLeft: (error) => Answer.json({ error: ParseResult.TreeFormatter.formatErrorSync(error) }, 400),
    onRight: then
  })

/** How many times the usual a campaign's buyers are from the next day on, whatever was said before. */
export const DemandShift = Schema.Struct({
  seller: Schema.optional(Schema.String),
  campaignId: Schema.Int,
  factor: Schema.Number.pipe(Schema.between(0, 100))
})
export type DemandShift = typeof DemandShift.Type

/** The day that runs stays as it began, and so do all before it; answers what is wrong with it, if anything. */
export const shiftDemand = (sandbox: Service, shift: DemandShift, nowMs: number): string | undefined => {
  const world = sandbox.world(shift.seller ?? defaultSeller)
  const campaign = World.campaign(world, shift.campaignId)
  if (campaign === undefined) return `campaign ${shift.campaignId} does not exist`
  const day = Moscow.dayOf(nowMs) + 1
  const last = campaign.shifts.at(-1)
  if (last?.day === day) campaign.shifts.pop()
  campaign.shifts.push({ day, factor: shift.factor })
  return undefined
}

/** Carries out a person's change at once; answers what is wrong with it, if anything. */
export const humanEdit = (sandbox: Service, edit: HumanEdit, nowMs: number): string | undefined => {
  const world = sandbox.world(edit.seller ?? defaultSeller)
  const context: Call.Context = { operation: "human-edit", world, ledger: sandbox.ledger, nowMs }
  const campaign = World.campaign(world, edit.campaignId)
  if (campaign === undefined) return `campaign ${edit.campaignId} does not exist`
  Purse.settle(world, campaign, nowMs)
  if (edit.status !== undefined)
    set(context, campaign.status, edit.status, "status", { campaignId: campaign.id })
  const { itemId } = edit
  if (itemId === undefined)
    return edit.status === undefined
      ? "nothing to change: give a status, or an itemId with a bid or minus"
      : undefined
  if (edit.minus !== undefined) {
    const timeline = Bids.minus(world, campaign, itemId)
    set(context, timeline, new Set(edit.minus), "minus", { campaignId: campaign.id, itemId })
  }
  if (edit.bidKopecks !== undefined) return editBid(context, campaign, itemId, edit, edit.bidKopecks)
  return undefined
}

const editBid = (
  context: Call.Context,
  campaign: World.Campaign,
  itemId: number,
  edit: HumanEdit,
  kopecks: number | null
): string | undefined => {
  const target = { campaignId: campaign.id, itemId }
  if (edit.cluster !== undefined) {
    const bids = Bids.clusterBids(context.world, campaign, itemId)
    const timeline = bids.get(edit.cluster) ?? Timeline.of<number | null>(null)
    bids.set(edit.cluster, timeline)
    set(context, timeline, kopecks, "bid", { ...target, cluster: edit.cluster })
    return undefined
  }
  if (kopecks === null) return "an item's bid cannot be removed"
  const placement = edit.placement ?? "search"
  const bids = Bids.itemBids(context.world, campaign, itemId)
  set(context, bids[placement], kopecks, `bid.${placement}`, target)
  return undefined
}

const set = <A>(
  context: Call.Context,
  timeline: Timeline.Timeline<A>,
  after: A,
  slot: Ledger.Slot,
  target: Ledger.Entry["target"]
): void => {
  const printed = (value: A) => (value instanceof Set ? [...value].sort() : value)
  const before = printed(Timeline.at(timeline, context.nowMs))
  Timeline.set(timeline, context.nowMs, after)
  Call.record(context, { slot, target, before, after: printed(after), effectiveAt: context.nowMs })
}

const mostCampaigns = 100

const state = (sandbox: Service, query: URLSearchParams, nowMs: number) => {
  const world = sandbox.world(query.get("seller") ?? defaultSeller)
  const asked = query.getAll("campaign").map(Number)
  const first = Array.from({ length: Math.min(mostCampaigns, World.count(world)) }, (_, i) =>
    World.nativeId(world, i)
  )
  return {
    seller: world.seller,
    seed: world.seed,
    originMs: world.originMs,
    scale: world.scale,
    campaignCount: World.count(world),
    campaigns: (asked.length === 0 ? first : asked).flatMap((id) => {
      const campaign = World.campaign(world, id)
      if (campaign === undefined) return []
      Purse.settle(world, campaign, nowMs)
      return [summary(world, campaign, nowMs, asked.length > 0)]
    })
  }
}

const summary = (world: World.World, campaign: World.Campaign, nowMs: number, full: boolean) => ({
  id: campaign.id,
  name: Timeline.at(campaign.name, nowMs),
  bidType: campaign.blueprint.bidType,
  payment: campaign.blueprint.payment,
  status: Timeline.at(campaign.status, nowMs),
  acceptedStatus: Timeline.latest(campaign.status),
  budgetRoubles: Purse.leftRoubles(campaign.purse),
  ranDry: campaign.purse.dry.some((gap) => gap.to > nowMs),
  items: Timeline.at(campaign.items, nowMs).map((itemId) => {
    const bids = Bids.itemBids(world, campaign, itemId)
    const row = {
      itemId,
      searchKopecks: Timeline.at(bids.search, nowMs),
      recommendationsKopecks: Timeline.at(bids.recommendations, nowMs)
    }
    if (!full) return row
    const own = Bids.clusterBids(world, campaign, itemId)
    return {
      ...row,
      minus: [...Timeline.at(Bids.minus(world, campaign, itemId), nowMs)],
      clusters: World.item(world, itemId).clusters.map(({ text }) => {
        const timeline = text === undefined ? undefined : own.get(text)
        return { cluster: text, bidKopecks: timeline === undefined ? null : Timeline.at(timeline, nowMs) }
      })
    }
  })
})

// Control routes of the shop, for tests and stories:
// - `GET shop` counts of orders by status, the supplies and passes, and what `order=ID` or `orders=all` asks for in full
// - `POST shop` `{orderId, play}` plays the buyer or the platform; `{orderId, play: "cancel", by: "buyer" | "seller"}` cancels
//   at whatever step the order is; `{supplyId, play: "scan", unscanned, short, afterMs}` acceptance, which closes an open supply;
//   `{play: "make_orders", count, warehouses, cargo, crossBorderShare, businessShare, markedShare, marks, minutesAgo}` a morning's
//   orders at once; `{supplyId, play: "ask_shipping"}` makes shipping data obligatory, `"give_shipping"` with them sets them (not-shown
//   §4.6); `{itemId, play: "count_stock", units}` so many units of the item are there from now on

const seller = Schema.optional(Schema.String)

const share = Schema.optionalWith(Schema.Number.pipe(Schema.between(0, 1)), { default: () => 0 })
const listOr = <A extends string | number>(one: Schema.Schema<A>, all: ReadonlyArray<NoInfer<A>>) =>
  Schema.optionalWith(Schema.Array(one).pipe(Schema.minItems(1)), { default: () => all })

/** What is to happen to an order, to a supply at acceptance, or to an item's stock. */
export const Played = Schema.Union(
  Schema.Struct({ seller, orderId: Schema.Int, play: Schema.Literal(...Play.whats) }),
  Schema.Struct({
    seller,
    orderId: Schema.Int,
    play: Schema.Literal("cancel"),
    by: Schema.Literal("buyer", "seller")
  }),
  Schema.Struct({
    seller,
    play: Schema.Literal("make_orders"),
    count: Schema.Int.pipe(Schema.between(1, 10_000)),
    warehouses: listOr(
      Schema.Int,
      Warehouses.ofOrders.map(({ id }) => id)
    ),
    cargo: listOr(Schema.Literal(1, 2, 3), [1]),
    crossBorderShare: share,
    businessShare: share,
    markedShare: share,
    marks: listOr(Schema.Literal(...LabelChecks.keys), ["sgtin"]),
    minutesAgo: Schema.optionalWith(Schema.Number.pipe(Schema.between(0, 1_440)), { default: () => 0 })
  }),
  Schema.Struct({
    seller,
    supplyId: Schema.String,
    play: Schema.Literal("scan"),
    unscanned: Schema.optionalWith(Schema.Array(Schema.Int), { default: () => [] }),
    short: Schema.optionalWith(Schema.NonNegativeInt, { default: () => 0 }),
    afterMs: Schema.optionalWith(Schema.Number.pipe(Schema.nonNegative()), { default: () => 0 })
  }),
  Schema.Struct({ seller, supplyId: Schema.String, play: Schema.Literal("ask_shipping") }),
  Schema.Struct({
    seller,
    supplyId: Schema.String,
    play: Schema.Literal("give_shipping"),
    date: Schema.String,
    pointId: Schema.Int,
    type: Schema.Literal("selfShipping", "transportCompany")
  }),
  Schema.Struct({
    seller,
    itemId: Schema.Int,
    play: Schema.Literal("count_stock"),
    units: Schema.NonNegative.pipe(Schema.int())
  })
)
export type Played = typeof Played.Type

/** Plays a step at once; answers what forbids it, if anything. */
export const play = (sandbox: Service, played: Played, nowMs: number): string | undefined => {
  const world = sandbox.world(played.seller ?? defaultSeller)
  if ("count" in played) {
    const made = Staging.make(world, played, nowMs)
    return "problem" in made ? made.problem : undefined
  }
  if ("orderId" in played) {
    const order = Orders.find(world, played.orderId, nowMs)
    if (order === undefined) return `order ${played.orderId} does not exist`
    return "by" in played
      ? cancel(sandbox, order, played, nowMs)
      : Play.order(world, order, played.play, nowMs)
  }
  if ("itemId" in played) {
    return World.hasItem(world, played.itemId)
      ? void Stock.count(world, played.itemId, played.units, nowMs)
      : `item ${played.itemId} does not exist`
  }
  const supply = Supplies.find(world, played.supplyId, nowMs)
  if (supply === undefined) return `supply ${played.supplyId} does not exist`
  switch (played.play) {
    case "scan":
      return Play.scan(world, supply, played, nowMs)
    case "ask_shipping":
      return void Supplies.requireShipping(supply)
    case "give_shipping": {
      const { date, pointId, type } = played
      return void Supplies.giveShipping(supply, { date, pointId, type })
    }
  }
}

const cancel = (
  { ledger, world: worldOf }: Service,
  order: Order,
  { by, seller: name = defaultSeller }: Extract<Played, { play: "cancel" }>,
  nowMs: number
): string | undefined => {
  const world = worldOf(name)
  const before = Orders.status(world, order, nowMs)
  const problem = Play.cancel(world, order, by, nowMs)
  if (problem !== undefined || by === "buyer") return problem
  const target = { orderId: order.id }
  Call.record(
    { operation: "human-edit", world, ledger, nowMs },
    { slot: "order", target, before, after: "cancel", effectiveAt: nowMs }
  )
  return undefined
}

const mostListed = 200

/**
 * The shop as it is now. Supplies are the newest ones; orders those named, or else the newest ones still open. With
 * `orders=all` every order and every supply.
 */
const report = (sandbox: Service, query: URLSearchParams, nowMs: number) => {
  const world = sandbox.world(query.get("seller") ?? defaultSeller)
  const orders = Orders.all(world, nowMs)
  const named = new Set(query.getAll("order").map(Number))
  const isWhole = query.get("orders") === "all"
  const most = isWhole ? orders.length + world.shop.supplies.size : mostListed
  const counts: Record<string, number> = {}
  for (const order of orders) {
    const key = `${Orders.status(world, order, nowMs)} ${Orders.platformStatus(world, order, nowMs)}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  const shown = orders.filter(
    (order) => isWhole || (named.size > 0 ? named.has(order.id) : Orders.isCancellable(world, order, nowMs))
  )
  return {
    seller: world.seller,
    orderCount: orders.length,
    orderStatuses: Object.fromEntries(Object.entries(counts).sort(TextOrder.byKey)),
    orders: shown.slice(-most).map((order) => orderRow(world, order, nowMs)),
    supplyCount: world.shop.supplies.size,
    supplies: [...world.shop.supplies.values()]
      .slice(-most)
      .map((supply) => supplyRow(supply, orders.filter((order) => order.supplyId === supply.id).length)),
    passes: [...world.shop.passes.values()],
    reports: [...world.shop.reports.keys()]
  }
}

const orderRow = (world: World.World, order: Order, nowMs: number) => ({
  id: order.id,
  itemId: order.sale.itemId,
  srid: order.sale.srid,
  orderedAt: order.sale.orderedAt,
  supplierStatus: Orders.status(world, order, nowMs),
  platformStatus: Orders.platformStatus(world, order, nowMs),
  warehouseId: order.warehouseId,
  cargoType: order.cargoType,
  crossBorder: order.crossBorder,
  business: order.sale.business,
  pickupPointAllowed: order.pickupPointAllowed,
  required: order.required,
  supplyId: order.supplyId ?? null,
  reshipment: order.reshipment
})

const supplyRow = (supply: Supply, orderCount: number) => ({
  id: supply.id,
  name: supply.name,
  closedAt: supply.closedAt ?? null,
  scannedAt: supply.scannedAt ?? null,
  orderCount,
  units: supply.units.length
})
