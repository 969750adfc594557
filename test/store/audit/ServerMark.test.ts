/** A PostgreSQL server that was replaced by a copy: what runs then sends nothing more, and nothing new begins. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterAll, describe, expect, it } from "vitest"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as StoreMarks from "../../../src/store/audit/StoreMarks.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import { change, migrated, postgres, rows, run } from "../Fixture.js"
import * as Postgres from "../Postgres.js"

afterAll(Postgres.end)

const told = async <A, E>(
  body: (
    journal: typeof Journal.Service,
    sql: SqlClient.SqlClient
  ) => Effect.Effect<A, E, SqlClient.SqlClient>,
  user = "bidhelm"
): Promise<A> => {
  const url = new URL(await migrated())
  url.username = user
  const made = Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`DO $$ BEGIN
      IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'plain') THEN
        CREATE ROLE plain LOGIN PASSWORD '${Postgres.password}';
      END IF;
    END $$; GRANT ALL ON ALL TABLES IN SCHEMA public TO plain; GRANT ALL ON SCHEMA public TO plain`)
  )
  const owner = new URL(url.href)
  owner.username = "bidhelm"
  return Effect.runPromise(
    Effect.zipRight(
      Effect.provide(made, postgres(owner.href)),
      Effect.provide(
        Effect.all([Journal, SqlClient.SqlClient]).pipe(Effect.flatMap(([j, sql]) => body(j, sql))),
        Layer.merge(JournalSql.layer, Migrations.layer).pipe(Layer.provideMerge(postgres(url.href)))
      )
    )
  )
}

/** As if a copy had taken over: the store remembers another server than it is on. */
const replaced = (sql: SqlClient.SqlClient) =>
  sql`UPDATE store_marks SET detail = 'another 00000001' WHERE name = 'server'`

describe("the server of a store", () => {
  it.each(["bidhelm", "plain"])(
    "is noted with the first lock, and nobody is stopped while it stays (%s)",
    async (user) => {
      const [first, again, mark] = await told(
        (journal, sql) =>
          Effect.gen(function* () {
            const one = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 500)
            const two = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_100, 500, one.epoch)
            yield* journal.begin(run(), rows([change(0)]))
            return [one.granted, two.granted, yield* StoreMarks.observeOnly(sql, "shop")] as const
          }),
        user
      )
      expect([first, again, mark]).toEqual([true, true, undefined])
    }
  )

  it("that is another one is seen by whoever only asks, before anybody has taken a lock, and nothing is written", async () => {
    const [before, seen, noted] = await told((journal, sql) =>
      Effect.gen(function* () {
        const unknown = yield* journal.observeOnly("shop")
        yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 500)
        const same = yield* journal.observeOnly("shop")
        yield* replaced(sql)
        const asked = yield* journal.observeOnly("shop")
        const marks = yield* sql`SELECT name, detail FROM store_marks`
        return [[unknown, same], asked, marks] as const
      })
    )
    expect(before).toEqual([undefined, undefined])
    expect(seen?.why).toMatch(/PostgreSQL was replaced by a copy/)
    expect(noted).toEqual([{ name: "server", detail: "another 00000001" }])
  })

  it("that is another one stops every run under way, refuses new ones, and is noted once", async () => {
    const answers = await told((journal, sql) =>
      Effect.gen(function* () {
        const mine = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 45_000)
        const theirs = yield* journal.acquire({ account: "Shop", lane: "ads" }, "b", 1_000, 45_000)
        yield* journal.begin(run("mine"), rows([change(0)]))
        yield* journal.begin(run("theirs", { account: "Shop" }), rows([change(0)]))
        yield* replaced(sql)
        const renewed = yield* journal.acquire(
          { account: "shop", lane: "ads" },
          "a",
          11_000,
          45_000,
          mine.epoch
        )
        const claim = (account: string, holder: string, epoch: number, runId: string) =>
          journal.claim(
            { lane: "ads", account, holder, epoch },
            runId,
            ["change 0"],
            ["planned"],
            "claimed",
            {
              nowMs: 12_000
            }
          )
        const claims = [
          yield* claim("shop", "a", mine.epoch, "mine"),
          yield* claim("Shop", "b", theirs.epoch, "theirs")
        ]
        const refused = yield* Effect.flip(journal.begin(run("next"), rows([change(1)])))
        yield* StoreMarks.lift(sql, "shop", 13_000, "olga")
        const next = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 60_000, 45_000)
        yield* journal.begin(run("after"), rows([change(1)]))
        return { renewed, claims, refused, next }
      })
    )
    expect(answers.renewed.granted).toBe(false)
    expect(answers.claims.map(({ _tag }) => _tag)).toEqual(["Fenced", "Fenced"])
    expect(answers.refused.message).toMatch(/PostgreSQL was replaced by a copy.*bidhelm reconcile/)
    expect(answers.next.granted).toBe(true)
  })

  it("that is another one is noticed by the next claim, and no run begins, before any lock is renewed", async () => {
    const [first, claim, begun, mark] = await told((journal, sql) =>
      Effect.gen(function* () {
        const { epoch } = yield* journal.acquire({ account: "shop", lane: "ads" }, "a", 1_000, 45_000)
        yield* journal.begin(run("mine"), rows([change(0), change(1)]))
        const claimed = (id: string) =>
          journal.claim(
            { lane: "ads", account: "shop", holder: "a", epoch },
            "mine",
            [id],
            ["planned"],
            "claimed",
            {
              nowMs: 2_000
            }
          )
        const first = yield* claimed("change 0")
        yield* replaced(sql)
        const begun = yield* Effect.flip(journal.begin(run("next"), rows([change(1)])))
        const claim = yield* claimed("change 1")
        return [first._tag, claim._tag, begun.message, yield* StoreMarks.observeOnly(sql, "shop")] as const
      })
    )
    expect([first, claim]).toEqual(["Moved", "Fenced"])
    expect(begun).toMatch(/PostgreSQL was replaced by a copy.*bidhelm reconcile/)
    expect(mark?.why).toMatch(/PostgreSQL was replaced by a copy/)
  })
})
