/** What stories of undo share: taking a run back, and the marketplace's ledger as the judge of it. */

import * as Effect from "effect/Effect"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Undo from "../../src/engine/planning/Undo.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Scenario from "../scenario/Scenario.js"

/** The plan of an undo, as `bidhelm undo --dry-run` makes it. */
export const planned = (world: Scenario.World, name: string) =>
  Effect.gen(function* () {
    const rows = yield* Undo.find(Scenario.account, name)
    return yield* Undo.plan(world.rules, rows, { zone: "Europe/Moscow" })
  }).pipe(Effect.provideServiceEffect(FactSource, world.facts), Effect.provide(world.context))

/** Plans an undo and applies it; the report is undefined when there was nothing to send. */
export const undo = (world: Scenario.World, name: string) =>
  Effect.gen(function* () {
    const undoing = yield* planned(world, name)
    if (undoing.reviewed.appliable.length === 0) return { ...undoing, report: undefined }
    const by = { approvedBy: "test", account: Scenario.account }
    const report = yield* Cycle.apply(undoing.reviewed, by).pipe(Effect.provide(world.context))
    return { ...undoing, report }
  })

/** What the marketplace holds, by what was written: the value before the first write, and after the last. */
export const moved = (
  entries: ReadonlyArray<Ledger.Entry>
): ReadonlyMap<string, readonly [string, string]> => {
  const found = new Map<string, readonly [string, string]>()
  for (const { after, before, slot, target } of entries) {
    const key = `${slot} ${JSON.stringify(target)}`
    found.set(key, [found.get(key)?.[0] ?? JSON.stringify(before), JSON.stringify(after)])
  }
  return found
}

/** Targets whose value is not the one from before the first write. */
export const differing = (entries: ReadonlyArray<Ledger.Entry>): ReadonlyArray<string> =>
  [...moved(entries)].flatMap(([key, [first, last]]) =>
    first === last ? [] : [`${key}: ${first} → ${last}`]
  )
