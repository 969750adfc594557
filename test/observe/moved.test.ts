/** Several runners: the figures of an account that another one has now are not told by the one that had it. */
import * as SqlClient from "@effect/sql/SqlClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { describe, expect, it, vi } from "vitest"
import * as CycleFigures from "../../src/cli/daemon/CycleFigures.js"
import * as DaemonFigures from "../../src/cli/daemon/DaemonFigures.js"
import * as Exposition from "../../src/cli/daemon/Exposition.js"
import { figures, set } from "../../src/domain/Figures.js"
import { type AccountLane, lanes } from "../../src/domain/Lane.js"
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
  "bidhelm_hand_overs_without_pass",
  "bidhelm_held_changes",
  "bidhelm_last_cycle_timestamp_seconds",
  "bidhelm_orders_at_risk",
  "bidhelm_orders_late",
  "bidhelm_orders_waiting",
  "bidhelm_plan_changes",
  "bidhelm_plan_unknown_rows",
  "bidhelm_spend_today_kopecks"
]

const ofOrders = ofRunner.filter((name) => /orders|hand_overs/.test(name))

describe("a runner that no longer has an account", () => {
  it("tells nothing of its plans any more, and goes on with what is in the store for all", () =>
    Effect.gen(function* () {
      yield* Migrations.migrate
      const refreshed = (has: (where: AccountLane) => boolean) =>
        Effect.flatten(
          Effect.flatMap(SqlClient.SqlClient, (sql) =>
            DaemonFigures.refreshing({
              sql,
              accounts: ["stays", "moves"],
              turns: { status: () => Effect.succeed(idle) },
              has: (where) => Effect.succeed(has(where)),
              current: Effect.succeed(current),
              clock: Clock.make()
            })
          )
        ).pipe(Effect.zipRight(Exposition.current), Effect.map(Exposed.parse))
      const shown = (page: ReturnType<typeof Exposed.parse>, account: string, lane?: string) =>
        [...page.values()]
          .filter(({ samples }) =>
            samples.some(({ labels }) => labels.account === account && (labels.lane ?? lane) === lane)
          )
          .map(({ name }) => name)
          .filter((name) => ofRunner.includes(name))
          .sort()
      for (const account of ["stays", "moves"]) {
        yield* set(figures.spend, { account }, 7)
        for (const lane of lanes) {
          const where = { account, lane }
          for (const gauge of [figures.planned, figures.unknownRows, figures.cycleDoneAt])
            yield* set(gauge, where, 7)
          for (const reason of CycleFigures.reasons) yield* set(figures.held, { ...where, reason }, 1)
        }
        const orders = CycleFigures.watching({ account, lane: "orders" })
        yield* orders.assembled({ counts: { atRisk: 2, late: 1 }, waiting: 9, withoutPass: 1 })
      }
      const before = yield* refreshed(() => true)
      expect(shown(before, "moves", "ads")).toEqual(ofRunner)
      const apart = yield* refreshed(({ account, lane }) => account !== "moves" || lane === "orders")
      expect(shown(apart, "moves", "ads").filter((name) => !ofOrders.includes(name))).toEqual([
        "bidhelm_account_stopped"
      ])
      expect(shown(apart, "moves", "orders")).toEqual(ofRunner.filter((name) => !name.includes("spend")))
      const after = yield* refreshed(({ account }) => account !== "moves")
      for (const lane of lanes) expect(shown(after, "moves", lane)).toEqual([])
      const unknown = after.get("bidhelm_unknown_outcomes")?.samples.map(({ labels }) => labels.account)
      expect(unknown).toContain("moves")
      expect(shown(after, "stays", "ads")).toEqual(ofRunner)
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
