import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import { Holdings } from "../../src/engine/door/HoldStore.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { OperatorHold, Scope } from "../../src/engine/kinds/OperatorHold.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Depth from "../Depth.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const place = (world: Scenario.World, scope: Scope, more: Partial<OperatorHold> = {}) =>
  Effect.flatMap(Holdings, (holdings) =>
    holdings.place({ account: Scenario.account, ...scope, since: world.now(), by: "anna", ...more })
  ).pipe(Effect.provide(world.context))

const lift = (world: Scenario.World, scope: Scope) =>
  Effect.flatMap(Holdings, (holdings) => holdings.lift(Scenario.account, scope, "anna", world.now())).pipe(
    Effect.provide(world.context)
  )

const campaignsOf = (entries: ReadonlyArray<Ledger.Entry>) =>
  new Set(entries.map(({ target }) => target.campaignId))

const firstOf = (changes: ReadonlyArray<Change>): Change => {
  const [first] = changes
  if (first === undefined) throw new Error("nothing would change")
  return first
}

describe("a hold", () => {
  it("of a campaign holds every change of it in the plan, with who, when and why", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const before = (yield* world.plan).reviewed.plan.changes
        const { campaignId } = firstOf(before).subject
        yield* place(world, { kind: "target", what: String(campaignId) }, { why: "checking stock" })
        const planned = yield* world.plan
        const { changes, held } = planned.reviewed.plan
        // What a share of 02 had no room for is held as well, here by what the person said.
        const byPerson = held.filter(({ because }) => because.code === "hold")
        expect(new Set(byPerson.map(({ change }) => change.subject.campaignId))).toEqual(
          new Set([campaignId])
        )
        expect(byPerson.map(({ change }) => change.id)).toEqual(
          expect.arrayContaining(
            before.filter(({ subject: target }) => target.campaignId === campaignId).map(({ id }) => id)
          )
        )
        expect(Said.held(byPerson)[0]).toMatchObject({
          by: "hold",
          limit: expect.stringMatching(/^on hold by anna since 2026-09-01 09:0\d: checking stock$/),
          over: `resume with: bidhelm resume --target ${campaignId} --account ${Scenario.account}`
        })
        expect(changes.some(({ subject }) => subject.campaignId === campaignId)).toBe(false)
        yield* world.apply(planned)
        expect(world.ledger().length).toBeGreaterThan(0)
        expect(campaignsOf(world.ledger()).has(campaignId)).toBe(false)
      })
    ))

  it("of a policy holds what that policy wants and nothing else, and ends by the clock", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const before = (yield* world.plan).reviewed.plan.changes
        const {
          origin: { name: policy }
        } = firstOf(before)
        yield* place(world, { kind: "policy", what: policy }, { until: world.now() + 3_600_000 })
        const held = (yield* world.plan).reviewed.plan.held
        expect(new Set(held.map(({ change }) => change.origin.name))).toEqual(new Set([policy]))
        expect(Said.limit(held[0])).toMatch(
          /^on hold by anna since 2026-09-01 09:0\d, until 2026-09-01 10:0\d$/
        )
        yield* world.advance("1 hours")
        expect((yield* world.plan).reviewed.plan.held).toEqual([])
      })
    ))

  it("that was placed after the plan stops its application, and none of its requests leave", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        yield* place(world, { kind: "account", what: "" })
        const report = yield* world.apply(planned)
        expect(world.ledger()).toEqual([])
        expect(new Set(report.rows.map(({ state }) => state))).toEqual(new Set(["skipped"]))
        expect(Reasons.ofRow(report.rows[0]!)).toContain("on hold by anna")
        yield* lift(world, { kind: "account", what: "" })
        expect((yield* world.apply(yield* world.plan)).rows).toHaveLength(report.rows.length)
        expect(world.ledger().length).toBeGreaterThan(0)
      })
    ))

  for (const kind of ["account", "kill"] as const) {
    it(`placed in the middle of a run stops the next request (${kind})`, () =>
      Scenario.run({ scale: Scale.demo }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const applying = yield* Effect.fork(world.apply(planned))
          while (world.ledger().length === 0) yield* world.advance("100 millis")
          const sent = world.sandbox.ledger.entries.length
          yield* place(world, { kind, what: "" })
          const report = yield* applying
          expect(world.sandbox.ledger.entries.length).toBe(sent)
          expect(report.rows.some(({ state }) => state === "skipped")).toBe(true)
        })
      ))
  }

  it("placed while a request waits for the limit leaves its own change out, and the others go in another", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const bids = planned.reviewed.plan.changes.filter(({ kind }) => kind === "cluster_bid")
        const what = Target.key(firstOf(bids).subject)
        const before = world.requests("setClusterBids") + world.requests("setClusterBidsMinorUnits")
        expect([bids.length > 1, before]).toEqual([true, 0])
        let placed = false
        const holdAtTheLast = (point: JournalPoints.Point) =>
          Effect.gen(function* () {
            const isNext = world.ledger().every(({ slot }) => slot !== "bid")
            if (point !== "permitted" || placed || !isNext) return
            placed = true
            yield* place(world, { kind: "target", what })
          }).pipe(Effect.orDie)
        const report = yield* Effect.provideService(
          world.apply(planned),
          JournalPoints.AtPoint,
          holdAtTheLast
        )
        expect(placed).toBe(true)
        const left = report.rows.filter(({ state }) => state !== "applied")
        expect(left.map(({ change, state }) => [Target.key(change.subject), state])).toEqual([
          [what, "skipped"]
        ])
        expect(Reasons.ofRow(left[0]!)).toContain("on hold by anna")
        expect(world.ledger().flatMap(keysOf)).not.toContain(what)
      })
    ))

  it("is replaced by a later one of the same scope, and lifted once", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const scope: Scope = { kind: "target", what: "777/1001/женские кеды" }
        yield* place(world, scope)
        yield* world.advance("1 minutes")
        yield* place(world, scope, { by: "boris" })
        expect((yield* world.journal.stops(Scenario.account)).holds.map(({ by }) => by)).toEqual(["boris"])
        expect((yield* lift(world, scope)).map(({ by }) => by)).toEqual(["boris"])
        expect(yield* lift(world, scope)).toEqual([])
      })
    ))
})

/** Deterministic choice of some of a list. */
const some = <A>(all: ReadonlyArray<A>, seed: number): ReadonlyArray<A> =>
  all.filter((_, index) => ((index + 1) * 2_654_435_761 * (seed + 1)) % 7 < 3)

describe("whatever is on hold", () => {
  for (const seed of Depth.isDeep ? [1, 2, 3, 4, 5] : [1, 2]) {
    it(`no accepted write touches it (${seed})`, () =>
      Scenario.run({ seed }, (world) =>
        Effect.gen(function* () {
          const wanted = (yield* world.plan).reviewed.plan.changes
          const targets = some(wanted, seed)
            .slice(0, 3)
            .map(({ subject: { campaignId, cluster, itemId } }, index) =>
              [[campaignId, itemId, cluster], [campaignId, itemId], [campaignId]]
                [index % 3]!.filter((part) => part !== undefined)
                .join("/")
            )
          expect(targets.length).toBeGreaterThan(0)
          for (const what of targets) yield* place(world, { kind: "target", what })
          for (const _ of [1, 2]) {
            yield* world.apply(yield* world.plan)
            yield* world.advance("1 days")
          }
          const touched = world.ledger().flatMap(keysOf)
          expect(touched.length).toBeGreaterThan(0)
          for (const what of targets) {
            expect(touched.filter((key) => key === what || key.startsWith(`${what}/`))).toEqual([])
          }
        })
      ))
  }
})

/** What an entry of the ledger touched: of a list of minus phrases, those that came or went. */
const keysOf = ({ after, before, slot, target }: Ledger.Entry): ReadonlyArray<string> => {
  const pair = [target.campaignId, target.itemId].filter((part) => part !== undefined).join("/")
  if (slot !== "minus") return [target.cluster === undefined ? pair : `${pair}/${target.cluster}`]
  const [old, fresh] = [new Set(listOf(before)), new Set(listOf(after))]
  return [...fresh, ...old].filter((one) => old.has(one) !== fresh.has(one)).map((one) => `${pair}/${one}`)
}

const listOf = (value: unknown): ReadonlyArray<string> => (Array.isArray(value) ? value.map(String) : [])
