import * as Run from "./chaos/Run.js"
import * as Invariants from "./invariants/All.js"

for (const seed of process.argv.slice(2).map(Number)) {
  const t = performance.now()
  const { observed } = await Run.run({ seed, hours: 72 })
  const v = Invariants.check(observed)
  console.log(seed, ((performance.now() - t) / 1000).toFixed(1), JSON.stringify(v, null, 1))
}
