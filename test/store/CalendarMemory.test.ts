/** What the calendar answered, kept from run to run in the real store. */
import { join } from "node:path"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { CalendarMemory, type Kept } from "../../src/services/ports/CalendarMemory.js"
import * as Fixture from "./Fixture.js"

const day = 86_400_000
const kept = (readAt: number, question = "items 1005 in 0", price = 42): Kept => ({
  question,
  readAt,
  answer: { data: { nomenclatures: [{ id: 1, price, name: "Ёлка" }] } }
})

describe("the memory of the calendar", () => {
  it("gives back what was kept, by account and question, also in the next process", () =>
    Fixture.inFolder((path) => {
      const filename = join(path, "store.sqlite")
      const keep = Effect.flatMap(CalendarMemory, (memory) =>
        memory.keep("shop", [kept(1000), kept(2000, "list 0")])
      )
      const recall = (account: string, ...questions: ReadonlyArray<string>) =>
        Effect.flatMap(CalendarMemory, (memory) => memory.recall(account, questions))
      return Effect.gen(function* () {
        yield* Effect.provide(keep, Fixture.store({ filename }))
        yield* Effect.gen(function* () {
          const found = yield* recall("shop", "items 1005 in 0", "details 1005")
          expect([...found]).toEqual([["items 1005 in 0", kept(1000)]])
          expect((yield* recall("another", "items 1005 in 0")).size).toBe(0)
          expect((yield* recall("shop")).size).toBe(0)
        }).pipe(Effect.provide(Fixture.store({ filename })))
      })
    }))

  it("holds one answer per question, the newest, and none that is a week old", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* CalendarMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.keep("shop", [kept(5 * day, "list 0", 1), kept(4 * day)])
        yield* memory.keep("shop", [kept(4.5 * day, "list 0", 2)])
        const found = yield* memory.recall("shop", ["list 0"])
        expect(found.get("list 0")).toEqual(kept(5 * day, "list 0", 1))
        yield* memory.keep("shop", [kept(11.5 * day, "list 0", 3)])
        const rows = yield* sql<{ question: string }>`SELECT question FROM calendar_answers`
        expect(rows.map(({ question }) => question)).toEqual(["list 0"])
      })
    ))

  it("holds no answer of a clock that was ahead once there is another", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* CalendarMemory
        yield* memory.keep("shop", [kept(365 * day, "list 0", 1)])
        yield* memory.keep("shop", [kept(3 * day, "list 0", 2)])
        expect((yield* memory.recall("shop", ["list 0"])).get("list 0")).toEqual(kept(3 * day, "list 0", 2))
      })
    ))

  it("asks again what it cannot read", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* CalendarMemory
        const sql = yield* SqlClient.SqlClient
        yield* memory.keep("shop", [kept(1000)])
        yield* sql`UPDATE calendar_answers SET answer = '{"data'`
        expect((yield* memory.recall("shop", ["items 1005 in 0"])).size).toBe(0)
      })
    ))

  it("recalls answers to more questions than one statement takes", () =>
    Fixture.inMemory(
      Effect.gen(function* () {
        const memory = yield* CalendarMemory
        const questions = Array.from({ length: 1201 }, (_, n) => `details ${n + 1}`)
        yield* memory.keep(
          "shop",
          questions.map((question) => kept(1000, question))
        )
        expect((yield* memory.recall("shop", questions)).size).toBe(1201)
      })
    ))
})
