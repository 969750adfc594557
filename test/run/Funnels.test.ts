/** From the text of a policy to its plan: `rules:`, `tier`, `if_unknown`, `max_unknown` and `hold_for`. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import type { Plan } from "../../src/engine/decide/Plan.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Explanation from "../../src/reporting/explain/Explanation.js"
import * as TextExplanation from "../../src/reporting/explain/TextExplanation.js"
import * as TextPreview from "../../src/reporting/preview/TextPreview.js"
import { bare } from "../reporting/bare.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const seed = 7
const scale = { campaigns: 4, items: 2, clusters: 6 }
const file = (name: string, text: string) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: rule ${name}\nmode: apply\n${text}\n`
})
const items =
  "each: campaign_item\nwhere:\n  - campaign.payment = cpm\n  - campaign.status in [active, paused]\n"
const ruleOf = ({ origin }: Change) => (origin.by === "policy" ? origin.rule : undefined)
const acts = (plan: Plan) => plan.changes.map((change) => [change.origin.name, ruleOf(change), change.action])
const whys = (plan: Plan) =>
  [...new Set(plan.unchanged.map((row) => `${row.policy}: ${Said.why(row)}`))].sort()
const told = (
  rules: Scenario.Options["rules"],
  story: (world: Scenario.World) => Effect.Effect<void, unknown>
) => Scenario.run({ seed, scale, ...(rules === undefined ? {} : { rules }) }, story)

const broken = { operation: "getCampaignStats", kind: "errorBefore" } as const
const lowering = (name: string, more: string) =>
  file(name, `${items}when: bid >= 1 ₽\ndo:\n  lower_bid: {by: 10%, floor: 1 ₽}\ncooldown: 6h\n${more}`)
const raising = (name: string, more: string, cap = 900) =>
  file(name, `${items}when: bid >= 1 ₽\ndo:\n  raise_bid: {by: 10%, cap: ${cap} ₽}\ncooldown: 6h\n${more}`)

describe("rules:", () => {
  const funnel = file(
    "04",
    `${items}rules:\n  - name: dear\n    when: bid >= 200 ₽\n    do:\n      lower_bid: {by: 10%, floor: 1 ₽}\n` +
      "  - when: bid >= 1 ₽\n    do:\n      raise_bid: {by: 10%, cap: 900 ₽}\ncooldown: 6h"
  )
  it("do what the first rule that matches says, and name it", () =>
    told([funnel], (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* world.plan
        expect(reviewed.plan.changes.length).toBeGreaterThan(0)
        for (const change of reviewed.plan.changes) {
          const isDear = Number(change.before) >= 20_000
          expect([ruleOf(change), change.action]).toEqual(
            isDear ? ["dear", "lower_bid"] : ["rule 2", "raise_bid"]
          )
          expect(change.reason.at(-1)?.condition).toBe(isDear ? "bid >= 200 ₽" : "bid >= 1 ₽")
        }
        expect(new Set(reviewed.plan.changes.map(({ action }) => action)).size).toBe(2)
        expect(TextPreview.render(reviewed.plan, { colour: false, all: false })).toContain(
          "04, dear, line 12"
        )
      })
    ))
  it("are explained by the rule that acts, or the one that misses by least", () =>
    told([funnel], (world) =>
      Effect.gen(function* () {
        const { gathered, reviewed } = yield* world.plan
        const change = reviewed.plan.changes.find((one) => ruleOf(one) === "rule 2")
        const explain = (target: Target.Target) =>
          Explanation.make({
            ...bare,
            target,
            policies: world.rules.policies,
            table: gathered.table,
            plan: reviewed.plan
          })
        const [acting] = explain(Target.ofSubject(change!.subject)!).policies
        expect([acting?.rule, acting?.verdict]).toEqual(["rule 2", "acts"])
        expect(acting?.conditions.map(({ condition }) => condition)).not.toContain("bid >= 200 ₽")
        expect(TextExplanation.render(explain(Target.ofSubject(change!.subject)!))).toContain(
          "04, rule 2: acts"
        )
        const far = file(
          "05",
          `${items}rules:\n  - when: [bid >= 5000 ₽, campaign.name matches "zzz"]\n    do:\n      lower_bid: {by: 10%, floor: 1 ₽}\n` +
            "  - when: bid >= 5000 ₽\n    do:\n      raise_bid: {by: 10%, cap: 9000 ₽}\ncooldown: 6h"
        )
        const { policies } = Scenario.check([far])
        const input = {
          ...bare,
          target: change!.subject,
          policies,
          table: gathered.table,
          plan: reviewed.plan
        }
        const [missing] = Explanation.make(input).policies
        expect([missing?.verdict, missing?.rule, missing?.why]).toEqual([
          "does not act",
          "rule 2",
          "1 of 3 conditions does not hold"
        ])
      })
    ))
  it("leave a second run nothing to do", () =>
    told([funnel], (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        yield* world.advance("5 minutes")
        expect((yield* world.plan).reviewed.appliable).toEqual([])
      })
    ))
  it("end at an unknown rule, which is named with its reason", () =>
    told(
      [
        file(
          "04",
          `${items}window: 7d\nrules:\n  - when: spend >= 1 ₽ and orders >= 1000\n    do:\n      lower_bid: {by: 10%, floor: 1 ₽}\n` +
            "  - when: bid >= 1 ₽\n    do:\n      raise_bid: {by: 10%, cap: 900 ₽}\nmax_unknown: 100%"
        )
      ],
      (world) =>
        Effect.gen(function* () {
          world.faults([broken])
          const { reviewed } = yield* world.plan
          expect(acts(reviewed.plan)).toEqual([])
          expect(reviewed.plan.unknown.length).toBeGreaterThan(0)
          for (const row of reviewed.plan.unknown) expect(Said.why(row)).toContain("could not be fetched")
        })
    ))
})

describe("tier:", () => {
  it("the higher tier wins over a cheaper outcome, and names whom it overrules", () =>
    told([lowering("01", ""), raising("02", "tier: safety")], (world) =>
      Effect.gen(function* () {
        const { plan } = (yield* world.plan).reviewed
        expect(new Set(plan.changes.map((change) => change.origin.name))).toEqual(new Set(["02"]))
        for (const change of plan.changes) expect(change.overruled).toEqual(["01"])
      })
    ))
  it("without tiers the cheaper outcome wins", () =>
    told([lowering("01", ""), raising("02", "")], (world) =>
      Effect.gen(function* () {
        const { plan } = (yield* world.plan).reviewed
        expect(new Set(plan.changes.map((change) => change.origin.name))).toEqual(new Set(["01"]))
      })
    ))
  it("a higher tier that is already where it wants to be is not undone from below", () =>
    told([lowering("01", "tier: explore"), raising("02", "tier: event", 1)], (world) =>
      Effect.gen(function* () {
        const { plan } = (yield* world.plan).reviewed
        expect(plan.changes).toEqual([])
        expect(whys(plan)).toContain("01: held back by 02 (tier event)")
      })
    ))
})

describe("what nobody could read", () => {
  const paused = (more: string) =>
    file(
      "03",
      `${items}window: 7d\nwhen: orders < 100000 or bid >= 1 ₽\ndo:\n  lower_bid: {by: 10%, floor: 1 ₽}\n${more}`
    )
  const unread = (more: string) =>
    file("03", `${items}window: 7d\nwhen: views >= 1\ndo:\n  lower_bid: {by: 10%, floor: 1 ₽}\n${more}`)

  it("if_unknown: notify lists the rows on top of the plan, skip does not", () =>
    told(
      [
        unread("if_unknown: notify\nmax_unknown: 100%"),
        { ...unread("max_unknown: 100%"), path: "rules/04.yaml" }
      ],
      (world) =>
        Effect.gen(function* () {
          world.faults([broken])
          const { plan } = (yield* world.plan).reviewed
          const rows = plan.unknown.filter(({ policy }) => policy === "03")
          expect(rows.length).toBeGreaterThan(0)
          expect(plan.notices?.map(({ policy, subject: target }) => [policy, target])).toEqual(
            rows.map(({ subject: target }) => ["03", target])
          )
          const text = TextPreview.render(plan, { colour: false, all: false })
          expect(text.indexOf("Notices")).toBeLessThan(text.indexOf("Rules"))
          expect(text).toContain("03: views >= 1: could not be fetched")
        })
    ))
  it("over max_unknown the whole policy holds, and says so", () => {
    const some = file(
      "03",
      `${items}window: 7d\nrules:\n  - when: bid < 200 ₽\n    do:\n      raise_bid: {by: 10%, cap: 900 ₽}\n` +
        "  - when: views >= 1\n    do:\n      lower_bid: {by: 10%, floor: 1 ₽}\ncooldown: 6h"
    )
    return Scenario.run({ seed, scale: { campaigns: 8, items: 4, clusters: 2 }, rules: [some] }, (world) =>
      Effect.gen(function* () {
        world.faults([broken])
        const { appliable, plan } = (yield* world.plan).reviewed
        expect(appliable).toEqual([])
        expect(plan.held.length).toBeGreaterThan(0)
        expect(new Set(Said.held(plan.held).map(({ by, limit }) => `${by}: ${limit}`))).toEqual(
          new Set(["max_unknown: rules/03.yaml max_unknown 20%"])
        )
        expect(Said.notice(plan.notices![0]!)).toMatch(/^holds: \d+ of \d+ rows could not be read/)
      })
    )
  })
  it("what decides without the missing fact is not unknown", () =>
    told([paused("cooldown: 6h")], (world) =>
      Effect.gen(function* () {
        world.faults([broken])
        const { plan } = (yield* world.plan).reviewed
        expect([plan.held, plan.unknown, plan.notices]).toEqual([[], [], []])
        expect(plan.changes.length).toBeGreaterThan(0)
      })
    ))
})

describe("hold_for:", () => {
  const held = lowering("03", "hold_for: 2 runs")
  const waiting = "03: hold_for: matched in 1 of 2 runs"

  it("acts in the second run in a row, and looking at a plan counts nothing", () =>
    told([held], (world) =>
      Effect.gen(function* () {
        yield* world.plan
        yield* world.plan
        const first = yield* world.plan
        expect([acts(first.reviewed.plan), whys(first.reviewed.plan)]).toEqual([[], [waiting]])
        yield* world.apply(first)
        const second = yield* world.plan
        expect(second.reviewed.plan.changes.length).toBe(first.reviewed.plan.unchanged.length)
      })
    ))
  it("waits for statistics of a newer day", () =>
    told(
      [
        file(
          "03",
          `${items}window: 7d\nwhen: views < 9000000 or bid >= 1 ₽\ndo:\n  lower_bid: {by: 10%, floor: 1 ₽}\nhold_for: 2 runs`
        )
      ],
      (world) =>
        Effect.gen(function* () {
          yield* world.apply(yield* world.plan)
          yield* world.advance("1 hour")
          const sameDay = yield* world.plan
          expect(whys(sameDay.reviewed.plan)).toEqual([waiting])
          yield* world.apply(sameDay)
          yield* world.advance("1 day")
          expect((yield* world.plan).reviewed.plan.changes.length).toBeGreaterThan(0)
        })
    ))
  it("starts anew when the policy means something else, and never goes back for an older plan", () =>
    told([held], (world) =>
      Effect.gen(function* () {
        const old = yield* world.plan
        yield* world.advance("1 minute")
        yield* world.apply(yield* world.plan)
        yield* world.apply(old)
        const counted = yield* world.memory.holds(Scenario.account)
        expect([...counted.values()].every(({ runs }) => runs === 1)).toBe(true)
        expect(new Set([...counted.values()].map(({ countedAt }) => countedAt)).size).toBe(1)
        const other = Scenario.check([lowering("03", "hold_for: 3 runs")])
        expect(other.policies[0]?.hash).not.toBe(world.rules.policies[0]?.hash)
        yield* world.memory.keepHolds(
          Scenario.account,
          [{ policy: "03", hash: "other", rows: [] }],
          world.now()
        )
        expect((yield* world.memory.holds(Scenario.account)).size).toBe(0)
      })
    ))
})
