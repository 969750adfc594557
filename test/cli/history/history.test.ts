import { existsSync, rmSync } from "node:fs"
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as Fixture from "../../store/Fixture.js"
import { Shop } from "../Shop.js"

let shop: Shop

/** Five runs in a row, the last of which began at the same moment as the one before. */
const runs = ["run 1", "run 2", "run 3", "run 4", "run 5"]

const inStore = <A, E>(work: Effect.Effect<A, E, Journal | SqlClient.SqlClient>) =>
  Effect.runPromise(
    Effect.provide(
      work,
      Layer.merge(JournalSql.layer, Migrations.layer).pipe(
        Layer.provideMerge(SqliteClient.layer({ filename: join(shop.folder, ".bidhelm", "bidhelm.sqlite") }))
      )
    )
  )

beforeAll(async () => {
  shop = await Shop.open()
  const fill = Effect.gen(function* () {
    const journal = yield* Journal
    for (const [at, runId] of runs.entries()) {
      const startedAt = 1_756_700_000_000 + Math.min(at, 3) * 60_000
      yield* journal.begin(Fixture.run(runId, { account: "main", startedAt }), [])
      yield* journal.finish(runId, "done", {}, startedAt + 1_000)
    }
  })
  await inStore(fill)
})
afterAll(async () => {
  await shop.close()
})

const page = async (...args: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { code, stderr, stdout } = await shop.run("history", "--json", ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return (JSON.parse(stdout) as { runs: ReadonlyArray<{ runId: string }> }).runs.map(({ runId }) => runId)
}

describe("the pages of the history", () => {
  it("follow each other by the last run of the page before, the latest first", async () => {
    expect(await page("--limit", "2")).toEqual(["run 5", "run 4"])
    expect(await page("--limit", "2", "--before", "run 4")).toEqual(["run 3", "run 2"])
    expect(await page("--limit", "2", "--before", "run 2", "--account", "main")).toEqual(["run 1"])
  })

  it("end with words, and so does a run that is not there", async () => {
    for (const before of ["run 1", "no such run"]) {
      const { code, stderr, stdout } = await shop.run("history", "--before", before)
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(`there is no run before ${before}, or no run of that name`)
    }
  })
})

it("lists runs by the clock of the configured zone", async () => {
  const { stdout } = await shop.run("history", "--limit", "1")
  expect(stdout).toMatch(/^run 5 {2}2025-09-01 07:16 Europe\/Moscow {2}main {2}done/)
})

describe("what is asked of the history", () => {
  it.each([
    [["--verify", "--export", "all.ndjson"], ["--verify checks and --export writes; give one of them"]],
    [["run 1", "--verify"], ["run 1: --verify and --export are about every run; leave it out"]],
    [["--export", "all.ndjson", "--limit", "20"], ["about everything; leave --limit and --before out"]],
    [["--verify", "--before", "run 2"], ["about everything; leave --limit and --before out"]],
    [
      ["run 1", "--limit", "20"],
      ["run 1: a run is shown whole; leave it out, or leave --limit and --before"]
    ],
    [["run 1", "--before", "run 2"], ["run 1: a run is shown whole; leave it out"]],
    [["--limit", "0"], ["--limit 0: write a number of runs from 1 to 10000"]],
    [["--limit=-5"], ["--limit -5: write a number of runs from 1 to 10000"]],
    [["--limit", "10001"], ["--limit 10001: write a number of runs from 1 to 10000"]],
    [
      ["run 1", "--verify", "--export", "all.ndjson", "--limit", "0"],
      ["give one of them", "leave it out", "leave --limit and --before out", "--limit 0: "]
    ]
  ])("is refused where it contradicts itself, with all that does: %j", async (words, why) => {
    const { code, stderr, stdout } = await shop.run("history", ...words)
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    const lines = stderr.trim().split("\n")
    expect(lines).toEqual(why.map((one) => expect.stringContaining(one)))
    expect(existsSync(join(shop.folder, "all.ndjson"))).toBe(false)
  })

  it("is checked and written out, each by itself", async () => {
    expect(await shop.run("history", "--verify", "--account", "main")).toMatchObject({ code: 0, stderr: "" })
    expect(await shop.run("history", "--export", "all.ndjson", "--account", "main")).toMatchObject({
      code: 0
    })
    expect(existsSync(join(shop.folder, "all.ndjson"))).toBe(true)
  })

  it("says what it wrote, to a program as any answer that is versioned, and beside lines on stdout nothing", async () => {
    const lines = (text: string) => text.trim().split("\n").length
    const told = await shop.run("history", "--export", "told.ndjson", "--json")
    const rows = lines(shop.read("told.ndjson"))
    expect(rows).toBeGreaterThan(3)
    expect(JSON.parse(told.stdout)).toEqual({ version: 1, kind: "export", file: "told.ndjson", rows })
    const shown = await shop.run("history", "--export", "shown.ndjson")
    expect(shown.stdout).toBe(`shown.ndjson: ${rows} lines\n`)
    for (const json of [[], ["--json"]])
      expect((await shop.run("history", "--export", "-", ...json)).stdout).toBe(shop.read("told.ndjson"))
  })

  it("is no run of another account than the one that is named", async () => {
    await inStore(
      Effect.gen(function* () {
        const journal = yield* Journal
        const begin = (runId: string, changes: Parameters<typeof journal.begin>[1]) =>
          journal.begin(Fixture.run(runId, { account: "other", startedAt: 1_756_600_000_000 }), changes)
        yield* begin("empty", [])
        yield* begin("full", Fixture.rows([Fixture.change(0)]))
      })
    )
    for (const runId of ["empty", "full"]) {
      const { code, stderr, stdout } = await shop.run("history", runId, "--account", "main")
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
      expect(stderr).toContain(`run ${runId} is of the account other, not of main; leave --account out`)
      expect(await shop.run("history", runId)).toMatchObject({ code: 0, stderr: "" })
    }
    expect(await shop.run("history", "run 1", "--account", "main")).toMatchObject({ code: 0, stderr: "" })
    expect((await shop.run("history", "run 9", "--account", "main")).stderr).toContain(
      "there is no run run 9"
    )
  })
})

describe("the audit chain of runs that are there", () => {
  it("is missed where somebody has deleted it whole, and where this machine has noted an end that is gone", async () => {
    const sound = await shop.run("history", "--verify")
    expect(sound.code).toBe(0)
    const serial = ".bidhelm/bidhelm.sqlite.serial"
    const heads = [{ account: "main", seq: 9_999, hash: "ff", reconciled: 0 }]
    shop.write(serial, JSON.stringify({ heads }))
    expect(await shop.run("history", "--verify")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("main, record 9999: it was in this store before and is not there now")
    })
    rmSync(join(shop.folder, serial))
    await inStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`DELETE FROM audit`
        yield* sql`DELETE FROM audit_heads`
      })
    )
    expect(await shop.run("history", "--verify")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("the note of the chain's end is missing")
    })
  })
})
