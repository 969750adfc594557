/** What the store says of accounts beside their cycles, asked once for all of them: there may be a thousand. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as ObserveOnly from "../engine/run/ObserveOnly.js"
import * as SwitchedOff from "../services/SwitchedOff.js"
import * as ServerMark from "../store/ServerMark.js"
import * as TokenMemorySql from "../store/TokenMemorySql.js"

export interface AccountMarks {
  /** Why nothing is sent for the account: its store was restored. */
  readonly onlyLooks: (account: string) => string | undefined
  /** What the marketplace refuses to the account at this instant, whichever token it has now, in words. */
  readonly switchedOff: (account: string) => ReadonlyArray<string>
}

/** What cannot be read says nothing. */
export const read = (sql: SqlClient.SqlClient): Effect.Effect<AccountMarks> =>
  Effect.gen(function* () {
    const nowMs = yield* Clock.currentTimeMillis
    const mark = yield* Effect.orElseSucceed(ServerMark.observeOnlyOfAll(sql), () => () => undefined)
    const refusals = yield* Effect.orElseSucceed(TokenMemorySql.refusals(sql), () => [])
    const believed = new Map<string, Array<string>>()
    for (const one of refusals) {
      if (!SwitchedOff.isBelieved(one, nowMs)) continue
      const words = believed.get(one.account) ?? []
      believed.set(one.account, words)
      words.push(SwitchedOff.text(one))
    }
    return {
      onlyLooks: (account) => {
        const found = mark(account)
        return found === undefined ? undefined : ObserveOnly.notice(found)
      },
      switchedOff: (account) => believed.get(account) ?? []
    }
  })
