import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { PlanId } from "../../src/domain/Ids.js"
import { WritePermit } from "../../src/domain/WritePermit.js"
import * as Permit from "../../src/engine/door/Permit.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Scenario from "../scenario/Scenario.js"

/** As `bidhelm call` makes it, with its record in the journal. */
const byHand = (world: Scenario.World, operation: string, request: object) =>
  Effect.gen(function* () {
    const client = Context.get(world.context, MarketplaceClient)
    const runId = `call-${world.now()}`
    const planId = PlanId(`call ${operation} ${JSON.stringify(request)}`)
    const counts = { [operation]: 1 }
    const run = { runId, account: Scenario.account, planId, startedAt: world.now(), finishedAt: undefined }
    yield* world.journal.begin({ lane: "ads", ...run, status: "running", counts }, [])
    yield* client
      .call(operation, request)
      .pipe(Effect.provideService(WritePermit, Permit.confirmed(Scenario.account, planId)))
    yield* world.journal.finish(runId, "done", counts, world.now())
  })

const topUp = {
  path: "rules/top-up.yaml",
  text: `version: 1
name: top up
mode: apply
each: campaign
where: ["campaign.name matches 'Поиск*основная'"]
when: budget < 1000000 ₽
do:
  deposit: {amount: 2000 ₽, from: balance}
limits: {money_per_day: 2000 ₽}
`
    .replaceAll("'", '"')
    .replace('["', "['")
    .replace('"]', "']")
}

describe("a call made by hand right before a run", () => {
  it("that set a minus phrase loses it to no list that was read before the phrase could be seen", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const ours = planned.reviewed.plan.changes.find(({ action }) => action === "add_minus")!
        const { campaignId, itemId } = ours.subject
        const added = planned.reviewed.plan.changes.map(({ subject: target }) => target.cluster)
        const theirs = planned.gathered
          .table("cluster")
          .rows.find(
            (row) => row.campaignId === campaignId && row.itemId === itemId && !added.includes(row.cluster)
          )!.cluster!
        yield* byHand(world, "setMinusPhrases", {
          payload: { advert_id: campaignId, nm_id: itemId, norm_queries: [theirs] }
        })
        yield* world.apply(planned)
        const last = world
          .ledger()
          .filter((entry) => entry.slot === "minus" && entry.target.itemId === itemId)
          .at(-1)
        expect(last?.after).toContain(ours.subject.cluster)
        expect(last?.after).toContain(theirs)
      })
    ))

  it("that topped a campaign up is not followed by the deposit of a rule that has not seen it", () =>
    Scenario.run({ rules: [topUp] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const [deposit] = planned.reviewed.plan.changes
        const { campaignId } = deposit!.subject
        yield* byHand(world, "depositCampaignBudget", {
          urlParams: { id: campaignId },
          payload: { sum: 2000, type: 1, return: true }
        })
        const report = yield* world.apply(planned)
        expect(report.rows.map(({ state }) => state)).toEqual(["skipped"])
        expect(world.requests("depositCampaignBudget")).toBe(1)
      })
    ))

  it("about another campaign keeps no run waiting", () =>
    Scenario.run({ rules: [topUp] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const [deposit] = planned.reviewed.plan.changes
        const other = planned.gathered
          .table("campaign")
          .rows.find(({ campaignId }) => campaignId !== deposit!.subject.campaignId)!
        yield* byHand(world, "depositCampaignBudget", {
          urlParams: { id: other.campaignId },
          payload: { sum: 2000, type: 1, return: true }
        })
        const from = world.now()
        const report = yield* world.apply(planned)
        expect(report.rows[0]!.sentAt! - from).toBeLessThan(60_000)
        expect(world.requests("depositCampaignBudget")).toBe(2)
      })
    ))
})
