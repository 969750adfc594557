/** Several runners: the figures of an account that another one has now are not told by the one that had it. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import * as CycleFigures from "../../src/cli/daemon/CycleFigures.js"
import * as DaemonFigures from "../../src/cli/daemon/DaemonFigures.js"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import { figures, set } from "../../src/domain/Figures.js"
import type { Standing } from "../../src/engine/schedule/RunnerStatus.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Exposed from "./Exposed.js"

const current: Standing = {
  accounts: [],
  rulesVersion: "v1",
  rulesProblem: undefined,
  lastLookAt: 1,
  isDraining: false
}
const idle = {
  state: "idle",
  runningSince: undefined,
  stoppedWhy: undefined,
  retryAt: undefined,
  last: undefined,
  rulesVersion: undefined
} as const

/** What is only known to the runner that runs the account's cycles. */
const ofRunner = [
  "bidhelm_account_stopped",
  "bidhelm_held_changes",
  "bidhelm_hand_overs_without_pass",
  "bidhelm_last_cycle_timestamp_seconds",
  "bidhelm_orders_at_risk",
  "bidhelm_orders_late",
  "bidhelm_orders_waiting",
  "bidhelm_plan_changes",
  "bidhelm_plan_unknown_rows",
  "bidhelm_spend_today_kopecks"
]

describe("a runner that no longer has an account", () => {
  it("tells nothing of its plans any more, and goes on with what is in the store for all", () =>
    Effect.gen(function* () {
      yield* Migrations.migrate
      const refreshed = (has: (account: string) => boolean) =>
        Effect.flatten(
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            DaemonFigures.refreshing({
              sql,
              accounts: ["stays", "moves"],
              turns: { status: () => Effect.succeed(idle) },
              has: ({ account }) => Effect.succeed(has(account)),
              current: Effect.succeed(current),
              clock: Clock.make()
            })
          )
        ).pipe(Effect.zipRight(Exposition.current), Effect.map(Exposed.parse))
      const shown = (page: ReturnType<typeof Exposed.parse>, account: string) =>
        [...page.values()]
          .filter(({ samples }) => samples.some(({ labels }) => labels.account === account))
          .map(({ name }) => name)
      for (const account of ["stays", "moves"]) {
        for (const gauge of [figures.planned, figures.unknownRows, figures.spend, figures.cycleDoneAt])
          yield* set(gauge, { account }, 7)
        yield* CycleFigures.watching(account).assembled({ atRisk: 2, late: 1, waiting: 9, withoutPass: 1 })
        for (const reason of CycleFigures.reasons) yield* set(figures.held, { account, reason }, 1)
      }
      const before = yield* refreshed(() => true)
      expect(shown(before, "moves")).toEqual(expect.arrayContaining(ofRunner))
      const after = yield* refreshed((account) => account !== "moves")
      expect(shown(after, "moves").filter((name) => ofRunner.includes(name))).toEqual([])
      expect(shown(after, "moves")).toContain("bidhelm_unknown_outcomes")
      expect(shown(after, "stays")).toEqual(expect.arrayContaining(ofRunner))
    }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })), Effect.runPromise))
})

it("brings figures up to date again after that broke once, and tells meanwhile that they are old", () =>
  Effect.gen(function* () {
    yield* Migrations.migrate
    let isBroken = true
    const refresh = yield* DaemonFigures.refreshing({
      sql: yield* SqlClient.SqlClient,
      accounts: [],
      turns: { status: () => Effect.succeed(idle) },
      has: () => Effect.succeed(true),
      current: Effect.suspend(() => (isBroken ? Effect.die("broken") : Effect.succeed(current))),
      clock: Clock.make()
    })
    const unread = Effect.map(Exposition.current, (page) => /^bidhelm_store_unreadable (\d)/m.exec(page)?.[1])
    yield* refresh
    const during = yield* unread
    isBroken = false
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 60_000 })
    yield* refresh
    expect([during, yield* unread]).toEqual(["1", "0"])
  }).pipe(
    Effect.provide(SqliteClient.layer({ filename: ":memory:" })),
    Effect.ensuring(Effect.sync(() => vi.useRealTimers())),
    Effect.runPromise
  ))

it("does not say that nothing is late while the store, which knows, cannot be read", () =>
  Effect.gen(function* () {
    const unknown = { submittedAt: undefined, nextDueAt: undefined, problem: undefined }
    const due = { account: "away", lane: "ads" as const, lagMs: 0, waiting: [], ...unknown }
    const page = (isMigrated: boolean) =>
      Effect.gen(function* () {
        if (isMigrated) yield* Migrations.migrate
        yield* Effect.flatten(
          DaemonFigures.refreshing({
            sql: yield* SqlClient.SqlClient,
            accounts: ["away"],
            turns: { status: () => Effect.succeed(idle) },
            has: () => Effect.succeed(true),
            current: Effect.succeed({ ...current, accounts: [due] }),
            clock: Clock.make()
          })
        )
        return Exposed.parse(yield* Exposition.current)
      }).pipe(Effect.provide(SqliteClient.layer({ filename: ":memory:" })))
    const told = (found: ReturnType<typeof Exposed.parse>, name: string) =>
      (found.get(name)?.samples ?? []).filter(({ labels }) => labels.account === "away")
    const names = ["bidhelm_lag_seconds", "bidhelm_due_times_waiting"]
    const well = yield* page(true)
    for (const name of names) expect(told(well, name)).toHaveLength(1)
    const unread = yield* page(false)
    for (const name of names) expect(told(unread, name)).toEqual([])
  }).pipe(Effect.runPromise))
