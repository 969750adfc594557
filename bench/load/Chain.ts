/** What the audit chain adds to the store's work in an apply, with and without it in turns in one process. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Journal } from "../../src/engine/door/Journal.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Fixture from "../../test/store/Fixture.js"

export interface Compared {
  readonly changes: number
  /** Processor seconds of the store's work in one apply, medians. */
  readonly withChain: number
  readonly without: number
}

const changes = 10_000
/** As many as one request of bids may hold. */
const together = 50
const rounds = 7

const silent: Parameters<typeof JournalSql.layerWith>[0] = {
  begun: () => Effect.succeed(() => {}),
  moved: () => Effect.void,
  finished: () => Effect.void,
  // What only the chain wants to know of a change is not read.
  movedColumns: (sql) => sql.literal("change_id")
}

/** Everything an apply writes: planned, claimed, dispatching, accepted, applied, and the end. */
const apply = Effect.gen(function* () {
  const journal = yield* Journal
  const all = Array.from({ length: changes }, (_, n) => Fixture.change(n))
  const { epoch } = yield* journal.acquire({ account: "shop", lane: "ads" }, "bench", 1_000, 1e9)
  const fence = { account: "shop", lane: "ads" as const, holder: "bench", epoch }
  yield* journal.begin(Fixture.run(), Fixture.rows(all))
  for (let at = 0; at < changes; at += together) {
    const ids = all.slice(at, at + together).map(({ id }) => id)
    const note = { nowMs: 2_000 + at, operation: "setBids", requestHash: "0".repeat(64) }
    yield* journal.claim(fence, "run 1", ids, ["planned"], "claimed", note)
    yield* journal.claim(fence, "run 1", ids, ["claimed"], "dispatching", { ...note, sent: true })
    yield* journal.move("run 1", ids, ["claimed", "dispatching"], "accepted", {
      nowMs: 3_000 + at,
      sent: true
    })
    yield* journal.move("run 1", ids, ["accepted"], "applied", {
      nowMs: 4_000 + at,
      reason: { code: "read_back" }
    })
  }
  yield* journal.finish("run 1", "done", { applied: changes }, 1e6)
})

const once = async (journal: typeof JournalSql.layer): Promise<number> => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-load-"))
  try {
    const store = Layer.merge(journal, Migrations.layer).pipe(
      Layer.provideMerge(SqliteClient.layer({ filename: join(folder, "store.sqlite") }))
    )
    const begun = process.cpuUsage()
    await Effect.runPromise(Effect.provide(apply, store))
    const { system, user } = process.cpuUsage(begun)
    return (system + user) / 1e6
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** After one round to warm up. */
export const compare = async (): Promise<Compared> => {
  const took = { withChain: [] as Array<number>, without: [] as Array<number> }
  for (let round = 0; round <= rounds; round++) {
    const [withChain, without] = [await once(JournalSql.layer), await once(JournalSql.layerWith(silent))]
    if (round === 0) continue
    took.withChain.push(withChain)
    took.without.push(without)
  }
  return { changes, withChain: median(took.withChain), without: median(took.without) }
}

const median = (all: ReadonlyArray<number>): number => all.toSorted((a, b) => a - b)[all.length >> 1] ?? 0
