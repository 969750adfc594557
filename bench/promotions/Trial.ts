/**
 * One plan of an account's promotions, as `bidhelm plan --lane promotions` makes it: rules and the seller's table read from
 * files, answers through the real client, gathered, decided, reviewed, kept in a new store. The clock stands still and no limit
 * makes anybody wait, so what is measured is this program's own work.
 */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as DataFiles from "../../src/cli/rules/DataFiles.js"
import { AccountName } from "../../src/domain/Ids.js"
import { KillSwitch } from "../../src/engine/door/Stopping.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as FactLoader from "../../src/marketplace/FactLoader.js"
import { Limiter } from "../../src/services/Limiter.js"
import * as MarketplaceClient from "../../src/services/MarketplaceClient.js"
import * as LimitsMemorySql from "../../src/store/accounts/LimitsMemorySql.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as FactMemorySql from "../../src/store/facts/FactMemorySql.js"
import * as ChangeLogSql from "../../src/store/journal/ChangeLogSql.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as ApprovalsSql from "../../src/store/people/ApprovalsSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Scenario from "../../test/scenario/Scenario.js"
import * as Account from "./Account.js"

export const phases = ["table", "gather", "match", "decide", "review", "save"] as const
export type Phase = (typeof phases)[number]

export interface Measured {
  readonly changes: number
  readonly unchanged: number
  readonly unknown: number
  readonly held: number
  /** Equal plans have equal ids. */
  readonly planId: string
  /** Processor seconds, without the making of answers. */
  readonly cpuSeconds: number
  readonly phases: Readonly<Record<Phase, number>>
  /** Making the answers, and `JSON.parse` of them all when the plan was made. */
  readonly answersSeconds: number
  readonly parseSeconds: number
  readonly answersMiB: number
  readonly calls: number
  /** Of the process before the plan, most of it the records that answers are made of; and at most. */
  readonly beforeMiB: number
  readonly peakMiB: number
}

const rule = (name: string, lines: string) => `version: 1
name: ${name}
mode: approve
schedule: {at: "07:00", tz: Europe/Moscow}
each: promotion_item
where:
  - promotion.type = regular
  - promotion.starts_in between 12h and 7d
when:
${lines}
max_unknown: 50%
`

const joining = rule(
  "Join by margin",
  `  - margin_at_plan_price >= 18%
  - price_drop <= 25%
  - days_of_cover >= 10
do: enrol`
)
const reaching = rule(
  "Reach the next tier",
  `  - price_drop <= 25%
  - days_of_cover >= 10
do:
  enrol: {reach_tier: next}`
)

const rulesOf = { join: [joining], tier: [reaching], both: [joining, reaching] } as const

export type Kind = keyof typeof rulesOf

export const rulesIn = (kind: Kind): number => rulesOf[kind].length

export const isKind = (word: string): word is Kind => word in rulesOf

/** Plans once in this process the account that another one has drawn; its peak memory is the process's. */
export const measure = async (kind: Kind, drawn: string): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), "bidhelm-promotions-"))
  try {
    const account = Account.read(drawn)
    const files = written(folder, kind, account.table)
    const marks = new Marks(account.told)
    const beforeMiB = process.memoryUsage().rss / 2 ** 20
    marks.begin()
    const set = Scenario.check(await Effect.runPromise(DataFiles.attach(files)))
    marks.end("table")
    const { reviewed } = await Effect.runPromise(
      Effect.withClock(
        Effect.gen(function* () {
          const source = FactLoader.make(yield* client)
          const memory = yield* RuleMemory
          return yield* Cycle.plan(set, { zone: "Europe/Moscow", lane: "promotions" }).pipe(
            Effect.provideService(FactSource, source),
            Effect.provideService(RuleMemory, watched(memory, marks)),
            Effect.provideService(KillSwitch, {
              engaged: Effect.sync(() => {
                marks.end("decide")
                return undefined
              })
            })
          )
        }),
        standing
      ).pipe(
        Effect.provideService(HttpClient.HttpClient, account.http),
        Effect.provideService(Limiter, open),
        Effect.provide(store(join(folder, "store.sqlite")))
      )
    )
    const { changes, held, id, unchanged, unknown } = reviewed.plan
    const peakMiB = process.resourceUsage().maxRSS / 1024
    return {
      changes: changes.length,
      unchanged: unchanged.length,
      unknown: unknown.length,
      held: held.length,
      planId: id,
      cpuSeconds: Object.values(marks.spent).reduce((sum, one) => sum + one, 0),
      phases: marks.spent,
      answersSeconds: account.told.cpuMicros / 1e6,
      answersMiB: account.told.bytes / 2 ** 20,
      calls: account.told.calls,
      beforeMiB,
      peakMiB,
      parseSeconds: parsing(account)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const written = (folder: string, kind: Kind, table: string) => {
  const shared = join(folder, "rules", "_shared")
  mkdirSync(shared, { recursive: true })
  const economics = join(shared, "economics.csv")
  copyFileSync(table, economics)
  const rules = rulesOf[kind].map((text, at) => ({
    path: `rules/${at + 1}0-promotions.yaml`,
    text
  }))
  return [...rules, { path: economics, text: "" }]
}

const client = MarketplaceClient.make({
  account: AccountName("bench"),
  token: {
    value: Redacted.make("token"),
    kind: "personal",
    categories: undefined,
    readOnly: false,
    expiresAt: undefined,
    test: false
  },
  hosts: {
    marketplace: "http://localhost",
    advert: "http://localhost",
    calendar: "http://localhost",
    analytics: "http://localhost"
  }
})

/** Timeouts are the machine's: sleepers of a virtual clock would keep every answer until their time comes. */
const machine = Clock.make()
const standing: Clock.Clock = {
  [Clock.ClockTypeId]: Clock.ClockTypeId,
  unsafeCurrentTimeMillis: () => Account.nowMs,
  unsafeCurrentTimeNanos: () => BigInt(Account.nowMs) * 1_000_000n,
  currentTimeMillis: Effect.succeed(Account.nowMs),
  currentTimeNanos: Effect.succeed(BigInt(Account.nowMs) * 1_000_000n),
  sleep: (duration) => machine.sleep(duration)
}

/** One call at a time, as the marketplace's limits make them: many at once would keep as many answers. */
const turn = Effect.unsafeMakeSemaphore(1).withPermits(1)
const open = {
  call: <A, E, R>(_: unknown, send: Effect.Effect<A, E, R>) => turn(send),
  states: Effect.succeed([]),
  quotas: Effect.succeed([])
}

const store = (filename: string) =>
  Layer.mergeAll(
    JournalSql.layer,
    RuleMemorySql.layer,
    LimitsMemorySql.layer,
    ChangeLogSql.layer,
    FactMemorySql.layer,
    ApprovalsSql.layer,
    Migrations.layer
  ).pipe(Layer.provideMerge(SqliteClient.layer({ filename })))

/** Processor time between what the plan asks of its surroundings. */
class Marks {
  readonly spent: Record<Phase, number> = { table: 0, gather: 0, match: 0, decide: 0, review: 0, save: 0 }
  private before = process.cpuUsage()
  private answers = 0

  constructor(private readonly told: Account.Told) {}

  begin(): void {
    this.before = process.cpuUsage()
  }

  end(phase: Phase): void {
    const { system, user } = process.cpuUsage(this.before)
    this.spent[phase] += (system + user - (this.told.cpuMicros - this.answers)) / 1e6
    this.answers = this.told.cpuMicros
    this.begin()
  }
}

/** Slots are read when a plan begins and when its facts are there; what counts for `hold_for` when they are matched. */
const watched = (memory: RuleMemory["Type"], marks: Marks): RuleMemory["Type"] => {
  let looks = 0
  return {
    ...memory,
    slots: (...asked) =>
      Effect.suspend(() => {
        looks += 1
        if (looks === 2) marks.end("gather")
        return memory.slots(...asked)
      }),
    holds: (account) =>
      Effect.suspend(() => {
        marks.end("match")
        return memory.holds(account)
      }),
    savePlan: (plan) =>
      Effect.suspend(() => {
        marks.end("review")
        return Effect.ensuring(
          memory.savePlan(plan),
          Effect.sync(() => marks.end("save"))
        )
      })
  }
}

const parsing = (account: Account.Account): number => {
  let micros = 0
  for (const body of account.bodies()) {
    const before = process.cpuUsage()
    JSON.parse(new TextDecoder().decode(body))
    const { system, user } = process.cpuUsage(before)
    micros += system + user
  }
  return micros / 1e6
}
