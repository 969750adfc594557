/** `KilledMigration.ts <file> <n>` migrates a new store and dies without warning before statement n of the later step. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { known, step } from "./LaterStep.js"

const [file = "", at = "0"] = process.argv.slice(2)
const deadly = step.sqlite[Number(at)]

const dying = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { unsafe } = sql
  Object.assign(sql, {
    unsafe: ((text, values) => {
      if (text === deadly) process.kill(process.pid, "SIGKILL")
      return unsafe(text, values)
    }) satisfies typeof unsafe
  })
  yield* Migrations.migrateBy(known)
})

await Effect.runPromise(Effect.provide(dying, SqliteClient.layer({ filename: file })))
