/** A saved plan that somebody changed, or that another store made: judged by what the marketplace accepted. */

import { chmodSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import * as Either from "effect/Either"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import * as Target from "../../../src/domain/Target.js"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as PlanJson from "../../../src/engine/decide/PlanJson.js"
import * as Summary from "../../../src/engine/decide/Summary.js"
import * as Print from "../../../src/engine/facts/Print.js"
import type { Change } from "../../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../../src/engine/kinds/Change.js"
import * as Bundle from "../Bundle.js"
import * as Shop from "../Shop.js"
import * as Terminal from "../Terminal.js"

let shop: Shop.Shop
beforeAll(() => void Bundle.program(), Bundle.withinMs)

/** A shop for each test. */
const ofEach = (): void => {
  beforeEach(async () => {
    shop = await Shop.Shop.open()
  })
  afterEach(() => shop.close())
}

const saved = async (): Promise<Plan> => {
  expect(await shop.run("plan", "--out", "plan.json")).toMatchObject({ code: 0 })
  return Either.getOrThrow(PlanJson.read(JSON.parse(shop.read("plan.json"))))
}

/** Writes the plan with changes of somebody's own and a seal that fits them, as two lines of script do. */
const forge = (
  plan: Plan,
  mend: (change: Change) => Change,
  more: Partial<Plan> = {},
  path = "plan.json"
): void => {
  const { id: _, seal: __, summary: ___, ...draft } = { ...plan, changes: plan.changes.map(mend), ...more }
  shop.write(path, JSON.stringify(Summary.seal(draft)))
}

const sent = async () => (await shop.ledger()).entries

const dear = (change: Change): Change =>
  change.action === "raise_bid" ? { ...change, after: 89_900 } : change

/** None of these changes the shop: one is enough. */
describe("a plan that sends nothing", () => {
  let plan: Plan
  let made: string
  beforeAll(async () => {
    shop = await Shop.Shop.open()
    plan = await saved()
    made = shop.read("plan.json")
  })
  afterAll(() => shop.close())

  it("is not known to the store, and is not applied by --yes alone", async () => {
    forge(plan, dear)
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(code).toBe(1)
    expect(stderr).toContain("This store did not make this plan")
    expect(stderr).toContain("--made-elsewhere")
    expect(await sent()).toEqual([])
  })

  it("is told from the plan that this store made, change by change, without asking anybody", async () => {
    const raise = plan.changes.find(({ action }) => action === "raise_bid")!
    forge(plan, (change) => (change === raise ? dear(change) : change))
    const calls = async (): Promise<unknown> =>
      ((await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as { counters: unknown }).counters
    const before = await calls()
    const { stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(stderr.split("\n")[0]).toContain(
      `${Target.key(raise.subject)} by ${raise.origin.name}: the file says`
    )
    expect(stderr.split("\n")[1]).toContain(`it is plan ${plan.id.slice(0, 12)}, changed after it was made`)
    expect(await calls()).toEqual(before)
  })

  it("renames no campaign: no rule does, an undo without a change to take back is none, and a call is no plan file", async () => {
    const { campaignName, clamps, moneyPerDayKopecks, origin, overruled, reason, subject } =
      plan.changes.filter(isOfCampaign)[0]!
    const call = { by: "call" as const, name: "call", operation: "renameCampaign" }
    for (const whose of [origin, { by: "undo" as const, name: "undo" }, call]) {
      const rename: Change = {
        ...{ campaignName, clamps, moneyPerDayKopecks, overruled, reason, subject },
        origin: whose,
        id: "0123456789abcdef",
        kind: "campaign_name",
        action: "rename",
        before: campaignName,
        after: "Зимняя распродажа",
        details: {},
        reversible: true
      }
      forge(plan, (change) => change, { changes: [rename] })
      for (const more of [[], ["--made-elsewhere"]]) {
        const { code, stderr } = await shop.run("apply", "plan.json", "--yes", ...more)
        expect([code, stderr]).toEqual([1, expect.stringContaining("rename of ")])
      }
    }
    expect(await sent()).toEqual([])
  })

  it("draws nothing of its own on the terminal", async () => {
    forge(plan, (change) => ({
      ...change,
      origin: { ...change.origin, name: `\u001b[2J\u202eall is well\n${change.origin.name}` }
    }))
    for (const more of [[], ["--made-elsewhere"]]) {
      const { stderr } = await shop.run("apply", "plan.json", "--yes", ...more)
      expect(stderr).toContain("·[2J·all is well·")
      for (const drawn of ["\u001b", "\u202e", "\nall is well"]) expect(stderr).not.toContain(drawn)
    }
    forge(plan, (change) => change, { createdAt: "\u001b[2Jnow" })
    expect((await shop.run("apply", "plan.json", "--yes")).stderr).toMatch(/^bidhelm: The plan of ·\[2Jnow/)
    expect(await sent()).toEqual([])
  })

  it("sends no bid above its rule's cap, and each such change is named", async () => {
    const raises = plan.changes.filter(({ action }) => action === "raise_bid")
    forge(plan, dear)
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(1)
    const money = (kopecks: unknown) => Print.money(Number(kopecks), "₽")
    for (const {
      after,
      before,
      origin: { name: policy },
      subject: target
    } of raises.slice(0, 3))
      expect(stderr).toContain(
        `raise_bid of ${Target.key(target)} by ${policy}: the file says ${money(before)} → 899 ₽; ` +
          `${policy} makes it ${money(before)} → ${money(after)}`
      )
    expect(stderr).toContain(`${raises.length} changes of ${plan.changes.length} in the file are not what`)
    expect(await sent()).toEqual([])
  })

  it("adds no change of its own, and takes nothing back that the journal does not have", async () => {
    const [first] = plan.changes
    const undone = { runId: "run-1", changeId: first!.id, policy: first!.origin.name }
    forge(plan, (change) => change, {
      changes: [
        ...plan.changes,
        { ...first!, origin: { by: "undo", name: "undo" }, undoes: undone, after: 12_300 }
      ]
    })
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(1)
    expect(stderr).toContain("1 change of")
    expect(stderr).toContain("what is taken back stands in the store that did it")
    expect(await sent()).toEqual([])
  })

  it("is not made young again by another date", async () => {
    const { id: _, seal: __, summary: ___, ...draft } = plan
    const createdAt = new Date(Date.parse(plan.createdAt) + 60_000).toISOString()
    shop.write("plan.json", JSON.stringify(Summary.seal({ ...draft, createdAt })))
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(code).toBe(1)
    expect(stderr).toContain("This store did not make this plan")
    expect(await sent()).toEqual([])
  })

  it("is sent by nobody's word where nobody can answer", async () => {
    shop.write("plan.json", made)
    const { code, stderr } = await shop.run("apply", "plan.json")
    expect(code).toBe(1)
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(stderr).toContain("--yes")
    expect(await sent()).toEqual([])
  })
})

describe("a forged plan", () => {
  ofEach()

  it("moves nothing that any action of the rules may do, whatever kind of change it is", async () => {
    const rule = (id: string, text: string) =>
      shop.write(`rules/${id}.yaml`, `version: 1\nname: ${id}\nmode: apply\n${text}\n`)
    const item = "each: campaign_item\nwhere: campaign.status = active and campaign.payment = cpm"
    rule("01-raise-to-reach-max", `${item}\nwhen: bid != 180 ₽\ndo:\n  set_bid: {to: 180 ₽, cap: 180 ₽}`)
    rule(
      "11-top-up",
      "each: campaign\nwhen: budget < 1000000 ₽\ndo:\n  deposit: {amount: 1000 ₽, from: balance}\nlimits: {money_per_day: 1000 ₽}"
    )
    rule(
      "12-shelves",
      "each: campaign\nwhere: campaign.bid_type = manual and campaign.payment = cpm\nwhen: campaign.status = active\ndo:\n  placements: {recommendations: off}"
    )
    rule(
      "13-boost",
      `each: cluster\nschedule: {every: 30m, tz: Europe/Moscow}\nwhere: campaign.bid_type = manual and campaign.payment = cpm\nduring: {time: "12:00-23:00"}\ndo:\n  adjust_bid: {by: +20%, cap: 600 ₽}`
    )
    await shop.allowDeposits()
    const plan = await saved()
    const kinds = [...new Set(plan.changes.map(({ action }) => action))]
    expect(kinds.toSorted()).toEqual("add_minus adjust_bid deposit pause placements set_bid".split(" "))
    const ofEach = kinds.map((kind) => plan.changes.find(({ action }) => action === kind)!)
    const dearer = ({ action, after }: Change): Change["after"] => {
      if (typeof after === "number") return 89_900 + after
      return typeof after === "boolean" ? !after : action === "pause" ? "active" : "search, recommendations"
    }
    for (const more of [[], ["--made-elsewhere"]]) {
      forge(plan, (change) => change, { changes: ofEach.map((one) => ({ ...one, after: dearer(one) })) })
      const { code, stderr } = await shop.run("apply", "plan.json", "--yes", ...more)
      expect(code).toBe(1)
      for (const {
        action,
        origin: { name: policy },
        subject: target
      } of ofEach)
        expect(stderr).toContain(`${action} of ${Target.key(target)} by ${policy}: the file says`)
    }
    const net = (one: Change): Change =>
      one.kind === "campaign_deposit" ? { ...one, details: { ...one.details, from: "net" } } : one
    forge(plan, (change) => change, { changes: ofEach.map(net) })
    const { stderr } = await shop.run("apply", "plan.json", "--yes")
    expect(stderr).toContain("11-top-up makes it with another details.from")
    expect(await sent()).toEqual([])
  })

  it("takes back nothing else than the journal has, nor for another policy", async () => {
    const { runId } = JSON.parse((await shop.run("apply", "--yes", "--json")).stdout)
    const before = await sent()
    await shop.run("undo", runId, "--out", "undo.json")
    const undo = JSON.parse(shop.read("undo.json")) as Plan
    const bid = undo.changes.find(({ action }) => action === "lower_bid")!
    for (const edit of [
      { after: 89_900 },
      { origin: { by: "policy", name: "01-raise-to-reach-max", line: 3 } },
      { undoes: undefined }
    ]) {
      forge(undo, (change) => (change === bid ? ({ ...change, ...edit } as Change) : change), {}, "undo.json")
      const edited = await shop.run("apply", "undo.json", "--yes")
      expect([edited.code, edited.stderr]).toEqual([1, expect.stringContaining("changed after it was made")])
      const elsewhere = await shop.run("apply", "undo.json", "--yes", "--made-elsewhere")
      expect([elsewhere.code, elsewhere.stderr]).toEqual([1, expect.stringContaining("Nothing was sent")])
    }
    expect(await sent()).toEqual(before)
    forge(undo, (change) => change, {}, "undo.json")
    expect((await shop.run("apply", "undo.json", "--yes")).code).toBe(0)
  })

  it("is judged once it is known what an earlier run did", async () => {
    forge(await saved(), dear)
    shop.environment = { BIDHELM_STOP_AT: "dispatching" }
    await shop.run("apply", "--yes")
    shop.environment = {}
    const { stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(stderr).toMatch(
      /of an earlier run (?:is|are) open; reading[\s\S]*\n.*by 01-raise-to-reach-max: the file says/
    )
  })

  it("is not applied when a plan made now only looks, though each of its changes is what the rules made before", async () => {
    const plan = await saved()
    const createdAt = new Date(Date.parse(plan.createdAt) - 1).toISOString()
    forge(plan, (change) => change, { createdAt, changes: plan.changes.slice(0, 3) })
    await shop.control("faults", { faults: [{ kind: "zeros", operation: "getClusterStats" }] })
    const looking = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect([looking.code, looking.stderr]).toEqual([
      1,
      expect.stringContaining("bidhelm: nothing was sent: this run only looks")
    ])
    expect(await sent()).toEqual([])
  })

  it("gives no change of one policy to another that needs nobody's word", async () => {
    const rule = "rules/03-daily-budget-stop.yaml"
    shop.write(rule, shop.read(rule).replace(/^mode: apply/m, "mode: approve"))
    const plan = await saved()
    expect(
      plan.changes.some(
        ({ action, origin: { name: policy } }) => action === "pause" && policy.startsWith("03")
      )
    ).toBe(true)
    forge(plan, (change) =>
      change.action === "pause"
        ? { ...change, origin: { ...change.origin, name: "02-minus-low-ctr" } }
        : change
    )
    const { code, stderr } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(1)
    expect(stderr).toContain(
      "by 02-minus-low-ctr: the file says active → paused; it is 03-daily-budget-stop (approve) that changes this, active → paused"
    )
    expect(await sent()).toEqual([])
  })
})

describe("a plan made elsewhere", () => {
  ofEach()

  it("is applied exactly once a person says so, as far as the rules do the same here", async () => {
    const plan = await saved()
    rmSync(join(shop.folder, ".bidhelm"), { recursive: true, force: true })
    // With the store its limiter forgets what it has asked; the marketplace does not.
    await shop.advance(5 * 60_000)
    expect((await shop.run("apply", "plan.json", "--yes")).code).toBe(1)
    expect(await sent()).toEqual([])
    const { code, stderr, stdout } = await shop.run(
      "apply",
      "plan.json",
      "--yes",
      "--made-elsewhere",
      "--json"
    )
    expect(stderr).toContain("A new plan decides what of it is applied")
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ counts: { applied: plan.changes.length } })
    expect(await shop.compare(plan.changes)).toMatchObject({ missing: [], surplus: [] })
  })

  it("chooses of what the rules do: changes that it leaves out are not made", async () => {
    const plan = await saved()
    const few = plan.changes.filter(({ action }) => action === "pause")
    forge(plan, (change) => change, { changes: few })
    const { code } = await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")
    expect(code).toBe(0)
    expect(await shop.compare(few)).toEqual({ agreed: few.length, missing: [], surplus: [] })
  })
})

describe("a plan made elsewhere that leaves changes out", () => {
  ofEach()

  it("takes no request of theirs from the person who is asked", async () => {
    const rule = "rules/01-raise-to-reach-max.yaml"
    shop.write(rule, shop.read(rule).replace(/^mode: apply/m, "mode: approve"))
    await shop.run("apply", "--yes")
    const waiting = async () => (await shop.run("approvals")).stdout
    expect(await waiting()).toContain("waits until")
    const before = await waiting()
    const plan = await saved()
    forge(plan, (change) => change, { changes: [] })
    expect(await shop.run("apply", "plan.json", "--yes", "--made-elsewhere")).toMatchObject({
      code: 0,
      stdout: "Nothing to apply.\n"
    })
    expect(await waiting()).toBe(before)
  })
})

describe("a saved plan", () => {
  ofEach()

  it.skipIf(!Terminal.isThere)(
    "is asked about at a terminal, with its account and money, and a yes holds for the limits that were there when it was asked",
    async () => {
      const plan = await saved()
      const question = /Apply \d+ changes? to main/
      const ask = (answer: string) => Terminal.answering(shop, ["apply", "plan.json"], [question], answer)
      const no = await ask("n")
      expect(no.code).toBe(1)
      expect(no.stdout).toMatch(new RegExp(`Plan ${plan.id.slice(0, 12)} of .*₽ a day.*pause 1, raise_bid`))
      expect(no.stdout).toContain(`Apply ${plan.changes.length} changes to main`)
      const limits = "rules/_shared/limits.yaml"
      const written = shop.read(limits)
      const late = await Terminal.answering(shop, ["apply", "plan.json"], [question], "y", () =>
        shop.write(limits, written.replace("changes_per_run: 20000", "changes_per_run: 1"))
      )
      expect(late.stdout).toContain("The rules have changed since the plan was made")
      expect(await sent()).toEqual([])
      shop.write(limits, written)
      expect((await ask("y")).code).toBe(0)
      expect(await shop.compare(plan.changes)).toMatchObject({ missing: [], surplus: [] })
    }
  )

  it("is for its owner alone, also where a file with wider permissions was", async () => {
    const modeOf = () => statSync(join(shop.folder, "plan.json")).mode & 0o777
    await saved()
    expect(modeOf()).toBe(0o600)
    chmodSync(join(shop.folder, "plan.json"), 0o644)
    await saved()
    expect(modeOf()).toBe(0o600)
  })
})
