/** Passes that were asked for, as the journal tells: an account may make one in ten minutes, and a refusal counts as ten. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { AccountName } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import { ChangeLog } from "../door/ChangeLog.js"
import type * as Passes from "../fulfilment/Passes.js"
import * as PassCreation from "../kinds/fulfilment/PassCreation.js"

/** An older one keeps no other back. */
const rememberedMs = 2 * 86_400_000

/** Those of the account in the last two days, whoever asked for them and whatever came of it. */
export const of = (account: AccountName): Effect.Effect<ReadonlyArray<Passes.Try>, StoreFailure, ChangeLog> =>
  Effect.gen(function* () {
    const sinceMs = (yield* Clock.currentTimeMillis) - rememberedMs
    const rows = yield* (yield* ChangeLog).ofSlotsNamed(account, `${PassCreation.prefix}:`, sinceMs)
    return rows.flatMap(({ sentAt, state, updatedAt }) => {
      const isRefused = state === "rejected"
      const atMs = sentAt ?? (isRefused ? updatedAt : undefined)
      return atMs === undefined ? [] : [{ atMs, isRefused }]
    })
  })
