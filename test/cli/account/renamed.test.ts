/** What must be over before an account may get another name, as the store tells it. */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import * as TokenBinding from "../../../src/cli/account/TokenBinding.js"
import { CreationLog } from "../../../src/engine/door/CreationLog.js"
import { Journal, type JournalState } from "../../../src/engine/door/Journal.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import * as CreationLogSql from "../../../src/store/journal/CreationLogSql.js"
import * as Scenario from "../../scenario/Scenario.js"
import * as Fixture from "../../store/Fixture.js"

const zone = "Europe/Moscow"
const nowMs = Date.parse("2026-09-01T15:00:00+03:00")
const store = CreationLogSql.layer.pipe(Layer.provideMerge(Fixture.store({ filename: ":memory:" })))
/** The machine's clock, but that it shows always the same. */
const stopped = (ms: number) =>
  Effect.clockWith((clock) =>
    Effect.succeed<Clock.Clock>(
      Object.assign(Object.create(clock) as Clock.Clock, {
        currentTimeMillis: Effect.succeed(ms),
        unsafeCurrentTimeMillis: () => ms
      })
    )
  )

/** What is unfinished of the account `shop` after a story, at an instant. */
const unfinished = (
  story: Effect.Effect<unknown, unknown, Journal | CreationLog>,
  at = nowMs
): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    yield* story
    const asked = TokenBinding.unfinished("shop", {
      accounts: ["shop", "other"],
      currency: "RUB",
      timeZone: zone
    })
    return yield* Effect.withClock(asked, yield* stopped(at))
  }).pipe(Effect.provide(store), Effect.runPromise)

const sent = (slot: string, change: Change, state: JournalState, at = nowMs, account = "shop") =>
  Effect.gen(function* () {
    const journal = yield* Journal
    const runId = `run of ${change.id}`
    yield* journal.begin(Fixture.run(runId, { account, startedAt: at }), [{ slot, change }])
    if (state === "planned") return
    yield* journal.move(runId, [change.id], ["planned"], state, { nowMs: at, sent: true })
  })

const slotOf = (n: number) => `deposit:${n + 1}`
const deposit = (n: number): Change =>
  Fixture.change(n, { action: "deposit", before: 100_000, after: 300_000, kind: "campaign_deposit" })
const overlay = (n: number, more: Partial<Change> = {}, basisPoints = -2000): Change =>
  Fixture.change(n, {
    origin: Fixture.by("03-night"),
    action: "adjust_bid",
    before: 10_000,
    after: 8_000,
    ...Fixture.overlaid("03-night", basisPoints, 10_000),
    ...more
  } as Partial<Change>)

const creation = (account: string) =>
  Effect.gen(function* () {
    const log = yield* CreationLog
    const what = { account, operation: "createCampaign", marker: "autumn", requestHash: "hash" }
    const unknown = { beforeIds: [], foundId: undefined, reason: undefined, storedAt: 1 }
    yield* log.begin({ lane: "ads", ...what, ...unknown, id: `call of ${account}`, state: "claimed" })
  })

describe("an account may get another name", () => {
  it("when nothing but what is over is known of it, whatever another account has left", async () => {
    const yesterday = nowMs - 86_400_000
    expect(
      await unfinished(
        Effect.all([
          sent("bid:1", Fixture.change(0), "applied"),
          sent("bid:2", Fixture.change(1), "skipped"),
          sent(slotOf(2), deposit(2), "applied", yesterday),
          sent(slotOf(3), deposit(3), "not_applied"),
          sent(slotOf(4), deposit(4), "parked", nowMs, "other"),
          sent("item_bid:6/1/search", overlay(5), "applied", nowMs, "other"),
          creation("other")
        ])
      )
    ).toEqual([])
  })

  it("not while changes are open, or something may have been created", async () => {
    for (const state of ["planned", "dispatching", "accepted", "unknown"] as const)
      expect([state, await unfinished(sent("bid:1", Fixture.change(0), state))]).toEqual([
        state,
        [
          expect.stringContaining(
            "1 change whose outcome is open; read back by: bidhelm apply --account shop"
          )
        ]
      ])
    const [reason, ...more] = await unfinished(creation("shop"))
    expect(more).toEqual([])
    expect(reason).toContain('createCampaign "autumn" may or may not have created something')
    expect(reason).toContain("bidhelm resolve call of shop --created ID, or --not-created")
  })

  it("not while a deposit is parked, however long ago it was made", async () => {
    const [reason, ...more] = await unfinished(sent(slotOf(0), deposit(0), "parked", nowMs - 9 * 86_400_000))
    expect(more).toEqual([])
    expect(reason).toContain("a deposit of 2 000 ₽ to campaign 1 may or may not have been paid")
    expect(reason).toContain("bidhelm resolve run of change 0 change 0 --paid, or --not-paid")
  })

  it("not on the business day of a deposit, nor before its money can be seen", async () => {
    const morning = sent(slotOf(0), deposit(0), "applied", Date.parse("2026-09-01T00:00:00+03:00"))
    expect(await unfinished(morning)).toEqual([
      "shop: 2 000 ₽ deposited today or a moment ago, which no limit would count any more; wait until 2026-09-02 00:00"
    ])
    const midnight = Date.parse("2026-09-02T00:00:00+03:00")
    expect(await unfinished(morning, midnight)).toEqual([])
    const late = sent(slotOf(0), deposit(0), "applied", midnight - 5 * 60_000)
    expect(await unfinished(late, midnight)).toEqual([expect.stringContaining("wait until 2026-09-02 00:16")])
    expect(await unfinished(late, midnight + 16 * 60_000)).toEqual([])
  })

  it("not while overlays stand on bids; one that has ended, or that somebody has set a bid over, does not", async () => {
    const slot = (n: number) => `item_bid:${n + 1}/1/search`
    const back = overlay(4, { id: "back", before: 8_000, after: 10_000 }, 0)
    const reasons = await unfinished(
      Effect.gen(function* () {
        for (const n of [0, 1, 2, 3]) yield* sent(slot(n), overlay(n), "applied", nowMs - 60_000)
        yield* sent(slot(3), back, "applied", nowMs)
        const edit = {
          slot: slot(2),
          ours: 8_000,
          writtenAt: nowMs - 60_000,
          live: 12_000,
          firstSeenAt: nowMs
        }
        yield* Effect.flatMap(Journal, (journal) => journal.keepEdits("shop", [edit], []))
      })
    )
    expect(reasons).toEqual([expect.stringContaining("2 bids stand under the overlay of 03-night")])
  })

  const afternoon = {
    path: "rules/09-afternoon.yaml",
    text: 'version: 1\nname: Afternoon\nmode: apply\nschedule: {every: 30m, tz: Europe/Moscow}\neach: campaign_item\nwhere:\n  - campaign.status = active\n  - campaign.payment = cpm\nduring: {time: "08:00-20:00"}\ndo:\n  adjust_bid: {by: +20%, cap: 6000 ₽}\n'
  }

  it("not by itself while an overlay stands whose campaign is over, but when a person leaves it behind", () =>
    Scenario.run({ rules: [afternoon], scale: { campaigns: 4, items: 1, clusters: 2 } }, (world) =>
      Effect.gen(function* () {
        const begun = yield* world.plan
        yield* world.apply(begun)
        const standing = begun.reviewed.plan.changes
        expect(standing.length).toBeGreaterThan(0)
        const { campaignId } = standing[0]!.subject
        world.edit({ campaignId: campaignId!, status: 7 })
        yield* world.advance("14 hours")
        yield* world.apply(yield* world.plan)
        const config = { accounts: [Scenario.account, "other"], currency: "RUB", timeZone: zone }
        const asked = (leaving?: "leaves overlays") =>
          Effect.provide(TokenBinding.unfinished(Scenario.account, config, leaving), world.context)
        const [reason, ...more] = yield* asked()
        expect(more).toEqual([])
        const bids = standing.filter(({ subject: target }) => target.campaignId === campaignId).length
        expect(reason).toContain(
          `${bids === 1 ? "1 bid stands" : `${bids} bids stand`} under the overlay of 09-afternoon`
        )
        expect(reason).toContain(`${campaignId}/${standing[0]!.subject.itemId}/search at `)
        expect(reason).toContain(
          `run bidhelm apply --account ${Scenario.account} while its during: is not on`
        )
        expect(reason).toContain("--leave-overlays")
        expect(yield* asked("leaves overlays")).toEqual([])
      })
    ))

  it("not before all of it is over, which is told at once", async () => {
    const reasons = await unfinished(
      Effect.all([
        sent("bid:1", Fixture.change(0), "unknown"),
        sent(slotOf(1), deposit(1), "parked", nowMs - 9 * 86_400_000),
        sent(slotOf(2), deposit(2), "applied"),
        sent("item_bid:4/1/search", overlay(3), "applied"),
        creation("shop")
      ])
    )
    expect(reasons).toHaveLength(5)
  })
})
