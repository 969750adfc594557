/**
 * What a plan is worth when only `k` pairs can be asked for a recommendation, over the best `k` that somebody who knew
 * every recommendation would have asked: for us, in the order pairs come, and in the order of their spend. Each walks
 * through the same days of the same account by itself, with the changes it makes.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Target from "../../src/domain/Target.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Gather from "../../src/engine/gather/Gather.js"
import * as Match from "../../src/engine/gather/Match.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as FactMemorySql from "../../src/store/facts/FactMemorySql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Scenario from "../../test/scenario/Scenario.js"
import * as VirtualClock from "../../test/scenario/VirtualClock.js"
import * as Account from "./DriftingAccount.js"

export const days = 12

/** Ratios of one way of choosing: the first day, which knows nothing, and the mean and the worst of the second half. */
export interface Ratios {
  readonly cold: number
  readonly warm: number
  readonly worst: number
}

export interface Compared {
  readonly share: number
  readonly k: number
  readonly pairs: number
  readonly ours: Ratios
  readonly bySpend: Ratios
  readonly byArrival: Ratios
  /** Chosen by what is expected of yesterday's recommendations of every pair: nobody who must ask knows more. */
  readonly ceiling: Ratios
}

const startMs = Date.parse("2026-09-01T06:00:00Z")
const dayMs = 86_400_000

const rules = (): RuleSet =>
  Scenario.check([
    {
      path: "rules/raise.yaml",
      text: `version: 1
name: raise
each: cluster
where:
  - campaign.status = active
  - campaign.payment = cpm
window: 7d
when:
  - orders >= 3
  - bid < recommended.reach_max
do:
  raise_bid: {by: 10%, toward: recommended.reach_max, cap: 100000 ₽}
`
    }
  ])

/** Pairs chosen on a day, and what the plan made of them is worth. */
type Choose = (
  world: Account.World,
  day: number,
  k: number,
  weather: Account.Weather
) => Effect.Effect<number, unknown>

export const compare = (
  share: number,
  seed: number,
  weather: Account.Weather
): Effect.Effect<Compared, unknown> =>
  Effect.gen(function* () {
    const pairs = Account.candidates(Account.make(seed)).length
    const k = Math.round(pairs * share)
    const ours = yield* Effect.provide(walk(seed, k, weather, engine(rules())), memory)
    const bySpend = yield* walk(
      seed,
      k,
      weather,
      simply(({ spend }) => spend)
    )
    const byArrival = yield* walk(
      seed,
      k,
      weather,
      simply(() => 0)
    )
    const knowing = simply(({ pair }, world) => Account.expected(world, pair, weather))
    const ceiling = yield* walk(seed, k, weather, knowing)
    return { share, k, pairs, ours, bySpend, byArrival, ceiling }
  })

const memory = FactMemorySql.layer.pipe(
  Layer.provide(Migrations.layer),
  Layer.provide(SqliteClient.layer({ filename: ":memory:" }))
)

const walk = <R>(
  seed: number,
  k: number,
  weather: Account.Weather,
  choose: (
    world: Account.World,
    day: number,
    k: number,
    weather: Account.Weather
  ) => Effect.Effect<number, unknown, R>
): Effect.Effect<Ratios, unknown, R> =>
  Effect.gen(function* () {
    const world = Account.make(seed)
    const ratios: Array<number> = []
    for (let day = 0; day < days; day++) {
      const best = Account.candidates(world)
        .map(({ pair }) => Account.worth(world, pair))
        .sort((a, b) => b - a)
        .slice(0, k)
        .reduce((sum, one) => sum + one, 0)
      ratios.push((yield* choose(world, day, k, weather)) / best)
      Account.sleep(world, weather)
    }
    const warm = ratios.slice(days / 2)
    return {
      cold: ratios[0] ?? 0,
      warm: warm.reduce((sum, one) => sum + one, 0) / warm.length,
      worst: Math.min(...warm)
    }
  })

const simply =
  (worth: (one: { readonly pair: string; readonly spend: number }, world: Account.World) => number): Choose =>
  (world, _day, k, weather) =>
    Effect.sync(() => {
      const chosen = Account.candidates(world)
        .map((one) => ({ ...one, worth: worth(one, world) }))
        .sort((a, b) => b.worth - a.worth)
        .slice(0, k)
      const value = chosen.reduce((sum, { pair }) => sum + Account.worth(world, pair), 0)
      Account.raise(
        world,
        chosen.map(({ pair }) => pair),
        weather
      )
      return value
    })

/** The real gathering and matching: its rows that match are the plan. */
const engine = (set: RuleSet) => (world: Account.World, day: number, k: number, weather: Account.Weather) => {
  const nowMs = startMs + day * dayMs
  const asked = new Set<string>()
  return VirtualClock.make(nowMs)
    .run(
      Gather.run(set, { zone: "Europe/Moscow", maxScarceCalls: k }).pipe(
        Effect.provideService(FactSource, Account.source(world, nowMs, asked))
      )
    )
    .pipe(
      Effect.map((gathered) => {
        if (asked.size > k) throw new Error(`${asked.size} pairs asked, ${k} allowed`)
        const { rules, table } = Match.all(set.policies, gathered)[0]!
        const acting = new Set(
          rules
            .flatMap(({ matched }) => [...matched])
            .map((row) => {
              const { cluster: _, ...pair } = table.target(row)
              return Target.key(pair)
            })
        )
        const value = [...acting].reduce((sum, pair) => sum + Account.worth(world, pair), 0)
        Account.raise(world, acting, weather)
        return value
      })
    )
}
