import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Hash from "../../../src/domain/Hash.js"
import { type AuditRow, genesis, hashOf } from "../../../src/store/audit/AuditEntry.js"
import * as AuditSql from "../../../src/store/audit/AuditSql.js"
import * as AuditVerify from "../../../src/store/audit/AuditVerify.js"
import { inMemory } from "../Fixture.js"

const slot = "bid:1"
const change =
  '{"id":"change 0","policy":"01-raise","before":10000,"after":11000,"campaignName":"Кеды «Лето»"}'

const common = {
  account: "shop",
  who: "olga",
  why: null,
  before_value: null,
  after_value: null,
  run_id: "run 1",
  change_id: null,
  content: null
}
const bid = { change_id: "change 0", before_value: "10000", after_value: "11000" }

/**
 * A chain as stores of people hold it. Its hashes were computed by another program from the canonical JSON of the rows
 * and stand here as they are: whoever changes how a row is hashed breaks the chains that were written before.
 */
const written: ReadonlyArray<AuditRow> = [
  {
    ...common,
    seq: 1,
    at: 1000,
    what: "run begun",
    why: "plan 1",
    state: "running",
    previous: genesis,
    hash: "0099c9101b6d7aa5704f22734e50fede0fb733e839578f7c11dbbed214e02a71"
  },
  {
    ...common,
    ...bid,
    seq: 2,
    at: 1000,
    what: "change planned",
    why: '01-raise, line 3: ctr > 2% (3%); кириллица "в кавычках"',
    state: "planned",
    content: "98d6189767b06e875d835e30c418c9a9394679aa18f3f6cc00c0559e03476cf9",
    previous: "0099c9101b6d7aa5704f22734e50fede0fb733e839578f7c11dbbed214e02a71",
    hash: "0816a554f463231189c71ed31344615971b5a7e78c4f9cfc12f26c5c3b4e658a"
  },
  {
    ...common,
    ...bid,
    seq: 3,
    at: 2000,
    what: "change moved",
    state: "dispatching",
    content: genesis,
    previous: "0816a554f463231189c71ed31344615971b5a7e78c4f9cfc12f26c5c3b4e658a",
    hash: "197adede2fa0cee56ca0da19b8bab8e2434c18e264ae44770c3da22c0c7ec088"
  },
  {
    ...common,
    ...bid,
    seq: 4,
    at: 3000,
    what: "change moved",
    why: "read back\nand seen",
    state: "applied",
    previous: "197adede2fa0cee56ca0da19b8bab8e2434c18e264ae44770c3da22c0c7ec088",
    hash: "4ce2a4d2c726973c3c05461be0958f9497a32bc84e3fc8dda79d7c305a8a16cc"
  },
  {
    ...common,
    seq: 5,
    at: 4000,
    what: "run finished",
    why: '{"applied":1}',
    state: "done",
    previous: "4ce2a4d2c726973c3c05461be0958f9497a32bc84e3fc8dda79d7c305a8a16cc",
    hash: "46fb66c779176289a4e9cef058d565918d4ab8058a2f707a7533d8266c732a3e"
  }
]

const restored = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO runs (run_id, account, lane, plan_id, started_at, finished_at, status, counts, approved_by)
    VALUES ('run 1', 'shop', 'ads', 'plan 1', 1000, 4000, 'done', '{"applied":1}', 'olga')`
  yield* sql`INSERT INTO changes (run_id, change_id, position, slot, account, policy, change, state, updated_at,
      request_hash)
    VALUES ('run 1', 'change 0', 0, ${slot}, 'shop', '01-raise', ${change}, 'applied', 3000, ${genesis})`
  yield* sql`INSERT INTO audit ${sql.insert(written)}`
  yield* sql`INSERT INTO audit_heads (account, seq, hash, purged_seq, purged_hash)
    VALUES ('shop', 5, ${written[4]!.hash}, 0, ${genesis})`
})

const verify = AuditVerify.verify("shop")

describe("an audit chain that was written before", () => {
  it("is found unbroken, and held against the journal", async () => {
    expect(await inMemory(Effect.zipRight(restored, verify))).toMatchObject({
      rows: 5,
      head: written[4]!.hash,
      breaks: []
    })
  })

  it("goes on with rows of today", async () => {
    const today = { at: 5_000, who: "bidhelm", what: "reconciled" }
    const verified = await inMemory(
      Effect.gen(function* () {
        yield* restored
        yield* AuditSql.append(yield* SqlClient.SqlClient, "shop", [today, today])
        return yield* verify
      })
    )
    expect(verified).toMatchObject({ rows: 7, breaks: [] })
  })

  it("shows an edit of such a row", async () => {
    const { breaks } = await inMemory(
      Effect.gen(function* () {
        yield* restored
        yield* (yield* SqlClient.SqlClient)`UPDATE audit SET after_value = '99000' WHERE seq = 4`
        return yield* verify
      })
    )
    expect(breaks.map(({ seq }) => seq)).toContain(4)
  })
})

describe("the hash of a row", () => {
  it("is that of its canonical JSON, whatever is in it", () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: "binary" }), fc.constant('"\\\u2028кеды'))
    const maybe = fc.option(text)
    const row = fc.record({
      account: text,
      seq: fc.nat(),
      at: fc.maxSafeNat(),
      who: text,
      what: text,
      why: maybe,
      before_value: maybe,
      after_value: maybe,
      state: maybe,
      run_id: maybe,
      change_id: maybe,
      content: maybe,
      previous: text
    })
    fc.assert(
      fc.property(row, (one) => {
        expect(hashOf(one)).toBe(Hash.of(one))
      })
    )
  })
})
