/** What the marketplace refused to a token is kept in the real store, for the next client of the account. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { describe, expect, it } from "vitest"
import { isMissing, isRetired, Refused } from "../../src/services/MarketplaceError.js"
import { TokenMemory, TokenMemoryFailure } from "../../src/services/ports/TokenMemory.js"
import { AskAnyway } from "../../src/services/SwitchedOff.js"
import * as TokenMemorySql from "../../src/store/accounts/TokenMemorySql.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Fake from "./FakeMarketplace.js"

const store = TokenMemorySql.layer.pipe(
  Layer.provide(Migrations.layer),
  Layer.provide(SqliteClient.layer({ filename: ":memory:" }))
)

const told = <A>(story: Effect.Effect<A, unknown, TokenMemory>) =>
  Effect.runPromise(story.pipe(Effect.provide(store), Effect.provide(TestContext.TestContext)))

/** One client of the account asks for the balance: how many requests left, and what came of it. */
const ask = (reply: Fake.Reply, token = "first") =>
  Fake.withMarketplace(
    () => reply,
    ({ client, sent }) =>
      Effect.map(Effect.either(client.read("getBalance", {})), (answer) => ({
        sent: sent.length,
        said: answer._tag === "Left" ? answer.left.message : "answered"
      })),
    { token: { ...Fake.token, value: Redacted.make(token) } }
  )

const refusal = Fake.json({ title: "payment required", detail: "order the service" }, 402)
const balance = Fake.json({ balance: 1, net: 1, bonus: 0, currency: "RUB" })

describe("an operation that was refused", () => {
  it("is not asked by the next client with the same token; another token is a reason to ask", () =>
    told(
      Effect.gen(function* () {
        expect((yield* ask(refusal)).sent).toBe(1)
        const next = yield* ask(balance)
        expect(next.sent).toBe(0)
        expect(next.said).toMatch(
          /^getBalance is switched off: .* 402 at 1970-01-01 00:00 UTC.*order the service/
        )
        expect(next.said).not.toContain("first ")
        expect(yield* ask(balance, "second")).toEqual({ sent: 1, said: "answered" })
        expect(yield* (yield* TokenMemory).refusals("shop")).toEqual([])
      })
    ))

  it("is asked once more after a quarter of an hour, then ever more rarely, at least once a day", () =>
    told(
      Effect.gen(function* () {
        yield* ask(refusal)
        for (const [rest, nearly] of [
          ["16 minutes", "14 minutes"],
          ["50 minutes", "44 minutes"],
          ["25 hours", "3 hours"],
          ["25 hours", "23 hours"]
        ] as const) {
          yield* TestClock.adjust(nearly)
          expect([nearly, (yield* ask(refusal)).sent]).toEqual([nearly, 0])
          yield* TestClock.adjust(Duration.subtract(rest, nearly))
          expect([rest, (yield* ask(refusal)).sent]).toEqual([rest, 1])
        }
        expect(yield* (yield* TokenMemory).refusals("shop")).toMatchObject([{ firstAt: 0 }])
        yield* TestClock.adjust("25 hours")
        expect((yield* ask(balance)).sent).toBe(1)
        expect(yield* (yield* TokenMemory).refusals("shop")).toEqual([])
      })
    ))

  it("is asked when a person asks, and a clock that was a year ahead holds nothing back", () =>
    told(
      Effect.gen(function* () {
        yield* TestClock.adjust("365 days")
        yield* ask(refusal)
        expect(yield* Effect.provideService(ask(refusal), AskAnyway, true)).toMatchObject({ sent: 1 })
        yield* TestClock.setTime(0)
        expect((yield* ask(balance)).sent).toBe(1)
      })
    ))
})

describe("an operation whose path is gone", () => {
  it.each([
    ["405", Fake.json({ detail: "method not allowed" }, 405), 0],
    ["404 of the path", Fake.json({ detail: "path not found" }, 404), 0],
    ["404 of a thing", Fake.json({ detail: "campaign not found" }, 404), 1]
  ] as const)("%s: the next call goes only where a thing is missing", (_, reply, again) =>
    told(
      Effect.gen(function* () {
        expect((yield* ask(reply)).sent).toBe(1)
        expect((yield* ask(reply)).sent).toBe(again)
      })
    )
  )
})

it("a path that is gone does not say that the thing is missing, nor the other way round", () => {
  const refused = (status: number, text: string) =>
    new Refused({ operation: "getSupply", status, text, retryAfterMs: undefined, arrived: "yes" })
  expect(
    [
      refused(404, "no such supply; path.supplyId: not found"),
      refused(404, ""),
      refused(404, "path not found"),
      refused(405, "")
    ].map((error) => [isMissing(error), isRetired(error)])
  ).toEqual([
    [true, false],
    [true, false],
    [false, true],
    [false, true]
  ])
})

describe("a refusal that has long been over", () => {
  it("leaves the store with a later one of the account, and only of that", () =>
    told(
      Effect.gen(function* () {
        const memory = yield* TokenMemory
        const refused = (account: string, scope: string, day: number) => {
          const at = day * 86_400_000
          const one = {
            account,
            operation: "getClusterBids",
            scope,
            status: 403,
            said: "",
            tokenMark: "mark"
          }
          return memory.refused({ ...one, firstAt: at, againAt: at + 900_000 })
        }
        yield* refused("shop", "campaign 1", 0)
        yield* refused("shop", "campaign 2", 5)
        yield* refused("other", "campaign 3", 0)
        yield* refused("shop", "campaign 4", 9)
        const scopes = (account: string) =>
          Effect.map(memory.refusals(account), (all) => all.map(({ scope }) => scope))
        expect(yield* scopes("shop")).toEqual(["campaign 2", "campaign 4"])
        expect(yield* scopes("other")).toEqual(["campaign 3"])
      })
    ))
})

describe("a store that could not be read for a moment", () => {
  it("stops the call that came in that moment, and none after it", () =>
    told(
      Effect.gen(function* () {
        const memory = yield* TokenMemory
        let reads = 0
        const away = Effect.suspend(() =>
          reads++ === 0
            ? Effect.fail(new TokenMemoryFailure({ action: "read", hint: "later", cause: "away" }))
            : memory.refusals("shop")
        )
        yield* Fake.withMarketplace(
          () => balance,
          ({ client, sent }) =>
            Effect.gen(function* () {
              expect((yield* Effect.either(client.read("getBalance", {})))._tag).toBe("Left")
              expect(sent).toHaveLength(0)
              yield* client.read("getBalance", {})
              yield* client.read("getBalance", {})
              expect(sent).toHaveLength(2)
              expect(reads).toBe(2)
            }),
          { token: Fake.token }
        ).pipe(Effect.provideService(TokenMemory, { ...memory, refusals: () => away }))
      })
    ))
})

describe("an answer that tells its age", () => {
  it("is read up to 30 seconds, and unknown beyond", () =>
    told(
      Effect.gen(function* () {
        const aged = (age: string): Fake.Reply => ({ status: 200, body: '{"balance":1}', headers: { age } })
        expect((yield* ask(aged("30"))).said).toBe("answered")
        expect((yield* ask(aged("soon"))).said).toBe("answered")
        expect((yield* ask(aged("31"))).said).toMatch(
          /^getBalance: the answer is an old copy \(200\): .*31 s ago/
        )
      })
    ))
})
