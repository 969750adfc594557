/**
 * What a request changes of one campaign as a whole: its status, placements and name, its end, its items and their bids.
 * One campaign a request, since one bad row refuses the whole request (field note M06).
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Money from "../../domain/Money.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import type { WriteBatch, WriteOutcome } from "../../engine/door/Writer.js"
import * as Bids from "../../engine/kinds/Bids.js"
import type { AdChange } from "../../engine/kinds/Change.js"
import type * as Management from "../../services/areas/advertising/Management.js"
import type { Batched } from "../../services/Batches.js"
import type { CallError } from "../../services/MarketplaceError.js"
import * as Outcomes from "./Outcomes.js"

type Service = ReturnType<typeof Management.make>

/** Starting and pausing. */
export const status = (management: Service, change: AdChange): WriteBatch => {
  const { campaignId } = change.subject
  const starts = change.action === "start"
  const send = starts ? management.start(campaignId) : management.pause(campaignId)
  return whole(starts ? "startCampaign" : "pauseCampaign", [change], { id: campaignId }, send)
}

/** Stopping for good. */
export const stop = (management: Service, change: AdChange): WriteBatch => {
  const { campaignId } = change.subject
  return whole("stopCampaign", [change], { id: campaignId }, management.stop(campaignId))
}

/** Deleting one that was never launched (field note M33). */
export const deletion = (management: Service, change: AdChange): WriteBatch => {
  const { campaignId } = change.subject
  return whole("deleteCampaign", [change], { id: campaignId }, management.delete(campaignId))
}

export const name = (management: Service, change: AdChange): WriteBatch => {
  const { campaignId } = change.subject
  const name = String(change.after)
  return whole(
    "renameCampaign",
    [change],
    { advertId: campaignId, name },
    management.rename(campaignId, name)
  )
}

/** Where it is shown. */
export const placements = (management: Service, change: AdChange): WriteBatch => {
  const places = String(change.after).split(", ")
  const row: Management.PlacementsChange = {
    campaignId: change.subject.campaignId,
    search: places.includes("search"),
    recommendations: places.includes("recommendations")
  }
  return whole("setCampaignPlacements", [change], row, undivided(management.setPlacements([row])))
}

/** Items that join or leave, all of a campaign in one request: it holds at most 50 (seed 001 "Payload bounds"). */
export const items = (management: Service, changes: ReadonlyArray<AdChange>): ReadonlyArray<WriteBatch> =>
  Object.values(Arr.groupBy(changes, (change) => `${change.subject.campaignId}`)).map((ofCampaign) => {
    const [{ subject }] = ofCampaign
    const idsOf = (isIn: boolean) =>
      ofCampaign.flatMap((change) =>
        change.after === isIn && change.subject.itemId !== undefined ? [change.subject.itemId] : []
      )
    const row: Management.ItemsChange = {
      campaignId: subject.campaignId,
      add: idsOf(true),
      remove: idsOf(false)
    }
    return whole("changeCampaignItems", ofCampaign, row, undivided(management.changeItems([row])))
  })

/** Bids of items, up to 50 of a campaign a request; a refusal is of the rows that it names. */
export const itemBids = (management: Service, changes: ReadonlyArray<AdChange>): ReadonlyArray<WriteBatch> =>
  Object.values(Arr.groupBy(changes, (change) => `${change.subject.campaignId}`))
    .flatMap((ofCampaign) => Arr.chunksOf(ofCampaign, 50))
    .map((chunk) => {
      const bids = chunk.flatMap(bidOf)
      return whole("setItemBids", chunk, bids, undivided(management.setItemBids(bids)), Outcomes.ofRefused)
    })

const bidOf = (change: AdChange): ReadonlyArray<Management.ItemBid> => {
  const { after, subject: target } = change
  const { placement } = Bids.detailsOf(change)
  const { campaignId, itemId } = target
  return itemId === undefined || placement === undefined || typeof after !== "number"
    ? []
    : [{ campaignId, itemId, placement, bidKopecks: Money.Kopecks(after) }]
}

type Refusing = (changes: ReadonlyArray<AdChange>, error: CallError) => ReadonlyMap<string, WriteOutcome>

const together: Refusing = (changes, error) => Outcomes.forAll(changes, Outcomes.ofError(error))

/** A request that is all or nothing: its changes have one outcome, unless a refusal tells them apart. */
const whole = (
  operation: string,
  changes: ReadonlyArray<AdChange>,
  body: unknown,
  send: Effect.Effect<unknown, CallError, WritePermit>,
  refused: Refusing = together
): WriteBatch =>
  Outcomes.batch(
    operation,
    changes,
    body,
    Effect.match(send, {
      onSuccess: () => Outcomes.forAll(changes, Outcomes.accepted),
      onFailure: (error) => refused(changes, error)
    })
  )

/** The failure of rows that go in one call. */
const undivided = <K, V, R>(
  call: Effect.Effect<Batched<K, V>, never, R>
): Effect.Effect<void, CallError, R> =>
  Effect.flatMap(call, ({ failures: [failure] }) =>
    failure === undefined ? Effect.void : Effect.fail(failure.error)
  )
