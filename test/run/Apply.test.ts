import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { StoreFailure } from "../../src/domain/StoreFailure.js"
import { Journal } from "../../src/engine/door/Journal.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import type { ApplyBusy } from "../../src/engine/door/Lease.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Scenario from "../scenario/Scenario.js"

const first = (changes: ReadonlyArray<Change>, action: Change["action"]): Change => {
  const found = changes.find((change) => change.action === action)
  if (found === undefined) throw new Error(`the plan has no ${action}`)
  return found
}

const raises = (changes: ReadonlyArray<Change>) => changes.filter((change) => change.action === "raise_bid")
/** Raises that are still wanted after the plan's pauses took effect. */
const lastingRaises = (changes: ReadonlyArray<Change>) => {
  const paused = new Set(changes.flatMap((c) => (c.action === "pause" ? [c.subject.campaignId] : [])))
  return raises(changes).filter((change) => !paused.has(change.subject.campaignId))
}
const bidEntries = (world: Scenario.World) => world.ledger().filter((entry) => entry.slot === "bid")
const bidRequest = "setClusterBidsMinorUnits"

describe("applying a plan", () => {
  it("skips a bid that somebody changed after the plan, and says from what to what", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { subject: target, id, before } = first(planned.reviewed.plan.changes, "raise_bid")
        world.edit({ ...edited(target), campaignId: target.campaignId!, bidKopecks: 50_000 })
        const report = yield* world.apply(planned)
        const row = report.rows.find((r) => r.change.id === id)
        expect(row?.state).toBe("skipped")
        expect(Reasons.ofRow(row!)).toBe(`changed by someone (${Number(before) / 100} ₽ → 500 ₽)`)
        expect(report.status).toBe("partial")
        expect(
          bidEntries(world).some(
            (entry) => entry.target.cluster === target.cluster && entry.target.itemId === target.itemId
          )
        ).toBe(false)
      })
    ))

  it("keeps a minus phrase that somebody else added in the meantime", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const ours = first(planned.reviewed.plan.changes, "add_minus")
        const { campaignId, itemId } = ours.subject
        const added = planned.reviewed.plan.changes.flatMap((c) =>
          c.action === "add_minus" ? [c.subject.cluster] : []
        )
        const theirs = planned.gathered
          .table("cluster")
          .rows.find(
            (row) => row.campaignId === campaignId && row.itemId === itemId && !added.includes(row.cluster)
          )!
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [theirs.cluster!] })
        yield* world.apply(planned)
        const list = world.ledger().find((entry) => entry.slot === "minus" && entry.target.itemId === itemId)
        expect(list?.before).toEqual([theirs.cluster])
        expect(list?.after).toContain(ours.subject.cluster)
        expect(list?.after).toContain(theirs.cluster)
      })
    ))

  for (const kind of ["dropAnswer", "errorAfter", "halfBody", "emptyBody"] as const) {
    it(`reads back what was sent when the answer is lost (${kind}), and does not send it again`, () =>
      Scenario.run({ rules: Scenario.firstRules() }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          world.faults([{ operation: bidRequest, kind, count: 1 }])
          const report = yield* world.apply(planned)
          expect(report.status).toBe("done")
          expect(world.requests(bidRequest)).toBe(1)
          expect(bidEntries(world)).toHaveLength(raises(planned.reviewed.plan.changes).length)
        })
      ))
  }

  it("finds that nothing happened when the request failed before its effect, and plans it anew", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const wanted = raises(planned.reviewed.plan.changes)
        world.faults([{ operation: bidRequest, kind: "errorBefore", count: 1 }])
        const report = yield* world.apply(planned)
        expect(report.status).toBe("partial")
        expect(report.counts.not_applied).toBe(wanted.length)
        expect(world.requests(bidRequest)).toBe(1)
        const lasting = lastingRaises(planned.reviewed.plan.changes)
        const second = yield* world.plan
        expect(raises(second.reviewed.plan.changes).map((c) => c.after)).toEqual(lasting.map((c) => c.after))
        expect((yield* world.apply(second)).status).toBe("done")
        expect(bidEntries(world)).toHaveLength(lasting.length)
      })
    ))

  it("believes the old value only where two looks saw it: one that failed is none", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ operation: bidRequest, kind: "errorBefore" }])
        const looks = () => world.requests("getClusterBids")
        let failed: number | undefined
        const report = yield* Cycle.apply(planned.reviewed, {
          approvedBy: "test",
          account: Scenario.account
        }).pipe(
          Effect.provideService(JournalPoints.AtPoint, (point) =>
            Effect.sync(() => {
              if (point === "recorded") world.faults([{ kind: "errorBefore" }])
              if (point === "seen") world.faults([])
              if (point === "seen") failed ??= looks()
            })
          ),
          Effect.provide(world.context)
        )
        const wanted = raises(planned.reviewed.plan.changes).length
        expect(report.counts.not_applied).toBe(wanted)
        expect(looks() - (failed ?? 0)).toBe(2)
      })
    ))

  it("records the reason of every row of a campaign that was ended, which the last look or the marketplace tells, and applies the rest", () =>
    Scenario.run({ rules: Scenario.firstRules().filter(({ path }) => !path.includes("/02-")) }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const wanted = raises(planned.reviewed.plan.changes)
        const { campaignId } = wanted[0]!.subject
        const stopped = wanted.filter((change) => change.subject.campaignId === campaignId)
        world.edit({ campaignId: campaignId!, status: 7 })
        const report = yield* world.apply(planned)
        const left = report.rows.filter(
          ({ change, state }) => change.action === "raise_bid" && state !== "applied"
        )
        expect(left).toHaveLength(stopped.length)
        expect(new Set(left.map(({ state }) => state))).toEqual(new Set(["rejected", "skipped"]))
        for (const row of left) expect(Reasons.ofRow(row)).toContain("takes no changes")
        expect(bidEntries(world)).toHaveLength(wanted.length - stopped.length)
      })
    ))

  it("sends nothing once the kill switch is engaged", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.kill("BIDHELM_STOP is set")
        const report = yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
        expect(report.status).toBe("failed")
        expect(report.stopped).toEqual({ code: "kill_switch", said: "BIDHELM_STOP is set" })
        expect(new Set(report.rows.map((row) => row.state))).toEqual(new Set(["skipped"]))
      })
    ))

  it("lets at most the request under way finish when the kill switch is engaged in the middle", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        world.faults([{ operation: "setMinusPhrases", kind: "latency", ms: 1000 }])
        const applying = yield* Effect.fork(world.apply(planned))
        yield* world.advance("4500 millis")
        const before = world.requests("setMinusPhrases")
        expect(before).toBeGreaterThan(0)
        world.kill("stop")
        const report = yield* Fiber.join(applying)
        expect(world.requests("setMinusPhrases")).toBeLessThanOrEqual(before + 1)
        expect(world.requests(bidRequest)).toBe(0)
        expect(report.status).toBe("partial")
        expect(report.counts.applied).toBeGreaterThan(0)
      })
    ))

  it("sends nothing when the disk is full, and says what to do", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.fillDisk
        const failure = yield* Effect.flip(world.apply(planned))
        expect(failure).toBeInstanceOf(StoreFailure)
        expect((failure as StoreFailure).message).toMatch(/disk|space|full/i)
        expect(world.ledger()).toEqual([])
      })
    ))

  it("stops the account when its token is no longer accepted, and skips the rest", () =>
    Scenario.run(
      { rules: Scenario.firstRules(), scale: Scale.demo, token: { expiresAtMs: Scenario.startMs + 120_000 } },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          yield* world.advance(Math.max(0, Scenario.startMs + 119_500 - world.now()))
          const report = yield* world.apply(planned)
          expect(report.status).toBe("partial")
          expect(report.stopped).toMatchObject({
            code: "account_refused",
            said: expect.stringContaining("token")
          })
          expect(report.counts.skipped).toBeGreaterThan(0)
          // What had left stays open for the next run; a refused token cannot read it back.
          const open = yield* world.journal.open(Scenario.account)
          expect(open.length).toBe(report.counts.accepted)
          expect(world.now() - Scenario.startMs).toBeLessThan(125_000)
        })
    ))

  it("says so when it is interrupted, frees the lock, and leaves what was sent to the next run", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const applying = yield* Effect.fork(world.apply(planned))
        yield* world.advance("30 seconds")
        yield* Fiber.interrupt(applying)
        expect((yield* world.journal.runs(Scenario.account, 1))[0]?.status).toBe("interrupted")
        const sent = world.ledger().length
        const again = yield* world.apply(yield* world.plan)
        expect(again.recovered.every((row) => row.state === "applied")).toBe(true)
        expect(again.recovered).toHaveLength(planned.reviewed.plan.changes.length)
        expect(world.ledger()).toHaveLength(sent)
      })
    ))

  it("refuses a second apply of the account and says who holds the lock", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const results = yield* Effect.all(
          [
            world.apply(planned, { holder: "pid 1 on desk" }),
            world.apply(planned, { holder: "pid 2 on desk" })
          ].map(Effect.either),
          { concurrency: 2 }
        )
        const busy = results.filter(Either.isLeft).map((result) => result.left as ApplyBusy)
        expect(busy).toHaveLength(1)
        expect(busy[0]?.message).toContain("pid 1 on desk")
        expect(bidEntries(world)).toHaveLength(raises(planned.reviewed.plan.changes).length)
      })
    ))

  it("takes over at once the lock of a holder that is certainly dead, else waits for its lease", () =>
    Scenario.run({ rules: Scenario.firstRules() }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* world.journal.acquire(
          { account: Scenario.account, lane: "ads" },
          "pid 9 on desk",
          world.now(),
          30_000
        )
        const refused = yield* Effect.flip(world.apply(planned)) as Effect.Effect<ApplyBusy>
        expect(refused.message).toContain("30 s")
        const report = yield* world.apply(planned, { abandoned: (holder) => holder.startsWith("pid 9") })
        expect(report.status).toBe("done")
      })
    ))
})

const edited = ({ campaignId, itemId, cluster }: Change["subject"]) => ({
  campaignId,
  ...(itemId === undefined ? {} : { itemId }),
  ...(cluster === undefined ? {} : { cluster })
})

/** A journal whose nth write fails, as on a full disk; afterwards everything fails until it is healed. */
const failingFrom = (nth: number, real: typeof Journal.Service) => {
  let writes = 0
  const broken = new StoreFailure({ action: "write", hint: "the disk is full", cause: undefined })
  const guard = <A>(write: Effect.Effect<A, StoreFailure>) =>
    Effect.suspend(() => (++writes >= nth ? Effect.fail(broken) : write))
  const journal: typeof Journal.Service = {
    ...real,
    begin: (...args) => guard(real.begin(...args)),
    move: (...args) => guard(real.move(...args)),
    finish: (...args) => guard(real.finish(...args))
  }
  return { journal, writes: () => writes }
}

describe("a run that dies", () => {
  const applyWith = (
    world: Scenario.World,
    planned: Parameters<Scenario.World["apply"]>[0],
    journal: typeof Journal.Service
  ) =>
    Cycle.apply(planned.reviewed, { approvedBy: "test", account: Scenario.account }).pipe(
      Effect.provide(Context.add(world.context, Journal, journal))
    )

  it("sends nothing without a committed claim, and the next run settles what was open: nothing twice, nothing lost", async () => {
    let total = Number.POSITIVE_INFINITY
    for (let nth = 1; nth <= total; nth++) {
      await Scenario.run(
        { rules: Scenario.firstRules(), scale: { campaigns: 2, items: 2, clusters: 8 }, seed: 2 },
        (world) =>
          Effect.gen(function* () {
            const planned = yield* world.plan
            const { changes } = planned.reviewed.plan
            const { journal, writes } = failingFrom(nth, world.journal)
            const result = yield* Effect.either(applyWith(world, planned, journal))
            if (Either.isRight(result)) {
              total = nth - 1
              expect(writes()).toBeGreaterThan(3)
            }
            const claimed = new Set(
              (yield* Effect.forEach(yield* world.journal.runs(Scenario.account, 10), (run) =>
                world.journal.rows(run.runId)
              ))
                .flat()
                .filter((row) => row.state !== "planned" && row.state !== "skipped")
                .map((row) => `${row.change.subject.campaignId}/${row.change.subject.itemId}`)
            )
            const unclaimed = world
              .ledger()
              .filter(
                (entry) =>
                  entry.target.itemId !== undefined &&
                  !claimed.has(`${entry.target.campaignId}/${entry.target.itemId}`)
              )
            expect(unclaimed).toEqual([])
            const recovery = yield* world.apply(yield* world.plan)
            expect(yield* world.journal.open(Scenario.account)).toEqual([])
            expect((yield* world.plan).reviewed.plan.changes).toEqual([])
            const written = world
              .ledger()
              .filter((e) => e.slot === "bid")
              .map((e) => `${e.target.campaignId}/${e.target.itemId}/${e.target.cluster} ${e.after}`)
            expect(new Set(written).size).toBe(written.length)
            expect(written).toHaveLength(raises(changes).length)
            expect(
              recovery.recovered.every((row) => ["applied", "not_applied", "skipped"].includes(row.state))
            ).toBe(true)
          })
      )
    }
    expect(total).toBeGreaterThan(3)
  })

  for (const [state, kind, settles] of [
    ["dispatching", "dropAnswer", "applied"],
    ["dispatching", "errorBefore", "not_applied"]
  ] as const) {
    it(`reads a ${state} row back before sending anything: ${settles} after ${kind}`, () =>
      Scenario.run({ rules: Scenario.firstRules() }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          world.faults([{ operation: bidRequest, kind, count: 1 }])
          const dying: typeof Journal.Service = {
            ...world.journal,
            move: (runId, ids, from, to, note) =>
              from.includes("dispatching") && raises(changes).some((change) => ids.includes(change.id))
                ? Effect.die("killed")
                : world.journal.move(runId, ids, from, to, note)
          }
          yield* Effect.exit(applyWith(world, planned, dying))
          const open = yield* world.journal.open(Scenario.account)
          expect(open.filter((row) => row.state === "dispatching")).toHaveLength(raises(changes).length)
          const again = yield* world.apply(yield* world.plan)
          const settled = again.recovered.filter((row) => row.change.action === "raise_bid")
          expect(new Set(settled.map((row) => row.state))).toEqual(new Set([settles]))
          const last = yield* world.plan
          yield* world.apply(last)
          const lasting = settles === "applied" ? raises(changes) : lastingRaises(changes)
          expect(bidEntries(world)).toHaveLength(lasting.length)
        })
      ))
  }
})
