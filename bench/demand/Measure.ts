/** One gathering over a synthetic account in virtual time: what it asked, how long it took, and what was foretold. */
import * as Effect from "effect/Effect"
import * as Estimate from "../../src/engine/gather/Estimate.js"
import { FactSource } from "../../src/engine/gather/FactSource.js"
import * as Gather from "../../src/engine/gather/Gather.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as VirtualClock from "../../test/scenario/VirtualClock.js"
import * as Synthetic from "./SyntheticAccount.js"

export interface Measured {
  readonly shape: Synthetic.Shape
  readonly calls: Readonly<Record<string, number>>
  /** Fewest calls the batch bounds allow for the keys that were asked. */
  readonly fewest: Readonly<Record<string, number>>
  readonly estimate: Estimate.Estimate
  /** Pairs that survived the cheap conditions, and pairs of which scarce facts were asked. */
  readonly survivingPairs: number
  readonly askedPairs: number
  /** Virtual wall time, and the least time the slowest operation's bucket allows, milliseconds. */
  readonly wallMs: number
  readonly boundMs: number
  readonly slowest: string
}

export type QuotaOf = (operation: string) => Synthetic.Quota

export const measure = (rules: RuleSet, shape: Synthetic.Shape, quota: QuotaOf): Effect.Effect<Measured> => {
  const account = Synthetic.make(shape, quota)
  const startMs = Date.parse("2026-09-01T06:00:00Z")
  const time = VirtualClock.make(startMs)
  let estimate: Estimate.Estimate = { calls: {}, slowest: undefined }
  return time
    .run(
      Gather.run(rules, {
        zone: "Europe/Moscow",
        onScope: (campaigns, table) =>
          Effect.sync(() => {
            const scopes = Estimate.scopes(rules.policies, rules.limits, table, () => shape.share)
            estimate = Estimate.of(campaigns, scopes, rules.limits, quota)
          })
      }).pipe(Effect.provideService(FactSource, account.source))
    )
    .pipe(
      Effect.map(({ calls }) => {
        const bounds = Object.entries(calls)
          .map(([operation, count]) => ({ operation, ms: Estimate.atLeastMs(count, quota(operation)) }))
          .sort((a, b) => b.ms - a.ms)
        return {
          shape,
          calls,
          fewest: account.fewest(),
          estimate,
          survivingPairs: Synthetic.survivors(shape, "cluster").size,
          askedPairs: account.scarcePairs.size,
          wallMs: time.now() - startMs,
          boundMs: bounds[0]?.ms ?? 0,
          slowest: bounds[0]?.operation ?? "none"
        }
      })
    )
}
