/** A 200 that tells of some rows only, of rows nobody asked for, or two things of one row. The ledger is the judge. */
import { it as effectIt } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../../src/domain/Ids.js"
import { Kopecks } from "../../../src/domain/Money.js"
import * as Clusters from "../../../src/services/areas/advertising/Clusters.js"
import * as Scenario from "../../scenario/Scenario.js"
import { json, withMarketplace, withPermit } from "../FakeMarketplace.js"

const operation = "setClusterBidsMinorUnits"

describe("an answer that leaves rows out", () => {
  it("settles each row by itself: the others stand, and what became of these is read back, not sent again", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const raises = planned.reviewed.plan.changes.filter(({ action }) => action === "raise_bid")
        world.faults([{ operation, kind: "omit", share: 0.5 }])
        const report = yield* world.apply(planned)
        const codes = report.rows.flatMap(({ change, reason }) =>
          change.action === "raise_bid" ? [reason?.code] : []
        )
        expect(new Set(codes)).toEqual(new Set(["read_back"]))
        expect(report.status).toBe("done")
        expect(world.ledger().filter(({ slot }) => slot === "bid")).toHaveLength(raises.length)
        expect(world.requests(operation)).toBe(Math.ceil(raises.length / 100))
      })
    ))

  it("does not call refused what it does not mention, though another row of it was refused", () =>
    // A refused minus list would tell of the ended campaign before its bids leave.
    Scenario.run({ rules: Scenario.firstRules().filter(({ path }) => !path.includes("/02-")) }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const raises = planned.reviewed.plan.changes.filter(({ action }) => action === "raise_bid")
        const { campaignId } = raises[0]!.subject
        const refused = raises.filter(({ subject: target }) => target.campaignId === campaignId)
        world.edit({ campaignId: campaignId!, status: 7 })
        world.faults([{ operation, kind: "omit", share: 0.5 }])
        const { rows } = yield* world.apply(planned)
        const told = rows.filter(({ change }) => change.action === "raise_bid")
        const applied = new Set(
          told.filter(({ state }) => state === "applied").map(({ change }) => change.id)
        )
        const sent = raises.filter((one) => !refused.includes(one))
        expect(applied).toEqual(new Set(sent.map(({ id }) => id)))
        for (const { change, state } of told) {
          if (!applied.has(change.id))
            expect(["rejected", "not_applied", "conflict", "skipped"]).toContain(state)
        }
        // The last look leaves out what it sees of the ended campaign itself.
        expect(told.some(({ state }) => state === "rejected")).toBe(true)
      })
    ))
})

describe("an answer about rows that were not in the request", () => {
  const pair = { campaignId: CampaignId.make(777), itemId: ItemId.make(1001) }
  const row = (cluster: string) => ({ ...pair, cluster: Cluster.make(cluster), bidKopecks: Kopecks(45_000) })
  const named = (cluster: string) => ({ advertId: 777, nmId: 1001, normQuery: cluster })
  const set = (answer: unknown) => {
    const said: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => {
      said.push(`${logLevel.label} ${String(message)}`)
    })
    return withMarketplace(
      () => json(answer),
      ({ client }) =>
        Effect.map(withPermit(Clusters.make(client).setBids([row("a"), row("b")])), ({ values }) => ({
          outcomes: values.map(({ outcome }) => outcome),
          said
        }))
    ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
  }

  effectIt.effect("alarms, naming the first of them, and takes nothing from the rows that were", () =>
    Effect.gen(function* () {
      const { outcomes, said } = yield* set({
        success: [named("a"), named("b"), named("somebody's")],
        failed: [{ ...named("theirs"), reason: "disabled" }]
      })
      expect(outcomes).toEqual(["accepted", "accepted"])
      expect(said).toEqual([
        `WARN ${operation}: the answer tells of 2 rows that the request did not hold, the first 777/1001/somebody's. Look at them: they may have been changed.`
      ])
    })
  )

  effectIt.effect("says nothing when there are none", () =>
    Effect.gen(function* () {
      expect((yield* set({ success: [named("a"), named("b")], failed: [] })).said).toEqual([])
    })
  )

  effectIt.effect("believes neither of two answers about one row", () =>
    Effect.gen(function* () {
      const both = { success: [named("a"), named("b")], failed: [{ ...named("b"), reason: "disabled" }] }
      expect((yield* set(both)).outcomes).toEqual(["accepted", "unconfirmed"])
    })
  )
})
