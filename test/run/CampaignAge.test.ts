import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"

const dayMs = 86_400_000

const pauseOlder = (days: number) => ({
  path: "rules/01.yaml",
  text: `version: 1
name: Stop what is old
mode: apply
each: campaign
where: campaign.status = active
when: campaign.age > ${days}d
do: pause
`
})

const story = (days: number) =>
  Scenario.run({ rules: [pauseOlder(days)], scale: { campaigns: 12, items: 1, clusters: 2 } }, (world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      yield* world.apply(planned)
      const { campaigns } = world.sandbox.world(defaultSeller)
      const paused = world.ledger().map(({ target }) => target.campaignId)
      return { planned, paused, campaigns }
    })
  )

describe("a condition on a campaign's age", () => {
  it("is about the marketplace's own instant of creation", async () => {
    const { campaigns, paused, planned } = await story(120)
    const older = [...campaigns.values()]
      .filter(({ createdAt }) => Scenario.startMs - createdAt > 120 * dayMs)
      .map(({ id }) => id)
    const ours = planned.gathered.table("campaign").rows.map(({ campaignId }) => campaignId)
    const active = planned.reviewed.plan.changes.map(({ subject: target }) => target.campaignId)
    expect(paused).toEqual(active)
    expect(paused.length).toBeGreaterThan(0)
    expect(paused.every((id) => older.includes(id!))).toBe(true)
    expect(paused.length).toBeLessThan(ours.length)
    expect(planned.reviewed.plan.changes[0]!.reason.at(-1)).toMatchObject({
      condition: "campaign.age > 120d",
      value: expect.stringMatching(/^\d+(\.\d+)?d$/)
    })
  })
})
