/** One raw call of an operation: reads at once, writes under the account's lock and with a record in the journal. */

import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Random from "effect/Random"
import { BeforeSend, type Withheld } from "../../domain/BeforeSend.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { WritePermit } from "../../domain/WritePermit.js"
import * as Create from "../../engine/door/Create.js"
import * as Creations from "../../engine/door/Creations.js"
import { Journal } from "../../engine/door/Journal.js"
import * as JournalPoints from "../../engine/door/JournalPoints.js"
import * as LastLook from "../../engine/door/LastLook.js"
import * as Lease from "../../engine/door/Lease.js"
import * as Permit from "../../engine/door/Permit.js"
import * as Recover from "../../engine/door/Recover.js"
import * as Stopping from "../../engine/door/Stopping.js"
import type { LimitsMemory } from "../../engine/planning/LimitsMemory.js"
import * as Recipes from "../../marketplace/creates/Recipes.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as CreationReasons from "../../reporting/CreationReasons.js"
import * as Reasons from "../../reporting/Reasons.js"
import type { Entry } from "../../services/Catalogue.js"
import * as Exchange from "../../services/Exchange.js"
import { MarketplaceClient } from "../../services/MarketplaceClient.js"
import { type CallError, effectOf } from "../../services/MarketplaceError.js"
import { AskAnyway } from "../../services/SwitchedOff.js"
import type { Chosen } from "../account/Account.js"
import * as Holder from "../account/Holder.js"
import * as StopAt from "../account/StopAt.js"
import * as StopFile from "../account/StopFile.js"
import * as Output from "../terminal/Output.js"
import { stop } from "../terminal/Stop.js"
import type { Request } from "./CallRequest.js"
import * as CallRequest from "./CallRequest.js"

/** Sends it and answers what came back, as the wire spells it. Only for writes that a person confirmed. */
export const run = (entry: Entry, request: Request, chosen: Pick<Chosen, "name"> & Placed) =>
  Effect.gen(function* () {
    return entry.access === "write"
      ? yield* write(entry, request, chosen)
      : yield* Stopping.unlessAsked(read(entry, request))
  }).pipe(
    // A person who asks finds out whether the marketplace still refuses.
    Effect.provideService(AskAnyway, true)
  )

interface Placed {
  readonly config: StopFile.Places
}

const read = (entry: Entry, request: Request) =>
  Effect.flatMap(MarketplaceClient, (client) =>
    Effect.map(client.read(entry.id, request), CallRequest.spelt(entry))
  )

const send = (entry: Entry, request: Request) =>
  Effect.flatMap(MarketplaceClient, (client) =>
    Effect.map(client.call(entry.id, request), CallRequest.spelt(entry))
  )

/** Things without a key are created at most once, if the request names them: after a lost answer they are looked for. */
const sendOnce = (runId: string, entry: Entry, request: Request) =>
  Effect.gen(function* () {
    const marker = nameIn(request)
    if (marker === undefined || !Recipes.isCreating(entry.id)) {
      const look = Effect.zipRight(JournalPoints.pass("permitted"), yield* BeforeSend)
      const answer = yield* Effect.provideService(send(entry, request), BeforeSend, look)
      yield* JournalPoints.pass("answered")
      return answer
    }
    const client = yield* MarketplaceClient
    let answer: unknown
    const sending = Effect.tap(send(entry, request), (told) =>
      Effect.sync(() => {
        answer = told
      })
    ).pipe(Effect.provideService(MarketplaceClient, client))
    const created = yield* Create.once(runId, Recipes.of(client, entry.id, marker, request, sending, idIn))
    switch (created._tag) {
      case "Created":
        return answer
      case "Adopted":
        return { id: created.id, adopted: "no answer came, but one of this name is there now" }
      case "Existing":
        return yield* stop(
          1,
          `nothing was sent: one of the name "${marker}" is there already (${created.id}); give another name`
        )
      case "Unclear": {
        const found = [
          created.said,
          CreationReasons.text(created.because),
          CreationReasons.resolveWith(runId)
        ]
        return yield* new Unclear({ message: found.filter((part) => part !== undefined).join("; ") })
      }
      default: {
        const why = CreationReasons.text(created.because)
        return yield* stop(
          1,
          created.because.code === "absent"
            ? `${entry.id} "${marker}": no answer said that it was made; ${why}: call it again if you still want it`
            : why
        )
      }
    }
  })

/** Nobody knows whether something was created. */
class Unclear extends Data.TaggedError("Unclear")<{ readonly message: string }> {}

const isUnclear = (error: CallError | Unclear | StoreFailure | Error): boolean =>
  !("_tag" in error)
    ? false
    : error._tag === "Unclear" ||
      // It may have left before the store failed.
      error._tag === "StoreFailure" ||
      (Exchange.isCallError(error) && effectOf(error) === "unknown")

const nameIn = ({ payload }: Request): string | undefined =>
  Predicate.isRecord(payload) && typeof payload.name === "string" ? payload.name : undefined

/** A campaign's id is the whole answer, a supply's is a field. */
const idIn = (answer: unknown): string | undefined =>
  typeof answer === "number" || typeof answer === "string"
    ? `${answer}`
    : Predicate.isRecord(answer) && typeof answer.id === "string"
      ? answer.id
      : undefined

/**
 * Sends a write. The run is in the journal before the request leaves, and its end afterwards; a run that never ended,
 * or ended with its outcome unknown, is for a person to look at: a raw call is never sent again by itself.
 */
const write = (entry: Entry, request: Request, chosen: Pick<Chosen, "name"> & Placed) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { name } = chosen
      const journal = yield* Journal
      const startedAt = yield* Clock.currentTimeMillis
      const tail = (yield* Random.nextIntBetween(0, 0x1000000)).toString(16).padStart(6, "0")
      const runId = `call-${new Date(startedAt).toISOString()}-${tail}`
      const what = `call ${entry.id} ${JSON.stringify(request)}`
      const lease = yield* Lease.hold({ account: name, lane }, `${Holder.name()}, ${runId}`, Holder.abandoned)
      yield* JournalPoints.pass("locked")
      const look = yield* lastLook(runId, request, lease, chosen)
      // Before anything is waited for or written down: most refusals are known by now.
      yield* look
      const open = new Set((yield* journal.open(name, lane)).map((row) => row.runId))
      yield* Recover.closeDead(name, lane, open)
      yield* settleCreations(name)
      yield* JournalPoints.pass("recovered")
      yield* journal.begin(
        {
          runId,
          account: name,
          lane,
          planId: what,
          startedAt,
          finishedAt: undefined,
          status: "running",
          counts: { [entry.id]: 1 }
        },
        []
      )
      yield* JournalPoints.pass("begun")
      const finish = (
        status: "done" | "failed" | "interrupted",
        counts: Readonly<Record<string, number>> = { [entry.id]: 1 }
      ) =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => journal.finish(runId, status, counts, nowMs)).pipe(
          // What came of the call must reach the person all the same: who hears nothing of it makes it again.
          Effect.catchAll(({ message }) =>
            Output.note(
              `The end of this call could not be written down, so history will not know it: ${message}`
            )
          )
        )
      let mayHaveLeft = false
      const leaving = Effect.tap(look, () =>
        Effect.sync(() => {
          mayHaveLeft = true
        })
      )
      const unsent = finish("failed", Creations.notSent(entry.id))
      const answer = yield* sendOnce(runId, entry, request).pipe(
        Effect.provideService(WritePermit, Permit.confirmed(name, what)),
        Effect.provideService(BeforeSend, leaving),
        // Whoever gives up waiting for the call limit need not be asked later what came of it.
        Effect.onInterrupt(() => (mayHaveLeft ? Effect.void : unsent)),
        Effect.tapError((error) => {
          if (isUnclear(error)) return finish("interrupted", { [entry.id]: 1, "outcome unknown": 1 })
          return mayHaveLeft ? finish("failed") : unsent
        })
      )
      yield* JournalPoints.pass("recorded")
      yield* finish("done")
      yield* JournalPoints.pass("finished")
      return answer
    })
  ).pipe(Effect.provide(StopAt.layer))

/** Calls by hand take turns with the rules, whatever they write. */
const lane = "ads"

/** Waiting for the call limit may take minutes: kill switch, holds and lock are asked when it is over. */
const lastLook = (
  runId: string,
  request: Request,
  lease: Lease.Lease,
  { config, name }: Pick<Chosen, "name"> & Placed
) =>
  Effect.map(
    Effect.context<Journal | LimitsMemory>(),
    (context): Effect.Effect<void, Withheld> =>
      LastLook.passRaw(runId, request, lease, (against) => cleanLine(Reasons.withheld(against))).pipe(
        Effect.provide(StopFile.guarding(config, name)),
        Effect.provide(context)
      )
  )

/** What a dead call may have created is looked for before anything else is: it may not show yet. */
const settleCreations = (account: string) =>
  Effect.gen(function* () {
    if ((yield* Creations.open({ account, lane })).length === 0) return
    yield* Output.note("What an earlier call may have created is not settled yet; looking for it first.")
    const settled = yield* Effect.provide(Creations.settle({ account, lane }), Recipes.layerWhereabouts)
    for (const one of settled) yield* Output.note(`${CreationReasons.settled(one)}.`)
  })
