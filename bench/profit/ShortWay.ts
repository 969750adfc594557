/**
 * The client's short way to the sandbox: a request goes straight to its handler and the answer's text to the reader that the
 * client has for it. What is refused, or read with any doubt, is asked once more the long way, so that every error is the
 * client's own.
 */

import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { WritePermit } from "../../src/domain/WritePermit.js"
import * as Routes from "../../src/sandbox/Routes.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import type { Service } from "../../src/sandbox/Service.js"
import * as Catalogue from "../../src/services/Catalogue.js"
import type { Client, Methods } from "../../src/services/MarketplaceClient.js"
import * as PlainAnswers from "../../src/services/PlainAnswers.js"

/** A client that goes the short way wherever it can. */
export const through = (client: Client, sandbox: Service): Client => {
  const long = client.api as unknown as Record<string, Record<string, Call>>
  const api: Record<string, Record<string, Call>> = {}
  for (const entry of Catalogue.operations) {
    const whole = long[entry.area]?.[entry.id]
    const handler = Routes.handlerOf(entry.id)
    if (whole === undefined || handler === undefined) continue
    api[entry.area] = { ...api[entry.area], [entry.id]: short(sandbox, entry, handler, whole) }
  }
  return { ...client, api: api as unknown as Methods }
}

type Call = (request?: Request) => Effect.Effect<unknown, unknown, WritePermit>

interface Request {
  readonly path?: unknown
  readonly urlParams?: unknown
  readonly payload?: unknown
}

const short = (sandbox: Service, entry: Catalogue.Entry, handler: Routes.Named, whole: Call): Call => {
  const { successSchema } = entry.endpoint
  const isNothing = HttpApiSchema.isVoid(successSchema.ast)
  const plain = PlainAnswers.of(successSchema)
  return (request = {}) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const context = {
        operation: entry.id,
        world: sandbox.world(defaultSeller),
        ledger: sandbox.ledger,
        nowMs
      }
      const { path, payload, urlParams } = request
      const answer = handler({ ...context, path, payload, query: urlParams })
      if (Either.isLeft(answer)) return whole(request)
      const { body, status } = answer.right
      if (isNothing) return permitted(entry, Effect.void)
      const value = typeof body === "string" && status === 200 ? plain(body) : PlainAnswers.doubt
      if (value !== PlainAnswers.doubt) return permitted(entry, Effect.succeed(value))
      if (entry.access === "read") return whole(request)
      // It is carried out already, so it is not asked again.
      return permitted(entry, Schema.decodeUnknown(successSchema)(JSON.parse(`${body}`)))
    })
}

/** What writes needs its permit here too. */
const permitted = <A, E>(
  { access }: Catalogue.Entry,
  effect: Effect.Effect<A, E>
): Effect.Effect<A, E, WritePermit> => (access === "read" ? effect : Effect.zipRight(WritePermit, effect))
