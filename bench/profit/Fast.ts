/**
 * Weeks of an account under rules in some seconds: the real engine plans from facts that the real loaders read, and what the
 * review lets go the real writers send; but nothing waits for a call limit, nothing is stored, and what was accepted is
 * believed. How far that is from the whole program is measured by `--whole` and by test/profit/agrees.test.ts.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { WritePermit } from "../../src/domain/WritePermit.js"
import * as Review from "../../src/engine/decide/Review.js"
import * as Permit from "../../src/engine/door/Permit.js"
import * as Send from "../../src/engine/door/Send.js"
import { Writer } from "../../src/engine/door/Writer.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as FactLoader from "../../src/marketplace/FactLoader.js"
import * as Sandbox from "../../src/sandbox/Sandbox.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../../test/scenario/Scenario.js"
import * as VirtualClock from "../../test/scenario/VirtualClock.js"
import * as Due from "../../test/simulation/Due.js"
import * as Account from "./Account.js"
import type { Asked, Lived } from "./Lived.js"
import * as Marketplace from "./Marketplace.js"
import { Quiet } from "./Quiet.js"
import * as Remembered from "./Remembered.js"

/** Lives the weeks. */
export const run = (asked: Asked): Promise<Lived> => {
  const time = VirtualClock.make(Account.startMs)
  return Effect.runPromise(time.run(Effect.scoped(weeks(asked, time.now))))
}

const weeks = ({ days, dailyKopecks, files, market, scale, seed }: Asked, now: () => number) =>
  Effect.gen(function* () {
    const remembered = new Remembered.Remembered()
    const context = yield* Layer.build(
      Layer.mergeAll(Marketplace.layer(seed, market, scale), Remembered.layer(remembered))
    )
    const sandbox = yield* Effect.provide(Sandbox.Sandbox, context)
    const world = sandbox.world(defaultSeller)
    Account.fillPurses(world)
    const rules = Scenario.check(files)
    const policies = new Map(rules.policies.map((policy) => [policy.id as string, policy]))
    const quiet = new Quiet(world, sandbox.ledger, dailyKopecks)
    const [held, failed] = [new Map<string, number>(), new Map<string, number>()]
    let cycles = 0
    for (const [at, ids] of Due.walk(
      rules.policies,
      Account.startMs,
      Account.startMs + Account.spanMs(days)
    )) {
      const due = ids.flatMap((id) => policies.get(id) ?? [])
      if (quiet.is(due, at)) continue
      if (at > now()) yield* Effect.sleep(at - now())
      cycles++
      const { reviewed } = yield* Cycle.plan({ ...rules, policies: due }, { zone: Remembered.zone }).pipe(
        Effect.provide(FactLoader.layer),
        Effect.provide(context)
      )
      for (const { by, change } of reviewed.plan.held) count(held, `${change.origin.name} ${by}`)
      if (reviewed.plan.observeOnly !== undefined) count(held, `all: ${reviewed.plan.observeOnly}`)
      yield* Effect.provide(Cycle.count(reviewed), context)
      if (reviewed.plan.changes.length === 0) continue
      quiet.forget()
      yield* Effect.provide(send(reviewed, remembered, now, failed), context)
    }
    const entries = sandbox.ledger.entries.filter(({ operation }) => operation !== "human-edit")
    return { world, entries, cycles, held, failed } satisfies Lived
  })

/** Sends what the review let go, in the order of the door, and remembers what was accepted. */
const send = (
  reviewed: Review.ReviewedPlan,
  remembered: Remembered.Remembered,
  now: () => number,
  failed: Map<string, number>
) =>
  Effect.gen(function* () {
    const writer = yield* Writer
    const approved = Review.approve(reviewed, { approvedBy: "measurement", account: Scenario.account })
    for (const wave of Send.waves(approved.changes, waveSize)) {
      const queue: Array<Change> = [...wave]
      for (const batch of yield* writer.batches(queue)) {
        const outcomes = yield* Effect.provideService(batch.send, WritePermit, Permit.grant(approved))
        for (const change of batch.changes) {
          const outcome = outcomes.get(change.id)
          if (outcome?._tag === "Accepted") remembered.applied(change, now())
          else count(failed, `${outcome?._tag ?? "Unknown"} ${outcome?.reason.code ?? ""}`)
        }
      }
    }
  })

const waveSize = 500

const count = (into: Map<string, number>, key: string): void => {
  into.set(key, (into.get(key) ?? 0) + 1)
}
