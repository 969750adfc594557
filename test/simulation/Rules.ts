/** The rules that the simulation runs: the shipped ones, and the same with a plain minus policy as the control. */
import type * as Load from "../../src/engine/language/Load.js"
import * as Scenario from "../scenario/Scenario.js"

const minusFile = "02-minus-low-ctr"

/** The daily limit of the simulated seller, who is smaller than the one of the shipped rules. */
export const stopKopecks = 60_000

/** What the seller of the simulation sets in the shipped rules: their own limit, names and brand. */
const settings: ReadonlyArray<readonly [from: RegExp, to: string]> = [
  [/^mode: \w+/m, "mode: apply"],
  [/\b3000 ₽/, `${stopKopecks / 100} ₽`],
  [/"\*кеды\*"/, '"*оиск*"'],
  [/\[впишите-свой-бренд\]/, "[белые]"]
]

/**
 * Those that go by what a unit earns, for the seller of the simulation has no economics table; and the one that assembles
 * orders, whose warehouse nobody has there.
 */
const isOfOthers = /\/(09|11|12|13)-/

/** The shipped rules with the seller's settings. */
export const shipped = (): ReadonlyArray<Load.File> =>
  Scenario.shippedRules()
    .filter(({ path }) => !isOfOthers.test(path))
    .map(({ path, text }) => ({
      path,
      text: settings.reduce((sum, [from, to]) => sum.replace(from, to), text)
    }))

/** The minus policy alone: what it judges does not hang on the others. */
export const minusOnly = (files: ReadonlyArray<Load.File>): ReadonlyArray<Load.File> =>
  files.filter(({ path }) => path.includes("_shared") || path.includes(minusFile))

/** The minus policy alone, as one would write it without knowing better: a bare ratio. */
export const plainMinus = (files: ReadonlyArray<Load.File>): ReadonlyArray<Load.File> =>
  minusOnly(files).map((file) => (file.path.includes(minusFile) ? { ...file, text: plain } : file))

const plain = `version: 1
name: Minus clusters by a bare ratio
mode: apply
schedule: {at: "06:00", tz: Europe/Moscow}
each: cluster
where:
  - campaign.status = active
  - campaign.payment = cpm
  - cluster.state = active
  - not cluster.in_minus
window: 30d
when:
  - views >= 500
  - ctr < 1%
  - orders = 0
do:
  add_minus: {max_total: 900}
limits: {changes_per_run: 300}
`
