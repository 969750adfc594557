/** One process of the seller: the real client over the real limiter, and calls of an operation through it. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { AccountName } from "../../src/domain/Ids.js"
import { WritePermit } from "../../src/domain/WritePermit.js"
import * as Permit from "../../src/engine/door/Permit.js"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import type { Service } from "../../src/sandbox/Service.js"
import * as LimiterLive from "../../src/services/LimiterLive.js"
import { MarketplaceClient, make } from "../../src/services/MarketplaceClient.js"
import * as Token from "../../src/services/Token.js"
import { layerMemory, type Memory } from "../../test/limiter/LimiterMemory.js"
import type { Shape } from "./Shapes.js"
import * as Trouble from "./Trouble.js"

const account = AccountName("bench")

export interface Process {
  readonly kind: Shape["kind"]
  readonly http: HttpClient.HttpClient
  readonly url: string
  /** The limiter's memory, and the name of the process in it. */
  readonly rows: Memory
  readonly owner: string
}

/** The client of a process; it ends with the process. */
export const client = ({ kind, http, url, rows, owner }: Process): Layer.Layer<MarketplaceClient> => {
  const token = Either.getOrThrow(Token.parse(sandboxToken({ kind }), "of the benchmark"))
  return Layer.effect(
    MarketplaceClient,
    make({ account, token, hosts: { marketplace: url, advert: url, calendar: url, analytics: url } })
  ).pipe(
    Layer.provide(LimiterLive.layer),
    Layer.provide(layerMemory(rows, owner)),
    Layer.provide(Layer.succeed(HttpClient.HttpClient, http))
  )
}

type Called = Pick<Shape, "operation" | "request" | "page">

/** One call; anything but what was wanted ends the benchmark. A refusal by the sandbox's fault is wanted. */
export const call = ({ operation, page, request }: Called): Effect.Effect<void, never, MarketplaceClient> =>
  Effect.flatMap(MarketplaceClient, (marketplace) => marketplace.call(operation, request)).pipe(
    Effect.provideService(WritePermit, Permit.confirmed(account, "bench")),
    Effect.catchIf(
      (error) =>
        (page && error._tag === "Undecodable") ||
        (error._tag === "Refused" && error.status === Trouble.status),
      () => Effect.void
    ),
    Effect.orDie,
    Effect.asVoid
  )

/** `n` calls by so many callers that somebody always waits for the limit. */
export const queued = (
  shape: Called,
  n: number,
  callers = 32
): Effect.Effect<void, never, MarketplaceClient> =>
  Effect.all(
    Array.from({ length: n }, () => call(shape)),
    { concurrency: callers, discard: true }
  )

/** 429 answers by the sandbox's own ledger; dies unless it served exactly the calls that were wanted. */
export const refusals = (sandbox: Service, { operation }: Shape, wanted: number): Effect.Effect<number> =>
  Effect.suspend(() => {
    const one = sandbox.ledger.counters.get(operation)
    const served = one === undefined ? 0 : one.requests - one.throttled
    return served === wanted
      ? Effect.succeed(one?.throttled ?? 0)
      : Effect.dieMessage(`the sandbox served ${served} calls of ${operation} where ${wanted} were wanted`)
  })
