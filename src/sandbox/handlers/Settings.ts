/** Seed 001: placements, item bids and items of a campaign, recommended bids and bid steps. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Bids from "../market/Bids.js"
import { status } from "../market/Blueprint.js"
import * as Market from "../market/Market.js"
import * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

const mostItems = 50

export const handlers: Call.Handlers<"setCampaignPlacements" | "setItemBids" | "changeCampaignItems"> = {
  setCampaignPlacements: (call) =>
    Either.gen(function* () {
      const rows = []
      for (const { advert_id, placements } of call.payload.placements) {
        const campaign = yield* changeable(call, advert_id)
        if (!Bids.hasClusterBids(campaign))
          return yield* Either.left(
            refuse(400, `campaign ${advert_id}: placements are for custom-bid cpm campaigns only`)
          )
        rows.push({ campaign, placements })
      }
      for (const { campaign, placements } of rows) {
        const before = Timeline.latest(campaign.placements)
        const effectiveAt = Timeline.write(
          campaign.placements,
          call.nowMs,
          Timeline.delays.database,
          placements
        )
        const target = { campaignId: campaign.id }
        Call.record(call, { slot: "placements", target, before, after: placements, effectiveAt })
      }
      return Answer.empty(204)
    }),

  /** All or nothing: one bad row refuses the whole batch and names its floor (field note M06). */
  setItemBids: (call) =>
    Either.gen(function* () {
      const rows: Array<ItemBid> = []
      for (const { advert_id, nm_bids } of call.payload.bids) {
        const campaign = yield* changeable(call, advert_id)
        for (const bid of nm_bids) rows.push(yield* checkedBid(call, campaign, bid))
      }
      for (const row of rows) writeItemBid(call, row)
      return Answer.json({ bids: call.payload.bids, currency: "RUB" })
    }),

  /** Added items begin at the floor (field note M37). */
  changeCampaignItems: (call) =>
    Either.gen(function* () {
      const rows = []
      for (const { advert_id, nms } of call.payload.nms) {
        const campaign = yield* changeable(call, advert_id)
        const before: ReadonlyArray<number> = Timeline.latest(campaign.items)
        const added = nms.add ?? []
        const removed = nms.delete ?? []
        const deleted = new Set<number>(removed)
        const foreign = [
          ...added.filter((id) => !World.hasItem(call.world, id) || before.includes(id)),
          ...removed.filter((id) => !before.includes(id))
        ][0]
        if (foreign !== undefined)
          return yield* Either.left(refuse(400, `item ${foreign} cannot be changed in campaign ${advert_id}`))
        const after = [...before.filter((id) => !deleted.has(id)), ...new Set(added)]
        if (after.length > mostItems || after.length === 0)
          return yield* Either.left(refuse(400, `campaign ${advert_id} must hold 1 to ${mostItems} items`))
        rows.push({ campaign, before, after, added, removed })
      }
      for (const { campaign, before, after, added } of rows) {
        const effectiveAt = Timeline.write(campaign.items, call.nowMs, Timeline.delays.database, after)
        for (const id of added) Bids.bidAtFloor(call.world, campaign, id, effectiveAt)
        Call.record(call, { slot: "items", target: { campaignId: campaign.id }, before, after, effectiveAt })
      }
      const answered = rows.map(({ added, campaign, removed }) => ({
        advert_id: campaign.id,
        nms: { added, deleted: removed }
      }))
      return Answer.json({ nms: answered })
    })
}

/** The campaign, if changes are accepted where it is (statuses 4, 9 and 11). */
export const changeable = (call: Call.Context, id: number): Either.Either<World.Campaign, Refusal> =>
  Either.filterOrLeft(
    Call.campaign(call, id),
    (campaign) =>
      [status.ready, status.active, status.paused].some((s) => s === Timeline.latest(campaign.status)),
    () => refuse(400, `campaign ${id} is in a status that takes no changes`)
  )

interface ItemBid {
  readonly campaign: World.Campaign
  readonly itemId: number
  readonly placement: "combined" | "search" | "recommendations"
  readonly kopecks: number
}

const checkedBid = (
  call: Call.Context,
  campaign: World.Campaign,
  bid: { readonly nm_id: number; readonly bid_kopecks: number; readonly placement: ItemBid["placement"] }
): Either.Either<ItemBid, Refusal> => {
  const { payment, bidType } = campaign.blueprint
  const where = `campaign ${campaign.id}, item ${bid.nm_id}`
  if (!Timeline.latest(campaign.items).includes(bid.nm_id))
    return Either.left(refuse(400, `${where}: the item is not in the campaign`))
  if ((bidType === "unified") !== (bid.placement === "combined"))
    return Either.left(refuse(400, `${where}: placement ${bid.placement} does not fit a ${bidType} bid`))
  const floor = World.item(call.world, bid.nm_id).floors[payment][bid.placement]
  if (bid.bid_kopecks < floor)
    return Either.left(refuse(400, `${where}: the bid must be no less than ${floor / 100}, min: ${floor}`))
  if (bid.bid_kopecks % Market.steps[payment] !== 0)
    return Either.left(refuse(400, `${where}: the bid must be a multiple of ${Market.steps[payment]}`))
  return Either.right({
    campaign,
    itemId: bid.nm_id,
    placement: bid.placement,
    kopecks: bid.bid_kopecks
  })
}

const writeItemBid = (call: Call.Context, row: ItemBid): void => {
  const bids = Bids.itemBids(call.world, row.campaign, row.itemId)
  const slots = row.placement === "combined" ? [bids.search, bids.recommendations] : [bids[row.placement]]
  const before = Timeline.latest(slots[0] as Timeline.Timeline<number>)
  const times = slots.map((slot) => Timeline.write(slot, call.nowMs, Timeline.delays.bid, row.kopecks))
  Call.record(call, {
    slot: row.placement === "recommendations" ? "bid.recommendations" : "bid.search",
    target: { campaignId: row.campaign.id, itemId: row.itemId },
    before,
    after: row.kopecks,
    effectiveAt: Math.max(...times)
  })
}
