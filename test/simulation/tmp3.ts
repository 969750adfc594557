import * as Run from "./chaos/Run.js"
import * as Invariants from "./invariants/All.js"
import { minuteMs, startMs } from "./planted/Bug.js"
import * as Rules from "./planted/Rules.js"

const at = (m: number) => startMs + m * minuteMs
const rules = Rules.assembling("", "approve")
const base = { _tag: "Shop", amount: 0.9, pick: 50 } as const
const { trace, observed } = await Run.run({
  seed: 1,
  hours: 1,
  events: [
    { ...base, at: at(1), kind: "ordered" },
    { _tag: "Shop", at: at(31), kind: "withdrawn", pick: 5, amount: 0.1 },
    { _tag: "Decide", at: at(38.5), pick: 0, isYes: true, ofOrders: true }
  ],
  versions: [rules]
})
console.log(trace.join("\n"))
console.log(JSON.stringify(Invariants.check(observed)))
process.exit()
