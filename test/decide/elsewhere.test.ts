/** Whatever a file says, only what was made here is applied. */
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Elsewhere from "../../src/engine/decide/Elsewhere.js"
import { Plan } from "../../src/engine/decide/Plan.js"
import * as Review from "../../src/engine/decide/Review.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Example from "./Example.js"
import { around, campaigns, plan, policy, raiseBid, rules } from "./Example.js"

const rows = ["кеды", "боты", "туфли"].map((cluster) => ({
  target: Example.target(777, 1001, cluster),
  facts: { "cluster.spend@7d": 7000 }
}))
const policies = [policy("01", raiseBid()), policy("02", Example.addMinus(), { mode: "approve" })]
const made = plan({ rows, policies })
const fresh = Review.review(made, { rules: rules(policies), ...around, campaigns: campaigns(rows) })

const isPlan = Schema.is(Plan)

const anything = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constantFrom("01", "02", "undo", "pause", "item_bid", "campaign_deposit", "cpc", "bonus", "search"),
  fc.constant(undefined),
  fc.record({ campaignId: fc.constantFrom(777, 778), itemId: fc.constant(1001) }),
  fc.constant([]),
  fc.record({ runId: fc.string(), changeId: fc.string(), policy: fc.string() })
)
const fields = [
  ...Object.keys(fresh.plan.changes[0]!),
  ..."payment inherited dayFirstKopecks clears overlay from balanceKopecks status"
    .split(" ")
    .map((one) => `details.${one}`),
  ..."by name line rule takesBack revertsTo".split(" ").map((one) => `origin.${one}`),
  "undoes",
  "irreversible"
]
const edit = fc.record({
  at: fc.nat(fresh.plan.changes.length - 1),
  field: fc.constantFrom(...fields),
  value: anything
})
const ofPlan = fc.record(
  {
    holds: fc.constant([{ policy: "01", hash: "x", rows: [{ row: "r", rule: 0, runs: 99, fresh: true }] }]),
    watched: fc.constant([{ policy: "01", runId: "r", changeId: "c", afterMs: 1 }]),
    policies: fc.constant(made.policies.map((one) => ({ ...one, mode: "apply" as const, rowsInScope: 1e6 }))),
    held: fc.constant([]),
    observeOnly: fc.constant(undefined)
  },
  { requiredKeys: [] }
)

const edited = (
  change: Change,
  edits: ReadonlyArray<{ at: number; field: string; value: unknown }>
): unknown => {
  const mine = edits.filter(({ at }) => fresh.plan.changes[at] === change)
  const all: Record<string, unknown> = { ...change }
  for (const { field, value } of mine) {
    const [name = "", inner] = field.split(".")
    all[name] = inner === undefined ? value : { ...(all[name] as object), [inner]: value }
  }
  return all
}

it("is so for every field of a change and of the plan, with anything in it", () => {
  let same = 0
  let refused = 0
  const some = fc.subarray([...fresh.plan.changes])
  fc.assert(
    fc.property(fc.array(edit, { minLength: 1, maxLength: 2 }), ofPlan, some, (edits, more, kept) => {
      const file: unknown = { ...fresh.plan, ...more, changes: kept.map((change) => edited(change, edits)) }
      fc.pre(isPlan(file))
      const judged = Elsewhere.judge(file, fresh)
      if (judged._tag === "Refused") {
        refused += 1
        expect(judged.strays.length).toBeGreaterThan(0)
        return
      }
      same += 1
      const { appliable, plan: chosen, waiting } = judged.reviewed
      const ids = new Set(kept.map(({ id }) => id))
      const own = (all: ReadonlyArray<Change>) => all.filter(({ id }) => ids.has(id))
      expect(chosen.changes).toEqual(own(fresh.plan.changes))
      expect(appliable).toEqual(own(fresh.appliable))
      expect(waiting).toEqual(fresh.waiting.filter(({ change }) => ids.has(change.id)))
      expect([chosen.holds, chosen.watched]).toEqual([fresh.plan.holds, fresh.plan.watched])
      expect(chosen.policies.map(({ mode, rowsInScope }) => [mode, rowsInScope])).toEqual(
        fresh.plan.policies.map(({ mode, rowsInScope }) => [mode, rowsInScope])
      )
    }),
    { numRuns: Number(process.env.CASES ?? 2000) }
  )
  expect([same > 20, refused > 20]).toEqual([true, true])
})

/** Another policy's. */
const other: Change["origin"] = { by: "policy", name: "03", line: 1 }

it.each(["origin", "action", "before", "after", "kind", "id"] as const)(
  "names a change that has another %s",
  (field) => {
    const [first, ...others] = fresh.plan.changes
    const value = { before: 1, after: 89_900, kind: "item_bid", origin: other }[field as "before"] ?? "03"
    const file = { ...fresh.plan, changes: [{ ...first!, [field]: value } as Change, ...others] }
    expect(Elsewhere.judge(file, fresh)).toMatchObject({
      _tag: "Refused",
      strays: [{ change: { [field]: value } }]
    })
  }
)

it.each([{ payment: "cpc" }, { clears: true }, { inherited: true }] as const)(
  "names a change whose details have %o",
  (more) => {
    const [first, ...others] = fresh.plan.changes
    const change = { ...first!, details: { ...first!.details, ...more } } as Change
    expect(Elsewhere.judge({ ...fresh.plan, changes: [change, ...others] }, fresh)).toMatchObject({
      _tag: "Refused",
      strays: [{ made: { _tag: "Otherwise", fields: Object.keys(more).map((one) => `details.${one}`) } }]
    })
  }
)

it.each([
  { day: "2026-09-01" },
  { besides: [{ promotionId: 1005, promotionName: "Осень" }] },
  { besidesUnread: [1005] }
] as const)("takes for the same a change that was seen beside %o, which is not sent", (more) => {
  const [first, ...others] = fresh.plan.changes
  const change = { ...first!, details: { ...first!.details, ...more } } as Change
  expect(Elsewhere.judge({ ...fresh.plan, changes: [change, ...others] }, fresh)._tag).toBe("Same")
})

it.each([{ takesBack: true }, { revertsTo: 1 }])("names a change whose origin has %o", (more) => {
  const [first, ...others] = fresh.plan.changes
  const change = { ...first!, origin: { ...first!.origin, ...more } as Change["origin"] }
  expect(Elsewhere.judge({ ...fresh.plan, changes: [change, ...others] }, fresh)).toMatchObject({
    _tag: "Refused",
    strays: [{ made: { _tag: "Otherwise", fields: Object.keys(more) } }]
  })
})
