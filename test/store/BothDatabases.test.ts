/** Whatever happens to a journal, SQLite and PostgreSQL answer with the same bytes. */

import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import { CampaignId, ItemId, PromotionId } from "../../src/domain/Ids.js"
import type { DayFound, ForecastDay } from "../../src/engine/decide/forecasts/ForecastDay.js"
import { Journal, type JournalState } from "../../src/engine/door/Journal.js"
import type { Watched } from "../../src/engine/facts/SpendCurve.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import { CalendarMemory } from "../../src/services/ports/CalendarMemory.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as CalendarMemorySql from "../../src/store/facts/CalendarMemorySql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import { by, change, migrated, overlaid, postgres, rows, run } from "./Fixture.js"
import * as Postgres from "./Postgres.js"

afterAll(Postgres.end)

/** Names that a language's order would put otherwise than their bytes do. */
const slots = ["777/1001/search", "777/1001/Search", "item_bid:1/Ёлка", "item_bid:1/ель", "deposit:1/balance"]

interface Step {
  readonly changes: ReadonlyArray<{ readonly slot: number; readonly more: Partial<Change> }>
  readonly account: string
  /** Milliseconds after the run before; none is the same moment. */
  readonly after: number
  readonly to: ReadonlyArray<JournalState>
  readonly sent: boolean
}

const more: fc.Arbitrary<Partial<Change>> = fc.oneof(
  fc.record({
    origin: fc.constantFrom("a", "B", "ё").map(by),
    before: fc.integer({ min: 100, max: 90_000 }),
    after: fc.integer({ min: 100, max: 90_000 })
  }),
  fc
    .tuple(fc.constantFrom(0, 2000), fc.constantFrom(100, 200), fc.constantFrom(100, 200))
    .map(([share, base, baseBefore]) => ({
      origin: by("boost"),
      action: "adjust_bid" as const,
      ...overlaid("boost", share, base, baseBefore)
    })),
  fc.record({
    kind: fc.constant("campaign_status" as const),
    before: fc.constant("active"),
    after: fc.constant("paused")
  }),
  fc.record({ campaignName: fc.constantFrom("Кеды \u0000", "\ud83d\udc5f '\"", "x".repeat(3000)) })
)

const step: fc.Arbitrary<Step> = fc.record({
  // A plan holds one change of a slot.
  changes: fc.uniqueArray(fc.record({ slot: fc.nat(slots.length - 1), more }), {
    maxLength: 4,
    selector: ({ slot }) => slot
  }),
  account: fc.constantFrom("shop", "Shop"),
  after: fc.constantFrom(0, 1, 500, 3000),
  to: fc.array(fc.constantFrom<JournalState>("dispatching", "accepted", "unknown", "applied", "rejected"), {
    maxLength: 2
  }),
  sent: fc.boolean()
})

const happen = (step: Step, at: number, runId: string, round: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const changes = step.changes.map(({ more }, i) => change(i, more))
    yield* journal.begin(
      run(runId, { account: `${step.account} ${round}`, startedAt: at }),
      rows(changes, (one) => slots[step.changes[changes.indexOf(one)]!.slot]!)
    )
    for (const [i, to] of step.to.entries()) {
      const from: ReadonlyArray<JournalState> = ["planned", "dispatching", "accepted", "unknown"]
      const note = {
        nowMs: at + i,
        sent: step.sent && i === 0,
        reason: { code: "refused" as const, said: "Ё" }
      }
      yield* journal.move(
        runId,
        changes.slice(i).map(({ id }) => id),
        from,
        to,
        note
      )
    }
    if (step.sent) yield* journal.finish(runId, "done", { applied: step.to.length }, at + 9)
  })

const dayOf = (step: Step) => ({
  policy: step.sent ? "10-Ёж" : "11",
  budget: String(step.changes.length),
  day: `2026-09-0${1 + (step.after % 3)}`
})

const forecastsOf = (step: Step, n: number): ReadonlyArray<ForecastDay> => {
  const range = { low: n, mean: n + 0.25, high: n + step.after }
  const expected = { spendKopecks: range, orders: range }
  const made = { campaigns: [n], dailyKopecks: 300_000, changes: n, before: expected, after: expected }
  return [{ ...dayOf(step), ...made, standing: "1.abc  2.def", madeAtMs: 1_700_000_000_000 + n }]
}

const foundOf = (step: Step, n: number): ReadonlyArray<DayFound> => [
  {
    ...dayOf(step),
    ...(step.to.length > 0 ? { outcome: { code: "stood" as const, sent: 0.125 * n } } : {}),
    ...(step.after > 0 ? { realised: { spendKopecks: n * 100, orders: n } } : {})
  }
]

const watchedOf = (step: Step, n: number): Watched => {
  const hours = Array.from({ length: 24 }, (_, hour) => n * hour + step.after / 8)
  return {
    campaignId: CampaignId.make(1_000_001 + n),
    last: { atMs: 1_700_000_000_000 + step.after, spendKopecks: n, runsSinceMs: step.sent ? 5 : undefined },
    day: Days.Day("2026-09-01"),
    today: { amounts: hours, minutes: hours },
    past: { amounts: hours, minutes: hours }
  }
}

/** What is told after the steps; nothing of one round is seen in another. */
const answers = (steps: ReadonlyArray<Step>, round: number) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const memory = yield* RuleMemory
    const calendar = yield* CalendarMemory
    let at = 1000
    for (const [n, one] of steps.entries()) {
      at += one.after
      yield* happen(one, at, `${round} ${n}`, round)
    }
    const told = []
    for (const account of [`shop ${round}`, `Shop ${round}`]) {
      told.push([...(yield* memory.slots(account, 2000))])
      const items = steps.map((_, n) => ItemId.make(300_000_000 + n))
      yield* memory.keepPromotionMembers(account, [{ promotionId: PromotionId.make(at), items }], at)
      const question = "items 1005 in 0"
      yield* calendar.keep(account, [{ question, readAt: at, answer: { name: "Ёлка", items } }])
      told.push([...(yield* calendar.recall(account, [question, "list 0"]))])
      told.push([...(yield* memory.promotionMembers(account))].map(([id, found]) => [id, [...found]]))
      yield* memory.keepForecasts(account, steps.flatMap(forecastsOf), steps.flatMap(foundOf))
      told.push(yield* memory.forecasts(account, undefined, "2026-09-02"))
      told.push(yield* memory.forecasts(account, ["10-Ёж", "11"], "2026-09-01"))
      yield* memory.keepSpendCurves(account, steps.map(watchedOf))
      told.push([...(yield* memory.spendCurves(account))])
      told.push(
        yield* journal.open(account),
        yield* journal.runs(account, 3),
        yield* journal.deposits(account, 0)
      )
    }
    for (const n of steps.keys()) told.push(yield* journal.rows(`${round} ${n}`))
    return JSON.stringify(told)
  })

const store = Layer.mergeAll(JournalSql.layer, RuleMemorySql.layer, CalendarMemorySql.layer, Migrations.layer)
const sqlite = Layer.provide(store, SqliteClient.layer({ filename: ":memory:" }))

describe("the journal on both databases", () => {
  it("answers with the same bytes after any history", async () => {
    const theirs = ManagedRuntime.make(Layer.provide(store, postgres(await migrated())))
    let round = 0
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      round++
      const told = await Effect.runPromise(Effect.provide(answers(steps, round), sqlite))
      expect(await theirs.runPromise(answers(steps, round))).toBe(told)
    })
    await fc.assert(property, { numRuns: 30 }).finally(() => theirs.dispose())
  })
})
