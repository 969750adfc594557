/**
 * Whatever rules did, taking their runs back, the latest first, leaves the marketplace as it was, by its own ledger;
 * only what was called irreversible stays. Undone again, it is as it was before.
 */
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { File } from "../../src/engine/language/Load.js"
import * as Story from "../run/UndoStory.js"
import * as Scenario from "../scenario/Scenario.js"

const cpm = "where: campaign.payment = cpm and campaign.bid_type = manual"

const actions: Readonly<Record<string, (share: number) => string>> = {
  raise: (share) =>
    `each: campaign_item\n${cpm}\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: ${share}%, cap: 5000 ₽}`,
  lower: (share) =>
    `each: campaign_item\n${cpm}\nwhen: bid > 1 ₽\ndo:\n  lower_bid: {by: ${share}%, floor: min_bid}`,
  cluster: (share) =>
    `each: cluster\n${cpm}\nwindow: 7d\nwhen: views >= ${share * 20}\ndo:\n  raise_bid: {by: ${share}%, cap: 5000 ₽}`,
  minus: (share) => `each: cluster\n${cpm}\nwindow: 7d\nwhen: views >= ${share * 40}\ndo: add_minus`,
  pause: () => "each: campaign\nwhen: campaign.status = active\ndo: pause",
  start: () => "each: campaign\nwhen: campaign.status in [paused, ready]\ndo: start",
  show: () =>
    `each: campaign\n${cpm}\nwhen: campaign.status = active\ndo:\n  placements: {search: true, recommendations: true}`,
  deposit: () =>
    "each: campaign\nwhen: budget < 1000000 ₽ and campaign.status = active\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽, policy_money_per_day: 1000 ₽}"
}

const limits: File = {
  path: "rules/_shared/limits.yaml",
  text: "version: 1\nkind: limits\naccount: {money_per_day: 5000 ₽, human_edit_hold: 0}\n"
}

/** Three different actions, each with a share of its own. */
const some = fc.tuple(
  fc.shuffledSubarray(Object.keys(actions), { minLength: 3, maxLength: 3 }),
  fc.array(fc.integer({ min: 2, max: 16 }), { minLength: 3, maxLength: 3 })
)

const rulesOf = (seed: number): ReadonlyArray<File> => {
  const [[chosen, shares] = [[], []]] = fc.sample(some, { seed, numRuns: 1 })
  return [
    limits,
    ...chosen.map((name, at) => ({
      path: `rules/${name}.yaml`,
      text: `version: 1\nname: ${name}\nmode: apply\n${actions[name]!(shares[at] ?? 5)}\ncooldown: 1h\n`
    }))
  ]
}

describe("taking runs back", () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`leaves nothing of them but what is irreversible (${seed})`, () =>
      Scenario.run({ rules: rulesOf(seed), seed, scale: { campaigns: 4, items: 2, clusters: 6 } }, (world) =>
        Effect.gen(function* () {
          const runs: Array<string> = []
          for (const _ of [1, 2]) {
            const report = yield* world.apply(yield* world.plan)
            if (report.rows.length > 0) runs.unshift(report.runId)
            yield* world.advance("3 hours")
          }
          expect(world.ledger().length).toBeGreaterThan(0)
          const undone: Array<string> = []
          const stays: Array<string> = []
          for (const runId of runs) {
            const { left, report } = yield* Story.undo(world, runId)
            if (report !== undefined) {
              expect(report.status).toBe("done")
              undone.unshift(report.runId)
            }
            stays.push(...left.filter(({ isOver }) => !isOver).map(({ change }) => change.kind))
            yield* world.advance("1 hour")
          }
          expect(stays.filter((kind) => kind !== "campaign_deposit")).toEqual([])
          const differing = Story.differing(world.ledger())
          expect(differing.filter((line) => !/^(budget|balance)/.test(line) && !wasReady(line))).toEqual([])
          const before = world.ledger().length
          for (const runId of runs) expect((yield* Story.undo(world, runId)).report).toBeUndefined()
          expect(world.ledger().length).toBe(before)
        })
      ))
  }
})

/** A campaign that was ready and ran cannot become ready again: it is paused, and the preview said so. */
const wasReady = (line: string): boolean => /^status .*: 4 → 11$/.test(line)
