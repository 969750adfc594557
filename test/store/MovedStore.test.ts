/** A store whose file is taken away while a program works with it: nothing more is written to where nobody will look. */
import { copyFileSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { afterEach, beforeEach, expect, it } from "vitest"
import type { StoreFailure } from "../../src/domain/StoreFailure.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Transaction from "../../src/store/clients/Transaction.js"

let folder: string
let store: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bidhelm-moved-"))
  store = join(folder, "store.sqlite")
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

it.runIf(process.platform !== "win32")(
  "refuses to write to a store whose file was moved, deleted or replaced, and goes on when it is back",
  async () => {
    const said = await Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const write = Effect.map(
        Effect.either(Transaction.run(sql, "write", sql`INSERT INTO one VALUES (1)`)),
        (end: Either.Either<unknown, StoreFailure>) => (Either.isLeft(end) ? end.left.message : "written")
      )
      yield* sql`CREATE TABLE one (n)`
      const said = [yield* write]
      renameSync(store, `${store}.old`)
      said.push(yield* write)
      copyFileSync(`${store}.old`, store)
      said.push(yield* write)
      renameSync(`${store}.old`, store)
      said.push(yield* write)
      rmSync(store)
      said.push(yield* write)
      return said
    }).pipe(Effect.provide(SqliteClient.layer({ filename: store })), Effect.runPromise)
    expect([said[0], said[3]]).toEqual(["written", "written"])
    expect([said[1], said[4]]).toEqual([
      expect.stringContaining(`${store} was moved or deleted while bidhelm works with it; put it back`),
      expect.stringContaining("was moved or deleted")
    ])
    expect(said[2]).toContain("was replaced by another one")
  }
)
