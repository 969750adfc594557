/** A migration that is killed between two of its statements leaves the version before, and the next start completes it. */
import { spawn } from "node:child_process"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { buildSync } from "esbuild"
import { beforeAll, describe, expect, it } from "vitest"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { inFolder } from "./Fixture.js"
import { known, step } from "./LaterStep.js"

const bundle = resolve("node_modules/.cache/bidhelm/migration-child.mjs")

beforeAll(() => {
  mkdirSync(resolve("node_modules/.cache/bidhelm"), { recursive: true })
  buildSync({
    entryPoints: [resolve("test/store/KilledMigration.ts")],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    external: ["@photostructure/sqlite"],
    logLevel: "error"
  })
})

const killedAt = (file: string, statement: number) =>
  Effect.promise(
    () =>
      new Promise<NodeJS.Signals | null>((done) => {
        const child = spawn(process.execPath, [bundle, file, `${statement}`], { stdio: "inherit" })
        child.on("close", (_, signal) => done(signal))
      })
  )

const found = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.all({
    versions: sql<{ version: number }>`SELECT version FROM schema_version ORDER BY version`,
    tables: sql<{ name: string }>`SELECT name FROM sqlite_master WHERE name IN ('later_one', 'later_two')`
  })
)

describe("a migration that is killed", () => {
  it("leaves the steps before it whole, and is completed by the next start", async () => {
    const [signal, half, whole] = await inFolder((folder) =>
      Effect.gen(function* () {
        const file = join(folder, "store.db")
        const by = yield* killedAt(file, 2)
        const looked = Effect.provide(found, SqliteClient.layer({ filename: file, readOnly: true }))
        const before = yield* looked
        yield* Effect.provide(Migrations.migrateBy(known), SqliteClient.layer({ filename: file }))
        return [by, before, yield* looked] as const
      })
    )
    expect(signal).toBe("SIGKILL")
    // The later step makes both tables; it was killed between them.
    expect(half.tables).toEqual([])
    expect(half.versions.map(({ version }) => version)).toEqual(Migrations.versions)
    expect(whole.tables).toHaveLength(2)
    expect(whole.versions.map(({ version }) => version)).toEqual([...Migrations.versions, step.version])
  })
})
