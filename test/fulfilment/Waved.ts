/** Fulfilment policies for tests: what matters is said, and drawn ones are as the check lets them through. */
import * as fc from "fast-check"
import { week } from "../../src/domain/Schedule.js"
import type { FulfilmentPolicy, Wave } from "../../src/engine/language/Fulfilment.js"
import * as Load from "../../src/engine/language/Load.js"

/** The policy of a file with these waves, as lines of YAML. */
export const policy = (waves: ReadonlyArray<string>, more = "", id = "day"): FulfilmentPolicy => {
  const text = `version: 1\nkind: fulfilment\nname: x\nwarehouses: [507]\nwaves:\n${waves.map((one) => `  - {${one}}\n`).join("")}${more}`
  const { diagnostics, ruleSet } = Load.check([{ path: `rules/${id}.yaml`, text }])
  if (ruleSet === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"))
  return ruleSet.fulfilment[0]!
}

export const ms = (iso: string): number => Date.parse(iso)

const zones = [
  "Europe/Moscow",
  "Europe/Berlin",
  "Asia/Vladivostok",
  "America/New_York",
  "Pacific/Apia",
  "UTC"
]

/** One to three waves of a zone, each later than the one before in both of its times, of any days. */
export const drawnWaves: fc.Arbitrary<ReadonlyArray<Wave>> = fc
  .record({
    minutes: fc.uniqueArray(fc.integer({ min: 0, max: 1439 }), { minLength: 6, maxLength: 6 }),
    days: fc.array(fc.subarray([...week], { minLength: 1 }), { minLength: 3, maxLength: 3 }),
    zone: fc.constantFrom(...zones),
    count: fc.integer({ min: 1, max: 3 }),
    overlap: fc.boolean()
  })
  .map(({ count, days, minutes, overlap, zone }) => {
    const sorted = [...minutes].sort((a, b) => a - b)
    const [a, b, c, d, e, f] = sorted as [number, number, number, number, number, number]
    const pairs = overlap
      ? [[a, c] as const, [b, e] as const, [d, f] as const]
      : [[a, b] as const, [c, d] as const, [e, f] as const]
    return pairs.slice(0, count).map(([collectUntilMinutes, handOverByMinutes], at) => ({
      name: `wave ${at}`,
      collectUntilMinutes,
      handOverByMinutes,
      days: days[at]!,
      zone
    }))
  })

/** An instant of two years, and often one near a change of the clocks. */
export const drawnInstant: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: ms("2026-01-01T00:00:00Z"), max: ms("2027-12-31T00:00:00Z") }),
  fc
    .record({
      change: fc.constantFrom("2026-03-29T01:00:00Z", "2026-10-25T01:00:00Z", "2026-03-08T07:00:00Z"),
      minutes: fc.integer({ min: -2000, max: 2000 })
    })
    .map(({ change, minutes }) => ms(change) + minutes * 60_000)
)
