/** 402 and 403: the operation is switched off for the account, the next run does not ask it again, the rest goes on. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { Planned } from "../../src/engine/planning/Cycle.js"
import { TokenMemory } from "../../src/services/ports/TokenMemory.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const file = (name: string, rule: string) => ({ path: `rules/${name}.yaml`, text: `version: 1\n${rule}` })

const advised = file(
  "advised",
  `name: advised
mode: apply
each: campaign_item
where: campaign.payment = cpm and campaign.status = active
window: 7d
when: [views >= 1, bid < recommended.leaders]
do: {raise_bid: {by: 10%, cap: 900 ₽}}
cooldown: 6h
`
)
const minus = file(
  "minus",
  `name: minus
mode: apply
each: cluster
where: campaign.status = active
window: 7d
when: views >= 1
do: add_minus
limits: {changes_per_run: 300, share_of_scope: 100%}
`
)
const topUp = file(
  "top-up",
  `name: top up
mode: apply
each: campaign
where: ["campaign.name matches \\"Поиск*основная\\""]
when: budget < 1000000 ₽
do: {deposit: {amount: 2000 ₽, from: balance}}
limits: {money_per_day: 20000 ₽}
`
)
const scale = { campaigns: 3, items: 2, clusters: 6 }

const noticesOf = ({ reviewed }: Planned) =>
  (reviewed.plan.notices ?? [])
    .flatMap(({ text }) => text ?? [])
    .filter((text) => text.includes("switched off"))
const heldBy = ({ reviewed }: Planned, by: string) => reviewed.plan.held.filter((held) => held.by === by)

describe("an operation that was refused with 403", () => {
  it("is asked by no run for a while, which says why; other rules go on; then once more", () =>
    Scenario.run({ scale, rules: [advised, minus] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "refuse", operation: "getBidRecommendations" }])
        const first = yield* world.plan
        const asked = world.requests("getBidRecommendations")
        expect(asked).toBeGreaterThan(0)
        expect(noticesOf(first)).toEqual([
          expect.stringMatching(
            /^getBidRecommendations is switched off: the marketplace answered 403 at 2026-09-01/
          )
        ])
        world.faults([])
        yield* world.advance("10 minutes")
        const second = yield* world.plan
        expect(world.requests("getBidRecommendations")).toBe(asked)
        expect(noticesOf(second).join()).toContain("bidhelm account retry shop")
        expect(second.gathered.failures.map(({ message }) => message).join()).toContain("switched off")
        expect(new Set(second.reviewed.plan.changes.map(({ origin: { name: policy } }) => policy))).toEqual(
          new Set(["minus"])
        )
        expect((yield* world.apply(second)).status).toBe("done")

        yield* world.advance("1 hour")
        const third = yield* world.plan
        expect(world.requests("getBidRecommendations")).toBeGreaterThan(asked)
        expect(noticesOf(third)).toEqual([])
        const memory = Context.get(world.context, TokenMemory)
        expect(yield* memory.refusals("shop")).toEqual([])
      })
    ))

  it("holds changes that would need it, and sends none of them, until a person wants it tried", () =>
    Scenario.run({ scale, rules: [minus] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "refuse", operation: "setMinusPhrases" }])
        const first = yield* world.plan
        const report = yield* world.apply(first)
        // The first of a campaign is refused, its others are not sent any more.
        expect(new Set(report.rows.map(({ state }) => state))).toEqual(new Set(["rejected", "skipped"]))
        const sent = world.requests("setMinusPhrases")
        world.faults([])
        yield* world.advance("1 hour")
        const campaigns = new Set(first.reviewed.plan.changes.map(({ subject: target }) => target.campaignId))
        const second = yield* world.plan
        const held = heldBy(second, "switched_off")
        expect(held.map(({ change }) => change.subject.campaignId).every((id) => campaigns.has(id))).toBe(
          true
        )
        expect(held.length).toBeGreaterThan(0)
        expect(Said.limit(held[0])).toContain("setMinusPhrases for campaign")
        yield* world.apply(second)
        expect(world.requests("setMinusPhrases")).toBe(sent)

        const memory = Context.get(world.context, TokenMemory)
        expect(yield* memory.forgive("shop", "anna", world.now())).toHaveLength(sent)
        yield* world.advance("2 minutes")
        const third = yield* world.plan
        expect(heldBy(third, "switched_off")).toEqual([])
        yield* world.apply(third)
        expect(world.ledger().length).toBeGreaterThan(0)
      })
    ))

  it("is asked again when the refusal was a web page of somebody on the way", () =>
    Scenario.run({ scale, rules: [advised] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "errorBefore", status: 403, operation: "getBidRecommendations" }])
        const first = yield* world.plan
        const asked = world.requests("getBidRecommendations")
        expect(asked).toBeGreaterThan(0)
        expect(noticesOf(first)).toEqual([])
        world.faults([])
        yield* world.plan
        expect(world.requests("getBidRecommendations")).toBeGreaterThan(asked)
      })
    ))
})

describe("a deposit that was refused with 402", () => {
  it("leaves once; later runs hold it, with the marketplace's words", () =>
    Scenario.run({ scale, rules: [topUp] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "refuse", status: 402, operation: "depositCampaignBudget" }])
        yield* world.apply(yield* world.plan)
        expect(world.requests("depositCampaignBudget")).toBe(1)
        world.faults([])
        yield* world.advance("2 hours")
        const later = yield* world.plan
        expect(later.reviewed.plan.changes).toEqual([])
        expect(Said.held(heldBy(later, "switched_off"))).toMatchObject([
          {
            limit: expect.stringMatching(/depositCampaignBudget is switched off: .* 402 .*refused on request/)
          }
        ])
        yield* world.apply(later)
        expect(world.requests("depositCampaignBudget")).toBe(1)
      })
    ))
})
