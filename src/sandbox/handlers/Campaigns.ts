/** Seed 001 "Campaign lists and details". */
import * as Either from "effect/Either"
import * as Groups from "../../domain/Groups.js"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import type { Context, Handlers } from "../Call.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import * as Moscow from "../Moscow.js"
import * as Bids from "../market/Bids.js"
import { status } from "../market/Blueprint.js"
import * as Purse from "../market/Purse.js"
import * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

/** The one type there is today: standard and custom bids (contract "Codes"). */
const currentType = 9
const never = "2100-01-01T00:00:00+03:00"

export const handlers: Handlers<"listCampaignIds" | "getCampaigns"> = {
  listCampaignIds: (call) => {
    const adverts = [...Groups.by(briefs(call), (brief) => brief.status)]
      .sort(([a], [b]) => a - b)
      .map(([code, list]) => ({
        type: currentType,
        status: code,
        count: list.length,
        advert_list: list.map(({ changedAt, id }) => ({
          advertId: id,
          changeTime: Moscow.timeText(changedAt)
        }))
      }))
    return Either.right(
      Answer.json({
        adverts: adverts.length === 0 ? null : adverts,
        all: adverts.reduce((sum, group) => sum + group.count, 0)
      })
    )
  },

  /** Unknown ids are left out in silence (field note M39). */
  getCampaigns: (call) => {
    const { ids, statuses, payment_type } = call.query
    const wanted = ids ?? briefs(call).map((brief) => brief.id)
    const adverts = wanted.flatMap((id) => {
      const campaign = World.campaign(call.world, id)
      if (campaign === undefined || !isListed(campaign, call.nowMs)) return []
      if (statuses !== undefined && !statuses.includes(Timeline.at(campaign.status, call.nowMs))) return []
      if (payment_type !== undefined && campaign.blueprint.payment !== payment_type) return []
      return [record(call, campaign)]
    })
    return Either.right(Answer.json({ adverts: adverts.length === 0 ? null : adverts }))
  }
}

interface Brief {
  readonly id: number
  readonly status: number
  readonly changedAt: number
}

/** Every listed campaign, without making those nobody has touched. */
const briefs = (call: Context): ReadonlyArray<Brief> => {
  const { world, nowMs } = call
  return Array.from({ length: World.count(world) }, (_, i) => World.nativeId(world, i)).flatMap((id) => {
    const plan = World.untouched(world, id)
    if (plan !== undefined) return [{ id, status: plan.status, changedAt: changedBeforeOrigin(world, plan) }]
    const campaign = World.campaign(world, id)
    return campaign === undefined || !isListed(campaign, nowMs)
      ? []
      : [{ id, status: Timeline.at(campaign.status, nowMs), changedAt: changedAt(campaign, nowMs) }]
  })
}

const isListed = (campaign: World.Campaign, nowMs: number): boolean =>
  campaign.visibleFrom <= nowMs && (campaign.goneFrom === undefined || nowMs < campaign.goneFrom)

const changedBeforeOrigin = (
  world: World.World,
  plan: NonNullable<ReturnType<typeof World.untouched>>
): number =>
  plan.status === status.paused || plan.status === status.completed
    ? World.endOf(world, plan)
    : World.startOfBlueprint(world, plan)

const changedAt = (campaign: World.Campaign, nowMs: number): number =>
  [campaign.status, campaign.name, campaign.placements, campaign.items].reduce(
    (latest: number, timeline) => Math.max(latest, Timeline.changedAt(timeline, nowMs) ?? latest),
    campaign.createdAt
  )

const record = (call: Context, campaign: World.Campaign) => {
  const { world, nowMs } = call
  const { blueprint } = campaign
  const items = Timeline.at(campaign.items, nowMs)
  const startedAt = Timeline.at(campaign.startedAt, nowMs)
  return {
    id: campaign.id,
    bid_type: blueprint.bidType,
    currency: "RUB",
    status: Timeline.at(campaign.status, nowMs),
    settings: {
      name: Timeline.at(campaign.name, nowMs),
      payment_type: blueprint.payment,
      placements: Timeline.at(campaign.placements, nowMs)
    },
    nm_settings:
      items.length === 0
        ? null
        : items.map((nm_id) => {
            const bids = Bids.itemBids(world, campaign, nm_id)
            const { subject } = World.item(world, nm_id)
            return {
              nm_id,
              bids_kopecks: {
                search: Timeline.at(bids.search, nowMs),
                recommendations: Timeline.at(bids.recommendations, nowMs)
              },
              subject: { id: subject.id, name: subject.name }
            }
          }),
    restrictions: { can_change_nms: blueprint.itemsMayChange },
    timestamps: {
      created: Moscow.timeText(campaign.createdAt),
      updated: Moscow.timeText(changedAt(campaign, nowMs)),
      started: startedAt === undefined ? null : Moscow.timeText(startedAt),
      deleted: never
    }
  }
}

// Seed 001 "States and transitions": who may move where. A status is seen a minute after it was accepted.

/** A deletion is complete 3 to 10 minutes after it was accepted. */
const deletionMs = { least: 3 * 60_000, most: 10 * 60_000 } as const

export const lifecycleHandlers: Call.Handlers<
  "deleteCampaign" | "startCampaign" | "pauseCampaign" | "stopCampaign" | "renameCampaign"
> = {
  deleteCampaign: (call) =>
    Either.gen(function* () {
      const campaign = yield* Call.campaign(call, call.query.id)
      if (Timeline.latest(campaign.status) !== status.ready)
        return yield* Either.left(
          refuse(400, "invalid campaign: only a campaign ready to launch can be deleted")
        )
      campaign.goneFrom =
        call.nowMs +
        Dice.between(Dice.roll(call.world.seed, 501, campaign.id), deletionMs.least, deletionMs.most)
      return move(call, campaign, status.deleted)
    }),

  startCampaign: (call) =>
    Either.gen(function* () {
      const campaign = yield* allowed(call, call.query.id, [status.ready, status.paused])
      if (Purse.promisedRoubles(campaign.purse) < 1)
        return yield* Either.left(refuse(400, "not enough budget: top up the campaign first"))
      return move(call, campaign, status.active)
    }),

  pauseCampaign: (call) =>
    Either.map(allowed(call, call.query.id, [status.active]), (c) => move(call, c, status.paused)),

  stopCampaign: (call) =>
    Either.map(allowed(call, call.query.id, [status.active, status.paused]), (c) =>
      move(call, c, status.completed)
    ),

  renameCampaign: (call) =>
    Either.gen(function* () {
      const campaign = yield* Call.campaign(call, call.payload.advertId)
      const before = Timeline.latest(campaign.name)
      if (before === call.payload.name) return yield* Either.left(refuse(422, "the name is not changed"))
      const effectiveAt = Timeline.write(
        campaign.name,
        call.nowMs,
        Timeline.delays.database,
        call.payload.name
      )
      const target = { campaignId: campaign.id }
      Call.record(call, { slot: "name", target, before, after: call.payload.name, effectiveAt })
      return Answer.empty()
    })
}

/** The campaign, if the move may begin where it is; 422 in plain text otherwise. */
const allowed = (
  call: Call.Context,
  id: number,
  from: ReadonlyArray<number>
): Either.Either<World.Campaign, Refusal> =>
  Either.filterOrLeft(
    Call.campaign(call, id),
    (campaign) => from.includes(Timeline.latest(campaign.status)),
    () => refuse(422, "the status is not changed")
  )

const move = (call: Call.Context, campaign: World.Campaign, to: number): Answer.Answer => {
  const before = Timeline.latest(campaign.status)
  const effectiveAt = Timeline.write(campaign.status, call.nowMs, Timeline.delays.status, to)
  if (to === status.active)
    Timeline.write(campaign.startedAt, call.nowMs, Timeline.delays.status, effectiveAt)
  Call.record(call, { slot: "status", target: { campaignId: campaign.id }, before, after: to, effectiveAt })
  return Answer.empty()
}
