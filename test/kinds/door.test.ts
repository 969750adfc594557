/**
 * The door by itself, in the test's own process, with two kinds that only tests know: a list that is replaced as a whole,
 * and a step that cannot be taken back. Neither rules nor facts are here, and no marketplace that `src` knows.
 */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import fc, { type Arbitrary } from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { BeforeSend } from "../../src/domain/BeforeSend.js"
import { ItemId, PlanId } from "../../src/domain/Ids.js"
import * as Apply from "../../src/engine/door/Apply.js"
import { Journal } from "../../src/engine/door/Journal.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Send from "../../src/engine/door/Send.js"
import { type WriteOutcome, Writer } from "../../src/engine/door/Writer.js"
import * as Approved from "../../src/engine/kinds/Approved.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { Live } from "../../src/engine/kinds/Seen.js"
import * as SqliteClient from "../../src/store/clients/SqliteClient.js"
import * as JournalSql from "../../src/store/journal/JournalSql.js"
import * as StopsSql from "../../src/store/people/StopsSql.js"
import * as Migrations from "../../src/store/schema/Migrations.js"
import * as Depth from "../Depth.js"
import * as SandboxAccount from "../scenario/SandboxAccount.js"
import * as VirtualClock from "../scenario/VirtualClock.js"

vi.mock("../../src/engine/kinds/Parts.js", async (original) => {
  const own = await original<typeof import("../../src/engine/kinds/Parts.js")>()
  const subject = Schema.Struct({ itemId: ItemId })
  const parts = {
    ...own.parts,
    shelf: { subject, details: Schema.Struct({ place: Schema.Int }) },
    parcel: { subject, details: Schema.Struct({}) }
  }
  return { ...own, parts, kindNames: Object.keys(parts) }
})
vi.mock("../../src/engine/kinds/All.js", async (original) => {
  const own = await original<typeof import("../../src/engine/kinds/All.js")>()
  const { parcel, shelf } = await import("./MadeUp.js")
  return { all: { ...own.all, shelf, parcel } }
})

const madeUp = (kind: "shelf" | "parcel", item: number, place?: number): Change => {
  const made: unknown = {
    id: `${kind}-${item}-${place ?? 0}`,
    kind,
    origin: { by: "policy", name: "assembly", line: 1 },
    subject: { itemId: ItemId.make(item) },
    campaignName: "",
    action: "set_bid",
    before: "here",
    after: "there",
    details: place === undefined ? {} : { place },
    reason: [],
    clamps: [],
    overruled: [],
    reversible: kind === "shelf",
    moneyPerDayKopecks: { unknown: "no money" }
  }
  return made as Change
}

const isParcel = ({ kind }: { readonly kind: string }): boolean => kind === "parcel"

const requestOf = ({ kind, subject }: Change): string => `${kind} ${subject.itemId}`

/** What comes of a request: done or not, and with which answer. */
const fates = ["done", "refused", "lost before", "lost after"] as const
type Fate = (typeof fates)[number]

const visibleMs = 5_000

/** A warehouse behind the door: what it took, and what it shows after a while. */
class Warehouse {
  readonly taken: Array<{ readonly request: number; readonly change: Change; readonly atMs: number }> = []
  requests = 0

  constructor(
    private readonly fates: ReadonlyArray<Fate>,
    /** Ids of changes whose slot somebody sets after the plan. */
    private readonly touched: ReadonlySet<string>,
    private readonly now: () => number
  ) {}

  readonly live = (change: Change): Live => {
    if (this.touched.has(change.id)) return { _tag: "Value", value: "elsewhere" }
    const isThere = this.taken.some(
      (one) => one.change.id === change.id && one.atMs + visibleMs <= this.now()
    )
    if (!isThere) return { _tag: "Value", value: "here" }
    return isParcel(change) ? { _tag: "Gone", what: "campaign" } : { _tag: "Value", value: "there" }
  }

  readonly take = (changes: ReadonlyArray<Change>): WriteOutcome => {
    const request = this.requests++
    const fate = this.fates[request % this.fates.length] ?? "done"
    if (fate === "done" || fate === "lost after")
      this.taken.push(...changes.map((change) => ({ request, change, atMs: this.now() })))
    switch (fate) {
      case "done":
        return { _tag: "Accepted" }
      case "refused":
        return { _tag: "Rejected", reason: { code: "refused", said: "no" } }
      default:
        return { _tag: "Unknown", reason: { code: "no_answer", said: "the line went dead" } }
    }
  }

  readonly writer = Layer.succeed(Writer, {
    readLive: (changes) =>
      Effect.sync(() => new Map(changes.map((change) => [change.id, this.live(change)]))),
    batches: (changes) =>
      Effect.succeed(
        Object.values(Arr.groupBy(changes, requestOf)).map((together) => ({
          operation: isParcel(together[0]) ? "handOver" : "setShelf",
          changes: together,
          requestHash: "",
          send: Effect.flatten(BeforeSend).pipe(
            Effect.map(() => this.take(together)),
            Effect.catchAll(({ reason }) => Effect.succeed<WriteOutcome>({ _tag: "NotSent", reason })),
            Effect.map((outcome) => new Map(together.map(({ id }) => [id, outcome])))
          )
        }))
      ),
    visibilityMs: () => visibleMs,
    purse: () => Effect.succeed(undefined)
  })
}

const { account } = SandboxAccount

const approved = (changes: ReadonlyArray<Change>, planId: string) =>
  Approved.issue({ account, planId: PlanId(planId), madeAtMs: 0, changes, approvedBy: "test" })

const apply = (changes: ReadonlyArray<Change>, planId: string) =>
  Apply.run(approved(changes, planId), { begun: Effect.void, abandoned: () => true })

/** Dies the first time it comes to a point. */
const dyingAt = (fatal: JournalPoints.Point | undefined) => {
  let isDead = false
  return (point: JournalPoints.Point) =>
    Effect.suspend(() => {
      if (isDead || point !== fatal) return Effect.void
      isDead = true
      return Effect.die("the machine is gone")
    })
}

const story = fc.record({
  shelves: fc.uniqueArray(fc.record({ item: fc.integer({ min: 1, max: 3 }), place: fc.nat(3) }), {
    selector: ({ item, place }) => `${item}/${place}`,
    maxLength: 6
  }),
  parcels: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 }),
  fates: fc.array(fc.constantFrom(...fates), { minLength: 1, maxLength: 6 }),
  touched: fc.uniqueArray(fc.nat(9), { maxLength: 2 }),
  fatal: fc.option(fc.constantFrom(...JournalPoints.points), { nil: undefined })
})

type Story = typeof story extends Arbitrary<infer T> ? T : never

const changesOf = ({ parcels, shelves }: Pick<Story, "parcels" | "shelves">): ReadonlyArray<Change> => [
  ...shelves.map(({ item, place }) => madeUp("shelf", item, place)),
  ...parcels.map((item) => madeUp("parcel", item))
]

const told = async ({ fatal, fates: drawn, parcels, shelves, touched }: Story) => {
  const time = VirtualClock.make(1_000_000)
  const changes = changesOf({ parcels, shelves })
  const ids = new Set(touched.flatMap((nth) => changes[nth]?.id ?? []))
  const warehouse = new Warehouse(drawn, ids, time.now)
  const store = Layer.merge(JournalSql.layer, StopsSql.layer).pipe(
    Layer.provide(Migrations.layer),
    Layer.provide(SqliteClient.layer({ filename: ":memory:" }))
  )
  const services = Layer.merge(warehouse.writer, SandboxAccount.killSwitch({ why: undefined })).pipe(
    Layer.provideMerge(store)
  )
  const rows = await Effect.gen(function* () {
    const journal = yield* Journal
    yield* Effect.exit(
      apply(changes, "first").pipe(Effect.provideService(JournalPoints.AtPoint, dyingAt(fatal)))
    )
    // The next run of the lane settles what the first one left.
    yield* Effect.sleep("5 minutes")
    yield* apply([madeUp("parcel", 99)], "second")
    const [run] = (yield* journal.runs(account, 10)).filter(({ planId }) => planId === "first")
    return run === undefined ? [] : yield* journal.rows(run.runId)
  }).pipe(Effect.provide(services), time.run, Effect.runPromise)
  const taken = warehouse.taken.filter(({ change }) => changes.includes(change))
  return { changes, rows, taken, touched: ids }
}

describe("the door, with two kinds that only tests know", () => {
  it("sends each change once at most, never over somebody's value, and knows in the end what was done, whenever it dies", () =>
    fc.assert(
      fc.asyncProperty(story, async (drawn) => {
        const { changes, rows, taken, touched } = await told(drawn)
        const done = taken.map(({ change }) => change.id)
        expect(done).toHaveLength(new Set(done).size)
        for (const id of done) expect(touched.has(id)).toBe(false)
        if (rows.length > 0) expect(rows).toHaveLength(changes.length)
        else expect(done).toEqual([])
        for (const { change, state } of rows)
          expect([change.id, state]).toEqual([
            change.id,
            done.includes(change.id)
              ? "applied"
              : expect.stringMatching(/^(not_applied|rejected|skipped|conflict)$/)
          ])
        const isOpen = rows.filter(({ change, state }) => state === "conflict" && !touched.has(change.id))
        expect(isOpen).toEqual([])
      }),
      { numRuns: Depth.cases(400) }
    ))

  it("sends what stands first in the order of kinds first", () =>
    fc.assert(
      fc.asyncProperty(story, async (drawn) => {
        const { taken } = await told({ ...drawn, fates: ["done"], fatal: undefined })
        const kinds = taken.map(({ change }) => change.kind)
        expect(kinds).toEqual([...kinds].sort())
      }),
      { numRuns: 30 }
    ))

  it("parts nothing that its kind keeps together, however small the waves", () =>
    fc.assert(
      fc.property(story, fc.integer({ min: 1, max: 4 }), ({ parcels, shelves }, size) => {
        const waves = Send.waves(changesOf({ parcels, shelves }), size)
        const wavesOf = Arr.groupBy(
          waves.flatMap((wave, nth) => wave.map((change) => ({ change, nth }))),
          ({ change }) => requestOf(change)
        )
        for (const entries of Object.values(wavesOf))
          expect(new Set(entries.map(({ nth }) => nth)).size).toBe(1)
      })
    ))
})
