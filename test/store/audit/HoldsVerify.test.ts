/** What people stopped, held against the audit chain: whoever can write to the store cannot lift, place or change a stop unseen. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Holdings } from "../../../src/engine/door/HoldStore.js"
import type { Kind } from "../../../src/engine/kinds/OperatorHold.js"
import * as AuditPurge from "../../../src/store/audit/AuditPurge.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import * as Depth from "../../Depth.js"
import { inMemory } from "../Fixture.js"

/** A clock that is far ahead of every hold. */
const hour = 3_600_000
const soon = Date.now() + 24 * hour

/** A kill that was on already and got a reason, a hold that was placed twice, one that was lifted, one for a time, one carried over. */
const story = Effect.gen(function* () {
  const holdings = yield* Holdings
  const sql = yield* SqlClient.SqlClient
  const place = (kind: Kind, what: string, since: number, more: { until?: number; why?: string } = {}) =>
    holdings.place({ account: "shop", kind, what, since, by: "olga", ...more })
  yield* place("kill", "", 100.5)
  yield* place("kill", "", 200, { why: "bids look wrong" })
  yield* place("kill", "", 250)
  yield* place("policy", "01-raise", 300)
  yield* place("policy", "01-raise", 400, { why: "photo shoot" })
  yield* place("target", "777", 500)
  yield* holdings.lift("shop", { kind: "target", what: "777" }, "petr", 600)
  yield* place("target", "778", 700, { until: soon })
  const old = { account: "old", kind: "account", what: "", since: 50, by: "anna", why: "new name" } as const
  yield* StopsSql.carry(sql, [old], "shop", "olga", 800)
})

const inStore = <A, E>(use: Effect.Effect<A, E, Holdings | SqlClient.SqlClient>) =>
  inMemory(Effect.zipRight(story, use).pipe(Effect.provide(StopsSql.layer)))

const breaksAfter = (forgery: string) =>
  inStore(
    Effect.gen(function* () {
      yield* (yield* SqlClient.SqlClient).unsafe(forgery)
      return (yield* AuditVerify.verify("shop")).breaks.map(({ what }) => what)
    })
  )

describe("a hold that takes the place of two, of which one was carried over", () => {
  it("answers the one that would have ended last", () =>
    inStore(
      Effect.gen(function* () {
        const { place } = yield* Holdings
        const sql = yield* SqlClient.SqlClient
        const scope = { kind: "policy", what: "02-lower" } as const
        const old = { account: "old", ...scope, since: 20, by: "anna" }
        for (const [until, carried, last] of [
          [soon, soon + hour, 20],
          [soon + hour, soon, 30],
          [undefined, soon, 30],
          [soon, undefined, 20]
        ] as const) {
          yield* (yield* Holdings).lift("shop", scope, "olga", 25)
          const end = (at: number | undefined) => (at === undefined ? {} : { until: at })
          yield* place({ account: "shop", ...scope, since: 30, by: "olga", ...end(until) })
          yield* StopsSql.carry(sql, [{ ...old, ...end(carried) }], "shop", "olga", 35)
          const before = yield* place({ account: "shop", ...scope, since: 40, by: "petr", until: soon })
          expect(before?.since).toBe(last)
        }
      })
    ))
})

describe("stops of people", () => {
  it("agree with the chain however they were placed, renewed, lifted and carried over", async () => {
    expect(await breaksAfter("SELECT 1")).toEqual([])
  })

  it.each([
    ["deleted", "DELETE FROM operator_holds WHERE kind = 'kill'", /"kill" does not stand in the store/],
    [
      "lifted behind it",
      "UPDATE operator_holds SET lifted_at = 900, lifted_by = 'x' WHERE what = '01-raise'",
      /"policy 01-raise" does not stand/
    ],
    [
      "un-lifted",
      "UPDATE operator_holds SET lifted_at = NULL WHERE what = '777'",
      /"target 777" .*the chain says was lifted/
    ],
    [
      "ended early",
      "UPDATE operator_holds SET ends_at = 701 WHERE what = '778'",
      /"target 778" is not as it was placed/
    ],
    [
      "given another reason",
      "UPDATE operator_holds SET why = 'fine' WHERE kind = 'kill'",
      /"kill" is not as it was placed/
    ],
    [
      "given another name",
      "UPDATE operator_holds SET placed_by = 'petr' WHERE kind = 'account'",
      /"account" is not as it was placed/
    ],
    [
      "turned to another target",
      "UPDATE operator_holds SET what = '02-lower' WHERE since = 400",
      /"policy 01-raise" does not stand/
    ],
    [
      "invented",
      "INSERT INTO operator_holds (account, kind, what, since, placed_by) VALUES ('shop', 'target', '779', 900, 'olga')",
      /"target 779" .*nobody placed/
    ]
  ])("that were %s are shown", async (_, forgery, told) => {
    expect(await breaksAfter(forgery)).toEqual(expect.arrayContaining([expect.stringMatching(told)]))
  })

  it("that were invented for an account without a chain are shown too", async () => {
    const accounts = await inStore(
      Effect.gen(function* () {
        yield* (yield* SqlClient.SqlClient).unsafe(
          "INSERT INTO operator_holds (account, kind, what, since, placed_by) VALUES ('new', 'kill', '', 900, 'olga')"
        )
        return yield* AuditVerify.accounts
      })
    )
    expect(accounts).toContain("new")
  })

  it("that have ended by the clock may be forgotten, and lifting them tells nobody", async () => {
    const breaks = await inStore(
      Effect.gen(function* () {
        const holdings = yield* Holdings
        const sql = yield* SqlClient.SqlClient
        const hold = { account: "shop", kind: "target", by: "olga" } as const
        yield* holdings.place({ ...hold, what: "780", since: 1_000, until: 2_000 })
        yield* holdings.place({ ...hold, what: "781", since: 1_000, until: soon })
        expect(yield* holdings.lift("shop", { kind: "target", what: "781" }, "olga", soon + 1)).toEqual([])
        yield* sql`DELETE FROM operator_holds WHERE ends_at < 3000 OR lifted_at IS NOT NULL`
        return (yield* AuditVerify.verify("shop")).breaks
      })
    )
    expect(breaks).toEqual([])
  })

  it("of which the beginning of the chain was forgotten are believed, and those after it are not", async () => {
    const verified = (forgery: string) =>
      inStore(
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* (yield* Holdings).place({
            account: "shop",
            kind: "kill",
            what: "",
            since: 5_000,
            by: "petr"
          })
          yield* AuditPurge.purge(sql, 4_000, 6_000)
          yield* sql.unsafe(forgery)
          return (yield* AuditVerify.verify("shop")).breaks.length
        })
      )
    expect(await verified("SELECT 1")).toBe(0)
    expect(await verified("DELETE FROM operator_holds WHERE kind = 'kill'")).toBe(1)
    expect(
      await verified(
        "INSERT INTO operator_holds (account, kind, what, since, placed_by) VALUES ('shop', 'target', '779', 4500, 'olga')"
      )
    ).toBe(1)
  })

  it("that were kept over a restore agree with the chain of the restored store", async () => {
    const breaks = await inStore(
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const replaced = [
          { account: "shop", kind: "kill", what: "", since: 90, by: "ivan" },
          { account: "shop", kind: "policy", what: "01-raise", since: 350, by: "ivan", why: "x" },
          { account: "other", kind: "kill", what: "", since: 90, by: "ivan" }
        ] as const
        yield* StopsSql.keep(sql, replaced)
        const all = yield* Effect.forEach(["shop", "other"], (account) => AuditVerify.verify(account))
        return all.flatMap((one) => one.breaks)
      })
    )
    expect(breaks).toEqual([])
  })

  it("agree with the chain after any order of what people do", async () => {
    const step = fc.record({
      does: fc.constantFrom("place", "lift", "carry", "keep"),
      kind: fc.constantFrom<Kind>("kill", "account", "policy"),
      waits: fc.integer({ min: 0, max: 3 }),
      lasts: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
      why: fc.option(fc.constantFrom("a", "b"), { nil: undefined })
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const breaks = await inMemory(
          Effect.gen(function* () {
            const holdings = yield* Holdings
            const sql = yield* SqlClient.SqlClient
            let nowMs = 1_000
            yield* holdings.place({ account: "shop", kind: "kill", what: "", since: nowMs, by: "first" })
            for (const { does, kind, lasts, waits, why } of steps) {
              nowMs += waits
              const what = kind === "policy" ? "01" : ""
              const until = lasts === undefined || kind === "kill" ? {} : { until: nowMs + lasts }
              const hold = {
                account: "shop",
                kind,
                what,
                since: nowMs,
                by: `by ${waits}`,
                ...until,
                ...(why === undefined ? {} : { why })
              }
              if (does === "place") yield* holdings.place(hold)
              else if (does === "lift") yield* holdings.lift("shop", { kind, what }, "petr", nowMs)
              else if (does === "keep") yield* StopsSql.keep(sql, [{ ...hold, since: nowMs - 2 }])
              else
                yield* StopsSql.carry(
                  sql,
                  [{ ...hold, account: "old", since: nowMs - 1 }],
                  "shop",
                  "me",
                  nowMs
                )
            }
            return (yield* AuditVerify.verify("shop")).breaks
          }).pipe(Effect.provide(StopsSql.layer))
        )
        expect(breaks).toEqual([])
      }),
      {
        numRuns: Depth.cases(200),
        examples: [
          [
            [
              { does: "place", kind: "kill", waits: 1, lasts: undefined, why: undefined },
              { does: "carry", kind: "kill", waits: 1, lasts: undefined, why: undefined }
            ]
          ]
        ]
      }
    )
  })
})
