import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { describe, expect, it } from "vitest"
import { ItemId, PlanId } from "../../src/domain/Ids.js"
import { WritePermit } from "../../src/domain/WritePermit.js"
import * as Create from "../../src/engine/door/Create.js"
import { type Creation, CreationLog } from "../../src/engine/door/CreationLog.js"
import * as Creations from "../../src/engine/door/Creations.js"
import * as JournalPoints from "../../src/engine/door/JournalPoints.js"
import * as Permit from "../../src/engine/door/Permit.js"
import * as Recipes from "../../src/marketplace/creates/Recipes.js"
import * as CreationReasons from "../../src/reporting/CreationReasons.js"
import type * as Faults from "../../src/sandbox/Faults.js"
import * as Supplies from "../../src/services/areas/supplies/Supplies.js"
import { MarketplaceClient } from "../../src/services/MarketplaceClient.js"
import * as Scenario from "../scenario/Scenario.js"

/** Creates a campaign of a name, as a companion module would. */
const campaign = (world: Scenario.World, name: string, id = `intent ${name}`) =>
  Effect.gen(function* () {
    const client = Context.get(world.context, MarketplaceClient)
    const itemId = (yield* world.plan).gathered.table("campaign_item").rows[0]?.itemId ?? ItemId.make(1)
    const request = { name, nms: [itemId], bid_type: "manual", payment_type: "cpm" } as const
    const send = client.api.campaignCreation.createCampaign({ payload: request })
    return yield* Create.once(
      id,
      Recipes.of(client, "createCampaign", name, request, send, (made) => String(made))
    ).pipe(
      Effect.provideService(WritePermit, Permit.confirmed(Scenario.account, name)),
      Effect.provide(world.context)
    )
  })

const made = (world: Scenario.World) => world.ledger().filter(({ slot }) => slot === "campaign").length

describe("creating a campaign, which has no key", () => {
  it("sends once and answers the new id", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const result = yield* campaign(world, "of ours 1")
        expect(result._tag).toBe("Created")
        expect(made(world)).toBe(1)
      })
    ))

  it("sends nothing when one of that name is there", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        yield* campaign(world, "of ours 1")
        yield* world.advance("5 minutes")
        expect((yield* campaign(world, "of ours 1", "again"))._tag).toBe("Existing")
        expect(made(world)).toBe(1)
      })
    ))

  it("sends nothing when one of that name may be there: a campaign is listed, and its name was not answered", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        yield* campaign(world, "of ours 1")
        yield* world.advance("20 minutes")
        yield* world.plan
        world.faults([{ kind: "omit", operation: "getCampaigns", skip: 1 }])
        expect((yield* campaign(world, "of ours 1", "again"))._tag).toBe("NotSent")
        expect(made(world)).toBe(1)
        world.faults([])
        expect((yield* campaign(world, "of ours 1", "once more"))._tag).toBe("Existing")
      })
    ))

  it("sends nothing when one of that name was just made, and no list shows it yet", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const first = yield* campaign(world, "of ours 1")
        expect(yield* campaign(world, "of ours 1", "again")).toMatchObject({
          _tag: "Existing",
          id: first._tag === "Created" ? first.id : "none"
        })
        expect((yield* campaign(world, "of ours 2"))._tag).toBe("Created")
        expect(made(world)).toBe(2)
      })
    ))

  it("sends nothing either when the one just made had waited long for its call limit", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "throttle", operation: "createCampaign", retrySeconds: 1200, count: 1 }])
        const first = yield* Effect.fork(campaign(world, "of ours 1"))
        while (world.throttled() === 0) yield* world.advance("10 seconds")
        yield* Fiber.interrupt(first)
        const meantAt = world.now()
        const second = yield* campaign(world, "of ours 2")
        expect(second._tag).toBe("Created")
        expect(world.now() - meantAt).toBeGreaterThan(600_000)
        expect(yield* campaign(world, "of ours 2", "again")).toMatchObject({
          _tag: "Existing",
          id: second._tag === "Created" ? second.id : "none"
        })
        expect(made(world)).toBe(1)
      })
    ))

  it("is sent again when the call limit refused it, which has created nothing", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        yield* world.plan
        world.faults([{ kind: "throttle", operation: "createCampaign", retrySeconds: 60, count: 1 }])
        expect(yield* campaign(world, "of ours 1")).toMatchObject({ _tag: "Created" })
        expect(made(world)).toBe(1)
      })
    ))

  const cases: ReadonlyArray<readonly [Faults.Kind, Create.Created["_tag"], number]> = [
    ["dropAnswer", "Adopted", 1],
    ["errorAfter", "Adopted", 1],
    ["halfBody", "Adopted", 1],
    ["errorBefore", "Absent", 0],
    ["reset", "Absent", 0],
    ["refuse", "Refused", 0]
  ]
  for (const [kind, result, campaigns] of cases) {
    it(`is never sent twice, whatever the answer: ${kind} is ${result}`, () =>
      Scenario.run({}, (world) =>
        Effect.gen(function* () {
          world.faults([{ kind, operation: "createCampaign", count: 1 }])
          expect((yield* campaign(world, "of ours 1"))._tag).toBe(result)
          expect(made(world)).toBe(campaigns)
          expect(world.requests("createCampaign")).toBe(1)
          const log = Context.get(world.context, CreationLog)
          expect(yield* log.open(Scenario.account)).toEqual([])
        })
      ))
  }

  it("is not sent where an answer without a word stands for the list, and is not called absent by one", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        expect((yield* campaign(world, "of ours 1"))._tag).toBe("Created")
        world.faults([{ kind: "emptyBody", operation: "listCampaignIds" }])
        expect(yield* campaign(world, "of ours 1")).toMatchObject({
          _tag: "NotSent",
          because: { code: "unlisted_before", said: expect.stringMatching(/^listCampaignIds: /) }
        })
        expect(made(world)).toBe(1)
        world.faults([{ kind: "dropAnswer", operation: "createCampaign", count: 1 }])
        const creating = yield* Effect.fork(campaign(world, "of ours 2"))
        while (made(world) < 2) yield* world.advance("1 second")
        world.faults([{ kind: "emptyBody", operation: "listCampaignIds" }])
        yield* world.advance("1 hour")
        expect(yield* Fiber.join(creating)).toMatchObject({
          _tag: "Unclear",
          because: { code: "unlisted_after" }
        })
        world.faults([])
        expect(yield* campaign(world, "of ours 2")).toMatchObject({ _tag: "Existing" })
        expect(made(world)).toBe(2)
      })
    ))

  it("is not called absent by a list that has nothing of what was there before", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const log = Context.get(world.context, CreationLog)
        const creation: Creation = {
          id: "older",
          account: Scenario.account,
          lane: "ads",
          operation: "createCampaign",
          marker: "of ours 2",
          requestHash: "hash",
          beforeIds: ["1", "2"],
          state: "claimed",
          foundId: undefined,
          reason: undefined,
          storedAt: world.now()
        }
        yield* log.begin(creation)
        yield* log.move("older", ["claimed"], "unknown", { nowMs: world.now() })
        const [open] = yield* log.open(Scenario.account)
        const client = Context.get(world.context, MarketplaceClient)
        const found = yield* Create.settle(open!, Recipes.search(client, "createCampaign")).pipe(
          Effect.provide(world.context)
        )
        expect(found).toMatchObject({
          _tag: "Unclear",
          because: { code: "nothing_of_before" }
        })
        expect(CreationReasons.settled({ creation: open!, found })).toMatch(
          /either the list is not whole, or all of that was deleted.*only you can.*bidhelm resolve older --created ID, or --not-created$/
        )
      })
    ))

  it("is never called absent because a list of supplies leaves it out, nor made a second time", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const supply = (id: string) =>
          Effect.gen(function* () {
            const client = Context.get(world.context, MarketplaceClient)
            const send = Supplies.make(client).create("of ours")
            return yield* Create.once(
              id,
              Recipes.of(client, "createSupply", "of ours", { name: "of ours" }, send, String)
            ).pipe(
              Effect.provideService(WritePermit, Permit.confirmed(Scenario.account, "of ours")),
              Effect.provide(world.context)
            )
          })
        world.faults([
          { operation: "createSupply", kind: "errorAfter", count: 1 },
          { operation: "listSupplies", kind: "omit" }
        ])
        expect(yield* supply("first")).toEqual({
          _tag: "Unclear",
          because: { code: "unlisted_twice" },
          candidates: [],
          said: expect.stringMatching(/^createSupply: .*50\d/)
        })
        expect(yield* supply("second")).toMatchObject({
          _tag: "NotSent",
          because: { code: "earlier_unsettled", id: "first" }
        })
        expect(world.requests("createSupply")).toBe(1)
        world.faults([])
        const log = Context.get(world.context, CreationLog)
        const [open] = yield* log.open(Scenario.account)
        const search = Recipes.search(Context.get(world.context, MarketplaceClient), "createSupply")
        const settled = Create.settle(open!, search).pipe(Effect.provide(world.context))
        expect((yield* settled)._tag).toBe("Adopted")
      })
    ))

  it("keeps nobody for longer than a day from another of a name that no list proves or shows", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const client = Context.get(world.context, MarketplaceClient)
        const once = (id: string) =>
          Create.once(
            id,
            Recipes.of(
              client,
              "createSupply",
              "of ours",
              { name: "of ours" },
              Supplies.make(client).create("of ours"),
              String
            )
          ).pipe(
            Effect.provideService(WritePermit, Permit.confirmed(Scenario.account, "of ours")),
            Effect.provide(world.context)
          )
        world.faults([{ operation: "createSupply", kind: "errorBefore", count: 1 }])
        expect((yield* once("first"))._tag).toBe("Unclear")
        yield* world.advance("25 hours")
        const log = Context.get(world.context, CreationLog)
        const [open] = yield* log.open(Scenario.account)
        const search = Recipes.search(client, "createSupply")
        const { because } = yield* Create.settle(open!, search).pipe(
          Effect.provide(world.context),
          Effect.map((found) => ("because" in found ? found : { because: undefined }))
        )
        expect(because).toEqual({ code: "searched_a_day" })
        expect(yield* log.open(Scenario.account)).toEqual([])
        const closed = yield* log.one("first")
        expect(
          yield* Create.resolve(closed!, undefined, "anna").pipe(Effect.provide(world.context))
        ).toBeUndefined()
        expect((yield* once("second"))._tag).toBe("Created")
      })
    ))

  const unread: ReadonlyArray<readonly [operation: string, said: RegExp]> = [
    ["listCampaignIds", /^nothing was sent: what there is could not be read: listCampaignIds: .*\(502\)/],
    ["getCampaigns", /^nothing was sent: what there is could not be read: getCampaigns: .*\(502\)/]
  ]
  for (const [operation, said] of unread)
    it(`is not sent when ${operation} fails, and says so with its status`, () =>
      Scenario.run({}, (world) =>
        Effect.gen(function* () {
          yield* world.plan
          world.faults([{ kind: "errorBefore", operation }])
          const outcome = yield* campaign(world, "of ours 1")
          expect(outcome).toMatchObject({ _tag: "NotSent", because: { code: "unlisted_before" } })
          expect("because" in outcome && CreationReasons.text(outcome.because)).toMatch(said)
          expect(world.requests("createCampaign")).toBe(0)
          expect(made(world)).toBe(0)
        })
      ))

  it("stays open for a person when the list cannot be read afterwards, and is found later", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const client = Context.get(world.context, MarketplaceClient)
        const log = Context.get(world.context, CreationLog)
        yield* world.plan
        world.faults([
          { kind: "dropAnswer", operation: "createCampaign", count: 1 },
          { kind: "errorBefore", operation: "listCampaignIds", skip: 2 }
        ])
        expect((yield* campaign(world, "of ours 1"))._tag).toBe("Unclear")
        const [open] = yield* log.open(Scenario.account)
        expect(open).toMatchObject({ state: "unknown", marker: "of ours 1" })
        world.faults([])
        const list = Recipes.listOf(client, "createCampaign")
        const found = yield* Create.settle(open!, { list, visibleMs: 200_000, provesAbsence: true }).pipe(
          Effect.provide(world.context)
        )
        expect(found._tag).toBe("Adopted")
        expect(yield* log.open(Scenario.account)).toEqual([])
        expect(made(world)).toBe(1)
      })
    ))

  it("is not called absent after a single look, when the other one could not be made", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const log = Context.get(world.context, CreationLog)
        yield* world.plan
        world.faults([
          { kind: "errorBefore", operation: "createCampaign", count: 1 },
          { kind: "errorBefore", operation: "listCampaignIds", skip: 2, count: 3 }
        ])
        expect((yield* campaign(world, "of ours 1"))._tag).toBe("Unclear")
        expect(world.requests("listCampaignIds")).toBe(7)
        expect(yield* log.open(Scenario.account)).toMatchObject([{ state: "unknown" }])
      })
    ))

  it("that a dead program left open is found by the next run of the account, before it does anything", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const creating = yield* Effect.fork(
          Effect.provideService(campaign(world, "of ours 1"), JournalPoints.AtPoint, (point) =>
            point === "answered" ? Effect.never : Effect.void
          )
        )
        while (made(world) === 0) yield* world.advance("100 millis")
        yield* Fiber.interrupt(creating)
        const run = {
          runId: "intent of ours 1",
          account: Scenario.account,
          planId: PlanId("call createCampaign")
        }
        const begun = { ...run, startedAt: world.now(), finishedAt: undefined, status: "running" } as const
        yield* world.journal.begin({ lane: "ads", ...begun, counts: { createCampaign: 1 } }, [])
        const open = yield* Creations.open({ account: Scenario.account, lane: "ads" }).pipe(
          Effect.provide(world.context)
        )
        expect(open).toMatchObject([{ marker: "of ours 1", state: "dispatching" }])
        const loaded = { rules: world.rules, version: "v1", problem: undefined }
        const stopping = yield* Deferred.make<void>()
        const result = yield* world.cycle({
          lane: "ads",
          account: Scenario.account,
          loaded,
          due: new Set(),
          stopping
        })
        expect(result._tag).toBe("Done")
        expect(
          yield* Creations.open({ account: Scenario.account, lane: "ads" }).pipe(
            Effect.provide(world.context)
          )
        ).toEqual([])
        expect(world.requests("createCampaign")).toBe(1)
        const [ended] = (yield* world.journal.runs(Scenario.account, 10)).filter(
          ({ runId }) => runId === run.runId
        )
        expect(ended).toMatchObject({ status: "interrupted", counts: { createCampaign: 1, applied: 1 } })
        expect(Object.keys(ended?.counts ?? {})).not.toContain("outcome unknown")
      })
    ))

  it("that a dead program never sent is no change in the history", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        let isClaimed = false
        const creating = yield* Effect.fork(
          Effect.provideService(campaign(world, "of ours 1"), JournalPoints.AtPoint, (point) =>
            point === "claimed"
              ? Effect.zipRight(
                  Effect.sync(() => {
                    isClaimed = true
                  }),
                  Effect.never
                )
              : Effect.void
          )
        )
        while (!isClaimed) yield* world.advance("100 millis")
        yield* Fiber.interrupt(creating)
        const runId = "intent of ours 1"
        yield* world.journal.begin(
          {
            runId,
            account: Scenario.account,
            planId: PlanId("call createCampaign"),
            lane: "ads",
            startedAt: world.now(),
            finishedAt: undefined,
            status: "running",
            counts: { createCampaign: 1 }
          },
          []
        )
        yield* Effect.provide(Creations.settle({ account: Scenario.account, lane: "ads" }), world.context)
        expect(world.requests("createCampaign")).toBe(0)
        const ended = (yield* world.journal.runs(Scenario.account, 10)).find((run) => run.runId === runId)
        expect([ended?.status, ended?.counts]).toEqual(["interrupted", { "createCampaign not sent": 1 }])
      })
    ))

  it("is not sent again while nobody knows whether the first was made, until a person says it", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const shelf = onShelf({ answer: "lost" })
        shelf.listed = undefined
        shelf.beforeListed = []
        expect((yield* created(world, shelf, "first"))._tag).toBe("Unclear")
        shelf.beforeListed = undefined
        shelf.listed = []
        const because = { code: "earlier_unsettled", id: "first" } as const
        expect(yield* created(world, shelf, "again")).toEqual({ _tag: "NotSent", because })
        expect(CreationReasons.text(because)).toContain("bidhelm resolve first --created ID")
        expect(shelf.sent).toBe(1)
        const log = Context.get(world.context, CreationLog)
        const first = yield* log.one("first")
        const say = (id: string | undefined) =>
          Create.resolve(first!, id, "anna").pipe(Effect.provide(world.context))
        expect(yield* say(undefined)).toBeUndefined()
        expect(yield* log.one("first")).toMatchObject({
          state: "not_applied",
          reason: { code: "person_said", who: "anna" }
        })
        expect(yield* say("1001")).toBe(first?.state)
        shelf.answer = "told"
        expect((yield* created(world, shelf, "third"))._tag).toBe("Created")
      })
    ))

  it("is looked for again without waiting, and after a day left to a person", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const shelf = onShelf({ answer: "lost" })
        shelf.added = [{ id: "7", name: undefined }]
        expect(yield* created(world, shelf, "first")).toMatchObject({ _tag: "Unclear", candidates: ["7"] })
        const settled = Effect.gen(function* () {
          const [open] = yield* (yield* CreationLog).open(Scenario.account)
          const found = yield* Create.settle(open!, shelf.recipe(Scenario.account))
          return { open: open!, found }
        }).pipe(Effect.provide(world.context))
        const before = world.now()
        expect((yield* settled).found).toMatchObject({ _tag: "Unclear", candidates: ["7"] })
        expect(world.now() - before).toBeLessThan(100_000)
        yield* world.advance("25 hours")
        const looks = shelf.looks
        const late = yield* settled
        expect(late.found).toMatchObject({ _tag: "Unclear", because: { code: "searched_a_day" } })
        expect(shelf.looks).toBe(looks)
        expect(CreationReasons.settled({ creation: late.open, found: late.found })).toContain(
          "bidhelm resolve first --created ID"
        )
      })
    ))

  it("is not one that was there before and has been given the name since", () =>
    Scenario.run({}, (world) =>
      Effect.gen(function* () {
        const shelf = onShelf({ answer: "lost" })
        shelf.beforeListed = [{ id: "5", name: "of old" }]
        shelf.listed = [{ id: "5", name: "of ours 1" }]
        expect((yield* created(world, shelf, "first"))._tag).toBe("Absent")
      })
    ))
})

/** A list that only shows what a test puts there. */
const onShelf = (first: { answer: "lost" | "told" }) => {
  const shelf = {
    ...first,
    /** Before sending, where it differs from what is listed after it. */
    beforeListed: undefined as ReadonlyArray<Create.Listed> | undefined,
    listed: [] as ReadonlyArray<Create.Listed> | undefined,
    /** Beside those, once it was sent. */
    added: [] as ReadonlyArray<Create.Listed>,
    sent: 0,
    looks: 0,
    recipe: (account: string): Create.Recipe<never> => ({
      account,
      operation: "createCampaign",
      marker: "of ours 1",
      requestHash: "hash",
      visibleMs: 200_000,
      provesAbsence: true,
      list: Effect.suspend(() => {
        shelf.looks += 1
        const { added, beforeListed, listed, sent } = shelf
        const shown = sent === 0 ? (beforeListed ?? listed) : listed
        return shown === undefined
          ? Effect.fail(new Create.Unlisted({ said: "nobody answers" }))
          : Effect.succeed(sent === 0 ? shown : [...shown, ...added])
      }),
      send: Effect.sync((): Create.SendOutcome => {
        shelf.sent += 1
        return shelf.answer === "told"
          ? { _tag: "Accepted", id: "1001" }
          : { _tag: "Unknown", said: "no answer came" }
      })
    })
  }
  return shelf
}

const created = (world: Scenario.World, shelf: ReturnType<typeof onShelf>, id: string) =>
  Create.once(id, shelf.recipe(Scenario.account)).pipe(Effect.provide(world.context))
