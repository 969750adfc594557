/**
 * The trial program: the product's store, door, undo, approvals and history over a marketplace of prices. Built with `Parts`
 * and `All` of this folder in place of the product's; a module for whoever imports it, and a process where it is to be killed.
 *
 *     program STORE URL apply|ask ITEM BEFORE AFTER | approve | undo RUN | history RUN
 */

import { fileURLToPath } from "node:url"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as StopAt from "../../../src/cli/account/StopAt.js"
import * as Review from "../../../src/engine/decide/Review.js"
import * as Summary from "../../../src/engine/decide/Summary.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import * as Load from "../../../src/engine/language/Load.js"
import { ApprovalStore } from "../../../src/engine/planning/ApprovalStore.js"
import * as Approvals from "../../../src/engine/planning/Approvals.js"
import * as Asking from "../../../src/engine/planning/Asking.js"
import * as Cycle from "../../../src/engine/planning/Cycle.js"
import * as Undo from "../../../src/engine/planning/Undo.js"
import * as FactLoader from "../../../src/marketplace/FactLoader.js"
import * as History from "../../../src/reporting/history/History.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as LimitsMemorySql from "../../../src/store/accounts/LimitsMemorySql.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as ChangeLogSql from "../../../src/store/journal/ChangeLogSql.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../../src/store/journal/RuleMemorySql.js"
import * as LimiterStoreSql from "../../../src/store/limiter/LimiterStoreSql.js"
import * as ApprovalsSql from "../../../src/store/people/ApprovalsSql.js"
import * as StopsSql from "../../../src/store/people/StopsSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as Said from "../../reporting/Said.js"
import * as InMemoryHttp from "../../scenario/InMemoryHttp.js"
import * as SandboxAccount from "../../scenario/SandboxAccount.js"
import * as Price from "./Price.js"
import * as PriceWriter from "./PriceWriter.js"

type Words = ReadonlyArray<string>

const { account } = SandboxAccount
const options = { zone: "Europe/Moscow" }

const rulesOf = (mode: "apply" | "approve") => {
  const text = `version: 1\nname: Prices\nmode: ${mode}\neach: campaign\nwhen: budget < 1 ₽\ndo: pause\n`
  const { diagnostics, ruleSet } = Load.check([{ path: "rules/prices.yaml", text }])
  if (ruleSet === undefined) throw new Error(JSON.stringify(diagnostics))
  return ruleSet
}

/** A plan of one price, in place of what the rules make. */
const planned = (words: Words, mode: "apply" | "approve") =>
  Effect.gen(function* () {
    const [item = 0, before = 0, after = 0] = words.map(Number)
    const { context, reviewed } = yield* Cycle.plan(rulesOf(mode), options)
    const { id: _, seal: __, summary: ___, ...draft } = reviewed.plan
    const change = Price.change({ by: "policy", name: "prices", line: 6 }, item, before, after)
    return Review.review(Summary.seal({ ...draft, changes: [change] }), context)
  })

const apply = (reviewed: Review.ReviewedPlan, chosen?: ReadonlySet<string>) =>
  Effect.map(
    Cycle.apply(
      reviewed,
      { approvedBy: "test", account, ...(chosen === undefined ? {} : { chosen }) },
      // Whoever held the lock before was killed.
      { abandoned: () => true }
    ),
    ({ recovered, rows, runId }) => ({
      runId,
      states: rows.map(({ state }) => state),
      recovered: recovered.map(({ change, state }) => `${change.kind} ${state}`)
    })
  )

type Command = (words: Words) => Effect.Effect<unknown, unknown, Services>

const commands: Readonly<Record<string, Command>> = {
  apply: (words) => Effect.flatMap(planned(words, "apply"), (reviewed) => apply(reviewed)),
  ask: Effect.fn(function* (words) {
    const reviewed = yield* planned(words, "approve")
    const { now, request } = yield* Asking.afterPlan(reviewed)
    return { atOnce: now.size, asked: request?.asked.map(({ tier, why }) => `${tier}: ${why}`) }
  }),
  approve: Effect.fn(function* () {
    const store = yield* ApprovalStore
    const [request] = yield* store.list(account, 1)
    if (request === undefined) return "nothing waits"
    const { context } = yield* Cycle.plan(rulesOf("approve"), options)
    const nowMs = yield* Clock.currentTimeMillis
    const reviewed = yield* Review.reload(request.plan, { ...context, account, nowMs })
    const { chosen } = yield* Approvals.bind(request, reviewed, {
      nowMs,
      done: yield* Approvals.done(request)
    })
    yield* store.decide(account, request.id, { to: "approved", by: "anna", nowMs, ids: chosen })
    return yield* apply(reviewed, chosen)
  }),
  undo: Effect.fn(function* ([runId = ""]) {
    const rows = yield* Undo.find(account, runId)
    const { left, reviewed } = yield* Undo.plan(rulesOf("apply"), rows, options)
    return reviewed.appliable.length === 0 ? left.map(Said.leftWhy) : yield* apply(reviewed)
  }),
  history: Effect.fn(function* ([runId = ""]) {
    const rows = yield* (yield* Journal).rows(runId)
    return History.outcomes(runId, rows, "RUB")
  })
}

const store = (filename: string) =>
  Layer.mergeAll(
    JournalSql.layer,
    RuleMemorySql.layer,
    ChangeLogSql.layer,
    ApprovalsSql.layer,
    LimitsMemorySql.layer,
    StopsSql.layer,
    LimiterStoreSql.layer
  ).pipe(Layer.provide(Migrations.layer), Layer.provide(SqliteClient.layer({ filename })))

/** One campaign of the sandbox is all that a plan needs to be made: what it changes is the price. */
const scale = { campaigns: 1, items: 1, clusters: 1 }

const services = (filename: string, url: string) =>
  Layer.mergeAll(FactLoader.layer, PriceWriter.layer(url), StopAt.layer).pipe(
    Layer.provideMerge(SandboxAccount.killSwitch({ why: undefined })),
    Layer.provideMerge(SandboxAccount.client(sandboxToken())),
    Layer.provideMerge(Layer.mergeAll(InMemoryHttp.layer({ scale }), store(filename)))
  )
type Services = Layer.Layer.Success<ReturnType<typeof services>>

/** Runs a command to its end, everything opened anew and closed again, and answers what it has to tell. */
export const run = ([filename = "", url = "", command = "", ...words]: Words): Promise<unknown> =>
  Effect.runPromise(
    Effect.provide(
      commands[command]?.(words) ?? Effect.dieMessage("no such command"),
      services(filename, url)
    )
  )

if (process.argv[1] === fileURLToPath(import.meta.url))
  run(process.argv.slice(2)).then(
    (told) => process.stdout.write(`${JSON.stringify(told)}\n`),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`)
      process.exitCode = 1
    }
  )
