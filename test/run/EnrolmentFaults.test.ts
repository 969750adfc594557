/** What befalls enrolments: tasks that take hours or leave items out, refusals, and a calendar that changes meanwhile. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import * as RowReasons from "../../src/reporting/RowReasons.js"
import * as Promotions from "../../src/sandbox/market/Promotions.js"
import * as PromotionControl from "../../src/sandbox/PromotionControl.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Scenario from "../scenario/Scenario.js"

const policy = (more = "", mode = "mode: apply\nirreversible: accepted") => ({
  path: "rules/09-join.yaml",
  text: `version: 1
name: Join promotions
${mode}
each: promotion_item
where: promotion.starts_in between 12h and 7d
when:
  - price_drop <= 40%
${more}do: enrol
`
})
const join = policy()
const upload = "uploadPromotionItems"
const hour = 3_600_000

/** Starts three days and a half after the story. */
const first = 1005

/** Starts before that one is over. */
const beside = 1006

/** Tasks of that promotion that the marketplace took, as the items of each. */
const filed = (world: Scenario.World) =>
  world
    .ledger()
    .flatMap(({ operation, target, task }) =>
      operation === upload && target.promotionId === first ? [task?.asked ?? []] : []
    )

const stage = (world: Scenario.World, staged: PromotionControl.Staged) => {
  const problem = PromotionControl.stage(world.sandbox, staged, world.now())
  if (problem !== undefined) throw new Error(problem)
}

const itemsOf = ({ reviewed }: Pick<Cycle.Planned, "reviewed">) =>
  reviewed.plan.changes.map(({ subject }) => subject.itemId!)
const promotionOf = ({ reviewed }: Cycle.Planned) => Number(reviewed.plan.changes[0]!.subject.promotionId)

/** Cycles of the lane, as the scheduler runs them. */
const cycle = (world: Scenario.World) =>
  Effect.gen(function* () {
    const stopping = yield* Deferred.make<void>()
    const loaded = { rules: world.rules, version: "1", problem: undefined }
    return yield* world.cycle({
      account: Scenario.account,
      lane: "promotions",
      due: new Set(["09-join"]),
      loaded,
      stopping
    })
  })

const statesOf = (world: Scenario.World, runId: string) =>
  Effect.map(world.journal.rows(runId), (rows) =>
    rows.map(({ change, reason, state }) => [change.subject.itemId!, state, reason?.code ?? ""] as const)
  )

const own = (name: string, id: number) => ({
  path: `rules/${name}.yaml`,
  text: policy()
    .text.replace("Join promotions", name)
    .replace("promotion.starts_in between 12h and 7d", `promotion.id = ${id}`)
})

it("an item whose filing no list shows yet joins no other promotion of the time", () =>
  Scenario.run({ rules: [own("a", first), own("b", beside)] }, (world) =>
    Effect.gen(function* () {
      world.faults([{ kind: "slowTask", operation: upload, ms: 5 * hour }])
      const a = yield* world.planOf(new Set(["a"]), "promotions")
      yield* world.apply(a)
      yield* world.advance("15 minutes")
      const b = yield* world.planOf(new Set(["b"]), "promotions")
      yield* world.apply(b)
      const entered = world
        .ledger()
        .flatMap(({ operation, task }) => (operation === upload ? (task?.asked ?? []) : []))
      expect(entered.length).toBeGreaterThanOrEqual(itemsOf(a).length)
      expect(entered.length).toBe(new Set(entered).size)
    })
  ))

it("of two plans that waited, an item joins one promotion of a time; the other plan leaves it out and says which", () => {
  return Scenario.run({ rules: [own("a", first), own("b", beside)] }, (world) =>
    Effect.gen(function* () {
      const [a, b] = [
        yield* world.planOf(new Set(["a"]), "promotions"),
        yield* world.planOf(new Set(["b"]), "promotions")
      ]
      const both = itemsOf(a).filter((itemId) => itemsOf(b).includes(itemId))
      expect(both.length).toBeGreaterThan(0)
      yield* world.apply(a)
      const { runId } = yield* world.apply(b)
      const states = yield* statesOf(world, runId)
      const left = states.filter(([, , code]) => code === "overlap_filed").map(([itemId]) => itemId)
      expect(left).toEqual(both)
      const entered = world
        .ledger()
        .flatMap(({ operation, task }) => (operation === upload ? (task?.asked ?? []) : []))
      expect(entered.length).toBe(new Set(entered).size)
    })
  )
})

it("an item whose other promotion was moved into the time of the one it waits for joins it not, and the reason says which", () =>
  Scenario.run({ rules: [own("a", first), join] }, (world) =>
    Effect.gen(function* () {
      const at = (days: number) => new Date(world.now() + days * 24 * hour).toISOString()
      stage(world, { promotionId: first, play: "move", endDateTime: at(4) })
      stage(world, { promotionId: beside, play: "move", startDateTime: at(5), endDateTime: at(9) })
      const a = yield* world.planOf(new Set(["a"]), "promotions")
      yield* world.apply(a)
      yield* world.advance("2 hours")
      const b = yield* world.planOf(new Set(["09-join"]), "promotions")
      const both = itemsOf(a).filter((itemId) => itemsOf(b).includes(itemId))
      expect(both.length).toBeGreaterThan(0)
      stage(world, { promotionId: first, play: "move", endDateTime: at(6) })
      const { runId } = yield* world.apply(b)
      const rows = yield* world.journal.rows(runId)
      const left = rows.filter(({ reason }) => reason?.code === "overlap_moved")
      // Those of the calendar's beginning are in as well.
      expect(left.map(({ change }) => change.subject.itemId)).toEqual(expect.arrayContaining(both))
      expect(Reasons.withWords(left[0]!).detail).toMatch(
        /is in promotion 1005 .*, which has moved since the plan/
      )
      const entered = world
        .ledger()
        .flatMap(({ operation, task }) => (operation === upload ? (task?.asked ?? []) : []))
      expect(entered.length).toBe(new Set(entered).size)
      expect(entered.length).toBe(itemsOf(a).length + itemsOf(b).length - left.length)
    })
  ))

describe("an item that bidhelm filed for a promotion which is moved into the time of another one", () => {
  /** Looks at the lists of both, whenever they run. */
  const looking = own("b", beside)
  const reads = `promotion.id in [${first}, ${beside}]`
  const text = looking.text
    .replace(`where: promotion.id = ${beside}`, `where: ${reads}`)
    .replace("  - price_drop", `  - promotion.id = ${beside}\n  - price_drop`)
  const twoApart = { rules: [own("a", first), { ...looking, text }] }
  const at = (world: Scenario.World, days: number) => new Date(world.now() + days * 24 * hour).toISOString()
  const apart = (world: Scenario.World) => {
    stage(world, { promotionId: first, play: "move", endDateTime: at(world, 4) })
    stage(world, {
      promotionId: beside,
      play: "move",
      startDateTime: at(world, 5),
      endDateTime: at(world, 9)
    })
  }
  const meet = (world: Scenario.World) =>
    stage(world, { promotionId: first, play: "move", startDateTime: at(world, 6), endDateTime: at(world, 8) })
  const slow = { kind: "slowTask", operation: upload, ms: 18 * hour } as const
  const a = (world: Scenario.World) => world.planOf(new Set(["a"]), "promotions")
  const b = (world: Scenario.World) => world.planOf(new Set(["b"]), "promotions")
  /** By the marketplace's truth once all tasks are through: what is in both without having been in from the start. */
  const inBoth = (world: Scenario.World) => {
    const came = (id: number) =>
      new Set(Promotions.cameLater(world.sandbox.world(defaultSeller), id, Number.POSITIVE_INFINITY))
    return [...came(first)].filter((itemId) => came(beside).has(itemId))
  }

  it("is not planned for that one while no list shows it, and the plan says for which it was filed", () =>
    Scenario.run(twoApart, (world) =>
      Effect.gen(function* () {
        apart(world)
        world.faults([slow])
        const { rows } = yield* world.apply(yield* a(world))
        expect(new Set(rows.map(({ state }) => state))).toEqual(new Set(["accepted"]))
        yield* world.advance("15 minutes")
        const free = yield* b(world)
        const open = rows.map(({ change }) => change.subject.itemId!)
        const both = open.filter((itemId) => itemsOf(free).includes(itemId))
        expect(both.length).toBeGreaterThan(0)
        meet(world)
        const { reviewed } = yield* b(world)
        const stays = reviewed.plan.unchanged.filter(({ because }) => because.code === "overlap_filed")
        expect(stays.map(({ subject }) => subject.itemId)).toEqual(expect.arrayContaining(both))
        expect(stays[0]!.because).toMatchObject({
          promotionId: first,
          promotionName: expect.stringMatching(/./)
        })
        expect(RowReasons.text(stays[0]!.because, RowReasons.around(reviewed.plan))).toMatch(
          /^the item was filed for promotion 1005 .*, which runs at the same time; its list does not show it yet$/
        )
        expect(itemsOf({ reviewed }).filter((itemId) => open.includes(itemId))).toEqual([])
        const report = yield* world.apply(free)
        expect(report.rows.filter(({ reason }) => reason?.code === "overlap_filed").length).toBe(both.length)
        expect(report.rows.map(Reasons.ofRow)).toContainEqual(
          expect.stringMatching(
            /^not sent: the item was filed for promotion 1005 .*, which runs at the same time$/
          )
        )
        expect(inBoth(world)).toEqual([])
      })
    ))

  it("does not join that one by a request that had waited since before", () =>
    Scenario.run(twoApart, (world) =>
      Effect.gen(function* () {
        apart(world)
        const [forFirst, forBeside] = [yield* a(world), yield* b(world)]
        const both = itemsOf(forFirst).filter((itemId) => itemsOf(forBeside).includes(itemId))
        expect(both.length).toBeGreaterThan(0)
        yield* world.apply(forFirst)
        meet(world)
        const { runId } = yield* world.apply(forBeside)
        const states = yield* statesOf(world, runId)
        expect(states.filter(([itemId]) => both.includes(itemId))).toEqual(
          both.map((itemId) => [itemId, "skipped", "overlap_filed"])
        )
        expect(inBoth(world)).toEqual([])
      })
    ))

  it("does not join that one by a plan from while its filing was open, once the filing is settled", () =>
    Scenario.run(twoApart, (world) =>
      Effect.gen(function* () {
        apart(world)
        world.faults([{ ...slow, ms: 2 * hour }])
        const filed = yield* a(world)
        yield* world.apply(filed)
        yield* world.advance("15 minutes")
        const forBeside = yield* b(world)
        const both = itemsOf(forBeside).filter((itemId) => itemsOf(filed).includes(itemId))
        expect(both.length).toBeGreaterThan(0)
        yield* world.advance("3 hours")
        meet(world)
        const { recovered, runId } = yield* world.apply(forBeside)
        expect(new Set(recovered.map(({ state }) => state))).toContain("applied")
        const states = yield* statesOf(world, runId)
        expect(states.filter(([itemId, state]) => both.includes(itemId) && state !== "skipped")).toEqual([])
        expect(inBoth(world)).toEqual([])
      })
    ))

  it("joins where the two are at one time no more, whatever their days were when it was filed", () =>
    Scenario.run(twoApart, (world) =>
      Effect.gen(function* () {
        const [forFirst, forBeside] = [yield* a(world), yield* b(world)]
        const both = itemsOf(forFirst).filter((itemId) => itemsOf(forBeside).includes(itemId))
        yield* world.apply(forFirst)
        // Days that were agreed to for the other one stay as they are.
        const ends = Promotions.byId(world.sandbox.world(defaultSeller), beside, world.now())!.endsAt
        stage(world, {
          promotionId: first,
          play: "move",
          startDateTime: new Date(ends + hour).toISOString(),
          endDateTime: new Date(ends + 24 * hour).toISOString()
        })
        const { runId } = yield* world.apply(forBeside)
        const states = yield* statesOf(world, runId)
        expect(states.filter(([itemId]) => both.includes(itemId))).toEqual(
          both.map((itemId) => [itemId, "applied", "read_back"])
        )
      })
    ))

  it("waits where nobody answers when that promotion runs, and the next plan promises nothing either", () =>
    Scenario.run(twoApart, (world) =>
      Effect.gen(function* () {
        apart(world)
        world.faults([slow])
        const forBeside = yield* b(world)
        const forFirst = yield* a(world)
        yield* world.apply(forFirst)
        stage(world, { promotionId: first, play: "delete" })
        const report = yield* world.apply(forBeside)
        expect(
          report.rows.flatMap((row) => (row.state === "skipped" ? [Reasons.ofRow(row)] : []))
        ).toContainEqual(expect.stringMatching(/the dates of promotion 1005 were not answered/))
        expect(inBoth(world)).toEqual([])
        const again = yield* b(world)
        const { plan } = again.reviewed
        expect(itemsOf(again).filter((itemId) => itemsOf(forFirst).includes(itemId))).toEqual([])
        expect(plan.unknown.map(({ because }) => because)).toContainEqual({
          code: "overlap_unread",
          promotionId: first,
          promotionName: ""
        })
      })
    ))

  it("joins both where its rule lets it", () => {
    const free = own("b", beside)
    const rules = [
      own("a", first),
      { ...free, text: free.text.replace("do: enrol", "do: {enrol: {overlap: allowed}}") }
    ]
    return Scenario.run({ rules }, (world) =>
      Effect.gen(function* () {
        world.faults([slow])
        const filedNow = itemsOf(yield* Effect.tap(a(world), world.apply))
        const planned = yield* b(world)
        const { rows } = yield* world.apply(planned)
        expect(rows.map(({ reason }) => reason?.code ?? "")).toEqual(rows.map(() => ""))
        expect(inBoth(world)).toEqual(itemsOf(planned).filter((itemId) => filedNow.includes(itemId)))
      })
    )
  })
})

it("an item does not join where a promotion whose items no rule looked at was moved into the time meanwhile, and the next plan looks", () =>
  Scenario.run({ rules: [own("b", beside)] }, (world) =>
    Effect.gen(function* () {
      const at = (days: number) => new Date(world.now() + days * 24 * hour).toISOString()
      for (const { id } of Promotions.all(world.sandbox.world(defaultSeller), world.now()))
        if (id !== beside && id !== first) stage(world, { promotionId: id, play: "delete" })
      stage(world, { promotionId: first, play: "move", endDateTime: at(4) })
      stage(world, { promotionId: beside, play: "move", startDateTime: at(5), endDateTime: at(9) })
      const planned = yield* world.planOf(new Set(["b"]), "promotions")
      expect(world.requests("listPromotionItems")).toBe(2)
      const isIn = (itemId: number) =>
        Promotions.isIn(world.sandbox.world(defaultSeller), first, itemId, world.now())
      expect(itemsOf(planned).filter(isIn).length).toBeGreaterThan(0)
      stage(world, { promotionId: first, play: "move", endDateTime: at(6) })
      const { runId } = yield* world.apply(planned)
      const rows = yield* world.journal.rows(runId)
      expect(new Set(rows.map((row) => Reasons.withWords(row).detail))).toEqual(
        new Set([
          "not sent: promotion 1005 Подарки к празднику has moved since the plan and runs at the same time now, and nobody has looked whether the item is in it; the next plan does"
        ])
      )
      expect(world.ledger().filter(({ operation }) => operation === upload)).toEqual([])
      const again = yield* world.planOf(new Set(["b"]), "promotions")
      expect(itemsOf(again)).toEqual(itemsOf(planned).filter((itemId) => !isIn(itemId)))
      yield* world.apply(again)
      const entered = world
        .ledger()
        .flatMap(({ operation, task }) => (operation === upload ? (task?.asked ?? []) : []))
      expect(entered).toEqual(itemsOf(again))
    })
  ))

it("an item joins nothing beside a promotion that it is in and of which the calendar tells the dates alone", () =>
  Scenario.run({ rules: [own("b", beside)] }, (world) =>
    Effect.gen(function* () {
      for (const { id } of Promotions.all(world.sandbox.world(defaultSeller), world.now()))
        if (id !== beside && id !== first) stage(world, { promotionId: id, play: "delete" })
      // Of the two the one that the items are in.
      world.faults([{ kind: "omit", operation: "getPromotionDetails", share: 0.5 }])
      const { reviewed } = yield* world.planOf(new Set(["b"]), "promotions")
      const isIn = (itemId: number) =>
        Promotions.isIn(world.sandbox.world(defaultSeller), first, itemId, world.now())
      expect(reviewed.plan.changes.length).toBeGreaterThan(0)
      expect(itemsOf({ reviewed }).filter(isIn)).toEqual([])
      expect(reviewed.plan.unchanged.map(({ because }) => because.code)).toContain("overlap_in")
    })
  ))

describe("a task", () => {
  it("that takes five hours stays open, is not filed again meanwhile, and is proved once the list shows it", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        world.faults([{ kind: "slowTask", operation: upload, ms: 5 * hour }])
        const { runId } = yield* world.apply(planned)
        const states = (yield* statesOf(world, runId)).map(([, state]) => state)
        expect(new Set(states)).toEqual(new Set(["accepted"]))
        for (let hours = 0; hours < 4; hours++) {
          yield* world.advance("1 hour")
          expect(yield* cycle(world)).toMatchObject({ _tag: "Done", said: "nothing to change" })
        }
        expect(filed(world).length).toBe(1)
        yield* world.advance("2 hours")
        yield* cycle(world)
        expect(new Set((yield* statesOf(world, runId)).map(([, state]) => state))).toEqual(
          new Set(["applied"])
        )
        expect(filed(world).length).toBe(1)
      })
    ))

  it("whose answer was lost, and that takes its time, is never filed twice", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        world.faults([
          { kind: "slowTask", operation: upload, ms: 3 * hour },
          { kind: "dropAnswer", operation: upload, count: 1 }
        ])
        const { runId } = yield* world.apply(planned)
        expect(new Set((yield* statesOf(world, runId)).map(([, state]) => state))).toEqual(
          new Set(["unknown"])
        )
        for (let hours = 0; hours < 4; hours++) {
          yield* world.advance("1 hour")
          yield* cycle(world)
        }
        expect(new Set((yield* statesOf(world, runId)).map(([, state]) => state))).toEqual(
          new Set(["applied"])
        )
        expect(filed(world).length).toBe(1)
      })
    ))

  it("that never arrived is never filed again either, and is told once its promotion has begun", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        world.faults([{ kind: "reset", operation: upload, count: 1 }])
        const { runId } = yield* world.apply(planned)
        yield* world.advance("1 day")
        yield* cycle(world)
        yield* world.advance("3 days")
        yield* cycle(world)
        expect(filed(world)).toEqual([])
        const states = yield* statesOf(world, runId)
        expect(new Set(states.map(([, ...state]) => `${state}`))).toEqual(new Set(["conflict,not_entered"]))
      })
    ))

  it("leaves items out without a word; only the list shows it, and they are told when the promotion begins", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        const items = itemsOf(planned)
        expect(items.length).toBeGreaterThan(1)
        const out = items[0]!
        world.faults([{ kind: "leftOut", operation: upload, items: [out] }])
        const { runId } = yield* world.apply(planned)
        const after = yield* statesOf(world, runId)
        expect(after.filter(([, state]) => state !== "applied")).toEqual([[out, "accepted", ""]])
        world.faults([])
        yield* world.advance("2 days")
        const { changes } = (yield* world.planPromotions).reviewed.plan
        expect(changes.filter(({ subject }) => subject.promotionId === first)).toEqual([])
        yield* world.advance("2 days")
        yield* cycle(world)
        const told = (yield* world.journal.rows(runId)).find(({ change }) => change.subject.itemId === out)!
        expect([told.state, Reasons.ofRow(told)]).toEqual([
          "conflict",
          "it did not enter: the promotion's list still does not show it, and nobody says why"
        ])
        expect(
          filed(world)
            .flat()
            .filter((itemId) => itemId === out).length
        ).toBe(1)
      })
    ))
})

describe("a promotion", () => {
  it("that the marketplace fills itself, and one that is over, are not asked for", () =>
    Scenario.run(
      { rules: [{ ...join, text: join.text.replace(/where: .*/, "where: promotion.lasts > 0h") }] },
      (world) =>
        Effect.gen(function* () {
          const { changes } = (yield* world.planPromotions).reviewed.plan
          const calendar = PromotionControl.report(
            world.sandbox,
            new URLSearchParams(),
            world.now()
          ).promotions
          const open = calendar.filter(
            ({ endDateTime, type }) => type === "regular" && Date.parse(endDateTime) > world.now()
          )
          const ids = new Set(changes.map(({ subject }) => Number(subject.promotionId)))
          expect(changes.length).toBeGreaterThan(0)
          expect([...ids].filter((id) => !open.some((one) => one.id === id))).toEqual([])
        })
    ))

  it("that refuses the task with 422 leaves every item rejected, and it may be tried again", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        world.faults([{ kind: "refuse", status: 422, operation: upload, count: 1 }])
        const { runId } = yield* world.apply(planned)
        const states = yield* statesOf(world, runId)
        expect(new Set(states.map(([, ...state]) => `${state}`))).toEqual(new Set(["rejected,refused"]))
        expect(filed(world)).toEqual([])
        expect(itemsOf(yield* world.planPromotions)).toEqual(itemsOf(planned))
      })
    ))

  const changes: ReadonlyArray<
    readonly [what: string, (id: number, now: number) => PromotionControl.Staged, code: string]
  > = [
    [
      "whose prices were lowered",
      (promotionId) => ({ promotionId, play: "lower_plan_prices", percent: 10 }),
      "terms_changed"
    ],
    ["that was deleted", (promotionId) => ({ promotionId, play: "delete" }), "gone"],
    [
      "that was moved so that it has started",
      (promotionId, now) => ({
        promotionId,
        play: "move",
        startDateTime: new Date(now - hour).toISOString()
      }),
      "promotion_started"
    ],
    [
      "that starts later",
      (promotionId, now) => ({
        promotionId,
        play: "move",
        startDateTime: new Date(now + 150 * hour).toISOString()
      }),
      "dates_changed"
    ],
    [
      "that starts days earlier",
      (promotionId, now) => ({
        promotionId,
        play: "move",
        startDateTime: new Date(now + 2 * hour).toISOString()
      }),
      "dates_changed"
    ],
    [
      "that lasts longer",
      (promotionId, now) => ({
        promotionId,
        play: "move",
        endDateTime: new Date(now + 40 * 24 * hour).toISOString()
      }),
      "dates_changed"
    ],
    [
      "that was moved into the past",
      (promotionId, now) => ({
        promotionId,
        play: "move",
        startDateTime: new Date(now - 9 * hour).toISOString(),
        endDateTime: new Date(now - hour).toISOString()
      }),
      "gone"
    ]
  ]
  for (const [what, play, code] of changes)
    it(`${what} between plan and apply is left alone, and the ledger stays empty`, () =>
      Scenario.run({ rules: [join] }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.planPromotions
          const promotionId = promotionOf(planned)
          stage(world, play(promotionId, world.now()))
          const { rows } = yield* world.apply(planned)
          const own = rows.filter(({ change }) => Number(change.subject.promotionId) === promotionId)
          expect(new Set(own.map(({ reason, state }) => `${state} ${reason?.code}`))).toEqual(
            new Set([`skipped ${code}`])
          )
          const ours = world.ledger().filter(({ target }) => target.promotionId === promotionId)
          expect(ours).toEqual([])
          expect(own.map((row) => Reasons.ofRow(row) ?? "").filter((words) => words.length < 20)).toEqual([])
        })
      ))

  for (const [what, play] of [
    ["deleted", (promotionId: number) => ({ promotionId, play: "delete" })],
    [
      "ended before its start",
      (promotionId: number, now: number) => ({
        promotionId,
        play: "move",
        startDateTime: new Date(now - 2 * hour).toISOString(),
        endDateTime: new Date(now - hour).toISOString()
      })
    ]
  ] as ReadonlyArray<readonly [string, (id: number, now: number) => PromotionControl.Staged]>)
    it(`that is ${what} while its task takes its time is told within hours, not at a start that never comes`, () =>
      Scenario.run({ rules: [join] }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.planPromotions
          const promotionId = promotionOf(planned)
          world.faults([{ kind: "slowTask", operation: upload, ms: 48 * hour }])
          const { runId } = yield* world.apply(planned)
          const own = Effect.map(world.journal.rows(runId), (rows) => [
            ...new Set(
              rows
                .filter(({ change }) => Number(change.subject.promotionId) === promotionId)
                .map(({ reason, state }) => `${state} ${reason?.code ?? ""}`)
            )
          ])
          stage(world, play(promotionId, world.now()))
          yield* cycle(world)
          expect(yield* own).toEqual(["accepted "])
          yield* world.advance("7 hours")
          yield* cycle(world)
          expect(yield* own).toEqual(["conflict gone"])
          expect(filed(world).length).toBe(1)
        })
      ))

  it("whose prices are lowered while the request waits for its call limit is left alone as well", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        world.faults([{ kind: "throttle", operation: upload, retrySeconds: 600, count: 1 }])
        const applying = yield* Effect.fork(world.apply(planned))
        yield* world.advance("2 minutes")
        stage(world, { promotionId: promotionOf(planned), play: "lower_plan_prices", percent: 50 })
        const { rows } = yield* applying
        expect(new Set(rows.map(({ reason }) => reason?.code))).toEqual(new Set(["terms_changed"]))
        expect(filed(world)).toEqual([])
      })
    ))

  it("whose answers take their time is as planned all the same", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "latency", ms: 9000, jitterMs: 9000 }])
        const planned = yield* world.planPromotions
        yield* world.apply(planned)
        expect(filed(world)).toEqual([itemsOf(planned)])
      })
    ))

  it("that somebody else entered with an item meanwhile has it, and nothing is filed for it", () =>
    Scenario.run({ rules: [join] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.planPromotions
        const [one, ...others] = itemsOf(planned)
        stage(world, { promotionId: promotionOf(planned), play: "enter", items: [one!] })
        const { runId } = yield* world.apply(planned)
        expect((yield* statesOf(world, runId)).find(([itemId]) => itemId === one)).toEqual([
          one,
          "skipped",
          "already_there"
        ])
        expect(filed(world)).toEqual([others])
      })
    ))
})

it("a plan that waited while its items were filed and did not enter files none of them again", () =>
  Scenario.run({ rules: [join] }, (world) =>
    Effect.gen(function* () {
      const [waiting, planned] = [yield* world.planPromotions, yield* world.planPromotions]
      world.faults([{ kind: "leftOut", operation: upload }])
      yield* world.apply(planned)
      const { rows } = yield* world.apply(waiting)
      expect(new Set(rows.map(({ reason, state }) => `${state} ${reason?.code}`))).toEqual(
        new Set(["skipped earlier_change_open"])
      )
      yield* world.advance("4 days")
      yield* cycle(world)
      const again = yield* world.apply(waiting)
      expect(new Set(again.rows.map(({ reason, state }) => `${state} ${reason?.code}`))).toEqual(
        new Set(["skipped filed_before"])
      )
      expect(filed(world).length).toBe(1)
    })
  ))
