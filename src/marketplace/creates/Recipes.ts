/** How campaigns and supplies are created at most once: where to look for them, and how to send. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Hash from "../../domain/Hash.js"
import { CampaignId, SupplyId } from "../../domain/Ids.js"
import type { WritePermit } from "../../domain/WritePermit.js"
import * as Create from "../../engine/door/Create.js"
import type { Creation } from "../../engine/door/CreationLog.js"
import { Whereabouts } from "../../engine/door/Creations.js"
import * as Campaigns from "../../services/areas/advertising/Campaigns.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import { type Client, MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type CallError, effectOf, ofWrite } from "../../services/MarketplaceError.js"

/** Operations that have a recipe here. */
export type Creating = "createCampaign" | "createSupply"

export const isCreating = (operation: string): operation is Creating =>
  operation === "createCampaign" || operation === "createSupply"

/** How many campaigns there are is told with their list (seed 001, `promotion/count`); of supplies nothing is. */
const provesAbsence: Readonly<Record<Creating, boolean>> = { createCampaign: true, createSupply: false }

/** The database is shown three minutes late (seed 001 "Timing"); supplies are there at once. */
const visibleMs: Readonly<Record<Creating, number>> = { createCampaign: 200_000, createSupply: 5_000 }

/**
 * A recipe whose request carries the name `marker`. `send` makes the one request; `idOf` reads the new id out of its
 * answer, undefined where it is not told.
 */
export const of = <A>(
  client: Client,
  operation: Creating,
  marker: string,
  request: object,
  send: Effect.Effect<A, CallError, WritePermit>,
  idOf: (answer: A) => string | undefined
): Create.Recipe<WritePermit> => ({
  account: client.account,
  operation,
  marker,
  requestHash: Hash.of({ operation, request }),
  ...search(client, operation),
  send: send.pipe(
    Effect.map((answer): Create.SendOutcome => ({ _tag: "Accepted", id: idOf(answer) })),
    Effect.catchAll((error) => Effect.succeed(ofError(error)))
  )
})

/** How a creation that a dead run left open is looked for. */
export const search = (client: Client, operation: Creating): Create.Search<never> => ({
  list: listOf(client, operation),
  visibleMs: visibleMs[operation],
  provesAbsence: provesAbsence[operation]
})

type Looked = Effect.Effect<ReadonlyArray<Create.Listed>, Create.Unlisted>

const isId: Readonly<Record<Creating, (text: string) => boolean>> = {
  createCampaign: (text) => Schema.is(CampaignId)(Number(text)) && `${Number(text)}` === text,
  createSupply: Schema.is(SupplyId)
}

/**
 * Why an id that a person found cannot be that of what a call created; undefined when it can. Without it another creation, or
 * nothing, would count as made for good.
 */
export const objection = (
  { beforeIds, marker, operation }: Pick<Creation, "beforeIds" | "marker" | "operation">,
  foundId: string
): string | undefined => {
  const said = JSON.stringify(foundId)
  if (beforeIds.includes(foundId))
    return `${said} was there before the call, so the call did not create it; look for a newer one named ${JSON.stringify(marker)}, or say --not-created`
  if (!isCreating(operation) || isId[operation](foundId)) return undefined
  return operation === "createCampaign"
    ? `${said} is no id of a campaign, which is a number such as 1001; say --not-created if there is none`
    : `${said} is no id of a supply, which is written like PLATFORM-GI-1234567; say --not-created if there is none`
}

/** Where something of an operation is looked for: everything there is. */
export const listOf = (client: Client, operation: Creating): Looked =>
  operation === "createCampaign" ? campaigns(client) : supplies(client)

/**
 * A campaign whose name was not answered may be the one that is looked for, so it is asked for once more; without it the
 * list is not whole. Those that ended are history, whatever their names are.
 */
const campaigns = (client: Client): Looked =>
  Effect.gen(function* () {
    const read = Campaigns.make(client)
    const { isWhole, listed } = yield* Effect.mapError(read.lists, unlisted)
    const names = new Map<CampaignId, string | undefined>()
    const learn = (ids: ReadonlyArray<CampaignId>) =>
      Effect.map(read.byIds(ids), ({ failures, values }) => {
        for (const { campaignId, name } of values) names.set(campaignId, name)
        return failures[0]
      })
    const failure = yield* learn(listed.map(({ campaignId }) => campaignId))
    if (failure !== undefined) return yield* unlisted(failure.error)
    if (!isWhole)
      return yield* new Create.Unlisted({
        said: "listCampaignIds: the answer counts campaigns that it does not name"
      })
    const steered = listed.filter((one) => Campaigns.isCurrent(one) && !Campaigns.isRetired(one))
    const unread = () =>
      steered.map(({ campaignId }) => campaignId).filter((campaignId) => !names.has(campaignId))
    if (unread().length > 0) yield* learn(unread())
    const [nameless, ...more] = unread()
    if (nameless !== undefined)
      return yield* new Create.Unlisted({
        said: `getCampaigns: the answer leaves out campaign ${nameless}${more.length === 0 ? "" : ` and ${more.length} more`}, which listCampaignIds names`
      })
    return listed.map(({ campaignId }) => ({ id: `${campaignId}`, name: names.get(campaignId) }))
  })

const supplies = (client: Client): Looked =>
  Supplies.make(client).list.pipe(
    Stream.map(({ name, supplyId }): Create.Listed => ({ id: supplyId, name })),
    Stream.runCollect,
    Effect.mapBoth({ onFailure: unlisted, onSuccess: (found) => [...found] })
  )

const unlisted = ({ message }: CallError) => new Create.Unlisted({ said: message })

const ofError = (error: CallError): Create.SendOutcome => {
  if (effectOf(error) === "unknown") return { _tag: "Unknown", said: ofWrite(error, "told").message }
  return { _tag: isUnsent(error) ? "NotSent" : "Refused", said: error.message }
}

/** Nothing left, or the marketplace took nothing in: the same creation may be tried again. */
const isUnsent = (error: CallError): boolean =>
  !("arrived" in error) || error.arrived === "no" || error._tag === "Throttled"

// Where the account of the client looks for what it may have created.

export const layerWhereabouts: Layer.Layer<Whereabouts, never, MarketplaceClient> = Layer.effect(
  Whereabouts,
  Effect.map(MarketplaceClient, (client) => ({
    search: (operation) => (isCreating(operation) ? search(client, operation) : undefined)
  }))
)
