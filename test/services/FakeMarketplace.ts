// @effect-diagnostics missingEffectContext:off
// @effect-diagnostics missingEffectError:off
/** The edge of the process for these tests: an HTTP client that answers from a function, and an open limiter. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { AccountName, type ChangeId, PlanId } from "../../src/domain/Ids.js"
import { issue, WritePermit } from "../../src/domain/WritePermit.js"
import { type Bucket, type Feedback, Limiter } from "../../src/services/Limiter.js"
import * as MarketplaceClient from "../../src/services/MarketplaceClient.js"
import type { Token } from "../../src/services/Token.js"

export interface Sent {
  readonly method: string
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

/** What the marketplace does with a request. */
export type Reply =
  | {
      readonly status: number
      readonly body?: string | Uint8Array
      readonly headers?: Record<string, string>
    }
  | { readonly fault: string; readonly syscall?: string }
  | "silence"

export interface Fake {
  readonly client: MarketplaceClient.Client
  readonly sent: ReadonlyArray<Sent>
  readonly buckets: ReadonlyArray<Bucket>
  readonly feedback: ReadonlyArray<Feedback>
}

export const json = (body: unknown, status = 200): Reply => ({ status, body: JSON.stringify(body) })

export const account = AccountName("shop")

export const token: Token = {
  value: Redacted.make("secret-token"),
  kind: "personal",
  categories: undefined,
  readOnly: false,
  expiresAt: undefined,
  test: false
}

/** Runs with a client whose marketplace answers by `reply`; `nth` counts from 0. */
export const withMarketplace = <A, E, R>(
  reply: (sent: Sent, nth: number) => Reply,
  use: (fake: Fake) => Effect.Effect<A, E, R>,
  options: Partial<Parameters<typeof MarketplaceClient.make>[0]> = {}
): Effect.Effect<A, E, R> => {
  const sent: Array<Sent> = []
  const buckets: Array<Bucket> = []
  const feedback: Array<Feedback> = []
  const http = HttpClient.make((request, url) =>
    Effect.suspend(() => {
      const one = { method: request.method, url, headers: { ...request.headers }, body: bodyOf(request) }
      sent.push(one)
      return answer(request, reply(one, sent.length - 1))
    })
  )
  const limiter = Layer.succeed(Limiter, {
    call: (bucket, send, feedbackOf) =>
      Effect.onExit(send, (exit) =>
        Effect.sync(() => {
          buckets.push(bucket)
          feedback.push(feedbackOf(exit))
        })
      ),
    states: Effect.succeed([]),
    quotas: Effect.succeed([])
  })
  return MarketplaceClient.make({
    account,
    token,
    hosts: {
      marketplace: "http://marketplace.test",
      advert: "http://advert.test",
      calendar: "http://calendar.test",
      analytics: "http://analytics.test"
    },
    ...options
  }).pipe(
    Effect.provide(limiter),
    Effect.provideService(HttpClient.HttpClient, http),
    Effect.flatMap((client) => use({ client, sent, buckets, feedback }))
  )
}

export const permit = issue({ account, planId: PlanId("p"), changes: new Set<ChangeId>() })
export const withPermit = Effect.provideService(WritePermit, permit)

const answer = (request: HttpClientRequest.HttpClientRequest, reply: Reply) => {
  if (reply === "silence") return Effect.never
  if ("fault" in reply) {
    const cause = Object.assign(new Error("connection fault"), {
      code: reply.fault,
      ...(reply.syscall === undefined ? {} : { syscall: reply.syscall })
    })
    return Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause }))
  }
  const { status, body = "", headers = {} } = reply
  return Effect.succeed(
    HttpClientResponse.fromWeb(
      request,
      new Response(status === 204 ? null : typeof body === "string" ? body : Uint8Array.from(body), {
        status,
        headers
      })
    )
  )
}

const bodyOf = (request: HttpClientRequest.HttpClientRequest): unknown => {
  if (request.body._tag !== "Uint8Array") return undefined
  return JSON.parse(new TextDecoder().decode(request.body.body))
}
