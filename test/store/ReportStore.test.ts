import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { AccountName, ReportId } from "../../src/domain/Ids.js"
import { ReportStore, type StoredReport } from "../../src/services/ports/ReportStore.js"
import * as ReportStoreSql from "../../src/store/facts/ReportStoreSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { fromMemory } from "../services/areas/ReportMemory.js"
import { client, inFolder } from "./Fixture.js"

const shop = AccountName("shop")

const report = (n: number, more: Partial<StoredReport> = {}): StoredReport => ({
  id: ReportId.make(`5b2f0c1e-6f0a-4e6c-9d3a-${String(n).padStart(12, "0")}`),
  account: shop,
  request: JSON.stringify({ reportType: "STOCK_HISTORY_DAILY_CSV", name: "Кеды" }),
  state: "stored",
  storedAt: n * 1000,
  askedAt: undefined,
  retries: 0,
  readyAt: undefined,
  detail: undefined,
  updatedAt: n * 1000,
  ...more
})

const onDisk = (path: string) =>
  Layer.mergeAll(ReportStoreSql.layer, Migrations.layer).pipe(
    Layer.provide(client({ filename: join(path, "store.db") }))
  )

/** Opens the store of a folder, uses it, closes it: what a process does. */
const opened =
  (path: string) =>
  <A, E>(use: (store: typeof ReportStore.Service) => Effect.Effect<A, E>) =>
    Effect.provide(Effect.flatMap(ReportStore, use), onDisk(path))

describe("the store of report tasks", () => {
  it("gives a task back as it was saved, after the process that saved it has ended", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const whole = report(1, {
          state: "failed",
          askedAt: 6,
          retries: 1,
          readyAt: 7,
          detail: "it said “no”",
          updatedAt: 9
        })
        yield* opened(path)((store) => store.save(report(1)))
        expect(yield* opened(path)((store) => store.find(report(1).id))).toEqual(report(1))
        yield* opened(path)((store) => store.save(whole))
        expect(yield* opened(path)((store) => store.find(whole.id))).toEqual(whole)
        expect(yield* opened(path)((store) => store.find(report(2).id))).toBeUndefined()
      })
    ))

  it("lists the open tasks of one account, oldest first", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const found = yield* opened(path)((store) =>
          Effect.gen(function* () {
            yield* store.save(report(3))
            yield* store.save(report(2, { state: "asked" }))
            yield* store.save(report(4, { state: "done" }))
            yield* store.save(report(5, { state: "failed" }))
            yield* store.save(report(6, { account: AccountName("other") }))
            return yield* store.open(shop)
          })
        )
        expect(found).toEqual([report(2, { state: "asked" }), report(3)])
      })
    ))

  it("answers as the memory of tests does", () =>
    inFolder((path) =>
      Effect.gen(function* () {
        const story = (store: typeof ReportStore.Service) =>
          Effect.gen(function* () {
            for (const n of [4, 2, 3]) yield* store.save(report(n, { askedAt: n * 1000, updatedAt: 5000 }))
            yield* store.save(report(2, { state: "done", askedAt: 4000, retries: 1, updatedAt: 6000 }))
            return [yield* store.open(shop), yield* store.find(report(2).id)]
          })
        expect(yield* opened(path)(story)).toEqual(yield* story(fromMemory(new Map())))
      })
    ))
})
