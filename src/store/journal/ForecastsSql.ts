/** What policies with `optimise` expected of days, and what came of them; `Calibration` judges them. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { DayFound, ForecastDay, Made } from "../../engine/decide/forecasts/ForecastDay.js"
import type { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as OneOrAll from "../audit/OneOrAll.js"
import * as PersonAudit from "../audit/PersonAudit.js"
import * as Transaction from "../clients/Transaction.js"

type Methods = Pick<Context.Tag.Service<RuleMemory>, "forecasts" | "keepForecasts">

export const methods = (sql: SqlClient.SqlClient): Methods => ({
  forecasts: (account, policies, sinceDay) =>
    policies !== undefined && policies.length === 0
      ? Effect.succeed([])
      : Transaction.read(
          sql,
          "read what was expected of days",
          Effect.map(
            sql<Row>`SELECT policy, budget, day, made_at, standing, expected, outcome, realised, forgiven_at FROM forecasts
              WHERE account = ${account} AND day >= ${sinceDay}
              AND ${OneOrAll.where(sql, policies, (some) => sql.in("policy", some))}
              ORDER BY policy, budget, day`,
            (rows) => rows.map(toDay)
          )
        ),
  keepForecasts: (account, made, found) =>
    Transaction.run(sql, "keep what is expected of the day", function* () {
      for (const some of Arr.chunksOf(made, rowsPerStatement))
        yield* sql`INSERT INTO forecasts ${sql.insert(some.map((day) => toRow(account, day)))} ON CONFLICT DO NOTHING`
      for (const one of found) yield* keepFound(sql, account, one)
    })
})

const rowsPerStatement = 50

/** Once it is known what became of the bids nobody compares them any more. */
const keepFound = (
  sql: SqlClient.SqlClient,
  account: string,
  { budget, day, outcome, policy, realised }: DayFound
) =>
  Effect.gen(function* () {
    const where = sql`account = ${account} AND policy = ${policy} AND budget = ${budget} AND day = ${day}`
    if (outcome !== undefined)
      yield* sql`UPDATE forecasts SET outcome = ${JSON.stringify(outcome)}, standing = ''
        WHERE ${where} AND outcome IS NULL`
    if (realised !== undefined)
      yield* sql`UPDATE forecasts SET realised = ${JSON.stringify(realised)} WHERE ${where}`
  })

/**
 * A person says that misses of these budgets count no more: their policies act again, and are judged by days from now on. Call it in a
 * transaction.
 */
export const forgive = (
  sql: SqlClient.SqlClient,
  account: string,
  budgets: ReadonlyArray<Pick<ForecastDay, "policy" | "budget">>,
  by: string,
  nowMs: number
) =>
  Effect.gen(function* () {
    for (const { budget, policy } of budgets)
      yield* sql`UPDATE forecasts SET forgiven_at = ${Math.floor(nowMs)}, forgiven_by = ${by}
        WHERE account = ${account} AND policy = ${policy} AND budget = ${budget} AND forgiven_at IS NULL`
    if (budgets.length > 0) yield* PersonAudit.trusted(sql, account, budgets, { at: nowMs, by })
  })

interface Row {
  readonly policy: string
  readonly budget: string
  readonly day: string
  readonly made_at: number
  readonly standing: string
  readonly expected: string
  readonly outcome: string | null
  readonly realised: string | null
  readonly forgiven_at: number | null
}

const toRow = (
  account: string,
  { after, before, budget, campaigns, changes, dailyKopecks, day, madeAtMs, policy, standing }: ForecastDay
) => ({
  account,
  policy,
  budget,
  day,
  standing,
  made_at: Math.floor(madeAtMs),
  expected: JSON.stringify({ campaigns, dailyKopecks, changes, before, after })
})

/** Written by this program only. */
const toDay = (row: Row): ForecastDay => ({
  policy: row.policy,
  budget: row.budget,
  day: row.day,
  madeAtMs: Number(row.made_at),
  standing: row.standing,
  ...(JSON.parse(row.expected) as Omit<Made, "standing">),
  ...(row.outcome === null
    ? {}
    : { outcome: JSON.parse(row.outcome) as NonNullable<ForecastDay["outcome"]> }),
  ...(row.realised === null
    ? {}
    : { realised: JSON.parse(row.realised) as NonNullable<ForecastDay["realised"]> }),
  ...(row.forgiven_at === null ? {} : { forgivenAtMs: Number(row.forgiven_at) })
})
