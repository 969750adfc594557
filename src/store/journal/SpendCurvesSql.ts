/** What is remembered of a campaign's spend through the day: one row each, as text, since it is only ever read whole. */
import type * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import { CampaignId } from "../../domain/Ids.js"
import type { RuleMemory } from "../../engine/planning/RuleMemory.js"
import * as Transaction from "../clients/Transaction.js"

type Methods = Pick<Context.Tag.Service<RuleMemory>, "spendCurves" | "keepSpendCurves">

type Watched = Parameters<Methods["keepSpendCurves"]>[1][number]

interface Row {
  readonly campaign_id: number
  readonly watched: string
}

export const methods = (sql: SqlClient.SqlClient): Methods => ({
  spendCurves: (account) =>
    Transaction.read(
      sql,
      "read what was spent when",
      Effect.map(
        sql<Row>`SELECT campaign_id, watched FROM spend_curves WHERE account = ${account} ORDER BY campaign_id`,
        (rows) =>
          new Map(
            rows.map(({ campaign_id, watched }) => {
              const campaignId = CampaignId.make(Number(campaign_id))
              // Written by this program only.
              return [campaignId, { campaignId, ...(JSON.parse(watched) as Omit<Watched, "campaignId">) }]
            })
          )
      )
    ),
  keepSpendCurves: (account, watched) =>
    watched.length === 0
      ? Effect.void
      : Transaction.run(sql, "remember what was spent when", function* () {
          for (const some of Arr.chunksOf(watched, rowsPerStatement)) yield* keep(sql, account, some)
        })
})

const rowsPerStatement = 50

/** What a later run has read stays; one that is too far ahead was none. */
const keep = (sql: SqlClient.SqlClient, account: string, watched: ReadonlyArray<Watched>) =>
  sql`INSERT INTO spend_curves ${sql.insert(watched.map((one) => toRow(account, one)))}
    ON CONFLICT (account, campaign_id) DO UPDATE SET read_at = excluded.read_at, watched = excluded.watched
    WHERE spend_curves.read_at <= excluded.read_at OR spend_curves.read_at > excluded.read_at + ${Days.clockMayErrMs}`

const toRow = (account: string, { campaignId, ...watched }: Watched) => ({
  account,
  campaign_id: campaignId,
  read_at: Math.floor(watched.last.atMs),
  watched: JSON.stringify(watched)
})
