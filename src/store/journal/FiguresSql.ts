/** What past runs saw of the statistics, for the plausibility of the next one. */
import type * as SqlClient from "@effect/sql/SqlClient"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Plausibility from "../../engine/decide/Plausibility.js"
import type { Journal } from "../../engine/run/Journal.js"
import * as Transaction from "../clients/Transaction.js"

type Methods = Context.Tag.Service<Journal>

export const methods = (sql: SqlClient.SqlClient): Pick<Methods, "figures" | "keepFigures"> => ({
  figures: (account, sinceMs) =>
    Transaction.run(
      sql,
      "read the figures of past runs",
      Effect.map(
        sql<
          Plausibility.Seen & { readonly rows_hash: string }
        >`SELECT at, fact, rows, active, total, rules, rows_hash FROM run_figures
          WHERE account = ${account} AND at >= ${Math.floor(sinceMs)} ORDER BY at, fact`,
        (rows) =>
          rows.map(({ active, at, fact, rows: count, rows_hash: rowsHash, rules, total }) => ({
            fact,
            rules,
            rowsHash,
            at: Number(at),
            rows: Number(count),
            active: Number(active),
            total: Number(total)
          }))
      )
    ),
  keepFigures: (account, atMs, rules, figures) =>
    Transaction.run(
      sql,
      "keep the figures of the run",
      Effect.gen(function* () {
        const at = Math.floor(atMs)
        yield* sql`DELETE FROM run_figures WHERE account = ${account}
          AND at < ${at - 2 * Plausibility.rememberedMs}`
        for (const { active, fact, rows, rowsHash, total } of figures) {
          yield* sql`INSERT INTO run_figures (account, at, fact, rows, active, total, rules, rows_hash)
            VALUES (${account}, ${at}, ${fact}, ${rows}, ${active}, ${total}, ${rules}, ${rowsHash}) ON CONFLICT DO NOTHING`
        }
      })
    )
})
