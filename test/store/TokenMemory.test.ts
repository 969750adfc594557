/** Whose tokens are, and what the marketplace refuses to them, in the real store. */

import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { AccountName } from "../../src/domain/Ids.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import { Journal } from "../../src/engine/door/Journal.js"
import type { Kind, OperatorHold } from "../../src/engine/kinds/OperatorHold.js"
import { LimitsMemory } from "../../src/engine/planning/LimitsMemory.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import { LimiterStore, type StoredBucket, type StoredQuota } from "../../src/services/ports/LimiterStore.js"
import { type Refusal, TokenMemory } from "../../src/services/ports/TokenMemory.js"
import * as LimitsMemorySql from "../../src/store/accounts/LimitsMemorySql.js"
import * as TokenMemorySql from "../../src/store/accounts/TokenMemorySql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as LimiterStoreSql from "../../src/store/limiter/LimiterStoreSql.js"
import * as StopsSql from "../../src/store/people/StopsSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Fixture from "./Fixture.js"

const inStore = <A>(
  use: (
    memory: TokenMemory["Type"],
    limits: LimiterStore["Type"]
  ) => Effect.Effect<A, unknown, Holdings | Journal | LimitsMemory | RuleMemory>
) =>
  Effect.runPromise(
    Effect.scoped(
      Effect.gen(function* () {
        const filename = join(yield* Fixture.folder, "store.sqlite")
        const store = Layer.mergeAll(
          TokenMemorySql.layer,
          LimitsMemorySql.layer,
          LimiterStoreSql.layer,
          StopsSql.layer,
          JournalSql.layer,
          RuleMemorySql.layer
        ).pipe(Layer.provide(Migrations.layer), Layer.provide(Fixture.client({ filename })))
        return yield* Effect.gen(function* () {
          return yield* use(yield* TokenMemory, yield* LimiterStore)
        }).pipe(Effect.provide(store))
      })
    )
  )

const binding = (account: string, seller: string, at = 5) => ({ account, seller, at, by: "first use" })

describe("an account", () => {
  it("belongs to the seller of its first token; another one's is refused, and a second account of that seller", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        expect(yield* memory.bind(binding("main", "s-1"))).toEqual({ _tag: "Bound" })
        expect(yield* memory.bind(binding("main", "s-1", 9))).toEqual({ _tag: "Bound" })
        const own = binding("main", "s-1")
        expect(yield* memory.bind(binding("main", "s-2"))).toEqual({ _tag: "Other", binding: own })
        expect(yield* memory.bind(binding("second", "s-1"))).toEqual({ _tag: "Taken", binding: own })
        expect(yield* memory.bind(binding("second", "s-2"))).toEqual({ _tag: "Bound" })
        expect(yield* memory.bindings).toEqual([own, binding("second", "s-2")])
      })
    ))

  it("gets one seller when several programs bind it at once", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        const sellers = Array.from({ length: 8 }, (_, i) => `s-${i}`)
        const bound = yield* Effect.forEach(sellers, (seller) => memory.bind(binding("main", seller)), {
          concurrency: "unbounded"
        })
        expect(bound.filter(({ _tag }) => _tag === "Bound")).toHaveLength(1)
        expect(yield* memory.bindings).toHaveLength(1)
      })
    ))

  it("has a first day again, without deposits, when its name becomes another seller's, and none for the same seller", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        const rules = yield* RuleMemory
        yield* memory.bind(binding("main", "s-1"))
        expect((yield* rules.depositMemory("main", 5)).sinceMs).toBe(5)
        yield* memory.rebind("main", "s-1", "anna", 8)
        expect((yield* rules.depositMemory("main", 9)).sinceMs).toBe(5)
        yield* memory.rebind("main", "s-2", "anna", 20)
        expect((yield* rules.depositMemory("main", 21)).sinceMs).toBe(20)
      })
    ))

  it("is bound anew when a person says so, which frees the seller's other name", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("old", "s-1"))
        yield* memory.bind(binding("new", "s-2"))
        expect(yield* memory.rebind("new", "s-1", "anna", 8)).toEqual({
          before: [binding("new", "s-2"), binding("old", "s-1")],
          carried: 0,
          isKilled: false
        })
        expect(yield* memory.bindings).toEqual([{ account: "new", seller: "s-1", at: 8, by: "anna" }])
        yield* memory.rebind("new", undefined, "anna", 9)
        expect(yield* memory.bindings).toEqual([])
      })
    ))
})

describe("call limits", () => {
  const bucket = (account: string) => ({
    account: AccountName(account),
    tokenKind: "personal" as const,
    limitGroup: "advert.getClusterBids",
    burst: 5,
    intervalMs: 200,
    cost4xx: 1
  })
  const quota = { group: "analytics.items", perDay: 20 }
  const used = (creditMs: number): StoredBucket => ({
    creditMs,
    creditAt: 1_700_000_000_000,
    intervalMs: 200,
    flights: [{ id: "a", owner: "o", sentAt: 1, expiresAt: 2 }],
    frozenUntil: undefined,
    refusals: 0
  })
  const booked = (calls: number): StoredQuota => ({
    day: "2026-09-01",
    used: calls,
    closedUntil: undefined,
    refusedOn: undefined
  })
  const put = (limits: LimiterStore["Type"], account: string, creditMs: number, calls: number) =>
    Effect.gen(function* () {
      yield* limits.update(bucket(account), () => [undefined, used(creditMs)])
      yield* limits.updateQuota(AccountName(account), quota, () => [undefined, booked(calls)])
    })
  const seen = (limits: LimiterStore["Type"]) =>
    Effect.zipWith(limits.list, limits.listQuotas, (buckets, quotas) => ({ buckets, quotas }))

  it("follow the seller to its new name, so that a renamed account does not spend them twice", () =>
    inStore((memory, limits) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("old", "s-1"))
        yield* put(limits, "old", 7, 19)
        yield* put(limits, "other", 400, 3)
        yield* memory.rebind("new", "s-1", "anna", 8)
        expect(yield* seen(limits)).toEqual({
          buckets: [
            { bucket: bucket("new"), stored: used(7) },
            { bucket: bucket("other"), stored: used(400) }
          ],
          quotas: [
            { account: "new", quota, stored: booked(19) },
            { account: "other", quota, stored: booked(3) }
          ]
        })
      })
    ))

  it("and so does the memory of its limits and price floors", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        const kept = yield* LimitsMemory
        const stood = { path: "rules/_shared/limits.yaml", atMs: 5 }
        yield* memory.bind(binding("old", "s-1"))
        const table = { path: "rules/_shared/economics.csv", atMs: 6 }
        yield* kept.keep("old", "limits", stood)
        yield* kept.keep("old", "price floors", table)
        expect(yield* kept.known("new", "limits")).toBeUndefined()
        yield* memory.rebind("new", "s-1", "anna", 8)
        expect(yield* kept.known("new", "limits")).toEqual(stood)
        expect(yield* kept.known("new", "price floors")).toEqual(table)
      })
    ))

  it("are each seller's own after two accounts exchanged theirs", () =>
    inStore((memory, limits) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("one", "s-1"))
        yield* memory.bind(binding("two", "s-2"))
        yield* put(limits, "one", 7, 19)
        yield* put(limits, "two", 400, 3)
        yield* memory.rebind("one", "s-2", "anna", 8)
        yield* memory.rebind("two", "s-1", "anna", 9)
        const { buckets, quotas } = yield* seen(limits)
        expect(buckets.map(({ bucket, stored }) => [bucket.account, stored.creditMs])).toEqual([
          ["one", 400],
          ["two", 7]
        ])
        expect(quotas.map(({ account, stored }) => [account, stored.used])).toEqual([
          ["one", 3],
          ["two", 19]
        ])
      })
    ))

  it("stay where they are when an account only gets another seller", () =>
    inStore((memory, limits) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("one", "s-1"))
        yield* put(limits, "one", 7, 19)
        yield* memory.rebind("one", "s-2", "anna", 8)
        yield* memory.rebind("one", undefined, "anna", 9)
        expect((yield* seen(limits)).buckets).toEqual([{ bucket: bucket("one"), stored: used(7) }])
      })
    ))
})

describe("what people have stopped", () => {
  const hold = (kind: Kind, more: Partial<OperatorHold> = {}): OperatorHold => ({
    account: "old",
    kind,
    what: "",
    since: 3,
    by: "olga",
    ...more
  })
  const place = (...holds: ReadonlyArray<OperatorHold>) =>
    Effect.flatMap(Holdings, (holdings) => Effect.forEach(holds, holdings.place))
  const lift = (account: string, kind: Kind) =>
    Effect.flatMap(Holdings, (holdings) => holdings.lift(account, { kind, what: "" }, "anna", 20))
  const standing = (account: string) => Effect.flatMap(Journal, (journal) => journal.standing(account))
  const at = (account: string, holds: ReadonlyArray<OperatorHold>) =>
    holds.map((one) => ({ ...one, account }))

  it("stands under the new name with who, why and since when, the kill switch among it", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        const standingNow = [
          hold("account", { until: 100 }),
          hold("kill", { since: 4, why: "looks wrong" }),
          hold("target", { since: 5, what: "777/1", by: "anna" })
        ]
        yield* memory.bind(binding("old", "s-1"))
        yield* place(...standingNow, hold("policy", { what: "01-raise", until: 10 }))
        yield* place(hold("target", { what: "9" }), hold("account", { account: "other" }))
        yield* Effect.flatMap(Holdings, ({ lift }) => lift("old", { kind: "target", what: "9" }, "anna", 6))
        const done = yield* memory.rebind("new", "s-1", "anna", 20)
        expect(done).toEqual({ before: [binding("old", "s-1")], carried: 3, isKilled: true })
        expect(yield* standing("new")).toEqual(at("new", standingNow))
        expect(yield* standing("other")).toHaveLength(1)
      })
    ))

  it("is there once, however often the account is bound anew, renamed back, and renamed again", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("old", "s-1"))
        yield* place(hold("kill"))
        yield* memory.rebind("new", "s-1", "anna", 20)
        expect(yield* memory.rebind("new", "s-1", "anna", 21)).toMatchObject({ carried: 0, isKilled: true })
        for (const name of ["old", "new"])
          expect(yield* memory.rebind(name, "s-1", "anna", 22)).toMatchObject({ carried: 0, isKilled: true })
        expect(yield* standing("new")).toEqual(at("new", [hold("kill")]))
        yield* lift("new", "kill")
        expect(yield* standing("new")).toEqual([])
      })
    ))

  it("neither lifts nor shortens what stands under the new name", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("old", "s-1"))
        yield* place(hold("account", { until: 50 }), hold("account", { account: "new", until: 90 }))
        yield* place(hold("kill"), hold("kill", { account: "new", since: 7, by: "anna" }))
        expect(yield* memory.rebind("new", "s-1", "anna", 20)).toMatchObject({ carried: 1 })
        const [account, ...kills] = yield* standing("new")
        expect(account?.until).toBe(90)
        expect(kills.map(({ by, since }) => [by, since])).toEqual([
          ["olga", 3],
          ["anna", 7]
        ])
      })
    ))

  it("holds each of two accounts that exchange their sellers", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("old", "s-1"))
        yield* memory.bind(binding("new", "s-2"))
        yield* place(hold("kill"), hold("account", { account: "new" }))
        expect(yield* memory.rebind("new", "s-1", "anna", 20)).toMatchObject({ carried: 1, isKilled: true })
        yield* memory.rebind("old", "s-2", "anna", 21)
        const both = [hold("account"), hold("kill")]
        expect(yield* standing("new")).toEqual(at("new", both))
        expect(yield* standing("old")).toEqual(both)
      })
    ))

  it("stays where it is when the account is not called otherwise", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        yield* memory.bind(binding("old", "s-1"))
        yield* place(hold("kill"))
        expect(yield* memory.rebind("new", "s-2", "anna", 20)).toEqual({
          before: [],
          carried: 0,
          isKilled: false
        })
        expect(yield* memory.rebind("old", "s-3", "anna", 21)).toMatchObject({ carried: 0, isKilled: true })
        expect(yield* standing("new")).toEqual([])
        expect(yield* standing("old")).toEqual([hold("kill")])
      })
    ))
})

describe("a refusal", () => {
  const refusal: Refusal = {
    account: "main",
    operation: "getBalance",
    scope: "",
    status: 402,
    said: "пополните счёт",
    tokenMark: "ab",
    firstAt: 1_700_000_000_000,
    againAt: 1_700_086_400_000
  }

  it("is kept once per operation and campaigns, replaced by the next, forgotten when answered or forgiven", () =>
    inStore((memory) =>
      Effect.gen(function* () {
        const scoped = { ...refusal, operation: "listClusters", scope: "campaign 7" }
        yield* memory.refused(refusal)
        yield* memory.refused({ ...scoped, status: 403 })
        yield* memory.refused(scoped)
        yield* memory.refused({ ...refusal, account: "other" })
        expect(yield* memory.refusals("main")).toEqual([refusal, scoped])
        yield* memory.answered("main", "listClusters", "campaign 7")
        expect(yield* memory.refusals("main")).toEqual([refusal])
        expect(yield* memory.forgive("main", "anna", 8)).toEqual([refusal])
        expect(yield* memory.refusals("main")).toEqual([])
        expect(yield* memory.refusals("other")).toHaveLength(1)
      })
    ))
})
