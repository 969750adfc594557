import * as Effect from "effect/Effect"
import { it } from "vitest"
import * as Scenario from "../scenario/Scenario.js"
import { MaxWait } from "../../src/services/Limiter.js"
const f = (body: string, name = "a") => ({ path: `rules/${name}.yaml`, text: `version: 1\nname: ${name}\nmode: apply\n${body}` })
const s = (x: any) => JSON.stringify(x)
const show = (w: Scenario.World, p: any) => Effect.gen(function* () {
  console.log("at", (w.now() - Scenario.startMs) / 60000, s(p.reviewed.plan.summary), s(p.reviewed.plan.calls), s(p.gathered.failures))
  for (const c of p.reviewed.plan.changes.slice(0, 5)) console.log("  ", s(c.target), c.action, c.placement, c.unit, c.before, c.after, s(c.clamps))
  for (const c of p.reviewed.plan.unchanged.slice(0, 4)) console.log("  =", s(c.target), c.why)
  for (const c of p.reviewed.plan.unknown.slice(0, 4)) console.log("  ?", s(c.target), c.why)
  const r = yield* w.apply(p)
  console.log(r.status, s(r.counts), r.stopped, s([...new Set(r.rows.map(x => x.detail))]))
  console.log("at", (w.now() - Scenario.startMs) / 60000)
  for (const e of w.ledger().slice(0, 5)) console.log("  L", s(e.target), e.operation, e.slot, e.slot === "minus" ? "" : e.before, e.slot === "minus" ? "" : e.after)
  console.log("throttled", w.throttled())
})
const go = (title: string, rules: any, more: any = {}, wait = Infinity) => it(title, () => Scenario.run({ rules, ...more }, (w) => Effect.gen(function* () {
  console.log("#####", title)
  const p = yield* w.plan
  yield* show(w, p)
  const q = yield* w.plan
  console.log("2nd", "at", (w.now() - Scenario.startMs) / 60000, s(q.reviewed.plan.summary), s(q.gathered.failures), s(q.open.length))
}).pipe(Effect.provideService(MaxWait, wait))))
const lower = f(`each: cluster
where:
  - campaign.payment = cpm
  - campaign.status = active
  - cluster.has_own_bid
when: bid > 110 ₽
do:
  lower_bid: {by: 10%, floor: 100 ₽}
cooldown: 6h
`)
const base = { token: { kind: "base" }, scale: { campaigns: 3, items: 1, clusters: 4 } }
for (const m of [0, 20, 60, 180, 1e9]) go(`base ${m}m`, [lower], base, m * 60000)
go("base shipped", undefined, base, 60 * 60000)
go("readonly", [lower], { ...base, token: { readOnly: true } })
go("nocat", [lower], { ...base, token: { categories: ["pricesAndDiscounts"] } })
go("expired", [lower], { ...base, token: { expiresAtMs: Scenario.startMs - 1 } })
go("expires soon", [lower], { ...base, token: { expiresAtMs: Scenario.startMs + 1500 } })
