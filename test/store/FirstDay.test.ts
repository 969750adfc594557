/** Since when a store knows an account: what begins its first day, what does not, and what goes along with a new name. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { Journal } from "../../src/engine/run/Journal.js"
import { TokenMemory } from "../../src/services/ports/TokenMemory.js"
import * as JournalSql from "../../src/store/JournalSql.js"
import * as Migrations from "../../src/store/Migrations.js"
import * as SerialMarker from "../../src/store/SerialMarker.js"
import * as TokenMemorySql from "../../src/store/TokenMemorySql.js"
import { change, client, database, inFolder, rows, run } from "./Fixture.js"

/** One program that opens the store of a folder, works, and ends. */
const program = <A>(
  folder: string,
  work: (journal: typeof Journal.Service, memory: typeof TokenMemory.Service) => Effect.Effect<A, unknown>
) =>
  Effect.gen(function* () {
    return yield* work(yield* Journal, yield* TokenMemory)
  }).pipe(
    Effect.provide(
      Layer.merge(
        SerialMarker.guarding(join(folder, "store.serial")).pipe(Layer.provide(JournalSql.layer)),
        TokenMemorySql.layer
      ).pipe(Layer.provide(Migrations.layer), Layer.provide(client({ filename: join(folder, "store.db") })))
    )
  )

const bound = (account: string, seller: string) => ({ account, seller, at: 1, by: "first use" })

describe("the first day of an account", () => {
  it("begins when the store first meets it, and only once", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const known = yield* program(folder, (journal) =>
          Effect.zipRight(journal.acquaintance("shop", 5_000), journal.acquaintance("shop", 9_000))
        )
        expect(known).toEqual({ sinceMs: 5_000, because: "new" })
        const other = yield* program(folder, (journal) => journal.acquaintance("other", 9_000))
        expect(other.sinceMs).toBe(9_000)
      })
    ))

  it("of a store with a history began with its oldest run", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const known = yield* program(folder, (journal) =>
          Effect.gen(function* () {
            yield* journal.begin(run("r1", { account: "shop", startedAt: 1_000 }), rows([change(0)]))
            return yield* journal.acquaintance("shop", 9_000)
          })
        )
        expect(known).toEqual({ sinceMs: 1_000, because: "new" })
      })
    ))

  it("begins no later than now, after a clock that was ahead was set right", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        const known = yield* program(folder, (journal) =>
          Effect.zipRight(journal.acquaintance("shop", 9e12), journal.acquaintance("shop", 9_000))
        )
        expect(known.sinceMs).toBe(9_000)
      })
    ))

  it("begins anew, without the word given before, when the file beside a SQLite store is gone", () =>
    inFolder((folder) =>
      Effect.gen(function* () {
        yield* program(folder, (journal) => journal.allowDeposits("shop", "anna", 1_000))
        const before = yield* program(folder, (journal) => journal.acquaintance("shop", 9_000))
        expect(before).toEqual({ sinceMs: 1_000, because: "new", allowed: { atMs: 1_000, by: "anna" } })
        rmSync(join(folder, "store.serial"))
        const nowMs = Date.now()
        const after = yield* program(folder, (journal) => journal.acquaintance("shop", nowMs + 60_000))
        // Another machine of a shared database has no file at first.
        if (database.kind === "postgres") return expect(after).toEqual(before)
        expect(after).toEqual({ sinceMs: after.sinceMs, because: "marker" })
        expect(after.sinceMs).toBeGreaterThanOrEqual(nowMs)
        const later = yield* program(folder, (journal) => journal.acquaintance("shop", nowMs + 90_000))
        expect(later).toEqual(after)
      })
    ))

  it("goes along with the seller to a new name, and the name is new to its next bearer", () =>
    inFolder((folder) =>
      program(folder, (journal, memory) =>
        Effect.gen(function* () {
          yield* memory.bind(bound("old", "s-1"))
          yield* journal.acquaintance("old", 1_000)
          yield* memory.rebind("new", "s-1", "anna", 8_000)
          expect(yield* journal.acquaintance("new", 9_000)).toEqual({ sinceMs: 1_000, because: "new" })
          expect((yield* journal.acquaintance("old", 9_000)).sinceMs).toBe(9_000)
        })
      )
    ))

  it("begins anew for another seller under the same name", () =>
    inFolder((folder) =>
      program(folder, (journal, memory) =>
        Effect.gen(function* () {
          yield* memory.bind(bound("shop", "s-1"))
          yield* journal.allowDeposits("shop", "anna", 1_000)
          yield* memory.rebind("shop", "s-2", "anna", 8_000)
          expect(yield* journal.acquaintance("shop", 9_000)).toEqual({ sinceMs: 8_000, because: "new" })
        })
      )
    ))
})
