/**
 * What nobody knows after a restore where the store that was replaced could not be read: overlays that may be on, campaigns that a rule
 * may have paused, supplies of which neither journal nor rules know the wave. A person is asked to look.
 */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { CampaignId, PolicyId, SupplyId } from "../../domain/Ids.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import * as Status from "../../engine/kinds/Status.js"
import * as Policy from "../../engine/language/Policy.js"
import * as SupplyWaves from "../../engine/planning/SupplyWaves.js"
import * as HandOverParts from "../../marketplace/fulfilment/HandOverParts.js"
import * as Campaigns from "../../services/areas/advertising/Campaigns.js"
import * as Supplies from "../../services/areas/supplies/Supplies.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { isBeyondToken, isLimit } from "../../services/MarketplaceError.js"
import * as StoreMarks from "../../store/audit/StoreMarks.js"
import * as Transaction from "../../store/clients/Transaction.js"
import type { Chosen } from "../account/Account.js"
import * as Store from "./Store.js"

export interface Unknown {
  /** Policies that lay a share over bids: where one is on already, the next would be laid over it. */
  readonly overlays: ReadonlyArray<PolicyId>
  /** Campaigns that stand paused, where policies start again what they paused. */
  readonly paused: ReadonlyArray<CampaignId>
  readonly supplies: ReadonlyArray<SupplyId>
  /** Why a list could not be read; undefined where all could. */
  readonly unread: string | undefined
  readonly isLimited: boolean
}

const nothing: Unknown = { overlays: [], paused: [], supplies: [], unread: undefined, isLimited: false }

/** Nothing where the journal has what was sent since the backup. */
export const look = (
  chosen: Pick<Chosen, "config" | "name">,
  { fulfilment, policies }: Pick<Policy.RuleSet, "fulfilment" | "policies">
) =>
  Effect.gen(function* () {
    const { config, name } = chosen
    const carried = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Transaction.read(sql, "read the marks of the store", StoreMarks.isCarried(sql, name))
    )
    if (yield* Effect.provide(carried, Store.client(config.store))) return nothing
    const paused = policies.some(Policy.startsAgain) ? yield* Effect.either(pausedOf(name)) : none
    const supplies =
      fulfilment.some(({ mode }) => mode !== "disabled") && config.hosts.marketplace !== undefined
        ? yield* Effect.either(suppliesOf(name, fulfilment))
        : none
    const failures = [...failed(paused), ...failed(supplies)]
    return {
      overlays: policies.filter(Policy.laysOverlays).map(({ id }) => id),
      paused: Either.isRight(paused) ? paused.right : [],
      supplies: Either.isRight(supplies) ? supplies.right : [],
      unread: failures[0]?.message,
      isLimited: failures.some((one) => one._tag !== "StoreFailure" && isLimit(one))
    } satisfies Unknown
  })

const none = Either.right([])

const failed = <E>(one: Either.Either<unknown, E>): ReadonlyArray<E> => (Either.isLeft(one) ? [one.left] : [])

/** Those that the journal knows it paused are started again as ever. */
const pausedOf = (account: string) =>
  Effect.gen(function* () {
    const { listed } = yield* Campaigns.make(yield* MarketplaceClient).lists
    const ids = listed.flatMap(({ campaignId, status }) => (status === "paused" ? [campaignId] : []))
    const slots = ids.map((campaignId) => Status.slot({ campaignId }))
    const rows = yield* (yield* ChangeLog).ofSlots(account, slots)
    const last = new Map(rows.map(({ change, slot }) => [slot, change.after]))
    return ids.filter((campaignId) => last.get(Status.slot({ campaignId })) !== "paused")
  })

const suppliesOf = (account: string, policies: Policy.RuleSet["fulfilment"]) =>
  Effect.gen(function* () {
    const listed = yield* Effect.catchIf(
      Stream.runCollect(Supplies.make(yield* MarketplaceClient).list),
      isBeyondToken,
      () => Effect.succeed([])
    )
    const waves = yield* SupplyWaves.read(account, policies)
    return [...listed].flatMap((supply) =>
      supply.closed !== true && waves.isUnknown(HandOverParts.named(supply)) ? [supply.supplyId] : []
    )
  })
