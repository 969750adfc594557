import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Journal } from "../../src/engine/run/Journal.js"
import * as JournalSql from "../../src/store/JournalSql.js"
import * as Migrations from "../../src/store/Migrations.js"
import * as SqliteClient from "../../src/store/SqliteClient.js"
import * as Fixture from "../store/Fixture.js"
import { build, removeBuild, Shop } from "./Shop.js"

let shop: Shop

/** Five runs in a row, the last of which began at the same moment as the one before. */
const runs = ["run 1", "run 2", "run 3", "run 4", "run 5"]

beforeAll(async () => {
  build()
  shop = await Shop.open()
  const store = Layer.merge(JournalSql.layer, Migrations.layer).pipe(
    Layer.provideMerge(SqliteClient.layer({ filename: join(shop.folder, ".bidhelm", "bidhelm.sqlite") }))
  )
  const fill = Effect.gen(function* () {
    const journal = yield* Journal
    for (const [at, runId] of runs.entries()) {
      const startedAt = 1_756_700_000_000 + Math.min(at, 3) * 60_000
      yield* journal.begin(Fixture.run(runId, { account: "main", startedAt }), [])
      yield* journal.finish(runId, "done", {}, startedAt + 1_000)
    }
  })
  await Effect.runPromise(Effect.provide(fill, store))
})
afterAll(async () => {
  await shop.close()
  removeBuild()
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
