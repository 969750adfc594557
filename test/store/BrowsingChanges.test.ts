import * as SqlClient from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CampaignId } from "../../src/domain/Ids.js"
import { type ChangeFilter, ChangeLog } from "../../src/engine/door/ChangeLog.js"
import { Journal, type JournalState } from "../../src/engine/door/Journal.js"
import * as BrowsingSql from "../../src/store/journal/BrowsingSql.js"
import * as Retention from "../../src/store/retention/Retention.js"
import { explained } from "./Explained.js"
import { by, change, database, inMemory, rows, run } from "./Fixture.js"

const accounts = ["shop", "Shop"]
const policies = ["01-raise", "a", "B", "ё"]
const states: ReadonlyArray<JournalState> = ["planned", "applied", "rejected", "parked"]

interface Made {
  readonly runId: string
  readonly changeId: string
  readonly position: number
  readonly account: string
  readonly beganAt: number
  readonly campaignId: number
  readonly policy: string
  readonly state: JournalState
}

/** Journals changes as runs did: those of one run share account and beginning. */
const journaled = (made: ReadonlyArray<Made>) =>
  Effect.gen(function* () {
    const journal = yield* Journal
    for (const runId of new Set(made.map((one) => one.runId))) {
      const own = made.filter((one) => one.runId === runId)
      const changes = own.map((one) =>
        change(0, {
          id: one.changeId,
          origin: by(one.policy),
          subject: { campaignId: CampaignId.make(one.campaignId) }
        })
      )
      yield* journal.begin(
        run(runId, { account: own[0]!.account, startedAt: own[0]!.beganAt }),
        rows(changes, ({ id, subject: target }) => `status:${target.campaignId}/${id}`)
      )
      for (const { changeId, state } of own) {
        if (state !== "planned") yield* journal.move(runId, [changeId], ["planned"], state, { nowMs: 9_999 })
      }
    }
  })

const runOf = fc.record({
  account: fc.constantFrom(...accounts),
  beganAt: fc.integer({ min: 1_000, max: 1_003 }),
  changes: fc.array(
    fc.record({
      campaignId: fc.integer({ min: 1, max: 3 }),
      policy: fc.constantFrom(...policies),
      state: fc.constantFrom(...states)
    }),
    { maxLength: 5 }
  )
})

const history = fc.array(runOf, { maxLength: 8 }).map((runs) =>
  runs.flatMap(({ account, beganAt, changes }, n) =>
    changes.map(
      (one, position): Made => ({
        ...one,
        account,
        beganAt,
        position,
        runId: `run ${n}`,
        changeId: `${position}`.padEnd(8, "abc")
      })
    )
  )
)

const filters: fc.Arbitrary<ChangeFilter> = fc.record(
  {
    account: fc.constantFrom(...accounts),
    campaignId: fc.integer({ min: 1, max: 4 }).map((id) => CampaignId.make(id)),
    policy: fc.constantFrom(...policies, "none"),
    state: fc.constantFrom(...states),
    fromMs: fc.integer({ min: 999, max: 1_004 }),
    toMs: fc.integer({ min: 999, max: 1_004 })
  },
  { requiredKeys: [] }
)

/** What fits, newest first, without a database. */
const expected = (made: ReadonlyArray<Made>, filter: ChangeFilter) =>
  made
    .filter(
      (one) =>
        (filter.account ?? one.account) === one.account &&
        (filter.campaignId ?? one.campaignId) === one.campaignId &&
        (filter.policy ?? one.policy) === one.policy &&
        (filter.state ?? one.state) === one.state &&
        one.beganAt >= (filter.fromMs ?? 0) &&
        one.beganAt < (filter.toMs ?? 9_999)
    )
    .toSorted(
      (a, b) =>
        b.beganAt - a.beganAt ||
        (a.runId < b.runId ? 1 : -1) * (a.runId === b.runId ? 0 : 1) ||
        b.position - a.position
    )
    .map(({ changeId, runId }) => `${runId}/${changeId}`)

const pages = (filter: ChangeFilter, limit: number) =>
  Effect.gen(function* () {
    const log = yield* ChangeLog
    const found: Array<string> = []
    for (;;) {
      const last = found.at(-1)?.split("/")
      const [place] = last === undefined ? [undefined] : yield* log.places(last[0]!, last[1])
      const page = yield* log.browse(filter, limit, place)
      if (page.length === 0) return found
      found.push(...page.map((one) => `${one.runId}/${one.change.id}`))
    }
  })

describe("browsing the changes of all runs", () => {
  it("finds what fits and nothing else, newest first, on pages without gaps, whatever is asked together", () =>
    fc.assert(
      fc.asyncProperty(history, filters, fc.integer({ min: 1, max: 7 }), async (made, filter, limit) => {
        const found = await inMemory(Effect.zipRight(journaled(made), pages(filter, limit)))
        expect(found).toEqual(expected(made, filter))
      }),
      { numRuns: database.kind === "sqlite" ? 60 : 6 }
    ))

  const one: Made = {
    runId: "run 1",
    changeId: "aaaabbbb1",
    position: 0,
    account: "shop",
    beganAt: 1_000,
    campaignId: 5,
    policy: "01-raise",
    state: "applied"
  }
  const some: ReadonlyArray<Made> = [
    one,
    { ...one, changeId: "aaaabbbb2", position: 1 },
    { ...one, runId: "run 2", beganAt: 2_000, state: "parked" }
  ]

  it("keeps its places when changes move to another state between two pages", async () => {
    const found = await inMemory(
      Effect.gen(function* () {
        yield* journaled(some)
        const log = yield* ChangeLog
        const [first] = yield* log.browse({ campaignId: CampaignId.make(5) }, 1)
        yield* (yield* Journal).move("run 1", ["aaaabbbb1"], ["applied"], "conflict", { nowMs: 5_000 })
        const [place] = yield* log.places(first!.runId, first!.change.id)
        return [first, ...(yield* log.browse({ campaignId: CampaignId.make(5) }, 9, place))]
      })
    )
    expect(found.map((row) => [row?.runId, row?.change.id, row?.state, row?.beganAt])).toEqual([
      ["run 2", "aaaabbbb1", "parked", 2_000],
      ["run 1", "aaaabbbb2", "applied", 1_000],
      ["run 1", "aaaabbbb1", "conflict", 1_000]
    ])
  })

  it("knows a place by a run, a change, or its beginning; two that begin alike are both told", async () => {
    const [whole, beginning, none, ofRun] = await inMemory(
      Effect.gen(function* () {
        yield* journaled(some)
        const log = yield* ChangeLog
        const before = yield* log.places("run 2")
        return [
          yield* log.places("run 1", "aaaabbbb2"),
          yield* log.places("run 1", "aaaabbbb"),
          yield* log.places("run 3", "aaaabbbb"),
          yield* log.browse({ policy: "01-raise" }, 9, before[0])
        ] as const
      })
    )
    expect(whole).toEqual([{ beganAt: 1_000, runId: "run 1", position: 1 }])
    expect(beginning).toHaveLength(2)
    expect(none).toEqual([])
    expect(ofRun.map(({ runId }) => runId)).toEqual(["run 1", "run 1"])
  })

  it("tells which policies made changes, and since when everything is kept", async () => {
    const day = 86_400_000
    const [known, before, after, other] = await inMemory(
      Effect.gen(function* () {
        const log = yield* ChangeLog
        yield* journaled([...some, { ...one, runId: "run 3", policy: "B" }])
        yield* (yield* Journal).finish("run 1", "done", {}, 3_000)
        const before = yield* log.keptSince(undefined)
        yield* Retention.purge(500 * day)
        return [
          yield* log.policies,
          before,
          yield* log.keptSince("shop"),
          yield* log.keptSince("other")
        ] as const
      })
    )
    expect(known).toEqual(["01-raise", "B"])
    expect(before).toBeUndefined()
    expect(after).toBe(100 * day)
    expect(other).toBeUndefined()
  })

  it("reads nothing of the changes but what it answers, by an index of the campaign or of the policy", async () => {
    const groups = [
      { account: "shop", policy: "01-raise", state: "applied" },
      { account: "shop", policy: "B", state: "parked" }
    ] as const
    const bounds = { fromMs: 0, before: { beganAt: 5_000, runId: "run 2", position: 3 } }
    const asked: ReadonlyArray<ChangeFilter> = [
      {},
      { account: "shop" },
      { policy: "01-raise" },
      { state: "parked" }
    ]
    const campaignId = CampaignId.make(5)
    const [ofCampaign, ofAll, whole] = await inMemory(
      Effect.gen(function* () {
        yield* journaled(some)
        const sql = yield* SqlClient.SqlClient
        const one = { run_id: "run 1", change_id: "aaaabbbb1", began_at: 1, position: 0 }
        return yield* sql.withTransaction(
          Effect.all([
            Effect.all([
              explained(BrowsingSql.keys(sql, campaignId, groups, bounds, 20)),
              ...asked.map((filter) => explained(BrowsingSql.groupsIn(sql, { ...filter, campaignId })))
            ]),
            Effect.all([
              explained(BrowsingSql.keys(sql, undefined, groups, bounds, 20)),
              explained(BrowsingSql.policyNames(sql)),
              ...asked.map((filter) => explained(BrowsingSql.groupsIn(sql, filter)))
            ]),
            explained(BrowsingSql.wholeRows(sql, [one]))
          ])
        )
      })
    )
    for (const plan of ofCampaign) expect(plan).toContain("changes_of_campaign")
    for (const plan of ofAll) expect(plan).toContain("changes_of_policy")
    for (const plan of [...ofCampaign, ...ofAll]) expect(plan).not.toMatch(/changes_(by_slot|of_slot|pkey)/)
    const isJump = /SCAN changes USING COVERING INDEX changes_of_policy/
    for (const plan of [...ofCampaign, ...ofAll, whole])
      expect(plan.replace(isJump, "")).not.toMatch(/Seq Scan on changes|SCAN changes/)
  })
})
