/** Seed 001 "States and transitions": who may move where. A status is seen a minute after it was accepted. */
import * as Either from "effect/Either"
import * as Answer from "../Answer.js"
import { type Refusal, refuse } from "../Answer.js"
import * as Call from "../Call.js"
import * as Dice from "../Dice.js"
import { status } from "../market/Blueprint.js"
import * as Purse from "../market/Purse.js"
import type * as World from "../market/World.js"
import * as Timeline from "../Timeline.js"

/** A deletion is complete 3 to 10 minutes after it was accepted. */
const deletionMs = { least: 3 * 60_000, most: 10 * 60_000 } as const

export const handlers: Call.Handlers<
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
