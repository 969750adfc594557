/** Tokens and accounts with the real program: a token of another seller, a second account of one, a refused service. */
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import { CreationLog } from "../../../src/engine/door/CreationLog.js"
import { Journal } from "../../../src/engine/door/Journal.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import * as SqliteClient from "../../../src/store/clients/SqliteClient.js"
import * as CreationLogSql from "../../../src/store/journal/CreationLogSql.js"
import * as JournalSql from "../../../src/store/journal/JournalSql.js"
import * as Migrations from "../../../src/store/schema/Migrations.js"
import * as Fixture from "../../store/Fixture.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
})
afterEach(() => shop.close())

const first = "5a4d0000-0000-4000-8000-000000000001"
const second = "5a4d0000-0000-4000-8000-000000000002"
const use = (token: string) => {
  shop.environment = { BIDHELM_TOKEN: token }
}
const requests = async () => {
  const { counters } = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
    readonly counters: unknown
  }
  return JSON.stringify(counters)
}

const inStore = <A>(use: Effect.Effect<A, unknown, Journal | CreationLog>) =>
  Effect.runPromise(
    Effect.provide(
      use,
      Layer.merge(JournalSql.layer, CreationLogSql.layer).pipe(
        Layer.provide(Migrations.layer),
        Layer.provide(SqliteClient.layer({ filename: join(shop.folder, ".bidhelm/bidhelm.sqlite") }))
      )
    )
  )

const deposit: Partial<Change> = {
  action: "deposit",
  before: 100_000,
  after: 300_000,
  kind: "campaign_deposit"
}
const overlay: Partial<Change> = {
  action: "adjust_bid",
  after: 8_000,
  ...Fixture.overlaid("03-night", -2000, 10_000)
}
const left = [
  ["open", "unknown", "item_bid:1/1/search", {}],
  ["parked", "parked", "deposit:2", deposit],
  ["paid", "applied", "deposit:3", deposit],
  ["night", "applied", "item_bid:4/1/search", overlay]
] as const

/** What runs of an account leave behind: an open change, a parked and a paid deposit, an overlay; and an open creation. */
const leave = (name: string, nowMs: number) =>
  inStore(
    Effect.gen(function* () {
      const journal = yield* Journal
      for (const [id, state, slot, more] of left) {
        const change = Fixture.change(0, { id, ...more })
        yield* journal.begin(Fixture.run(`run-${id}`, { account: name, startedAt: nowMs }), [
          { slot, change }
        ])
        yield* journal.move(`run-${id}`, [id], ["planned"], state, { nowMs, sent: true })
      }
      const what = { account: name, operation: "createCampaign", marker: "autumn", requestHash: "hash" }
      const unknown = { beforeIds: [], foundId: undefined, reason: undefined, storedAt: nowMs }
      yield* (yield* CreationLog).begin({ lane: "ads", ...what, ...unknown, id: "call-x", state: "claimed" })
    })
  )

/** All of it comes to nothing, but what is named. */
const settle = (besides: ReadonlyArray<string> = []) =>
  inStore(
    Effect.gen(function* () {
      const journal = yield* Journal
      for (const [id, state] of left.filter(([id]) => !besides.includes(id)))
        yield* journal.move(`run-${id}`, [id], [state], "not_applied", { nowMs: 1 })
      yield* (yield* CreationLog).move("call-x", ["claimed"], "not_applied", { nowMs: 1 })
    })
  )

/** The account that `init` has written. */
const account = () => /name: "?([\w-]+)/.exec(shop.read("bidhelm.yaml"))?.[1] ?? ""

describe("a token of another seller", () => {
  it("stops every command before anything is asked, until somebody binds the account anew", async () => {
    expect((await shop.run("plan")).code).toBe(0)
    const before = await requests()
    use(sandboxToken({ seller: second }))
    for (const command of [
      ["plan"],
      ["apply", "--yes"],
      ["call", "getBalance"],
      ["call", "pauseCampaign", "--params", '{"id": 1}', "--yes"],
      ["explain", "account"]
    ]) {
      const refused = await shop.run(...command)
      expect([command[0], refused.code]).toEqual([command[0], 1])
      expect(refused.stderr).toContain(`belongs to the seller ${first}`)
      expect(refused.stderr).toContain(`bidhelm account rebind ${account()}`)
    }
    expect(await requests()).toBe(before)
    expect((await shop.ledger()).entries).toEqual([])
    const doctor = await shop.run("doctor")
    expect(doctor.code).toBe(1)
    expect(doctor.stdout).toMatch(new RegExp(`problem +seller of ${account()} .*${second}`))

    const bound = await shop.run("account", "rebind", account())
    expect(bound).toMatchObject({ code: 0, stdout: expect.stringContaining(`bound to the seller ${second}`) })
    expect((await shop.run("plan")).code).toBe(0)
    expect((await shop.run("history", "--verify")).code).toBe(0)
    use(sandboxToken({ seller: first }))
    expect((await shop.run("plan")).code).toBe(1)
  })

  it("is told from a new token of the same seller, which needs nothing", async () => {
    expect((await shop.run("plan")).code).toBe(0)
    use(sandboxToken({ expiresAtMs: Date.parse("2099-01-01T00:00:00Z") }))
    expect((await shop.run("plan")).code).toBe(0)
  })
})

describe("a second account of one seller", () => {
  it("is refused: it would use up the seller's limits twice", async () => {
    expect((await shop.run("plan")).code).toBe(0)
    const config = shop.read("bidhelm.yaml")
    const entry = /^ {2}- name: [\s\S]*?(?=^\S)/m.exec(config)?.[0] ?? ""
    shop.write("bidhelm.yaml", config.replace(entry, entry + entry.replace(/name: \S+/, "name: twin")))
    const refused = await shop.run("plan", "--account", "twin")
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain("would use up its call limits twice")
    expect((await shop.run("plan", "--account", account())).code).toBe(0)
    expect((await shop.run("doctor")).stdout).toMatch(/problem +seller of twin/)
  })
})

describe("an account that is called otherwise", () => {
  const call = (name: string) =>
    shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/(- name: )\S+/, `$1${name}`))
  const rebind = (...more: ReadonlyArray<string>) => shop.run("account", "rebind", "renamed", ...more)
  const written = async () => (await shop.ledger()).entries.length

  it("is still stopped: what people have stopped comes along, and is told", async () => {
    const { changes } = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    expect(changes.length).toBeGreaterThan(0)
    await shop.run("kill", "--why", "looks wrong")
    await shop.run("hold", "--why", "stock-taking")
    call("renamed")
    expect((await shop.run("plan")).stderr).toContain("bidhelm account rebind renamed")
    const bound = await rebind()
    expect(bound).toMatchObject({ code: 0, stderr: "" })
    expect(bound.stdout).toContain("2 holds carried over")
    expect(bound.stdout).toMatch(/lift it with: bidhelm resume --kill$/m)
    const again = JSON.parse((await rebind("--json")).stdout) as unknown
    expect(again).toMatchObject({ account: "renamed", holdsCarriedOver: 0, killSwitch: true })
    const { holds } = JSON.parse((await shop.run("holds", "--json")).stdout) as {
      readonly holds: ReadonlyArray<unknown>
    }
    expect(holds).toMatchObject([
      { account: "renamed", kind: "kill", why: "looks wrong" },
      { account: "renamed", kind: "account", why: "stock-taking" }
    ])

    await shop.run("apply", "--yes")
    await shop.run("resume", "--kill")
    const held = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    expect([held.changes, held.held.some(({ by }) => by === "hold")]).toEqual([[], true])
    await shop.run("apply", "--yes")
    expect(await written()).toBe(0)
    await shop.run("resume")
    await shop.run("apply", "--yes")
    expect(await written()).toBeGreaterThan(0)
    expect((await shop.run("history", "--verify")).code).toBe(0)
  })

  it("keeps its name until what is known under that name only is over, and all of it is told at once", async () => {
    const { createdAt } = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const old = account()
    await shop.run("kill")
    await leave(old, Date.parse(createdAt))
    call("renamed")
    const refused = await rebind()
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    for (const reason of [
      "1 change whose outcome is open",
      "bidhelm resolve call-x --created ID, or --not-created",
      "bidhelm resolve run-parked parked --paid, or --not-paid",
      "deposited today or a moment ago, which no limit would count any more; wait until 2026-09-02 00:00",
      "1 bid stands under the overlay of 03-night"
    ])
      expect(refused.stderr).toContain(reason)
    expect(refused.stderr.match(new RegExp(`^- ${old}: `, "gm"))).toHaveLength(5)
    expect((await shop.run("holds")).stdout).not.toContain("kill")
    expect((await shop.run("plan")).stderr).toContain(`who is the account ${old}`)
    call(old)
    expect((await shop.run("plan")).code).toBe(0)

    await settle()
    call("renamed")
    const bound = await rebind()
    expect([bound.code, bound.stderr]).toEqual([0, ""])
    expect(bound.stdout).toContain("1 hold carried over")
  })

  it("leaves overlays behind that can end no more, when a person says so, and nothing else", async () => {
    const { createdAt } = JSON.parse((await shop.run("plan", "--json")).stdout) as Plan
    const old = account()
    await leave(old, Date.parse(createdAt))
    call("renamed")
    const refused = await rebind("--leave-overlays")
    expect([refused.code, refused.stdout]).toEqual([1, ""])
    expect(refused.stderr.match(new RegExp(`^- ${old}: `, "gm"))).toHaveLength(4)
    expect(refused.stderr).not.toContain("under the overlay")
    await settle(["night"])
    const kept = await rebind()
    expect(
      kept.stderr.match(new RegExp(`^- ${old}: 1 bid stands under the overlay of 03-night`, "gm"))
    ).toHaveLength(1)
    const bound = await rebind("--leave-overlays")
    expect([bound.code, bound.stderr]).toEqual([0, ""])
    expect(bound.stdout).toContain("1 bid was left as it stands under an overlay")
    expect((await shop.run("history", "--verify")).code).toBe(0)
  })

  it("keeps its name while money that it really paid counts today, and bids that it really raised stand", async () => {
    shop.write(
      "rules/08-top-up.yaml",
      "version: 1\nname: Top up\nmode: apply\neach: campaign\nwhen: campaign.status = active and budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}\n"
    )
    shop.write(
      "rules/09-afternoon.yaml",
      'version: 1\nname: Afternoon\nmode: apply\nschedule: {every: 30m, tz: Europe/Moscow}\neach: campaign_item\nwhere:\n  - campaign.status = active\n  - campaign.payment = cpm\nduring: {time: "12:00-20:00"}\ndo:\n  adjust_bid: {by: +20%, cap: 6000 ₽}\n'
    )
    await shop.allowDeposits()
    const done = await shop.run("apply", "--yes", "--json")
    if (done.stdout === "") throw new Error(done.stderr)
    const { changes } = JSON.parse(done.stdout) as {
      readonly changes: ReadonlyArray<{ readonly change: Change; readonly state: string }>
    }
    const applied = changes.filter(({ state }) => state === "applied").map(({ change }) => change.action)
    expect(applied).toEqual(expect.arrayContaining(["deposit", "adjust_bid"]))
    const old = account()
    call("renamed")
    const refused = await rebind()
    expect(refused.code).toBe(1)
    const reasons = refused.stderr.split("\n").filter((line) => line.startsWith("- "))
    expect(reasons).toEqual([
      expect.stringContaining(" deposited today or a moment ago"),
      expect.stringContaining("under the overlay of 09-afternoon")
    ])
    const before = await written()
    await shop.run("apply", "--yes")
    expect(await written()).toBe(before)
    call(old)
    expect((await shop.run("plan")).code).toBe(0)
  })
})

describe("a service that the seller has no right to", () => {
  // A refusal is believed for a quarter of an hour of the sandbox: two commands of a busy machine have to fit in.
  beforeEach(async () => {
    await shop.close()
    shop = await Shop.Shop.open({ speed: 10 })
  })

  it("is not asked by the next command; doctor says so; retry asks again", async () => {
    await shop.control("faults", { faults: [{ kind: "refuse", status: 402, operation: "listCampaignIds" }] })
    expect((await shop.run("plan")).code).toBe(1)
    const before = await requests()
    await shop.control("faults", { faults: [] })
    const again = await shop.run("plan")
    expect([again.code, await requests()]).toEqual([1, before])
    expect(again.stderr).toContain("listCampaignIds is switched off")
    expect((await shop.run("doctor")).stdout).toContain(`bidhelm account retry ${account()}`)
    const retried = await shop.run("account", "retry", account())
    expect(retried).toMatchObject({ code: 0, stdout: expect.stringContaining("listCampaignIds") })
    expect((await shop.run("plan")).code).toBe(0)

    await shop.control("faults", { faults: [{ kind: "refuse", operation: "getBalance" }] })
    expect((await shop.run("call", "getBalance")).code).toBe(1)
    await shop.control("faults", { faults: [] })
    expect((await shop.run("call", "getBalance")).code).toBe(0)
    expect((await shop.run("doctor")).stdout).not.toContain("switched off")
  })
})
