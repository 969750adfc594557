/**
 * Creations that a dead run left open, looked for before an account does anything else: a second campaign of one name
 * is money spent twice.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { AccountLane } from "../../domain/Lane.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as Create from "./Create.js"
import { type Creation, CreationLog } from "./CreationLog.js"
import { Journal } from "./Journal.js"

/** Where things of an operation are looked for; undefined for one that nobody knows a list of. */
export class Whereabouts extends Context.Tag("bidhelm/Whereabouts")<
  Whereabouts,
  { readonly search: (operation: string) => Create.Search<never> | undefined }
>() {}

export interface Settled {
  readonly creation: Creation
  readonly found: Create.Created
}

/** Those of the lane whose outcome is open; none where creations are not kept. */
export const open = ({ account, lane }: AccountLane): Effect.Effect<ReadonlyArray<Creation>, StoreFailure> =>
  Effect.flatMap(
    Effect.serviceOption(CreationLog),
    Option.match({ onNone: () => Effect.succeed([]), onSome: (log) => log.open(account, lane) })
  )

/** Settles them, oldest first. Call it while holding the lane's lock; it waits until each could be seen. */
export const settle = ({ account, lane }: AccountLane): Effect.Effect<ReadonlyArray<Settled>, StoreFailure> =>
  Effect.gen(function* () {
    const services = Option.all([
      yield* Effect.serviceOption(CreationLog),
      yield* Effect.serviceOption(Whereabouts)
    ])
    if (Option.isNone(services)) return []
    const [log, { search }] = services.value
    const settled: Array<Settled> = []
    for (const creation of yield* log.open(account, lane)) {
      const recipe = search(creation.operation)
      if (recipe === undefined) continue
      const found = yield* Effect.provideService(Create.settle(creation, recipe), CreationLog, log)
      if (found._tag !== "Unclear")
        yield* ended(creation, "id" in found ? "made" : found._tag === "NotSent" ? "not_sent" : "not_made")
      settled.push({ creation, found })
    }
    return settled
  })

/** How history counts a call that never left: as no change, for nothing was made. */
export const notSent = (operation: string): Readonly<Record<string, number>> => ({
  [`${operation} not sent`]: 1
})

/** What became of it is known: history must not go on calling its run's outcome unknown. */
export const ended = (
  { id, operation }: Pick<Creation, "id" | "operation">,
  became: "made" | "not_made" | "not_sent"
): Effect.Effect<void, StoreFailure> =>
  Effect.gen(function* () {
    const journal = yield* Effect.serviceOption(Journal)
    if (Option.isNone(journal)) return
    const nowMs = yield* Clock.currentTimeMillis
    const counts =
      became === "not_sent"
        ? notSent(operation)
        : { [operation]: 1, [became === "made" ? "applied" : "not_applied"]: 1 }
    yield* journal.value.finish(id, "interrupted", counts, nowMs)
  })
