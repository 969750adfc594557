/** Two lanes of one account against the sandbox: its ledger says what each sent, and when. */

import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { BeforeSend, Withheld } from "../../src/domain/BeforeSend.js"
import { type Lane, lanes } from "../../src/domain/Lane.js"
import { WritePermit } from "../../src/domain/WritePermit.js"
import * as Create from "../../src/engine/door/Create.js"
import { CreationLog } from "../../src/engine/door/CreationLog.js"
import * as Creations from "../../src/engine/door/Creations.js"
import * as LastLook from "../../src/engine/door/LastLook.js"
import * as Lease from "../../src/engine/door/Lease.js"
import * as Permit from "../../src/engine/door/Permit.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as PolicyJobs from "../../src/engine/planning/PolicyJobs.js"
import * as RuleSource from "../../src/engine/planning/RuleSource.js"
import * as AccountTurn from "../../src/engine/schedule/AccountTurn.js"
import * as Dispatch from "../../src/engine/schedule/Dispatch.js"
import {
  type CycleCall,
  type CycleResult,
  type Job,
  JobSource,
  type Runnable,
  together
} from "../../src/engine/schedule/Job.js"
import * as Supervisor from "../../src/engine/schedule/Supervisor.js"
import * as Ticker from "../../src/engine/schedule/Ticker.js"
import * as Recipes from "../../src/marketplace/creates/Recipes.js"
import * as CreationReasons from "../../src/reporting/CreationReasons.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Supplies from "../../src/services/areas/supplies/Supplies.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Scenario from "../scenario/Scenario.js"

const minuteMs = 60_000
/** A small shop: what is told here is about the lanes. */
const scale = { campaigns: 4, items: 2, clusters: 1 }

/** Raises every bid a little, each quarter of an hour; whether it came about is seen minutes later. */
const raise: Load.File = {
  path: "rules/raise.yaml",
  text: `version: 1
name: raise
mode: apply
schedule: {every: 15m}
each: campaign_item
where: [campaign.payment = cpm, campaign.status = active]
when: bid > 1 ₽
do:
  raise_bid: {by: 1%, cap: 9000 ₽}
cooldown: 10m
`
}

/** Opens a supply in lane `orders`, through the door: lock, last look, created once. */
const openSupply = (world: Scenario.World, { account, lane }: CycleCall) =>
  Effect.gen(function* () {
    const id = `supply of ${world.now()}`
    const lease = yield* Lease.hold({ account, lane }, id)
    const client = yield* MarketplaceClient
    const send = Supplies.make(client).create(id)
    const recipe = { ...Recipes.of(client, "createSupply", id, { name: id }, send, (made) => made), lane }
    const last = Effect.flatMap(LastLook.reasonToStop(lease), (reason) =>
      reason === undefined ? Effect.void : Effect.fail(new Withheld({ reason, why: Reasons.stop(reason) }))
    )
    const outcome = yield* Create.once(id, recipe).pipe(
      Effect.provideService(BeforeSend, Effect.provide(last, world.context)),
      Effect.provideService(WritePermit, Permit.confirmed(Scenario.account, id))
    )
    const said =
      "because" in outcome ? `${outcome._tag}: ${CreationReasons.text(outcome.because)}` : outcome._tag
    return { _tag: "Done", planId: id, runId: id, said } satisfies CycleResult
  }).pipe(
    Effect.scoped,
    Effect.provide(world.context),
    Effect.catchAll(
      (error): Effect.Effect<CycleResult> => Effect.succeed({ _tag: "Busy", why: error.message })
    )
  )

/** The policies' jobs, and one of lane `orders`; what each cycle of orders said. */
const scheduled = (world: Scenario.World, said: Array<string>, everyMs: number) =>
  Effect.gen(function* () {
    const runnable: Runnable = {
      version: "test",
      run: (call) =>
        Effect.tap(openSupply(world, call), (result) =>
          Effect.sync(() => said.push("said" in result ? result.said : result._tag))
        )
    }
    const orders = (account: string): ReadonlyArray<Job> => [
      { id: "supplies", account, lane: "orders", schedule: { every: everyMs, tz: "UTC" }, runnable }
    ]
    const policies = yield* PolicyJobs.source((call) => world.cycle(call))
    const jobs = together([
      policies,
      { current: Effect.succeed({ version: "test", problem: undefined, of: orders }) }
    ])
    const turns = yield* Effect.provideService(AccountTurn.make(), JobSource, jobs)
    const supervisor = yield* Supervisor.make({ accounts: [Scenario.account], spreadMs: 0 }).pipe(
      Effect.provideService(Dispatch.Dispatch, Dispatch.direct(turns)),
      Effect.provideService(JobSource, jobs),
      Effect.provide(Ticker.layerVirtual)
    )
    yield* Effect.forkScoped(supervisor.run)
    return turns
  }).pipe(
    Effect.provideService(RuleSource.RuleSource, RuleSource.fixed(world.rules)),
    Effect.provide(world.context)
  )

const ads = { account: Scenario.account, lane: "ads" } as const

/** Waits until the cycle of advertising is at that. */
const until = (world: Scenario.World, turns: AccountTurn.Turns, doing: string | undefined) =>
  world
    .advance("5 seconds")
    .pipe(Effect.zipRight(turns.status(ads)), Effect.repeat({ until: (now) => now.doing === doing }))

const suppliesAt = (world: Scenario.World) =>
  world
    .ledger()
    .filter(({ operation }) => operation === "createSupply")
    .map(({ at }) => at)

const bidsAt = (world: Scenario.World) =>
  world
    .ledger()
    .filter(({ operation }) => operation !== "createSupply")
    .map(({ at }) => at)

describe("two lanes of an account", () => {
  it("send side by side: orders go out while advertising waits to read back what it sent", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const said: Array<string> = []
          const turns = yield* scheduled(world, said, minuteMs)
          yield* until(world, turns, "reading back")
          const from = world.now()
          yield* until(world, turns, undefined)
          const to = world.now()
          const during = suppliesAt(world).filter((at) => at > from && at < to)
          expect(to - from).toBeGreaterThan(minuteMs)
          expect(during.length).toBeGreaterThanOrEqual(Math.floor((to - from) / minuteMs))
          expect(bidsAt(world).length).toBeGreaterThan(0)
          expect(new Set(said)).toEqual(new Set(["Created"]))
          const runs = yield* world.journal.runs(Scenario.account, 5, undefined, "ads")
          expect(runs.map(({ status }) => status)).toEqual(["done"])
          const rows = yield* world.journal.rows(runs[0]!.runId)
          expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["applied"]))
        })
      )
    ))

  it("are both stopped by the kill switch, and both go on after it", () =>
    Scenario.run({ rules: [raise], scale }, (world) =>
      Effect.scoped(
        Effect.gen(function* () {
          const said: Array<string> = []
          const turns = yield* scheduled(world, said, 2 * minuteMs)
          yield* until(world, turns, "reading back")
          world.kill("something is wrong")
          const from = world.now()
          yield* world.advance("20 minutes")
          expect(suppliesAt(world).filter((at) => at > from)).toEqual([])
          expect(bidsAt(world).filter((at) => at > from)).toEqual([])
          expect(said.at(-1)).toBe("NotSent: kill switch: something is wrong")
          const to = world.now()
          world.kill(undefined)
          yield* world.advance("20 minutes")
          expect(suppliesAt(world).filter((at) => at > to).length).toBeGreaterThan(5)
          expect(bidsAt(world).filter((at) => at > to).length).toBeGreaterThan(0)
        })
      )
    ))
})

describe("what concerns the whole account", () => {
  it("takes the locks of all lanes, or none when one of them is another's", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { account } = Scenario
        const granted = Effect.forEach(lanes, (lane) =>
          Effect.map(
            world.journal.acquire({ account, lane }, "somebody", world.now(), 45_000),
            (lock) => lock.granted
          )
        )
        const all = Lease.holdAll(account, "reconcile")
        const busy = yield* Effect.scoped(
          Effect.zipRight(Lease.hold({ account, lane: "promotions" }, "one"), Effect.scoped(Effect.flip(all)))
        ).pipe(Effect.provide(world.context))
        expect(busy).toMatchObject({ _tag: "ApplyBusy", holder: "one" })
        const within = yield* Effect.scoped(Effect.zipRight(all, granted)).pipe(Effect.provide(world.context))
        expect(within).toEqual([false, false, false])
        expect(yield* granted).toEqual([true, true, true])
      })
    ))

  it("is not what settling a lane is: a creation under way in another one is left alone", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const { account } = Scenario
        const log = Context.get(world.context, CreationLog)
        yield* log.begin({
          id: "under way",
          account,
          lane: "orders",
          operation: "createSupply",
          marker: "morning",
          requestHash: "h",
          beforeIds: [],
          state: "claimed",
          foundId: undefined,
          reason: undefined,
          storedAt: world.now()
        })
        const settle = (lane: Lane) => Effect.provide(Creations.settle({ account, lane }), world.context)
        expect(yield* settle("ads")).toEqual([])
        expect(yield* log.one("under way")).toMatchObject({ state: "claimed" })
        expect(yield* settle("orders")).toHaveLength(1)
        expect(yield* log.one("under way")).toMatchObject({ state: "skipped" })
      })
    ))
})
