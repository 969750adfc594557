import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as Review from "../../src/engine/decide/Review.js"
import { Writer } from "../../src/engine/door/Writer.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as CallPlan from "../../src/engine/planning/CallPlan.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Calls from "../../src/marketplace/Calls.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import { MaxWait } from "../../src/services/Limiter.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const minuteMs = 60_000
const hourMs = 60 * minuteMs

const rule = (body: string, name = "rule"): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\n${body}\n`
})

const lowering = rule(
  "each: cluster\nwhere:\n  - campaign.payment = cpm\n  - campaign.status = active\n  - cluster.has_own_bid\n" +
    "when: bid > 110 ₽\ndo:\n  lower_bid: {by: 7%, floor: 100 ₽}\ncooldown: 6h"
)
const pausing = rule(
  "each: campaign\nwhere: campaign.status = active\nwhen: campaign.id > 1\ndo: pause",
  "pause"
)
const perClick = rule(
  "each: campaign_item\nwhere: campaign.payment = cpc\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: 10%, cap: 40 ₽}\ncooldown: 6h",
  "click"
)

const raising = rule(
  "each: cluster\nwhere:\n  - campaign.payment = cpm\n  - cluster.has_own_bid\nwhen: bid < recommended.reach_max\ndo:\n" +
    "  raise_bid: {by: 10%, toward: recommended.reach_max, cap: 450 ₽}\ncooldown: 6h",
  "raise"
)

const scale = { campaigns: 3, items: 1, clusters: 4 }
const writes = [
  "setClusterBids",
  "setClusterBidsMinorUnits",
  "setMinusPhrases",
  "setItemBids",
  "pauseCampaign"
]

/** A story told by somebody who waits only so long for each call. */
const patient = (
  options: Scenario.Options,
  maxWaitMs: number,
  story: Parameters<typeof Scenario.run<void>>[1]
) => Scenario.run(options, (world) => Effect.provideService(story(world), MaxWait, maxWaitMs))

const messages = ({ gathered }: Cycle.Planned): ReadonlyArray<string> =>
  gathered.failures.map((failure) => failure.message)

const written = (world: Scenario.World): ReadonlyArray<string> =>
  world
    .ledger()
    .map(({ target, after }) => `${target.campaignId}/${target.itemId}/${target.cluster} ${after}`)
    .sort()

const wanted = ({ reviewed }: Cycle.Planned): ReadonlyArray<string> =>
  reviewed.plan.changes
    .map(({ subject: target, after }) => `${target.campaignId}/${target.itemId}/${target.cluster} ${after}`)
    .sort()

describe("a Base token", () => {
  const base: Scenario.Options = { token: { kind: "base" }, scale }

  it("bids whole roubles through the old operation, in the rouble's step, without a single 429", () =>
    patient({ ...base, rules: [lowering] }, 2 * hourMs, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(wanted(planned).length).toBeGreaterThan(1)
        expect(messages(planned)).toEqual([
          expect.stringContaining(
            "getPromotionConfig: the token may not do this: not available to a token of the kind Base"
          )
        ])
        for (const { before, after } of planned.reviewed.plan.changes) {
          expect(after).toBe(Math.floor((Number(before) * 0.93) / 100) * 100)
        }
        const report = yield* world.apply(planned)
        expect(report.status).toBe("done")
        expect(written(world)).toEqual(wanted(planned))
        expect(new Set(world.ledger().map((entry) => entry.operation))).toEqual(new Set(["setClusterBids"]))
        expect(world.requests("getPromotionConfig")).toBe(0)
        const second = yield* world.plan
        expect(second.reviewed.plan.changes).toEqual([])
        expect(second.reviewed.plan.unchanged.length).toBeGreaterThan(0)
        expect(world.throttled()).toBe(0)
      })
    ))

  it("leaves bids per click alone, because nobody told their step", () =>
    patient({ ...base, scale: { ...scale, campaigns: 5 }, rules: [perClick] }, 2 * hourMs, (world) =>
      Effect.gen(function* () {
        const { plan } = (yield* world.plan).reviewed
        expect(plan.changes).toEqual([])
        expect(plan.unchanged.map((row) => Said.why(row))).toEqual([
          "the bid step for cpc in RUB is not known"
        ])
      })
    ))

  it("with the shipped rules and patience does all of it, without a single 429", () =>
    patient(base, 2 * hourMs, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(new Set(planned.reviewed.plan.changes.map((change) => change.action))).toEqual(
          new Set(["raise_bid", "add_minus", "pause"])
        )
        // A story's rules do not wait for a second morning: 02 adds the worst fifth at once, and holds the rest.
        const minus = planned.reviewed.plan.changes.filter((change) => change.action === "add_minus")
        expect(new Set(minus.map(({ origin }) => origin.name))).toEqual(new Set(["02-minus-low-ctr"]))
        expect(minus.length * 5).toBeLessThanOrEqual(
          planned.reviewed.plan.policies.find(({ id }) => id === "02-minus-low-ctr")?.rowsInScope ?? 0
        )
        expect((yield* world.apply(planned)).status).toBe("done")
        expect(world.ledger()).toHaveLength(planned.reviewed.plan.changes.length)
        expect(world.throttled()).toBe(0)
      })
    ))

  it("asks for as many recommendations as its patience allows; the other bids are unknown and stay", () =>
    patient(
      { ...base, scale: { ...scale, campaigns: 2, items: 4 }, rules: [raising] },
      5 * minuteMs,
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { unknown } = planned.reviewed.plan
          expect(planned.reviewed.plan.calls.perOperation.getBidRecommendations).toBe(2)
          expect(wanted(planned).length).toBeGreaterThan(0)
          expect(new Set(unknown.map((row) => Said.why(row)))).toEqual(
            new Set(["bid < recommended.reach_max: not fetched: the call limit left no room for it"])
          )
          expect(new Set(unknown.map((row) => row.subject.itemId)).size).toBe(3)
          const report = yield* Effect.provideService(world.apply(planned), MaxWait, hourMs)
          expect(report.status).toBe("done")
          expect(written(world)).toEqual(wanted(planned))
          expect(world.throttled()).toBe(0)
        })
    ))

  it("does not spend its one look at campaigns an hour on a call by hand that was refused", () =>
    patient(base, 2 * hourMs, (world) =>
      Effect.gen(function* () {
        const client = yield* MarketplaceClient
        const [operation, whose] = ["setMinusPhrases", { advert_id: 1_000_001, nm_id: 200_000_001 }] as const
        const request = { payload: { ...whose, norm_queries: ["шапки", "варежки"] } }
        const call = { account: Scenario.account, operation, currency: "RUB", zone: "Europe/Moscow" }
        const planned = yield* CallPlan.make(call, yield* Calls.wanted(client, operation, request))
        if (planned._tag !== "Plan") throw new Error(planned._tag)
        world.faults([{ operation, kind: "refuse", status: 400, count: 1 }])
        const { live, reviewed } = planned
        const whole = { operation, request, changes: reviewed.appliable, live }
        const by = { approvedBy: "anna (--yes)", account: Scenario.account }
        const { rows } = yield* Cycle.apply(reviewed, by, { whole: true }).pipe(
          Effect.provideServiceEffect(
            Writer,
            Effect.flatMap(Writer, (own) => Calls.writer(own, client, whole, {}))
          )
        )
        expect(rows.map(({ reason }) => reason?.code)).toEqual(["goes_whole", "refused_with_another"])
        expect([world.requests(operation), world.requests("getCampaigns")]).toEqual([1, 0])
      }).pipe(Effect.provide(world.context))
    ))

  for (const minutes of [0, 1, 5, 15]) {
    it(`that waits ${minutes} minutes leaves unasked what is too far away, says so, and never acts on it`, () =>
      patient({ ...base, scale: { campaigns: 6, items: 2, clusters: 6 } }, minutes * minuteMs, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes, unknown } = planned.reviewed.plan
          const unasked = planned.gathered.failures.filter((failure) => failure.reason === "notFetched")
          expect(unasked.length).toBeGreaterThan(0)
          for (const { message } of unasked) {
            expect(message).toMatch(/leaves no room for \d+ s; run again later or raise --max-wait$/)
          }
          expect(
            unknown.filter((row) => Said.why(row).includes("not fetched: the call limit left")).length
          ).toBeGreaterThan(0)
          const undecided = new Set(unknown.map((row) => JSON.stringify([row.policy, row.subject])))
          expect(
            changes.filter((change) => undecided.has(JSON.stringify([change.origin.name, change.subject])))
          ).toEqual([])
          const report = yield* world.apply(planned)
          expect(world.ledger().length).toBeLessThanOrEqual(changes.length)
          for (const row of report.rows.filter(({ state }) => state === "skipped")) {
            expect(Reasons.ofRow(row)).toContain("not sent")
          }
          expect(world.throttled()).toBe(0)
        })
      ))
  }
})

describe("a token for reading only", () => {
  it("plans as any other, and is refused with a clear message before anything is sent", () =>
    Scenario.run({ token: { readOnly: true }, scale, rules: [lowering, pausing] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        expect(messages(planned)).toEqual([])
        const { changes } = planned.reviewed.plan
        expect(new Set(changes.map((change) => change.action))).toEqual(new Set(["lower_bid", "pause"]))
        const refused = yield* Effect.flip(world.apply(planned))
        expect(String(refused)).toContain("is for reading only; give the account one that may write")
        expect(yield* world.journal.runs(Scenario.account, 10)).toEqual([])
        expect(writes.map(world.requests)).toEqual(writes.map(() => 0))
        expect(world.ledger()).toEqual([])
        expect((yield* world.plan).open).toEqual([])
      })
    ))
})

describe("a token that cannot serve", () => {
  const cases: ReadonlyArray<readonly [string, Scenario.Options["token"], RegExp]> = [
    [
      "without the promotion category",
      { categories: ["pricesAndDiscounts"] },
      /the token lacks the category Promotion. Use a token of the needed kind and category/
    ],
    [
      "that has expired",
      { expiresAtMs: Scenario.startMs - 1000 },
      /the token has expired. Put a valid token of this environment in its place$/
    ]
  ]
  for (const [name, token, message] of cases) {
    it(`${name} ends in one clear message, and nothing is asked`, () =>
      Scenario.run({ ...(token === undefined ? {} : { token }), scale }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          expect(messages(planned)).toEqual([expect.stringMatching(message)])
          expect(planned.reviewed.plan.changes).toEqual([])
          expect(planned.reviewed.plan.calls.perOperation).toEqual({})
          expect(world.requests("listCampaignIds")).toBe(0)
        })
      ))
  }

  it("that expires after the plan sends nothing, and says why for every change", () =>
    Scenario.run(
      { token: { expiresAtMs: Scenario.startMs + hourMs }, scale, rules: [lowering, pausing] },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          yield* world.advance("2 hours")
          const report = yield* world.apply(planned)
          expect(report.status).toBe("failed")
          expect(new Set(report.rows.map((row) => row.state))).toEqual(new Set(["skipped"]))
          for (const row of report.rows) expect(Reasons.ofRow(row)).toContain("the token has expired")
          expect(world.ledger()).toEqual([])
        })
    ))

  it("that expires before the read-back leaves the changes open and claims none of them", () =>
    Scenario.run({ token: { expiresAtMs: Scenario.startMs + minuteMs }, scale, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const report = yield* world.apply(planned)
        expect(report.status).toBe("partial")
        expect(report.counts).toEqual({ accepted: wanted(planned).length })
        expect(written(world)).toEqual(wanted(planned))
        expect((yield* world.plan).open).toHaveLength(wanted(planned).length)
      })
    ))
})

describe("a saved plan", () => {
  const reloaded = (
    world: Scenario.World,
    planned: Cycle.Planned,
    json: unknown,
    more: Partial<Review.ReloadContext> = {}
  ) =>
    Review.reload(json, {
      ...planned.context,
      account: Scenario.account,
      accounts: 1,
      nowMs: world.now(),
      ...more
    })
  const saved = ({ reviewed }: Cycle.Planned): string => JSON.stringify(reviewed.plan)

  it("comes back from its file and is applied as it was shown", () =>
    Scenario.run({ scale, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.advance("3 hours")
        const reviewed = Either.getOrThrow(reloaded(world, planned, JSON.parse(saved(planned))))
        expect(reviewed.plan).toEqual(planned.reviewed.plan)
        expect((yield* world.apply({ ...planned, reviewed })).status).toBe("done")
        expect(written(world)).toEqual(wanted(planned))
      })
    ))

  const refused: ReadonlyArray<
    readonly [string, (text: string) => string, Partial<Review.ReloadContext>, RegExp]
  > = [
    ["of another account", (text) => text, { account: "other" }, /made for account "shop", not for "other"/],
    ["that is too old", (text) => text, { maxAgeMs: -1 }, /older than .* hours; the account has moved on/],
    [
      "with a bid edited by hand",
      (text) => text.replace(/"after":(\d+)/, (_, bid) => `"after":${Number(bid) + 100}`),
      {},
      /changed after it was made/
    ],
    [
      "with a younger date",
      (text) => text.replace(/"createdAt":"[^"]+"/, '"createdAt":"2026-09-01T06:30:00.000Z"'),
      {},
      /changed after it was made/
    ],
    ["with a key nobody knows", (text) => text.replace("{", '{"extra":1,'), {}, /not a plan of version 2/]
  ]
  for (const [name, spoil, more, message] of refused) {
    it(`${name} is refused, and the message says what to do`, () =>
      Scenario.run({ scale, rules: [lowering] }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const answer = reloaded(world, planned, JSON.parse(spoil(saved(planned))), more)
          const why = Either.isLeft(answer) ? answer.left : "accepted"
          expect(why).toMatch(message)
          expect(why).toMatch(/bidhelm plan --out plan\.json makes a new one, bidhelm apply asks anew\.$/)
        })
      ))
  }

  it("of yesterday is refused by the clock alone", () =>
    Scenario.run({ scale, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.advance("25 hours")
        const answer = reloaded(world, planned, JSON.parse(saved(planned)))
        expect(Either.isLeft(answer) ? answer.left : "accepted").toContain("older than 24 hours")
      })
    ))
})
