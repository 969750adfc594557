/**
 * The one door for tests of whole runs: a sandbox in memory, a virtual clock, a store in memory, the real limiter,
 * client, loaders, writers and engine, and rules as text. A story is a few lines: plan, apply, look at the ledger.
 */

import { readdirSync, readFileSync } from "node:fs"
import { setImmediate } from "node:timers/promises"
import * as SqlClient from "@effect/sql/SqlClient"
import * as Context from "effect/Context"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { SupplyId } from "../../src/domain/Ids.js"
import type { Lane } from "../../src/domain/Lane.js"
import type * as Decide from "../../src/engine/decide/Decide.js"
import type * as Apply from "../../src/engine/door/Apply.js"
import type { ChangeLog } from "../../src/engine/door/ChangeLog.js"
import type { CreationLog } from "../../src/engine/door/CreationLog.js"
import type { Holdings as HoldingsPort } from "../../src/engine/door/HoldStore.js"
import { Journal } from "../../src/engine/door/Journal.js"
import type { KillSwitch } from "../../src/engine/door/Stopping.js"
import type { Writer } from "../../src/engine/door/Writer.js"
import { type FactMemory, FactSource } from "../../src/engine/gather/FactSource.js"
import * as Match from "../../src/engine/gather/Match.js"
import * as Load from "../../src/engine/language/Load.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as AccountCycle from "../../src/engine/planning/AccountCycle.js"
import type { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import type { BoardSource } from "../../src/engine/planning/BoardSource.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import type { LimitsMemory } from "../../src/engine/planning/LimitsMemory.js"
import type { PolicyCall } from "../../src/engine/planning/PolicyJobs.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import type { Snapshots } from "../../src/engine/planning/Snapshots.js"
import type { DueTimes } from "../../src/engine/schedule/DueTimes.js"
import type { CycleResult } from "../../src/engine/schedule/Job.js"
import * as Recipes from "../../src/marketplace/creates/Recipes.js"
import * as FactLoader from "../../src/marketplace/FactLoader.js"
import * as BoardReader from "../../src/marketplace/fulfilment/BoardReader.js"
import * as Writers from "../../src/marketplace/Writers.js"
import * as CreationReasons from "../../src/reporting/CreationReasons.js"
import * as HandOverWords from "../../src/reporting/fulfilment/HandOverWords.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Control from "../../src/sandbox/Control.js"
import * as Faults from "../../src/sandbox/Faults.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { sandboxToken, type TokenOptions } from "../../src/sandbox/SandboxToken.js"
import type * as Client from "../../src/services/MarketplaceClient.js"
import type { CalendarMemory } from "../../src/services/ports/CalendarMemory.js"
import type { MarkVault } from "../../src/services/ports/MarkVault.js"
import type { OrderEvents } from "../../src/services/ports/OrderEvents.js"
import { PackingTables } from "../../src/services/ports/PackingTables.js"
import type { SupplyOrders } from "../../src/services/ports/SupplyOrders.js"
import type { TokenMemory } from "../../src/services/ports/TokenMemory.js"
import * as LimitsMemorySql from "../../src/store/accounts/LimitsMemorySql.js"
import * as TokenMemorySql from "../../src/store/accounts/TokenMemorySql.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as CalendarMemorySql from "../../src/store/facts/CalendarMemorySql.js"
import * as FactMemorySql from "../../src/store/facts/FactMemorySql.js"
import * as SnapshotsSql from "../../src/store/facts/SnapshotsSql.js"
import * as MarkVaultSql from "../../src/store/fulfilment/MarkVaultSql.js"
import * as OrderEventsSql from "../../src/store/fulfilment/OrderEventsSql.js"
import * as SupplyOrdersSql from "../../src/store/fulfilment/SupplyOrdersSql.js"
import * as ChangeLogSql from "../../src/store/journal/ChangeLogSql.js"
import * as CreationLogSql from "../../src/store/journal/CreationLogSql.js"
import * as DueTimesSql from "../../src/store/journal/DueTimesSql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as LimiterStoreSql from "../../src/store/limiter/LimiterStoreSql.js"
import * as ApprovalsSql from "../../src/store/people/ApprovalsSql.js"
import * as StopsSql from "../../src/store/people/StopsSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Depth from "../Depth.js"
import * as InMemoryHttp from "./InMemoryHttp.js"
import * as SandboxAccount from "./SandboxAccount.js"
import * as VirtualClock from "./VirtualClock.js"

export interface Options {
  /** Rule files; the shipped ones without their waiting unless given. */
  readonly rules?: ReadonlyArray<Load.File>
  /** `usualScale` unless given. */
  readonly scale?: Scale.Scale
  readonly market?: Sandbox.Options["market"]
  /** Promotions change what buyers pay. */
  readonly buyers?: boolean
  readonly seed?: number
  readonly token?: TokenOptions
  readonly maxScarceCalls?: number
  /** The store meets the account for the first time; without it the store knows the account for a month. */
  readonly firstDay?: boolean
  /** Who packs a supply at the moment of asking; nobody packs any unless given. */
  readonly packerOf?: (supplyId: SupplyId) => string | undefined
}

export const { account } = SandboxAccount
/** That of the demo; in `npm test` campaigns of every kind with half of its goods, for a run takes much less. */
export const usualScale: Scale.Scale = Depth.isDeep ? Scale.demo : { campaigns: 6, items: 2, clusters: 12 }
export const startMs = Date.parse("2026-09-01T06:00:00Z")

/** What a story can do. */
export interface World {
  readonly rules: RuleSet
  readonly plan: Effect.Effect<Cycle.Planned, unknown>
  /** A plan of the policies about promotions. */
  readonly planPromotions: Effect.Effect<Cycle.Planned, unknown>
  /** A run of some of the policies, as when only they are due. */
  readonly planOf: (policies: ReadonlySet<string>, lane?: Lane) => Effect.Effect<Cycle.Planned, unknown>
  /** Approves a plan and applies it. */
  readonly apply: (
    planned: Cycle.Planned,
    options?: Apply.ApplyOptions
  ) => Effect.Effect<Apply.ApplyReport, unknown>
  /** A cycle of the account, as the scheduler runs it; `journal` takes the place of the real one. */
  readonly cycle: (
    call: PolicyCall,
    journal?: typeof Journal.Service,
    watching?: AccountCycle.Watching
  ) => Effect.Effect<CycleResult>
  /** Accepted writes of ours, in order; human edits are left out. */
  readonly ledger: () => ReadonlyArray<Ledger.Entry>
  /** The marketplace itself, for looking behind what it answers. */
  readonly sandbox: typeof Sandbox.Sandbox.Service
  /** Requests by operation, and refusals for exceeding a limit. */
  readonly requests: (operation: string) => number
  readonly throttled: () => number
  readonly edit: (edit: Control.HumanEdit) => void
  /** From the next day on a campaign's buyers are so many times the usual. */
  readonly shiftDemand: (campaignId: number, factor: number) => void
  /** Plays a step of the shop, such as counting an item's stock. */
  readonly play: (played: Control.Played) => void
  /** A fresh loader, as every run has one. */
  readonly facts: Effect.Effect<typeof FactSource.Service, unknown>
  /** Faults by operation; an empty list heals. */
  readonly faults: (list: ReadonlyArray<Faults.Fault>) => void
  /** Engages the kill switch, or releases it. */
  readonly kill: (why: string | undefined) => void
  /** From now on the store's disk is full. */
  readonly fillDisk: Effect.Effect<void, unknown>
  readonly advance: (duration: Duration.DurationInput) => Effect.Effect<void>
  readonly now: () => number
  readonly journal: typeof Journal.Service
  readonly memory: typeof RuleMemory.Service
  readonly context: Context.Context<Parts>
}

/** What stories may ask for by its name. */
type Parts =
  | Journal
  | RuleMemory
  | HoldingsPort
  | ApprovalStore
  | ChangeLog
  | CreationLog
  | DueTimes
  | FactMemory
  | CalendarMemory
  | TokenMemory
  | LimitsMemory
  | Snapshots
  | Writer
  | KillSwitch
  | BoardSource
  | MarkVault
  | OrderEvents
  | PackingTables
  | SupplyOrders
  | Client.MarketplaceClient

/** Tells a story from its first instant to its last; virtual time passes whenever everybody waits. */
export const run = async <A>(
  options: Options,
  story: (world: World) => Effect.Effect<A, unknown>
): Promise<A> => {
  // Virtual time never waits: without this the runner hears nothing of a worker for a minute, and gives it up.
  await setImmediate()
  const time = VirtualClock.make(startMs)
  return Effect.runPromise(
    time.run(
      Effect.scoped(
        Effect.gen(function* () {
          const killed: { why: string | undefined } = { why: undefined }
          const context = yield* Layer.build(layers(options, killed))
          if (options.firstDay !== true) yield* Effect.provide(knownForAMonth, context)
          return yield* story(worldOf(context, options, killed, time))
        })
      )
    )
  )
}

const knownForAMonth = Effect.flatMap(RuleMemory, (memory) =>
  memory.depositMemory(account, startMs - 30 * 86_400_000)
)

/**
 * 01 to 03 at once, with what they share: cluster bids that go up, minus phrases, pauses. For tests of how changes are applied, which count them;
 * what else is turned on as it is shipped is for tests of the rules.
 */
export const firstRules = (): ReadonlyArray<Load.File> =>
  atOnce().filter(({ path }) => /\/(_shared\/|0[123]-)/.test(path))

/** The files of `rules/`, as the product ships them. */
export const shippedRules = (): ReadonlyArray<Load.File> =>
  ["rules", "rules/_shared"].flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".yaml"))
      .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(`${folder}/${name}`, "utf8") }))
  )

/** The shipped rules without `hold_for`, so that a first run shows every kind of change they make. */
export const atOnce = (): ReadonlyArray<Load.File> =>
  shippedRules().map(({ path, text }) => ({ path, text: text.replace(/^hold_for: .*\n/m, "") }))

let usual: RuleSet | undefined

const usualRules = (): RuleSet => {
  usual ??= check(atOnce())
  return usual
}

/** Checked rules; a problem in them ends the test. */
export const check = (files: ReadonlyArray<Load.File>): RuleSet => {
  const { ruleSet, diagnostics } = Load.check(files)
  if (ruleSet === undefined)
    throw new Error(diagnostics.map((d) => `${d.span.file}:${d.span.line} ${d.message}`).join("\n"))
  return ruleSet
}

/** What a decision is made from, of facts that a story gathered, under any rules; `more` says what else is known. */
export const decideInput = (
  rules: RuleSet,
  gathered: Cycle.Planned["gathered"],
  more: Partial<Pick<Decide.DecideInput, "past" | "slots">> = {}
): Decide.DecideInput => ({
  account: "main",
  currency: "RUB",
  nowMs: gathered.nowMs,
  zone: "Europe/Moscow",
  rules,
  gathered: Match.all(rules.policies, gathered),
  slots: new Map(),
  calls: {},
  ...more
})

type Services = Parts | SqlClient.SqlClient | Sandbox.Sandbox

const layers = (
  options: Options,
  killed: { readonly why: string | undefined }
): Layer.Layer<Services, unknown> => {
  const { seed, scale = usualScale, market, packerOf = () => undefined } = options
  const sqlite = SqliteClient.layer({ filename: ":memory:" })
  const store = Layer.mergeAll(
    JournalSql.layer,
    RuleMemorySql.layer,
    CreationLogSql.layer,
    StopsSql.layer,
    ApprovalsSql.layer,
    ChangeLogSql.layer,
    DueTimesSql.layer,
    FactMemorySql.layer,
    CalendarMemorySql.layer,
    MarkVaultSql.layer,
    OrderEventsSql.layer,
    SupplyOrdersSql.layer,
    Layer.succeed(PackingTables, { packerOf: (_, supplyId) => Effect.sync(() => packerOf(supplyId)) }),
    TokenMemorySql.layer,
    LimitsMemorySql.layer,
    SnapshotsSql.layer(),
    LimiterStoreSql.layer
  ).pipe(Layer.provideMerge(Migrations.layer.pipe(Layer.provideMerge(sqlite))))
  const wire = InMemoryHttp.layer({
    ...(seed === undefined ? {} : { seed }),
    scale,
    ...(market === undefined ? {} : { market }),
    buyers: options.buyers === true
  })
  const kill = SandboxAccount.killSwitch(killed)
  return Layer.mergeAll(Writers.layer(), Recipes.layerWhereabouts, BoardReader.layer, kill).pipe(
    Layer.provideMerge(SandboxAccount.client(sandboxToken(options.token))),
    Layer.provideMerge(Layer.mergeAll(wire, store))
  )
}

const worldOf = (
  context: Context.Context<Services>,
  options: Options,
  killed: { why: string | undefined },
  time: VirtualClock.VirtualTime
): World => {
  const sandbox = Context.get(context, Sandbox.Sandbox)
  const rules = options.rules === undefined ? usualRules() : check(options.rules)
  const { maxScarceCalls } = options
  const gatherOptions = {
    zone: "Europe/Moscow",
    ...(maxScarceCalls === undefined ? {} : { maxScarceCalls })
  }
  const planWith = (lane: Lane = "ads", due?: ReadonlySet<string>) =>
    Cycle.plan(rules, { ...gatherOptions, lane, ...(due === undefined ? {} : { due }) }).pipe(
      Effect.provide(FactLoader.layer),
      Effect.provide(context)
    )
  return {
    rules,
    plan: planWith(),
    planPromotions: planWith("promotions"),
    planOf: (due, lane) => planWith(lane, due),
    sandbox,
    apply: (planned, applyOptions) =>
      Cycle.apply(planned.reviewed, { approvedBy: "test", account }, applyOptions).pipe(
        Effect.provide(context)
      ),
    cycle: (
      { away, doing, due, lane, loaded, stopping },
      journal = Context.get(context, Journal),
      watching = undefined
    ) =>
      AccountCycle.run({
        tell: Reasons.stop,
        tellSettled: CreationReasons.settled,
        tellStop: HandOverWords.ofStop,
        account,
        lane,
        rules: loaded.rules,
        due,
        options: gatherOptions,
        approvedBy: `schedule, rules ${loaded.version}`,
        stopping,
        ...(away === undefined ? {} : { away }),
        ...(doing === undefined ? {} : { doing }),
        ...(watching === undefined ? {} : { watching })
      }).pipe(
        Effect.provideService(Journal, journal),
        Effect.provide(FactLoader.layer),
        Effect.provide(context)
      ),
    ledger: () => sandbox.ledger.entries.filter((entry) => entry.operation !== "human-edit"),
    requests: (operation) => sandbox.ledger.counters.get(operation)?.requests ?? 0,
    throttled: () => [...sandbox.ledger.counters.values()].reduce((sum, one) => sum + one.throttled, 0),
    edit: (edit) => {
      const problem = Control.humanEdit(sandbox, edit, time.now())
      if (problem !== undefined) throw new Error(problem)
    },
    shiftDemand: (campaignId, factor) => {
      const problem = Control.shiftDemand(sandbox, { campaignId, factor }, time.now())
      if (problem !== undefined) throw new Error(problem)
    },
    play: (played) => {
      const problem = Control.play(sandbox, played, time.now())
      if (problem !== undefined) throw new Error(problem)
    },
    facts: FactSource.pipe(Effect.provide(FactLoader.layer), Effect.provide(context)),
    faults: (list) => Faults.arm(sandbox.faults, list),
    kill: (why) => {
      killed.why = why
    },
    fillDisk: Effect.asVoid(Context.get(context, SqlClient.SqlClient)`PRAGMA max_page_count = 1`),
    advance: (duration) => Effect.sleep(duration),
    now: time.now,
    journal: Context.get(context, Journal),
    memory: Context.get(context, RuleMemory),
    context
  }
}
