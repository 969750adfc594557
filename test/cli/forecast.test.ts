/** `bidhelm forecast`: what is expected of days and what came, from an empty store to a policy that only looks. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ForecastDay } from "../../src/engine/decide/forecasts/ForecastDay.js"
import { RuleMemory } from "../../src/engine/planning/RuleMemory.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as RuleMemorySql from "../../src/store/journal/RuleMemorySql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Shop from "./Shop.js"

const rule = "rules/10-optimise.yaml"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
}, 60_000)
afterAll(() => shop.close())

const json = async (...words: ReadonlyArray<string>): Promise<unknown> =>
  JSON.parse((await shop.run("forecast", ...words, "--json")).stdout)

describe("without forecasts", () => {
  it("says what is wrong with the policy, or that the first one is still to come", async () => {
    const disabled = await shop.run("forecast", "10-optimise")
    expect([disabled.code, disabled.stderr]).toEqual([1, expect.stringMatching(/10-optimise is disabled/)])
    const other = await shop.run("forecast", "01-raise-orders-below-acos")
    expect(other.code).toBe(1)
    const misspelt = await shop.run("forecast", "10-optimize")
    expect([misspelt.code, misspelt.stderr]).toEqual([1, expect.stringMatching(/Did you mean 10-optimise\?/)])
    const span = await shop.run("forecast", "10-optimise", "--last", "90d")
    expect([span.code, span.stderr]).toEqual([1, expect.stringMatching(/write whole days, from 1d to 60d/)])
    shop.write(rule, shop.read(rule).replace("mode: disabled", "mode: preview"))
    const none = await shop.run("forecast", "10-optimise")
    expect([none.code, none.stdout]).toEqual([0, expect.stringMatching(/^no forecasts of 10-optimise yet/)])
    expect(await json("10-optimise")).toMatchObject({ policy: "10-optimise", budgets: [] })
  }, 60_000)

  it("judges the budget that is asked for by the rule, as it does with forecasts", async () => {
    const asked = async (budget: string) => {
      const { code, stderr, stdout } = await shop.run("forecast", "10-optimise", "--budget", budget, "--json")
      return [code, stderr, stdout === "" ? undefined : JSON.parse(stdout).budgets]
    }
    for (const wrong of ["account", "shoes", "0"])
      expect(await asked(wrong)).toEqual([
        1,
        expect.stringMatching(
          /10-optimise has a budget per campaign, and none is called \S+; write the number of a campaign$/m
        ),
        undefined
      ])
    expect(await asked("99")).toEqual([
      0,
      expect.stringMatching(/whether it has the budget 99 is known once there is a first forecast/),
      []
    ])
    const own = shop.read(rule)
    shop.write(rule, own.replace("    budget: $daily", "    budget_of: account\n    budget: $daily"))
    expect(await asked("99")).toEqual([
      1,
      expect.stringMatching(
        /10-optimise has one budget for all campaigns, and none is called 99; write account$/m
      ),
      undefined
    ])
    expect((await asked("account"))[0]).toBe(0)
    shop.write(rule, own)
  }, 60_000)

  it("is not given by a look at the plan, and is by the first apply", async () => {
    await shop.run("plan")
    expect((await shop.run("forecast", "10-optimise")).stdout).toMatch(/^no forecasts/)
    await shop.run("apply", "--yes")
    const shown = await shop.run("forecast", "10-optimise")
    expect(shown.code).toBe(0)
    expect(shown.stdout).toMatch(
      /^10-optimise, campaign 1000001: no day can be judged yet; not judged: 1 day not known yet$/m
    )
    expect(shown.stdout).toMatch(
      /^ {2}20\d\d-\d\d-\d\d {2}[\d ]+ ₽ \([\d ]+ ₽ to [\d ]+ ₽\) +- .*not known yet$/m
    )
  }, 120_000)
})

describe("of days that are over", () => {
  const range = { low: 80_000, mean: 100_000, high: 120_000 }
  const expected = { spendKopecks: range, orders: { low: 2, mean: 4.25, high: 8 } }
  const dayOf = (day: string, spendKopecks: number): ForecastDay => ({
    policy: "10-optimise",
    budget: "1000001",
    day,
    campaigns: [1_000_001],
    dailyKopecks: 300_000,
    changes: 0,
    before: expected,
    after: expected,
    standing: "",
    madeAtMs: Date.parse(`${day}T03:30:00Z`),
    outcome: { code: "stood", sent: 1 },
    realised: { spendKopecks, orders: 5 }
  })

  const keep = (days: ReadonlyArray<ForecastDay>) =>
    Effect.runPromise(
      Effect.gen(function* () {
        const { keepForecasts } = yield* RuleMemory
        yield* keepForecasts("main", days, [])
        yield* keepForecasts("main", [], days)
      }).pipe(
        Effect.provide(RuleMemorySql.layer),
        Effect.provide(Migrations.layer),
        Effect.provide(SqliteClient.layer({ filename: join(shop.folder, ".bidhelm", "bidhelm.sqlite") }))
      )
    )

  const daysAgo = (count: number): string =>
    new Date(Date.parse("2026-09-01T12:00:00Z") - count * 86_400_000).toISOString().slice(0, 10)

  it("tells what lay outside, that the rule only looks, and how a person ends that", async () => {
    await keep([9, 8, 7, 6, 5].map((count, at) => dayOf(daysAgo(count), at === 0 ? 101_000 : 20_000)))
    const shown = await shop.run("forecast", "10-optimise", "--budget", "1000001")
    expect(shown.stdout).toMatch(
      /5 days judged, of which 9 of 10 should lie inside: spend inside on 1 \(in all 64% less\), orders inside on 5 \(in all 18% more\)/
    )
    expect(shown.stdout).toMatch(
      /only looks .* spend lay outside of what was expected on 4 of the last 4 days .* 80% below it in all; resume with: bidhelm resume --target 1000001/
    )
    expect(shown.stdout.match(/OUTSIDE/g)?.length).toBe(4)
    expect(shown.stdout).not.toMatch(/1000002/)
    const holds = await shop.run("holds")
    expect(holds.stdout).toMatch(/^10-optimise only looks for campaign 1000001: /m)
    const plan = await shop.run("plan", "--all")
    expect(plan.stdout).toMatch(/10-optimise only looks for campaign 1000001/)
    const resumed = await shop.run("resume", "--target", "1000001")
    expect(resumed.stdout).toMatch(
      /10-optimise acts again for campaign 1000001; its forecasts are judged anew/
    )
    expect((await shop.run("holds")).stdout).not.toMatch(/only looks/)
    expect((await shop.run("plan", "--all")).stdout).not.toMatch(/only looks/)
    const after = await json("10-optimise", "--budget", "1000001", "--last", "30d")
    expect(after).toMatchObject({
      budgets: [{ judged: 0, unjudged: expect.arrayContaining([{ because: "forgiven", days: 6 }]) }]
    })
    const unknown = await shop.run("forecast", "10-optimise", "--budget", "77")
    expect([unknown.code, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(/no forecast of the budget 77; there are 100000\d/)
    ])
  }, 120_000)
})
