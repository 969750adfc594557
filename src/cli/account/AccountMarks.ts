/** What the store says of accounts beside their cycles, asked once for all of them: there may be a thousand. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { StoreFailure } from "../../domain/StoreFailure.js"
import * as ObserveOnly from "../../engine/door/ObserveOnly.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import { cleanLine } from "../../reporting/Clean.js"
import * as SwitchedOff from "../../services/SwitchedOff.js"
import * as TokenMemorySql from "../../store/accounts/TokenMemorySql.js"
import * as ServerMark from "../../store/audit/ServerMark.js"
import * as Failure from "../../store/clients/Failure.js"
import * as StopsSql from "../../store/people/StopsSql.js"
import type { Config } from "../config/Config.js"
import * as Store from "../store/Store.js"

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
        return found === undefined ? undefined : ObserveOnly.notice(found, account)
      },
      switchedOff: (account) => believed.get(account) ?? []
    }
  })

/** What a person has stopped of whole accounts, and how it is lifted. Instants are epoch milliseconds. */
export interface Stop {
  readonly account: string
  readonly kind: "kill" | "account"
  readonly since: number
  readonly until?: number
  readonly by: string
  readonly why?: string
  /** The command that lifts it. */
  readonly resume: string
}

/**
 * Kill switches and holds of the configured accounts that stand, read beside whoever has the store. A failure is the
 * caller's to tell: stops that could not be looked for must not look like none.
 */
export const stops = (
  config: Pick<Config, "accounts" | "store">,
  nowMs: number
): Effect.Effect<ReadonlyArray<Stop>, StoreFailure> =>
  Effect.flatMap(SqlClient.SqlClient, StopsSql.all).pipe(
    Effect.mapError((cause) => Failure.from(looking, cause)),
    Effect.provide(Store.reading(config.store)),
    Effect.timeoutFail({
      duration: "5 seconds",
      onTimeout: () =>
        new StoreFailure({
          action: `could not ${looking}`,
          hint: "the store did not answer in 5 seconds",
          cause: undefined
        })
    }),
    // A sandbox's clock runs faster than the machine that has to answer.
    Effect.withClock(Clock.make()),
    Effect.map((holds) =>
      standing(
        holds,
        config.accounts.map(({ name }) => name),
        nowMs
      )
    )
  )

const looking = "look for kill switches and holds"

const standing = (
  holds: ReadonlyArray<OperatorHold.OperatorHold>,
  accounts: ReadonlyArray<string>,
  nowMs: number
): ReadonlyArray<Stop> =>
  holds.flatMap((hold) => {
    const { account, by, kind, since, until, why } = hold
    if (kind !== "kill" && kind !== "account") return []
    if (!accounts.includes(account) || !OperatorHold.isStanding(hold, nowMs)) return []
    const resume = OperatorHold.resumeWith(hold, { account, accounts: accounts.length })
    const ends = until === undefined ? {} : { until }
    return [{ account, kind, since, ...ends, by, ...(why === undefined ? {} : { why }), resume }]
  })

/** `the account: on hold by anna since 2026-09-01 15:00: checking stock`. */
export const stopText = (stop: Omit<Stop, "account">, zone: string): string =>
  cleanLine(
    `${OperatorHold.scopeText({ kind: stop.kind, what: "" })}: ${OperatorHold.text({ account: "", what: "", ...stop }, zone)}`
  )
