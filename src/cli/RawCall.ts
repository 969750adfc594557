/** One raw call of an operation: reads at once, writes under the account's lock and with a record in the journal. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { WritePermit } from "../domain/WritePermit.js"
import * as Lease from "../engine/run/Lease.js"
import * as Permit from "../engine/run/Permit.js"
import { Journal } from "../engine/run/Ports.js"
import type { Entry } from "../services/Catalogue.js"
import { MarketplaceClient } from "../services/MarketplaceClient.js"
import { effectOf } from "../services/MarketplaceError.js"
import type { Chosen } from "./Account.js"
import type { Request } from "./CallRequest.js"
import * as Holder from "./Holder.js"

/** Sends it and answers what came back, as the wire spells it. Only for writes that a person confirmed. */
export const run = (entry: Entry, request: Request, chosen: Chosen) =>
  entry.access === "write" ? write(entry, request, chosen) : read(entry, request)

const read = (entry: Entry, request: Request) =>
  Effect.flatMap(MarketplaceClient, (client) => Effect.map(client.read(entry.id, request), spelt(entry)))

const send = (entry: Entry, request: Request) =>
  Effect.flatMap(MarketplaceClient, (client) => Effect.map(client.call(entry.id, request), spelt(entry)))

/** The answer in the wire's spelling, as the documentation has it. */
const spelt = (entry: Entry) => {
  const encode = Schema.encodeUnknownOption(entry.endpoint.successSchema as Schema.Schema<unknown, unknown>)
  return (answer: unknown): unknown => Option.getOrElse(encode(answer), () => answer)
}

/**
 * Sends a write. The run is in the journal before the request leaves, and its end afterwards; a run that never ended,
 * or ended with its outcome unknown, is for a person to look at: a raw call is never sent again by itself.
 */
const write = (entry: Entry, request: Request, { name }: Chosen) =>
  Effect.scoped(
    Effect.gen(function* () {
      const journal = yield* Journal
      const startedAt = yield* Clock.currentTimeMillis
      const tail = (yield* Random.nextIntBetween(0, 0x1000000)).toString(16).padStart(6, "0")
      const runId = `call-${new Date(startedAt).toISOString()}-${tail}`
      const what = `call ${entry.id} ${JSON.stringify(request)}`
      yield* Lease.hold(name, `${Holder.name()}, ${runId}`, Holder.abandoned)
      yield* journal.begin(
        {
          runId,
          account: name,
          planId: what,
          startedAt,
          finishedAt: undefined,
          status: "running",
          counts: { [entry.id]: 1 }
        },
        []
      )
      const finish = (
        status: "done" | "failed" | "interrupted",
        more: Readonly<Record<string, number>> = {}
      ) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          journal.finish(runId, status, { [entry.id]: 1, ...more }, nowMs)
        )
      const answer = yield* send(entry, request).pipe(
        Effect.provideService(WritePermit, Permit.confirmed(name, what)),
        Effect.tapError((error) =>
          effectOf(error) === "none" ? finish("failed") : finish("interrupted", { "outcome unknown": 1 })
        )
      )
      yield* finish("done")
      return answer
    })
  )
