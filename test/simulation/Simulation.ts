/**
 * Weeks of an account under rules, in virtual time: whenever policies are due they are planned, approved and applied
 * against the sandbox, through the real client, limiter, store and engine. What happened is read off the sandbox.
 */

import * as Effect from "effect/Effect"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type * as Load from "../../src/engine/language/Load.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import type { MarketKind } from "../../src/sandbox/market/Kinds.js"
import type { Model } from "../../src/sandbox/market/model/Model.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import type * as Scale from "../../src/sandbox/market/Scale.js"
import type * as World from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"
import * as Due from "./Due.js"
import * as Quiet from "./Quiet.js"
import * as Truth from "./Truth.js"

export interface Options {
  readonly seed: number
  readonly days: number
  readonly rules: ReadonlyArray<Load.File>
  readonly scale: Scale.Scale
  readonly market: MarketKind | Model
  /** The daily limit of the policy that stops campaigns, kopecks. */
  readonly stopKopecks: number
  /** Every run is made, also those that certainly find nothing. */
  readonly exact?: boolean
  /** What is done to the account before the weeks begin. */
  readonly prepared?: (world: World.World) => void
}

/** A write that the marketplace accepted, and which policy had asked for it. */
export interface Write extends Ledger.Entry {
  readonly policy: string
  /** The beginning or end of an overlay: final bid moved, the base did not. */
  readonly edge: boolean
}

/** What is left when the weeks are over. */
export interface Observed {
  readonly options: Options
  readonly rules: RuleSet
  readonly world: World.World
  readonly writes: ReadonlyArray<Write>
  readonly fromMs: number
  readonly toMs: number
  readonly cycles: number
  /** Longest that policies waited for a run of others, milliseconds. */
  readonly waitedMs: number
  /** Changes that a limit stopped, by policy and limit. */
  readonly held: ReadonlyMap<string, number>
  /** Changes that were not accepted, by their final state and reason. */
  readonly failed: ReadonlyMap<string, number>
  readonly throttled: number
  readonly counters: Ledger.Ledger["counters"]
}

const dayMs = 86_400_000

/** Runs the weeks. */
export const run = (options: Options): Promise<Observed> =>
  Scenario.run(options, (world) =>
    Effect.gen(function* () {
      const fromMs = world.now()
      const toMs = fromMs + options.days * dayMs
      const due = Due.walk(world.rules.policies, fromMs, toMs)
      const own = world.sandbox.world(defaultSeller)
      const policies = new Map(world.rules.policies.map((policy) => [policy.id as string, policy]))
      const isQuiet = (at: number, ids: ReadonlyArray<string>) =>
        ids.every((id) => Quiet.is(policies.get(id)!, own, at, options.stopKopecks))
      options.prepared?.(own)
      const asked: Asked = new Map()
      const [held, failed] = [new Map<string, number>(), new Map<string, number>()]
      let cycles = 0
      let waitedMs = 0
      for (let next = 0; next < due.length; ) {
        const [at, ids] = due[next]!
        if (options.exact !== true && at > world.now() && isQuiet(at, ids)) {
          next++
          continue
        }
        if (at > world.now()) yield* world.advance(at - world.now())
        waitedMs = Math.max(waitedMs, world.now() - at)
        const ready = new Set<string>()
        while (next < due.length && due[next]![0] <= world.now())
          for (const id of due[next++]![1]) ready.add(id)
        const planned = yield* world.planOf(ready)
        cycles++
        const { changes } = planned.reviewed.plan
        for (const { by, change } of planned.reviewed.plan.held) count(held, `${change.origin.name} ${by}`)
        if (changes.length === 0 && planned.open.length === 0) {
          yield* Effect.provide(Cycle.count(planned.reviewed), world.context)
          continue
        }
        const first = world.ledger().length
        const report = yield* world.apply(planned)
        for (const row of report.rows)
          if (row.state !== "applied") count(failed, `${row.state} ${row.reason?.code ?? ""}`)
        label(world.ledger().slice(first), changes, asked)
      }
      for (const campaign of Truth.campaigns(own)) Purse.settle(own, campaign, toMs)
      const writes = world.ledger().map((entry) => ({ ...entry, ...(asked.get(entry.seq) ?? nobody) }))
      return {
        options,
        rules: world.rules,
        world: own,
        writes,
        fromMs,
        toMs,
        cycles,
        waitedMs,
        held,
        failed,
        throttled: world.throttled(),
        counters: world.sandbox.ledger.counters
      }
    })
  )

type Asked = Map<number, { readonly policy: string; readonly edge: boolean }>
type Change = Cycle.Planned["reviewed"]["plan"]["changes"][number]

const nobody = { policy: "", edge: false }

/** Says of each entry which change of the plan it carries out. */
const label = (entries: ReadonlyArray<Ledger.Entry>, changes: ReadonlyArray<Change>, into: Asked): void => {
  for (const { seq, slot, target } of entries) {
    const found = changes.find(
      (change) =>
        change.subject.campaignId === target.campaignId &&
        (target.itemId === undefined || change.subject.itemId === target.itemId) &&
        (target.cluster === undefined || change.subject.cluster === target.cluster) &&
        slotsOf(change).includes(slot)
    )
    if (found === undefined) continue
    const overlay = Bids.overlayOf(found)
    const edge = overlay !== undefined && overlay.baseKopecks === overlay.baseBeforeKopecks
    into.set(seq, { policy: found.origin.name, edge })
  }
}

const slotsOf = (change: Change): ReadonlyArray<Ledger.Slot> => {
  const { kind } = change
  const { placement } = Bids.detailsOf(change)
  if (kind === "campaign_status") return ["status"]
  if (kind === "minus_phrase") return ["minus"]
  if (kind === "cluster_bid") return ["bid"]
  if (placement === "search" || placement === "recommendations") return [`bid.${placement}`]
  return placement === "combined" ? ["bid.search", "bid.recommendations"] : ["budget", "placements"]
}

const count = (into: Map<string, number>, key: string): void => {
  into.set(key, (into.get(key) ?? 0) + 1)
}
