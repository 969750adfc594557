/** A migration on PostgreSQL that ends half-way: its process killed, or its connection ended by the server. */
import { type ChildProcess, spawn } from "node:child_process"
import { rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as LaterStep from "../store/LaterStep.js"
import * as Postgres from "../store/Postgres.js"
import * as PostgresShop from "./PostgresShop.js"
import * as Waiting from "./Waiting.js"

const bundle = join(process.cwd(), "node_modules", ".cache", `bidhelm-migration-${process.pid}`)

beforeAll(() =>
  build({
    entryPoints: ["test/faults/MigrationChild.ts"],
    outfile: join(bundle, "MigrationChild.mjs"),
    bundle: true,
    platform: "node",
    format: "esm",
    packages: "external",
    logLevel: "warning"
  })
)
afterAll(async () => {
  await Postgres.end()
  rmSync(bundle, { recursive: true, force: true })
})

const children: Array<ChildProcess> = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL")
})

const start = (url: string, how: "kill" | "wait" | "plain", at = 0) => {
  const child = spawn(
    process.execPath,
    [join(bundle, "MigrationChild.mjs"), url, Postgres.password, how, String(at)],
    { stdio: ["ignore", "pipe", "inherit"] }
  )
  children.push(child)
  let said = ""
  child.stdout.on("data", (part: Buffer) => {
    said += String(part)
  })
  const end = new Promise<string>((resolve) => {
    child.on("close", (_, signal) => resolve(signal ?? said.trim()))
  })
  return { end, there: () => Waiting.until(() => said.includes("there")) }
}

/** Versions the store has had, and which tables of the later step are there. */
const found = async (url: string) => ({
  versions: (await PostgresShop.ask(url, "SELECT version FROM schema_version ORDER BY version")).map(
    ({ version }) => version
  ),
  tables: (
    await PostgresShop.ask(
      url,
      "SELECT tablename FROM pg_tables WHERE tablename IN ('later_one', 'later_two') ORDER BY 1"
    )
  ).map(({ tablename }) => tablename)
})

const before = [...Migrations.versions]
const whole = { versions: [...before, LaterStep.step.version], tables: ["later_one", "later_two"] }

describe("a migration on PostgreSQL", () => {
  it.each([0, 1, 2, 3])(
    "killed before statement %i of a step leaves the steps before it; the next start completes it",
    async (at) => {
      const url = await (await Postgres.shared()).fresh()
      expect(await start(url, "kill", at).end).toBe("SIGKILL")
      expect(await found(url)).toEqual({ versions: before, tables: [] })
      expect(await start(url, "plain").end).toBe("migrated")
      expect(await found(url)).toEqual(whole)
    }
  )

  it("whose connection the server ends says so; those that waited for it go on, each step once", async () => {
    const url = await (await Postgres.shared()).fresh()
    const first = start(url, "wait", 2)
    await first.there()
    const others = [start(url, "plain"), start(url, "plain")]
    // Both wait for their turn.
    await Waiting.until(async () => {
      const waiting = await PostgresShop.ask(
        url,
        "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
      )
      return waiting.length === others.length
    })
    await PostgresShop.ask(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()"
    )
    expect(await first.end).toMatch(
      /failed: could not bring the store to version 90: the connection to PostgreSQL was lost.*nothing is half written/
    )
    expect(await Promise.all(others.map(({ end }) => end))).toEqual(["migrated", "migrated"])
    expect(await found(url)).toEqual(whole)
  })

  it("that several processes begin at the same instant on an empty database is made once", async () => {
    const url = await (await Postgres.shared()).fresh()
    const ends = await Promise.all(Array.from({ length: 4 }, () => start(url, "plain").end))
    expect(ends).toEqual(["migrated", "migrated", "migrated", "migrated"])
    expect(await found(url)).toEqual(whole)
  })
})
