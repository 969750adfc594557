/** A person at the keyboard, with real processes: taking back, calling by hand, settling, and all of it through a running program. */
import type { ChildProcess } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { AccountName, CampaignId, PlanId } from "../../../src/domain/Ids.js"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import { CreationLog } from "../../../src/engine/door/CreationLog.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as CreationLogSql from "../../../src/store/journal/CreationLogSql.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as Shop from "../Shop.js"
import * as Terminal from "../Terminal.js"

let shop: Shop.Shop

beforeEach(async () => {
  shop = await Shop.Shop.open()
  // Paused campaigns take their clusters out of the other rules' scope.
  mode("03-daily-budget-stop", "disabled")
})
afterEach(() => shop.close())

const mode = (id: string, to: string) =>
  shop.write(`rules/${id}.yaml`, shop.read(`rules/${id}.yaml`).replace(/^mode: \w+/m, `mode: ${to}`))

interface Applied {
  readonly runId: string
  readonly changes: ReadonlyArray<{ readonly change: Change; readonly state: string }>
  readonly left: ReadonlyArray<{ readonly changeId: string; readonly why: string; readonly isOver: boolean }>
}

const applied = async (
  ...words: ReadonlyArray<string>
): Promise<Applied & { readonly code: number | null }> => {
  const { code, stderr, stdout } = await shop.run(...words, "--yes", "--json")
  if (stdout === "") throw new Error(stderr)
  return { ...(JSON.parse(stdout) as Applied), code }
}

const written = async () => (await shop.ledger()).entries.length

/** Sets an item's bid as another program of the seller's would. */
const bidByHand = (campaignId: number, itemId: number, rouble: number) => {
  const bids = [
    { advert_id: campaignId, nm_bids: [{ nm_id: itemId, bid_kopecks: rouble * 100, placement: "search" }] }
  ]
  return shop.run("call", "setItemBids", "--params", JSON.stringify({ bids }), "--yes")
}

describe("undo", () => {
  it("takes a change back by the id that history shows, then the run without it, and names what stays", async () => {
    const first = await applied("apply")
    const bids = first.changes.filter(({ change }) => change.kind === "cluster_bid")
    const [one, edited] = bids.map(({ change }) => change)
    const shown = await shop.run("history", first.runId)
    expect(shown.stdout).toContain(`change ${one!.id.slice(0, 8)}`)
    const single = await applied("undo", one!.id.slice(0, 8))
    expect([single.code, single.changes.length, single.left]).toEqual([0, 1, []])

    const { campaignId, cluster, itemId } = edited!.subject
    await shop.control("human-edit", { campaignId, itemId, cluster, bidKopecks: 77_700 })
    const looked = await shop.run("undo", first.runId, "--dry-run")
    expect(looked.stdout).toContain("stays: changed by someone")
    const before = await written()
    const rest = await applied("undo", first.runId)
    expect(rest.code).toBe(4)
    expect(rest.changes.every(({ state }) => state === "applied")).toBe(true)
    expect(rest.changes.length).toBe(first.changes.length - 2)
    expect(rest.left.map(({ changeId, isOver }) => [changeId, isOver]).sort()).toEqual(
      [
        [one!.id, true],
        [edited!.id, false]
      ].sort()
    )
    expect(await written()).toBeGreaterThan(before)

    const after = await written()
    const again = await applied("undo", first.runId)
    expect([again.runId, again.code]).toEqual([null, 4])
    expect(await written()).toBe(after)
    expect((await shop.run("holds")).stdout).toContain("undone or set by a person")
  })
})

describe("a call by hand that writes", () => {
  it("passes neither the kill switch nor a hold of what it names, and is taken back like a rule's", async () => {
    const { changes } = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const { campaignId, itemId } = changes[0]!.subject
    await shop.run("kill", "--why", "looks wrong")
    const killed = await bidByHand(campaignId!, itemId!, 555)
    expect([killed.code, killed.stderr]).toEqual([1, expect.stringContaining("bidhelm resume --kill")])
    await shop.run("resume", "--kill")
    await shop.run("hold", "--target", `${campaignId}/${itemId}`, "--why", "photo shoot")
    const held = await bidByHand(campaignId!, itemId!, 555)
    expect([held.code, held.stderr]).toEqual([1, expect.stringContaining("photo shoot")])
    expect(await written()).toBe(0)
    await shop.run("resume", "--target", `${campaignId}/${itemId}`)
    expect((await bidByHand(campaignId!, itemId!, 555)).stderr).toContain("take it back with bidhelm undo")
    expect(await written()).toBe(1)
    const { runs } = JSON.parse((await shop.run("history", "--json")).stdout) as {
      readonly runs: ReadonlyArray<{ readonly runId: string }>
    }
    const undo = await shop.run("undo", runs[0]!.runId, "--yes")
    expect([undo.code, await written()]).toEqual([0, 2])
  })
})

/** A deposit that nothing can prove, as a run of yesterday left it. */
const parked: Change = {
  id: "feed0123456789ab",
  origin: { by: "policy", name: "08-budget-topup", line: 30 },
  subject: { campaignId: CampaignId.make(1_000_001) },
  campaignName: "Поиск",
  action: "deposit",
  before: 100_000,
  after: 300_000,
  kind: "campaign_deposit",
  details: { from: "balance" },
  reason: [],
  clamps: [],
  overruled: [],
  reversible: false,
  moneyPerDayKopecks: { unknown: "a deposit" }
}

const park = () => {
  const filename = join(shop.folder, ".bidhelm/bidhelm.sqlite")
  const runId = "run-of-yesterday"
  const account = AccountName("main")
  const run = { runId, account, planId: PlanId("p"), startedAt: 1, finishedAt: undefined, counts: {} }
  return Effect.gen(function* () {
    const journal = yield* Journal
    yield* journal.begin({ lane: "ads", ...run, status: "running" }, [
      { slot: "deposit:1000001", change: parked }
    ])
    yield* journal.move(runId, [parked.id], ["planned"], "parked", { nowMs: 2, sent: true })
  }).pipe(
    Effect.provide(
      JournalSql.layer.pipe(
        Layer.provideMerge(Migrations.layer),
        Layer.provideMerge(SqliteClient.layer({ filename }))
      )
    ),
    Effect.as(runId),
    Effect.runPromise
  )
}

describe("resolve", () => {
  it("settles a parked deposit in somebody's name, once, by the command that history prints", async () => {
    await shop.run("history")
    const runId = await park()
    const shown = (await shop.run("history", runId)).stdout
    const command = /bidhelm (resolve \S+ \S+) --paid/.exec(shown)?.[1]?.split(" ") ?? []
    expect(command).toEqual(["resolve", runId, "feed0123"])
    expect((await shop.run(...command)).stderr).toContain("--paid or --not-paid")
    expect((await shop.run("resolve", runId, "--paid")).stderr).toContain(
      `say which change; bidhelm history ${runId} shows them`
    )
    expect((await shop.run("resolve", runId, "beef", "--paid")).stderr).toContain("has no change beef")
    expect((await shop.run("resolve", runId, "", "--paid")).stderr).toContain("an empty name names no change")
    expect((await shop.run("resolve", "run-x", "feed", "--paid")).stderr).toContain("there is no run run-x")
    const done = await shop.run(...command, "--not-paid")
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("not paid, as you say")])
    expect((await shop.run("history", runId)).stdout).toMatch(/not_applied .*says: not paid/)
    const twice = await shop.run(...command, "--paid")
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining("nothing to settle")])
  })
})

describe("a deposit by hand that was cut off", () => {
  it("is found paid by the same call, which does not pay again; the next one does", async () => {
    const paid = async () =>
      (await shop.ledger()).entries.filter(({ operation }) => operation === "depositCampaignBudget").length
    const params = JSON.stringify({ id: 1_000_001, sum: 1000, type: 1 })
    const deposit = () => shop.run("call", "depositCampaignBudget", "--params", params, "--yes")
    shop.environment = { BIDHELM_STOP_AT: "answered" }
    expect((await deposit()).code).toBeNull()
    shop.environment = {}
    expect(await paid()).toBe(1)
    const again = await deposit()
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringMatching(
        /nothing was sent: the deposit of run-\S+ to campaign 1000001 was found paid only now/
      )
    ])
    expect(await paid()).toBe(1)
    expect((await deposit()).code).toBe(0)
    expect(await paid()).toBe(2)
  })
})

/** A campaign that a call may have made, and that nobody found. */
const unclear = (id: string) =>
  Effect.gen(function* () {
    const log = yield* CreationLog
    const account = AccountName("main")
    const what = {
      account,
      operation: "createCampaign",
      marker: "autumn",
      requestHash: "hash",
      beforeIds: ["7"]
    }
    yield* log.begin({
      lane: "ads",
      ...what,
      id,
      state: "claimed",
      foundId: undefined,
      reason: undefined,
      storedAt: 1
    })
    yield* log.move(id, ["claimed"], "unknown", { nowMs: 2 })
  }).pipe(
    Effect.provide(
      CreationLogSql.layer.pipe(
        Layer.provideMerge(Migrations.layer),
        Layer.provideMerge(SqliteClient.layer({ filename: join(shop.folder, ".bidhelm/bidhelm.sqlite") }))
      )
    ),
    Effect.runPromise
  )

describe("resolve of what a call should have created", () => {
  it("is told by the next apply, and settled by a person once", async () => {
    await shop.run("history")
    await unclear("call-x")
    const told = await shop.run("apply", "--yes")
    expect(told.stderr).toContain("bidhelm resolve call-x --created ID, or --not-created")
    expect((await shop.run("resolve", "call-x", "--created", "1", "--not-created")).stderr).toContain(
      "say which"
    )
    expect((await shop.run("resolve", "call-y", "--not-created")).stderr).toContain("call-y is no call")
    for (const wrong of ["autumn", "-5", "1.5", " ", "7"])
      expect(await shop.run("resolve", "call-x", "--created", wrong)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(wrong === "7" ? /was there before the call/ : /is no id of a campaign/)
      })
    expect((await shop.run("resolve", "call-x", "--paid")).stderr).toContain(
      "call-x is a call that creates something, and no deposit; say --created ID, or --not-created"
    )
    const done = await shop.run("resolve", "call-x", "--created", "1001")
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("created (1001), as you say")])
    const twice = await shop.run("resolve", "call-x", "--not-created")
    expect([twice.code, twice.stderr]).toEqual([1, expect.stringContaining("nothing to settle")])
    expect((await shop.run("apply", "--yes")).stderr).not.toContain("call-x")
  })
})

describe("apply at a terminal", () => {
  const answering = (answers: string) =>
    Terminal.answering(shop, ["apply"], [/Approve the \d+/, /Apply \d+ changes to/], answers)

  it.skipIf(!Terminal.isThere)("asks for what waits; a no leaves it waiting, a yes makes it", async () => {
    mode("01-raise-to-reach-max", "approve")
    for (const id of ["02-minus-low-ctr", "15-lower-dear-clusters"]) mode(id, "disabled")
    expect((await answering("n")).stdout).toContain("Nothing was applied: what there is waits for a person")
    expect(await written()).toBe(0)
    expect((await answering("yn")).stdout).toContain("nothing was sent")
    expect((await shop.run("approvals")).stdout).toContain("waits until")
    expect((await answering("yy")).code).toBe(0)
    expect(await written()).toBeGreaterThan(0)
    expect((await shop.run("approvals")).stdout).toContain("applied by")
  })
})

describe("through a running program", () => {
  let daemon: ChildProcess | undefined
  afterEach(async () => {
    if (daemon?.exitCode !== null) return
    const end = new Promise((ended) => daemon?.once("exit", ended))
    daemon.kill("SIGKILL")
    await end
  })

  it("a command does there what it does alone; a hung one gives way to who stops things", async () => {
    for (const id of ["01-raise-to-reach-max", "02-minus-low-ctr"])
      shop.write(
        `rules/${id}.yaml`,
        shop.read(`rules/${id}.yaml`).replace(/^schedule: .*$/m, 'schedule: {at: "03:00", tz: Europe/Moscow}')
      )
    await shop.run("history")
    const runId = await park()
    daemon = shop.start("run")
    await until(() => existsSync(join(shop.folder, ".bidhelm/run.sock")))
    await until(async () => (await shop.run("status")).code === 0)
    // Only the running program has the token, so whatever is sent, it has sent.
    shop.environment = { BIDHELM_TOKEN: "none" }
    const done = await applied("apply")
    expect(done.changes.every(({ state }) => state === "applied")).toBe(true)
    expect(await written()).toBeGreaterThan(0)
    expect((await shop.run("resolve", runId, "feed", "--paid")).code).toBe(0)
    const { campaignId } = done.changes[0]!.change.subject
    expect((await shop.run("hold", "--target", `${campaignId}`)).stdout).toContain(`campaign ${campaignId}`)
    expect((await applied("undo", done.runId)).code).toBe(0)
    expect((await shop.run("backup", "copy.gz")).code).toBe(0)
    const restore = await shop.run("restore", "copy.gz")
    expect([restore.code, restore.stderr]).toEqual([1, expect.stringContaining("end it first")])

    daemon.kill("SIGSTOP")
    const [read, kill, again] = await Promise.all([
      shop.run("history"),
      shop.run("kill", "--why", "it hangs"),
      shop.run("restore", "copy.gz")
    ])
    expect([read.code, read.stderr]).toEqual([1, expect.stringContaining("does not answer")])
    expect(kill, kill.stderr).toMatchObject({ code: 0, stdout: expect.stringContaining("it hangs") })
    expect(again.code).toBe(1)
    daemon.kill("SIGCONT")
    const before = await written()
    const killed = await shop.run("apply", "--yes")
    expect([killed.code, killed.stdout]).toEqual([0, expect.stringContaining("Nothing to apply.")])
    expect(await written()).toBe(before)
  })
})

const until = async (reached: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await reached())) await new Promise((wake) => setTimeout(wake, 20))
}
