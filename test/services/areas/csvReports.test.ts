import { it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import { strToU8, zipSync } from "fflate"
import { assert, describe } from "vitest"
import { Day } from "../../../src/domain/Days.js"
import { ItemId, ReportId } from "../../../src/domain/Ids.js"
import * as CsvReports from "../../../src/services/areas/reports/CsvReports.js"
import * as ReportTask from "../../../src/services/areas/reports/ReportTask.js"
import { ReportRequest } from "../../../src/services/endpoints/CsvReports.js"
import { ReportStore, type StoredReport } from "../../../src/services/ports/ReportStore.js"
import { account, type Fake, json, type Reply, type Sent, withMarketplace } from "../FakeMarketplace.js"
import { fromMemory, type Memory } from "./ReportMemory.js"

const start = Date.parse("2026-11-21T09:00:00Z")
const csv = "nmID,dt,openCardCount,addToCartCount,ordersCount,ordersSumRub\n1001,2026-11-01,120,30,4,5160\n"
const file = zipSync({ "report.csv": strToU8(csv) })

const order: ReportTask.ReportOrder<"DETAIL_HISTORY_REPORT"> = {
  reportType: "DETAIL_HISTORY_REPORT",
  userReportName: "Boots",
  params: { nmIDs: [ItemId.make(1001)], startDate: Day("2026-11-01"), endDate: Day("2026-11-20") }
}

const call = (sent: Sent): "create" | "list" | "retry" | "file" =>
  sent.url.pathname.endsWith("/retry")
    ? "retry"
    : sent.url.pathname.includes("/file/")
      ? "file"
      : sent.method === "POST"
        ? "create"
        : "list"

const filterOf = (sent: Sent) => sent.url.searchParams.getAll("filter[downloadIds]")
const idOf = (sent: Sent): string => Reflect.get(Object(sent.body), "id")

/** A marketplace that knows the tasks it was asked for, and tells their statuses one after the other. */
class Reports {
  readonly tasks = new Map<string, ReadonlyArray<string>>()
  createdAt = "2026-11-21 12:05:00"
  /** What it says to the next calls of a kind, before it answers as it should. */
  readonly faults: Array<readonly [kind: ReturnType<typeof call>, reply: Reply, arrives: boolean]> = []
  constructor(readonly statuses: ReadonlyArray<string> = ["SUCCESS"]) {}

  readonly reply = (sent: Sent): Reply => {
    const kind = call(sent)
    const at = this.faults.findIndex(([wanted]) => wanted === kind)
    const fault = this.faults[at]
    if (fault !== undefined) this.faults.splice(at, 1)
    if (fault !== undefined && !fault[2]) return fault[1]
    const answer = this.answer(kind, sent)
    return fault?.[1] ?? answer
  }

  private answer(kind: ReturnType<typeof call>, sent: Sent): Reply {
    if (kind === "create") this.tasks.set(idOf(sent), this.statuses)
    if (kind === "create" || kind === "retry") return json({ data: "It will be made" })
    if (kind === "file") return { status: 200, body: file }
    const asked = filterOf(sent)
    if (asked.some((id) => !this.tasks.has(id))) {
      return json({ title: "Bad Request", detail: "unknown id", requestId: "r", origin: "o" }, 400)
    }
    const data = [...this.tasks].flatMap(([id, [status, ...later]]) => {
      if (asked.length > 0 && !asked.includes(id)) return []
      if (later.length > 0) this.tasks.set(id, later)
      return [{ id, status, createdAt: this.createdAt, name: "Boots", size: 100 }]
    })
    return json({ data })
  }
}

const story = <A, E>(
  reports: Reports,
  use: (
    reports: Effect.Effect.Success<ReturnType<typeof CsvReports.make>>,
    fake: Fake
  ) => Effect.Effect<A, E>,
  memory: Memory = new Map(),
  settings: CsvReports.Settings = {}
) =>
  Effect.gen(function* () {
    if ((yield* TestClock.currentTimeMillis) < start) yield* TestClock.setTime(start)
    return yield* withMarketplace(reports.reply, (fake) =>
      Effect.flatMap(CsvReports.make(fake.client, settings), (made) => use(made, fake)).pipe(
        Effect.provideService(ReportStore, fromMemory(memory))
      )
    )
  })

/** Runs to its end while the clock goes on as fast as it is waited for. */
const inTime = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(effect)
    for (let i = 0; i < 5000; i++) {
      if ((yield* Fiber.poll(fiber))._tag === "Some") break
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust("5 seconds")
    }
    return yield* Fiber.join(fiber)
  })

const seconds = (since: number) => Effect.map(TestClock.currentTimeMillis, (now) => (now - since) / 1000)

const storedOf = (request: object, more: Partial<StoredReport> = {}): StoredReport => ({
  id: ReportId.make("5b2f0c1e-6f0a-4e6c-9d3a-0a8d4d6f1b11"),
  account,
  request: JSON.stringify({ ...request, id: "5b2f0c1e-6f0a-4e6c-9d3a-0a8d4d6f1b11" }),
  state: "stored",
  storedAt: start - 60_000,
  askedAt: start - 60_000,
  retries: 0,
  readyAt: undefined,
  detail: undefined,
  updatedAt: start - 60_000,
  ...more
})

describe("a report", () => {
  it.effect("is ordered under an id of its own, waited for, fetched and kept; then it is done", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      const kept: Array<Uint8Array> = []
      const reports = new Reports(["WAITING", "PROCESSING", "SUCCESS"])
      yield* story(
        reports,
        (area, { sent }) =>
          Effect.gen(function* () {
            const done = yield* inTime(
              area.order(order, ({ bytes }) =>
                Effect.sync(() => {
                  assert.strictEqual([...memory.values()][0]?.state, "asked")
                  kept.push(bytes)
                })
              )
            )
            assert.deepStrictEqual(sent.map(call), ["create", "list", "list", "list", "file"])
            assert.match(done.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
            assert.deepStrictEqual(filterOf(sent[1]!), [done.id])
            assert.deepStrictEqual(sent[0]?.body, { ...order, id: done.id })
            assert.deepStrictEqual(done.bytes, Uint8Array.from(file))
            assert.deepStrictEqual(kept, [done.bytes])
            assert.strictEqual(done.keptUntil, Date.parse("2026-11-23T09:05:00Z"))
            assert.strictEqual(memory.get(done.id)?.state, "done")
          }),
        memory
      )
    })
  )

  it.effect("is first looked for after 15 to 20 seconds, then once an interval (A21)", () =>
    Effect.gen(function* () {
      const at: Array<number> = []
      const reports = new Reports(["WAITING", "WAITING", "SUCCESS"])
      const reply = reports.reply
      yield* TestClock.setTime(start)
      let now = start
      yield* story(
        Object.assign(reports, {
          reply: (sent: Sent) => {
            if (call(sent) === "list") at.push((now - start) / 1000)
            return reply(sent)
          }
        }),
        (area) =>
          Effect.gen(function* () {
            const fiber = yield* Effect.fork(area.order(order))
            while ((yield* Fiber.poll(fiber))._tag === "None") {
              yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
              now += 1000
              yield* TestClock.adjust("1 second")
            }
          })
      )
      assert.lengthOf(at, 3)
      assert.isTrue(at[0]! >= 15 && at[0]! <= 21, `${at[0]}`)
      assert.isTrue(at[1]! - at[0]! >= 20 && at[2]! - at[1]! >= 20)
    })
  )

  it.effect("gives its rows as a stream", () =>
    story(new Reports(), (area) =>
      Effect.gen(function* () {
        const rows = yield* inTime(Stream.runCollect(area.rows(order)))
        assert.deepStrictEqual(
          [...rows].map(({ day, orders }) => [day, orders]),
          [[Day("2026-11-01"), 4]]
        )
      })
    )
  )

  it.effect("is stored before the marketplace hears of it", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      const reports = new Reports()
      const reply = reports.reply
      const seen: Array<string | undefined> = []
      Object.assign(reports, {
        reply: (sent: Sent) => {
          if (call(sent) === "create") seen.push(memory.get(ReportId.make(idOf(sent)))?.state)
          return reply(sent)
        }
      })
      yield* story(reports, (area) => inTime(area.order(order)), memory)
      assert.deepStrictEqual(seen, ["stored"])
    })
  )

  it.effect(
    "that broke off between the store and the call is looked for and then created, same id (A22)",
    () =>
      Effect.gen(function* () {
        const stored = storedOf(order)
        const memory: Memory = new Map([[stored.id, stored]])
        yield* story(
          new Reports(),
          (area, { sent }) =>
            Effect.gen(function* () {
              const [resumed] = yield* inTime(area.resume())
              assert.isTrue(resumed !== undefined && Either.isRight(resumed.outcome))
              assert.deepStrictEqual(sent.map(call), ["list", "list", "create", "list", "file"])
              assert.deepStrictEqual(filterOf(sent[1]!), [], "a refused filter is followed by the whole list")
              assert.strictEqual(idOf(sent[2]!), stored.id)
              assert.strictEqual(memory.get(stored.id)?.state, "done")
            }),
          memory
        )
      })
  )
})

describe("an unknown outcome of the create call", () => {
  const faults: ReadonlyArray<readonly [string, Reply]> = [
    ["a server error", { status: 500 }],
    ["a broken connection", { fault: "ECONNRESET" }],
    ["a page in place of an answer", { status: 200, body: "<html>" }]
  ]
  for (const [name, reply] of faults) {
    it.effect(`(${name}) is settled by looking: there it is, so it is not created again`, () =>
      Effect.gen(function* () {
        const reports = new Reports()
        reports.faults.push(["create", reply, true])
        yield* story(reports, (area, { sent }) =>
          Effect.gen(function* () {
            yield* inTime(area.order(order))
            const kinds = sent.map(call)
            assert.deepStrictEqual([kinds[0], kinds[1], kinds.at(-1)], ["create", "list", "file"])
            assert.strictEqual(kinds.lastIndexOf("create"), 0)
          })
        )
      })
    )

    it.effect(`(${name}) is settled by looking: it is not there, so it is created under the same id`, () =>
      Effect.gen(function* () {
        const reports = new Reports()
        reports.faults.push(["create", reply, false])
        yield* story(reports, (area, { sent }) =>
          Effect.gen(function* () {
            yield* inTime(area.order(order))
            const creates = sent.filter((one) => call(one) === "create")
            assert.deepStrictEqual(creates.map(idOf), Array(2).fill(idOf(sent[0]!)))
            assert.strictEqual(call(sent[1]!), "list")
          })
        )
      })
    )
  }

  it.effect("is not settled while the list cannot be read", () =>
    Effect.gen(function* () {
      const reports = new Reports()
      reports.faults.push(["create", { status: 500 }, true])
      for (let i = 0; i < 4; i++) reports.faults.push(["list", { status: 503 }, false])
      yield* story(reports, (area, { sent }) =>
        Effect.gen(function* () {
          yield* inTime(area.order(order))
          assert.strictEqual(sent.filter((one) => call(one) === "create").length, 1)
        })
      )
    })
  )
})

it.effect("a refusal inside a 200 is no file, and the report stays open until its file comes (T15)", () =>
  Effect.gen(function* () {
    const memory: Memory = new Map()
    const reports = new Reports()
    reports.faults.push(["file", json({ title: "too early", detail: "try later", status: 409 }), true])
    yield* story(
      reports,
      (area) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(inTime(area.order(order)))
          assert.include(error.message, "try later")
          assert.strictEqual([...memory.values()][0]?.state, "asked")
          yield* inTime(area.resume())
          assert.strictEqual([...memory.values()][0]?.state, "done")
        }),
      memory
    )
  })
)

describe("a report that is not made", () => {
  it.effect("is asked for again after FAILED, and comes", () =>
    story(new Reports(["FAILED", "RETRY", "PROCESSING", "SUCCESS"]), (area, { sent }) =>
      Effect.gen(function* () {
        yield* inTime(area.order(order))
        assert.deepStrictEqual(sent.map(call), ["create", "list", "retry", "list", "list", "list", "file"])
        assert.deepStrictEqual(sent[2]?.body, { downloadId: idOf(sent[0]!) })
      })
    )
  )

  it.effect("is given up after two more tries, for good", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      yield* story(
        new Reports(["FAILED"]),
        (area, { sent }) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(inTime(area.order(order)))
            assert.match(
              error.message,
              /could not make it, also not after 2 more tries. Ask for it again later/
            )
            assert.strictEqual(sent.filter((one) => call(one) === "retry").length, 2)
            assert.strictEqual([...memory.values()][0]?.state, "failed")
            assert.deepStrictEqual(yield* area.resume(), [])
          }),
        memory
      )
    })
  )

  it.effect("is retried as often whatever becomes of the answers to the retry calls", () =>
    Effect.gen(function* () {
      const reports = new Reports(["FAILED", "SUCCESS"])
      reports.faults.push(["retry", { status: 502 }, true])
      yield* story(reports, (area, { sent }) =>
        Effect.gen(function* () {
          yield* inTime(area.order(order))
          assert.deepStrictEqual(sent.map(call), ["create", "list", "retry", "list", "file"])
        })
      )
    })
  )

  it.effect("is waited for while its status is a new word, until patience ends; then it stays open", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      yield* story(
        new Reports(["QUEUED_AGAIN"]),
        (area) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(inTime(area.order(order)))
            assert.match(error.message, /not ready after 10 minutes; the last heard of it: QUEUED_AGAIN/)
            assert.isAtLeast(yield* seconds(start), 600)
            assert.strictEqual([...memory.values()][0]?.state, "asked")
          }),
        memory,
        { patienceMs: 600_000 }
      )
    })
  )

  it.effect("is refused in words that name the first day there is, and is never asked for again (A24)", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      const reports = new Reports()
      const detail = "start date is too early, the earliest is 2026-11-10."
      reports.faults.push(["create", json({ title: "Bad Request", detail }, 400), false])
      yield* story(
        reports,
        (area, { sent }) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(inTime(area.order(order)))
            assert.strictEqual(error._tag === "ReportStopped" && error.earliest, Day("2026-11-10"))
            assert.match(error.message, /Mend the order and ask again from 2026-11-10 on$/)
            assert.lengthOf(sent, 1)
            assert.strictEqual([...memory.values()][0]?.state, "failed")
          }),
        memory
      )
    })
  )

  it.effect("because the quota is used up stays open: nothing happened (A21)", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      const reports = new Reports()
      const full = json({ title: "Too many requests", detail: "20 reports per day", origin: "o" }, 429)
      for (let i = 0; i < 3; i++) reports.faults.push(["create", full, false])
      yield* story(
        reports,
        (area, { sent }) =>
          Effect.gen(function* () {
            const error = yield* Effect.flip(inTime(area.order(order)))
            assert.strictEqual(error._tag, "Throttled")
            const before = sent.length
            reports.faults.length = 0
            const [resumed] = yield* inTime(area.resume())
            assert.isTrue(resumed !== undefined && Either.isRight(resumed.outcome))
            assert.deepStrictEqual(sent.slice(before).map(call), ["create", "list", "file"])
          }),
        memory
      )
    })
  )
})

describe("a file", () => {
  it.effect("that nobody fetched within 48 hours is not asked for (A24)", () =>
    Effect.gen(function* () {
      const stored = storedOf(order, { state: "asked" })
      const memory: Memory = new Map([[stored.id, stored]])
      const reports = new Reports()
      reports.tasks.set(stored.id, ["SUCCESS"])
      reports.createdAt = "2026-11-19 11:59:59"
      yield* story(
        reports,
        (area, { sent }) =>
          Effect.gen(function* () {
            const [resumed] = yield* inTime(area.resume())
            const outcome = resumed?.outcome
            assert.isTrue(outcome !== undefined && Either.isLeft(outcome))
            if (outcome === undefined || Either.isRight(outcome)) return
            assert.match(outcome.left.message, /kept it for 48 hours.*Ask for it again/)
            assert.deepStrictEqual(sent.map(call), ["list"])
            assert.strictEqual(memory.get(stored.id)?.state, "failed")
          }),
        memory
      )
    })
  )

  it.effect("that was ready before a long pause is given up at once: the list has forgotten it", () =>
    Effect.gen(function* () {
      const stored = storedOf(order, { state: "asked", readyAt: start - 49 * 3_600_000 })
      const memory: Memory = new Map([[stored.id, stored]])
      yield* story(
        new Reports(),
        (area, { sent }) =>
          Effect.gen(function* () {
            const [resumed] = yield* area.resume()
            const outcome = resumed?.outcome
            assert.isTrue(outcome !== undefined && Either.isLeft(outcome))
            if (outcome === undefined || Either.isRight(outcome)) return
            assert.match(outcome.left.message, /kept it for 48 hours.*Ask for it again/)
            assert.lengthOf(sent, 0)
            assert.strictEqual(memory.get(stored.id)?.state, "failed")
          }),
        memory
      )
    })
  )

  it.effect("that could not be kept leaves the task open, so that it is fetched again", () =>
    Effect.gen(function* () {
      const memory: Memory = new Map()
      yield* story(
        new Reports(),
        (area, { sent }) =>
          Effect.gen(function* () {
            const full = () => Effect.fail("the disk is full" as const)
            assert.strictEqual(yield* Effect.flip(inTime(area.order(order, full))), "the disk is full")
            assert.strictEqual([...memory.values()][0]?.state, "asked")
            const [resumed] = yield* inTime(area.resume())
            assert.isTrue(resumed !== undefined && Either.isRight(resumed.outcome))
            assert.strictEqual(sent.filter((one) => call(one) === "file").length, 2)
          }),
        memory
      )
    })
  )
})

describe("several reports", () => {
  it.effect("share one list call, which repeats the percent-encoded parameter (A21, A23)", () =>
    story(new Reports(["WAITING", "WAITING", "SUCCESS"]), (area, { sent }) =>
      Effect.gen(function* () {
        const all = yield* inTime(
          Effect.all(
            [1, 2, 3].map(() => area.order(order)),
            { concurrency: 3 }
          )
        )
        assert.strictEqual(new Set(all.map(({ id }) => id)).size, 3)
        const lists = sent.filter((one) => call(one) === "list")
        assert.isAtMost(lists.length, 4)
        const whole = lists.find((one) => filterOf(one).length === 3)
        assert.deepStrictEqual(new Set(filterOf(whole!)), new Set(all.map(({ id }) => id)))
        assert.match(whole!.url.search, /^\?filter%5BdownloadIds%5D=[0-9a-f-]+&filter%5BdownloadIds%5D=/)
      })
    )
  )

  it.effect("are taken up together, and one that fails leaves the others alone", () =>
    Effect.gen(function* () {
      const good = storedOf(order, { state: "asked" })
      const bad = { ...good, id: ReportId.make("00000000-0000-4000-8000-000000000000"), request: "{}" }
      const memory: Memory = new Map([good, bad].map((one) => [one.id, one]))
      const reports = new Reports()
      reports.tasks.set(good.id, ["SUCCESS"])
      yield* story(
        reports,
        (area) =>
          Effect.gen(function* () {
            const resumed = yield* inTime(area.resume())
            assert.deepStrictEqual(
              resumed.map(({ id, outcome }) => [id, Either.isRight(outcome)]),
              [
                [bad.id, false],
                [good.id, true]
              ]
            )
          }),
        memory
      )
    })
  )

  it.effect("that are under way are not taken up a second time", () =>
    story(new Reports(["WAITING", "SUCCESS"]), (area) =>
      Effect.gen(function* () {
        const started = yield* Deferred.make<void>()
        const fiber = yield* Effect.fork(
          Effect.zipRight(Deferred.succeed(started, undefined), area.order(order))
        )
        yield* Deferred.await(started)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* area.resume(), [])
        yield* inTime(Fiber.join(fiber))
      })
    )
  )
})

describe("an order", () => {
  const today = Day("2026-11-21")
  const id = ReportId.make("5b2f0c1e-6f0a-4e6c-9d3a-0a8d4d6f1b11")

  it("is clipped to what is kept: a year, three months for stock, nothing after today (A18, A24)", () => {
    const days = (from: string, to: string) => ({ start: Day(from), end: Day(to) })
    const stock = (from: string, to: string) =>
      ReportTask.requestOf(
        id,
        {
          reportType: "STOCK_HISTORY_DAILY_CSV",
          params: { currentPeriod: days(from, to), stockType: "", skipDeletedNm: true }
        },
        today
      )
    const clipped = Either.getOrThrow(stock("2026-01-01", "2026-12-31"))
    assert.deepStrictEqual(Reflect.get(clipped.params, "currentPeriod"), days("2026-08-21", "2026-11-21"))
    const early = { ...order, params: { ...order.params, startDate: Day("2020-01-01") } }
    const year = Either.getOrThrow(ReportTask.requestOf(id, early, today))
    assert.strictEqual(Reflect.get(year.params, "startDate"), "2025-11-21")
    const leapYear = { ...early, params: { ...early.params, endDate: Day("2030-01-01") } }
    const leap = Either.getOrThrow(ReportTask.requestOf(id, leapYear, Day("2028-06-01")))
    assert.strictEqual(Reflect.get(leap.params, "startDate"), "2027-06-02")
    assert.strictEqual(Reflect.get(leap.params, "endDate"), "2028-06-01")
    assert.match(
      Either.getOrThrow(Either.flip(stock("2020-01-01", "2020-02-01"))),
      /nothing is kept for 2020/
    )
  })

  it("with emoji in its name is refused before anything is stored (A24)", () => {
    for (const name of ["Sale 🔥", "👨‍👩‍👧", "🇬🇪", "1️⃣", ""]) {
      assert.isTrue(Either.isLeft(ReportTask.requestOf(id, { ...order, userReportName: name }, today)), name)
    }
    for (const name of ["Кеды №5 (сентябрь), 100%", "a_b-c"]) {
      assert.isTrue(Either.isRight(ReportTask.requestOf(id, { ...order, userReportName: name }, today)), name)
    }
  })

  it("spells its parameters as its type does, and keeps the type's bounds", () => {
    const currentPeriod = { start: "2026-11-01", end: "2026-11-07" }
    const sort = { field: "openCard", mode: "desc" }
    const stock = { currentPeriod, stockType: "platform", skipDeletedNm: true }
    const search = { currentPeriod, orderBy: sort, positionCluster: "all" }
    const texts = { currentPeriod, orderBy: sort, topOrderBy: "orders", limit: 30 }
    const days = { startDate: "2026-11-01", endDate: "2026-11-07" }
    const valid: ReadonlyArray<readonly [string, object]> = [
      ["DETAIL_HISTORY_REPORT", { ...days, nmIDs: [1], subjectIds: [2] }],
      ["GROUPED_HISTORY_REPORT", { ...days, subjectIds: [2] }],
      ["SEARCH_QUERIES_PREMIUM_REPORT_GROUP", { ...search, subjectIds: [2] }],
      ["SEARCH_QUERIES_PREMIUM_REPORT_PRODUCT", { ...search, subjectId: 0, tagId: 0 }],
      ["SEARCH_QUERIES_PREMIUM_REPORT_TEXT", texts],
      ["STOCK_HISTORY_REPORT_CSV", { ...stock, availabilityFilters: ["actual"], orderBy: sort, nmIDs: [1] }],
      ["STOCK_HISTORY_DAILY_CSV", { ...stock, nmIds: [1], subjectIds: [] }]
    ]
    const encode = (reportType: string, params: object) =>
      Either.flatMap(ReportTask.parse(JSON.stringify({ id, reportType, params })), (request) =>
        Schema.encodeEither(ReportRequest)(request)
      )
    for (const [reportType, params] of valid) {
      assert.deepStrictEqual(Either.getOrThrow(encode(reportType, params)).params, params, reportType)
    }
    const invalid: ReadonlyArray<readonly [string, object]> = [
      ["GROUPED_HISTORY_REPORT", { currentPeriod }],
      ["GROUPED_HISTORY_REPORT", { ...days, startDate: "2025-11-01" }],
      ["SEARCH_QUERIES_PREMIUM_REPORT_GROUP", search],
      ["SEARCH_QUERIES_PREMIUM_REPORT_TEXT", { ...texts, limit: 101 }],
      ["SEARCH_QUERIES_PREMIUM_REPORT_TEXT", { ...texts, nmIds: Array(1001).fill(1) }],
      [
        "SEARCH_QUERIES_PREMIUM_REPORT_TEXT",
        { ...texts, includeSubstitutedSKUs: false, includeSearchTexts: false }
      ],
      [
        "SEARCH_QUERIES_PREMIUM_REPORT_TEXT",
        { ...texts, pastPeriod: { start: "2026-10-01", end: "2026-10-30" } }
      ],
      ["STOCK_HISTORY_DAILY_CSV", { ...stock, currentPeriod: { start: "2026-01-01", end: "2026-11-07" } }],
      ["SOME_OTHER_REPORT", days]
    ]
    for (const [reportType, params] of invalid) {
      assert.isTrue(Either.isLeft(encode(reportType, params)), `${reportType} ${JSON.stringify(params)}`)
    }
  })

  it("takes its times from Moscow when they carry no zone (T13)", () => {
    assert.strictEqual(ReportTask.moscowTime("2026-11-21 12:00:00"), Date.parse("2026-11-21T09:00:00Z"))
    assert.strictEqual(ReportTask.moscowTime("2026-11-21T12:00:00Z"), Date.parse("2026-11-21T12:00:00Z"))
    assert.isUndefined(ReportTask.moscowTime("soon"))
    assert.isUndefined(ReportTask.moscowTime("2026-13-45 99:00:00"))
  })
})
