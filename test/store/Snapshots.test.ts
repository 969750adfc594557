/** The facts of whole days in the real store. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { type Part, Snapshots } from "../../src/engine/planning/Snapshots.js"
import * as SnapshotsSql from "../../src/store/facts/SnapshotsSql.js"
import * as Fixture from "./Fixture.js"

const hour = 3_600_000
const noon = (day: string) => ({ day: Days.Day(day), atMs: Date.parse(`${day}T12:00:00Z`) })
const parts = (word: string): ReadonlyArray<Part> => [
  { name: "head", text: `{"word":"${word}"}` },
  { name: "fact cluster.query", text: JSON.stringify(Array(1000).fill("женские кеды")) }
]

const story = <A>(tell: (store: typeof Snapshots.Service) => Effect.Effect<A, unknown, Fixture.Store>) =>
  Fixture.inMemory(Effect.flatMap(Snapshots, tell))

describe("the snapshots of days", () => {
  it("come back as they were kept, by account and day, and take little room", () =>
    story((store) =>
      Effect.gen(function* () {
        yield* store.keep("shop", noon("2026-11-02"), parts("second"))
        yield* store.keep("shop", noon("2026-11-01"), parts("first"))
        yield* store.keep("another", noon("2026-11-01"), parts("other"))
        expect(yield* store.days("shop")).toEqual([noon("2026-11-01"), noon("2026-11-02")])
        expect(yield* store.read("shop", Days.Day("2026-11-01"))).toEqual(parts("first"))
        expect(yield* store.read("another", Days.Day("2026-11-01"))).toEqual(parts("other"))
        expect(yield* store.read("shop", Days.Day("2026-11-03"))).toEqual([])
        const sql = yield* SqlClient.SqlClient
        const [size] = yield* sql<{
          bytes: number
        }>`SELECT SUM(LENGTH(payload)) AS bytes FROM day_snapshot_parts`
        expect(size?.bytes).toBeLessThan(2000)
      })
    ))

  it("are one per day: the day's latest", () =>
    story((store) =>
      Effect.gen(function* () {
        const { atMs, day } = noon("2026-11-01")
        yield* store.keep("shop", { day, atMs }, parts("noon"))
        yield* store.keep("shop", { day, atMs: atMs + hour }, parts("one"))
        yield* store.keep("shop", { day, atMs: atMs - hour }, parts("eleven"))
        expect(yield* store.days("shop")).toEqual([{ day, atMs: atMs + hour }])
        expect(yield* store.read("shop", day)).toEqual(parts("one"))
      })
    ))

  it("are forgotten after the days they are kept for, those of other accounts not", () =>
    story((store) =>
      Effect.gen(function* () {
        yield* store.keep("another", noon("2026-08-01"), parts("old"))
        yield* store.keep("shop", noon("2026-08-03"), parts("old"))
        yield* store.keep("shop", noon("2026-08-04"), parts("young enough"))
        yield* store.keep("shop", noon("2026-11-01"), parts("new"))
        expect((yield* store.days("shop")).map(({ day }) => day)).toEqual(["2026-08-04", "2026-11-01"])
        expect(yield* store.days("another")).toHaveLength(1)
        const none = yield* Effect.provide(Snapshots, SnapshotsSql.layer(0))
        yield* none.keep("shop", noon("2026-11-02"), parts("never"))
        expect(yield* store.days("shop")).toEqual([])
      })
    ))

  it("are no snapshot at all when they are damaged, and hide no other", () =>
    story((store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* store.keep("shop", noon("2026-11-01"), parts("first"))
        yield* store.keep("shop", noon("2026-11-02"), parts("second"))
        yield* sql`UPDATE day_snapshot_parts SET payload = ${new Uint8Array(1)} WHERE day = '2026-11-01' AND position = 1`
        expect(yield* store.read("shop", Days.Day("2026-11-01"))).toEqual([])
        expect(yield* store.read("shop", Days.Day("2026-11-02"))).toEqual(parts("second"))
      })
    ))

  it("leave the day's earlier one in place when a new one cannot be kept", () =>
    story((store) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { atMs, day } = noon("2026-11-01")
        yield* store.keep("shop", { day, atMs }, parts("noon"))
        yield* sql.onDialectOrElse({
          pg: () => sql`ALTER TABLE day_snapshot_parts ADD CHECK (position <> 1) NOT VALID`,
          orElse: () => sql`CREATE TRIGGER full BEFORE INSERT ON day_snapshot_parts WHEN NEW.position = 1
            BEGIN SELECT RAISE(ABORT, 'no room'); END`
        })
        const failed = yield* Effect.exit(store.keep("shop", { day, atMs: atMs + hour }, parts("one")))
        expect(Exit.isFailure(failed)).toBe(true)
        expect(yield* store.read("shop", day)).toEqual(parts("noon"))
      })
    ))
})
