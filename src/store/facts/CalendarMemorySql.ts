/** Answers of the calendar in the SQL store: one row per account and question. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Days from "../../domain/Days.js"
import { CalendarMemory, type Kept } from "../../services/ports/CalendarMemory.js"
import * as Transaction from "../clients/Transaction.js"

/** Nobody decides on older answers, nor asks for them before others. */
const forgottenAfterMs = 7 * 86_400_000

/** More questions than this are read in several statements: SQLite bounds the parameters of one. */
const rowsPerStatement = 500

/** Needs a migrated store (`Migrations.layer`). */
export const layer: Layer.Layer<CalendarMemory, never, SqlClient.SqlClient> = Layer.effect(
  CalendarMemory,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    recall: (account, questions) =>
      Transaction.read(
        sql,
        "read what was remembered of the calendar",
        Effect.map(
          Effect.forEach(
            Arr.chunksOf(questions, rowsPerStatement),
            (part) => sql<Row>`SELECT question, read_at, answer FROM calendar_answers
              WHERE account = ${account} AND ${sql.in("question", part)}`
          ),
          (rows) => new Map(rows.flat().flatMap(kept))
        )
      ),
    keep: (account, answers) =>
      Transaction.run(sql, "remember what the calendar answered", function* () {
        if (answers.length === 0) return
        let newest = Number.NEGATIVE_INFINITY
        for (const { answer, question, readAt } of answers) {
          const at = Math.floor(readAt)
          newest = Math.max(newest, at)
          yield* sql`INSERT INTO calendar_answers (account, question, read_at, answer)
              VALUES (${account}, ${question}, ${at}, ${JSON.stringify(answer)})
              ON CONFLICT (account, question) DO UPDATE SET read_at = excluded.read_at, answer = excluded.answer
              WHERE excluded.read_at >= calendar_answers.read_at
                OR calendar_answers.read_at > excluded.read_at + ${sql.literal(String(Days.clockMayErrMs))}`
        }
        yield* sql`DELETE FROM calendar_answers
            WHERE account = ${account} AND read_at < ${newest - forgottenAfterMs}`
      })
  }))
)

interface Row {
  readonly question: string
  readonly read_at: number
  readonly answer: string
}

/** Written by this program alone; what cannot be read back is as good as never read, and asked again. */
const kept = ({ answer, question, read_at }: Row): ReadonlyArray<readonly [string, Kept]> => {
  try {
    return [[question, { question, readAt: Number(read_at), answer: JSON.parse(answer) as unknown }]]
  } catch {
    return []
  }
}
