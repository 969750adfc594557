/** A decoded request of one operation on its way to the handler that answers it; typed by the declaration. */
import type * as HttpApi from "@effect/platform/HttpApi"
import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Either from "effect/Either"
import type { MarketplaceApi } from "../services/endpoints/Api.js"
import { type Answer, type Refusal, refuse } from "./Answer.js"
import * as Faults from "./Faults.js"
import * as Ledger from "./Ledger.js"
import * as Purse from "./market/Purse.js"
import * as World from "./market/World.js"

type Groups = MarketplaceApi extends HttpApi.HttpApi<infer _Id, infer G, infer _E, infer _R> ? G : never
type Endpoints = HttpApiGroup.HttpApiGroup.Endpoints<Groups>

/** Ids of the operations the declaration holds. */
export type OperationId = HttpApiEndpoint.HttpApiEndpoint.Name<Endpoints>

/** Whose request it is, and when. */
export interface Context {
  readonly operation: string
  readonly world: World.World
  readonly ledger: Ledger.Ledger
  readonly nowMs: number
  /** What befalls a task that the request files; nothing when absent. */
  readonly faults?: Faults.Faults
}

export interface Call<Id extends OperationId> extends Context {
  readonly payload: HttpApiEndpoint.HttpApiEndpoint.Payload<
    HttpApiEndpoint.HttpApiEndpoint.WithName<Endpoints, Id>
  >
  readonly path: HttpApiEndpoint.HttpApiEndpoint.PathParsed<
    HttpApiEndpoint.HttpApiEndpoint.WithName<Endpoints, Id>
  >
  readonly query: HttpApiEndpoint.HttpApiEndpoint.UrlParams<
    HttpApiEndpoint.HttpApiEndpoint.WithName<Endpoints, Id>
  >
}

/** Answers or refuses at once; a refusal leaves everything as it was. */
type Handler<Id extends OperationId> = (call: Call<Id>) => Either.Either<Answer, Refusal>

export type Handlers<Ids extends OperationId> = { readonly [Id in Ids]: Handler<Id> }

/** A campaign settled up to now; the left side when the seller has none of that id or it is gone. */
export const campaign = (context: Context, id: number): Either.Either<World.Campaign, Refusal> => {
  const found = World.campaign(context.world, id)
  if (found === undefined || (found.goneFrom !== undefined && found.goneFrom <= context.nowMs))
    return Either.left(refuse(400, `campaign ${id} not found`))
  Purse.settle(context.world, found, context.nowMs)
  return Either.right(found)
}

/** The instant whose lists and statuses a request sees: now, unless they lag (field note O28). */
export const seenMs = ({ faults, nowMs, operation }: Context): number =>
  nowMs - Math.max(0, ...Faults.ofShop(faults, operation, "lag").map(({ ms }) => ms ?? lagMs))

const lagMs = 3_000

/** Writes an accepted change into the ledger. */
export const record = (
  context: Context,
  entry: Pick<Ledger.Entry, "slot" | "target" | "before" | "after" | "task" | "effectiveAt">
): void => {
  Ledger.append(context.ledger, {
    at: context.nowMs,
    operation: context.operation,
    seller: context.world.seller,
    ...entry
  })
}
