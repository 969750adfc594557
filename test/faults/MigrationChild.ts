/** `MigrationChild.ts URL PASSWORD kill|wait|plain [n]` migrates; at statement n of the later step it dies, or stands still. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as PgClient from "../../src/store/clients/PgClient.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { known, step } from "../store/LaterStep.js"

const [url = "", password = "", how = "plain", at = "0"] = process.argv.slice(2)
const place = step.postgres[Number(at)]

const migrating = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { unsafe } = sql
  Object.assign(sql, {
    unsafe: ((text, values) => {
      if (text === place && how === "kill") process.kill(process.pid, "SIGKILL")
      if (text === place && how === "wait") {
        process.stdout.write("there\n")
        return unsafe("SELECT pg_sleep(600)")
      }
      return unsafe(text, values)
    }) satisfies typeof unsafe
  })
  yield* Migrations.migrateBy(known)
})

await Effect.runPromise(
  Effect.provide(migrating, PgClient.layer({ url, password: Redacted.make(password), connections: 1 })).pipe(
    Effect.match({
      onFailure: ({ message }) => {
        process.stdout.write(`failed: ${message}\n`)
      },
      onSuccess: () => {
        process.stdout.write("migrated\n")
      }
    })
  )
)
