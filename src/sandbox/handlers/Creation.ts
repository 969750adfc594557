/** Seed 001 "Creating campaigns". */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Bids from "../market/Bids.js"
import * as Blueprint from "../market/Blueprint.js"
import * as Queries from "../market/Queries.js"
import * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

export const handlers: Call.Handlers<
  "getMinimumBids" | "createCampaign" | "listCampaignSubjects" | "listCampaignItems"
> = {
  getMinimumBids: (call) =>
    Either.gen(function* () {
      const { advert_id, nm_ids, payment_type, placement_types } = call.payload
      const campaign = yield* Call.campaign(call, advert_id)
      if (campaign.blueprint.payment !== payment_type)
        return yield* Either.left(refuse(400, `campaign ${advert_id} is not paid by ${payment_type}`))
      const items = Timeline.at(campaign.items, call.nowMs)
      const foreign = nm_ids.find((id) => !items.includes(id))
      if (foreign !== undefined)
        return yield* Either.left(refuse(400, `item ${foreign} is not in the campaign ${advert_id}`))
      const bids = nm_ids.map((nm_id) => {
        const floors = World.item(call.world, nm_id).floors[payment_type]
        return {
          nm_id,
          bids: placement_types.map((type) => ({
            type,
            value: type === "recommendation" ? floors.recommendations : floors[type],
            currency: "RUB"
          }))
        }
      })
      return Answer.json({ bids })
    }),

  /** A bare number; the campaign is in the lists three minutes later. */
  createCampaign: (call) =>
    Either.gen(function* () {
      const { name, nms = [], bid_type = "manual", payment_type = "cpm" } = call.payload
      if (nms.length === 0) return yield* Either.left(refuse(400, "no item is given"))
      const unfit = nms.find((id) => !World.hasItem(call.world, id))
      if (unfit !== undefined) return yield* Either.left(refuse(400, `unsuitable items: ${unfit}`))
      if ([...name].length > 100)
        return yield* Either.left(refuse(400, "the name is longer than 100 characters"))
      const places = call.payload.placement_types ?? ["search"]
      const itemIds = [...new Set(nms)]
      const blueprint: Blueprint.Blueprint = {
        id: World.nativeId(call.world, World.count(call.world)),
        name,
        bidType: bid_type,
        payment: payment_type,
        status: Blueprint.status.ready,
        placements: {
          search: bid_type === "unified" || places.includes("search"),
          recommendations: bid_type === "unified" || places.includes("recommendations")
        },
        itemIds,
        budgetRoubles: 0,
        demandScale: 1,
        saleRoubles: 0,
        createdDaysAgo: 0,
        endedDaysAgo: 0,
        itemsMayChange: true
      }
      const effectiveAt = call.nowMs + Timeline.delays.database
      const campaign = World.add(call.world, blueprint, call.nowMs, effectiveAt)
      for (const id of itemIds) Bids.bidAtFloor(call.world, campaign, id, call.nowMs)
      Call.record(call, {
        slot: "campaign",
        target: { campaignId: campaign.id },
        before: null,
        after: { name, items: itemIds, bidType: bid_type, payment: payment_type },
        effectiveAt
      })
      return Answer.json(campaign.id)
    }),

  listCampaignSubjects: (call) => {
    const counts = new Map<number, number>()
    for (const item of free(call)) counts.set(item.subject.id, (counts.get(item.subject.id) ?? 0) + 1)
    const rows = Queries.subjects.flatMap(({ id, name }) => {
      const count = counts.get(id)
      return count === undefined ? [] : [{ id, name, count }]
    })
    return Either.right(Answer.json(rows.length === 0 ? null : rows))
  },

  listCampaignItems: (call) => {
    const rows = free(call)
      .filter((item) => call.payload.includes(item.subject.id))
      .map((item) => ({ title: item.name, nm: item.id, subjectId: item.subject.id }))
    return Either.right(Answer.json(rows.length === 0 ? null : rows))
  }
}

/** Items no campaign began with: those that may still be advertised. */
const free = (call: Call.Context) => {
  const last = World.lastItemId(call.world)
  const first = Blueprint.firstItemId + call.world.scale.campaigns * call.world.scale.items
  return Array.from({ length: last - first + 1 }, (_, i) => World.item(call.world, first + i))
}
