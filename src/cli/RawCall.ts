/** One raw call of an operation: reads at once, writes under the account's lock and with a record in the journal. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as Schema from "effect/Schema"
import { WritePermit } from "../domain/WritePermit.js"
import * as Lease from "../engine/run/Lease.js"
import * as Permit from "../engine/run/Permit.js"
import { Journal } from "../engine/run/Ports.js"
import type { Entry } from "../services/Catalogue.js"
import { MarketplaceClient } from "../services/MarketplaceClient.js"
import type { Chosen } from "./Account.js"
import type { Request } from "./CallRequest.js"
import * as Holder from "./Holder.js"

/** Sends it and answers what came back, as the wire spells it. Only for writes that a person confirmed. */
export const run = (entry: Entry, request: Request, chosen: Chosen) =>
  entry.access === "write" ? write(entry, request, chosen) : read(entry, request)

/** A read demands no permit; the cast of `send` says that any operation might. */
const read = (entry: Entry, request: Request) =>
  send(entry, request) as Effect.Effect<unknown, Error, MarketplaceClient>

const send = (entry: Entry, request: Request) =>
  Effect.gen(function* () {
    const { api } = yield* MarketplaceClient
    const areas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = api
    const method = areas[entry.area]?.[entry.id]
    const call: unknown = typeof method === "function" ? method(request) : undefined
    if (!Effect.isEffect(call)) return yield* Effect.dieMessage(`${entry.id} has no method`)
    const answer = yield* call as Effect.Effect<unknown, Error, WritePermit>
    const schema = entry.endpoint.successSchema as Schema.Schema<unknown, unknown>
    return yield* Effect.orElseSucceed(Schema.encodeUnknown(schema)(answer), () => answer)
  })

/**
 * Sends a write. The run is in the journal before the request leaves, and its end afterwards; a run that never ended
 * says that nobody saw the answer.
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
      const finish = (status: "done" | "failed") =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
          journal.finish(runId, status, { [entry.id]: 1 }, nowMs)
        )
      const answer = yield* send(entry, request).pipe(
        Effect.provideService(WritePermit, Permit.confirmed(name, what)),
        // Whether a failed write arrived is not known for every failure: the run stays open then.
        Effect.tapError((error) => (didNotArrive(error) ? finish("failed") : Effect.void))
      )
      yield* finish("done")
      return answer
    })
  )

/** The marketplace refused it, or it never left. */
const didNotArrive = (error: unknown): boolean => {
  if (typeof error !== "object" || error === null) return false
  if ("_tag" in error && error._tag === "LimitStopped") return true
  const arrived = "arrived" in error ? error.arrived : undefined
  const status = "status" in error && typeof error.status === "number" ? error.status : undefined
  return arrived === "no" || (arrived === "yes" && status !== undefined && status >= 400 && status < 500)
}
