/** What `bidhelm explain` says of a row is what `bidhelm plan` decides of it, though it reads less. */
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, it } from "vitest"
import * as Target from "../../../src/domain/Target.js"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import type { Explanation } from "../../../src/reporting/explain/Explanation.js"
import * as Wording from "../../../src/reporting/Wording.js"
import * as Depth from "../../Depth.js"
import { type Options, Shop } from "../Shop.js"

let shop: Shop
afterEach(() => shop.close())

const open = async (options: Options = {}) => {
  shop = await Shop.open(options)
  const rules = join(shop.folder, "rules")
  for (const name of readdirSync(rules)) if (name.endsWith(".yaml")) rmSync(join(rules, name))
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
}

const rule = (id: string, ...lines: ReadonlyArray<string>) =>
  shop.write(`rules/${id}.yaml`, ["version: 1", `name: ${id}`, ...lines, ""].join("\n"))

const planned = async (lane = "ads"): Promise<Plan> => {
  const { code, stderr, stdout } = await shop.run("plan", "--lane", lane, "--json")
  if (code !== 0 && code !== 2) throw new Error(`plan ended with ${code}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

const explained = async (target: string): Promise<Explanation> => {
  const { code, stderr, stdout } = await shop.run("explain", target, "--json")
  if (code !== 0) throw new Error(`explain ${target} ended with ${code}: ${stderr}${stdout}`)
  return JSON.parse(stdout)
}

/** How often an operation was asked for. */
const requests = async (operation: string): Promise<number> => {
  const ledger = (await (await fetch(`${shop.url}/_sandbox/ledger`)).json()) as {
    readonly counters: Readonly<Record<string, { readonly requests: number }>>
  }
  return ledger.counters[operation]?.requests ?? 0
}

/** How `explain` is asked for a row. */
const asked = (subject: Target.Subject): string =>
  subject.promotionId === undefined && subject.campaignId !== undefined
    ? Target.key(subject)
    : subject.itemId === undefined
      ? "account"
      : `item/${subject.itemId}`

interface Said {
  readonly policy: string
  readonly subject: Target.Subject
  readonly verdict: string
}

/** What a plan says of each row that it names. */
const saidBy = (plan: Plan): ReadonlyArray<Said> => {
  const modes = new Map(plan.policies.map(({ id, mode }) => [id as string, mode]))
  const rows = new Map<string, Said>()
  const say = (policy: string, subject: Target.Subject, verdict: string) => {
    const key = `${policy} ${Target.key(subject)}`
    if (!rows.has(key)) rows.set(key, { policy, subject, verdict })
  }
  for (const { origin, subject } of plan.changes)
    say(origin.name, subject, modes.get(origin.name) === "preview" ? "shown" : "acts")
  for (const { change } of plan.held) say(change.origin.name, change.subject, "held")
  for (const { policy, subject } of plan.unchanged) say(policy, subject, "unchanged")
  for (const { policy, subject } of plan.unknown) say(policy, subject, "unknown")
  return [...rows.values()]
}

/** What an explanation says of the row of one policy; of many rows that missed it names three, and counts the others. */
const told = ({ crowds, policies }: Explanation, { policy, subject }: Said): string | undefined => {
  const alone = policies.find((one) => one.policy === policy)
  if (alone !== undefined) return alone.verdict
  const crowd = crowds.find((one) => one.policy === policy)
  if (crowd === undefined) return undefined
  const named = [...crowd.matched, ...crowd.nearest].find(({ target }) => target === Target.key(subject))
  return named?.verdict ?? ((crowd.verdicts.unknown ?? 0) > 3 ? "unknown" : undefined)
}

const areExplained = async (plan: Plan, most = 12) => {
  const rows = saidBy(plan)
  const step = Math.max(1, Math.floor(rows.length / most))
  const drawn = rows.filter((_, at) => at % step === 0)
  const found: Array<unknown> = []
  for (const row of drawn)
    found.push([row.policy, row.subject, told(await explained(asked(row.subject)), row)])
  expect(found).toEqual(drawn.map(({ policy, subject, verdict }) => [policy, subject, verdict]))
  return drawn
}

const raise = (...more: ReadonlyArray<string>) => [
  ...(more.some((line) => line.startsWith("cooldown")) ? [] : ["cooldown: 1h"]),
  "mode: apply",
  "each: campaign_item",
  "where: campaign.payment = cpm and campaign.bid_type = manual",
  ...more
]

describe("a change under watch", () => {
  const watching = (condition: string) =>
    rule(
      "raise",
      ...raise(
        "when: campaign.status = active",
        "do:",
        "  raise_bid: {by: 10%, cap: 5000 ₽}",
        "cooldown: 30d",
        "watch:",
        "  after: [1d, 3d]",
        `  roll_back_when: ${condition}`
      )
    )
  const dayLater = async () => {
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    await shop.advance(25 * 3_600_000)
  }

  it.each(["campaign.spend[1d] >= 1 ₽", "item.ad_spend[1d] >= 1 ₽"])(
    "is explained as taken back where the plan takes it back, with the condition that says so: %s",
    async (condition) => {
      await open()
      watching(condition)
      await dayLater()
      const plan = await planned()
      expect(plan.changes.length).toBeGreaterThan(1)
      for (const change of plan.changes) {
        const { crowds, policies } = await explained(asked(change.subject))
        expect(crowds).toEqual([])
        expect([policies[0]?.verdict, policies[0]?.why, policies[0]?.rule]).toEqual([
          "acts",
          Wording.effect(change, "RUB"),
          "watch"
        ])
        expect(policies[0]?.conditions.map((line) => [line.condition, line.holds, line.value])).toEqual(
          change.reason.slice(-1).map((line) => [line.condition, "true", line.value])
        )
        expect(policies[0]?.notes).toContainEqual(
          expect.stringMatching(/^watch: takes back what run .+ changed/)
        )
      }
    }
  )

  it("is told to stay, with what the watch asked, where it does not hold and where nobody knows", async () => {
    await open()
    watching("campaign.spend[1d] >= 9000000 ₽")
    await dayLater()
    const plan = await planned()
    expect([plan.changes.length, (plan.watched?.length ?? 0) > 0]).toEqual([0, true])
    const row = plan.unchanged.find(({ policy }) => policy === "raise")!
    const calm = await shop.run("explain", asked(row.subject))
    expect(calm.stdout).toMatch(/raise: unchanged: cooldown until /)
    expect(calm.stdout).toMatch(
      /watch: 24h after run \S+ its condition does not hold, and the change stays; asked again 72h after it/
    )
    await shop.control("faults", { faults: [{ kind: "errorBefore", operation: "getCampaignStats" }] })
    const blind = await shop.run("explain", asked(row.subject))
    expect(blind.stdout).toMatch(
      /watch 24h after \S+: campaign\.spend\[1d\] >= 9000000 ₽: could not be fetched/
    )
    await shop.control("faults", { faults: [] })
  })
})

const enrolling = ["mode: approve", "each: promotion_item", "where:", "  - promotion.type = regular"]
/** Every item costs nothing and is kept: joining costs what its price falls. */
const free = `item;unit cost;packaging;commission, %;commission in promo, %;acquiring, %;logistics out;logistics back;storage;tax rate, %;tax base;extra;buyout, %
*;0;0;0;0;0;0;0;0;0;revenue;0;100
`

describe("a row of a promotion", () => {
  it("is explained as it is planned", async () => {
    await open()
    rule("join", ...enrolling, "when: price_drop <= 20%", "do: enrol")
    const plan = await planned("promotions")
    expect(plan.changes.length).toBeGreaterThan(2)
    const drawn = await areExplained(plan)
    expect(new Set(drawn.map(({ verdict }) => verdict))).toContain("acts")
    const [change] = plan.changes
    const { stdout } = await shop.run("explain", asked(change!.subject))
    expect(stdout).toContain(`${Target.key(change!.subject)}: acts: ${Wording.effect(change!, "RUB")}`)
  })

  it("stays out of the cheapest set where the plan leaves it out, though only its item was asked about", async () => {
    await open()
    shop.write("rules/_shared/economics.csv", free)
    rule("tier", ...enrolling, "when: price_drop <= 60%", "do: {enrol: {reach_tier: next, overlap: allowed}}")
    const plan = await planned("promotions")
    const out = plan.unchanged.filter(({ because }) => because.code === "set_dearer")
    expect([out.length > 0, plan.changes.length > 0]).toEqual([true, true])
    await areExplained(plan)
    const { stdout } = await shop.run("explain", asked(out[0]!.subject))
    expect(stdout).toMatch(
      new RegExp(
        `${Target.key(out[0]!.subject)}: unchanged: not among the cheapest \\d+: it would cost .+ ₽ a day`
      )
    )
  })

  it("is held where the set has no room in changes_per_run", async () => {
    await open()
    shop.write("rules/_shared/economics.csv", free)
    const tier = [
      ...enrolling,
      "when: price_drop <= 60%",
      "do: {enrol: {reach_tier: next, overlap: allowed}}"
    ]
    rule("tier", ...tier, "limits: {changes_per_run: 1}")
    const plan = await planned("promotions")
    expect(plan.held.length).toBeGreaterThan(0)
    await areExplained(plan)
  })

  it("stands beside rows of campaigns: what was left for want of calls is told once, and how others that agree ask", async () => {
    await open()
    for (const id of ["join", "too"]) rule(id, ...enrolling, "when: price_drop <= 20%", "do: enrol")
    rule(
      "raise",
      ...["mode: preview", "each: cluster", "where: campaign.payment = cpm and campaign.bid_type = manual"],
      ...[
        "when: bid < recommended.reach_max",
        "cooldown: 6h",
        "do:",
        "  lower_bid: {by: 10%, floor: min_bid}"
      ]
    )
    const { stdout } = await shop.run("explain", "account", "--max-wait", "1s", "--json")
    const told: Explanation = JSON.parse(stdout)
    const [near] = told.crowds.find(({ policy }) => policy === "raise")!.nearest
    expect(near?.notes.filter((note) => note.includes("not looked at"))).toHaveLength(1)
    const { subject } = (await planned("promotions")).changes[0]!
    const { crowds } = await explained(asked(subject))
    const [too] = crowds.find(({ policy }) => policy === "too")!.matched
    expect(too?.why).toContain("wants the same as join, in whose name a person is asked")
  })

  it("costs no call of the calendar where a campaign is asked about", async () => {
    await open()
    rule("join", ...enrolling, "when: price_drop <= 20%", "do: enrol")
    rule("raise", ...raise("when: campaign.status = active", "do:", "  raise_bid: {by: 10%, cap: 5000 ₽}"))
    const before = await requests("listPromotions")
    const { policies } = await explained("1000001")
    expect(policies).toEqual([])
    expect([before, await requests("listPromotions")]).toEqual([0, 0])
    await planned("promotions")
    expect(await requests("listPromotions")).toBeGreaterThan(0)
  })
})

describe("max_unknown", () => {
  const costs = `version: 1
kind: facts
source: {csv: ../../data/cost.csv, delimiter: ";", decimal: ","}
join: item.id = nm
fields:
  item.cost: {column: cost, type: money}
`
  const holed = async () => {
    await open({ scale: { campaigns: 6, items: 3, clusters: 4 } })
    rule("all", ...raise("when: campaign.status = active", "do:", "  raise_bid: {by: 10%, cap: 5000 ₽}"))
    const all = await planned()
    rmSync(join(shop.folder, "rules/all.yaml"))
    const items = [...new Set(all.changes.map(({ subject }) => subject.itemId!))].sort((a, b) => a - b)
    shop.write("rules/_shared/cost.yaml", costs)
    const lines = items.map((item, at) => `${item};${at === 0 ? "100,00" : "100 тугриков"}`)
    shop.write("data/cost.csv", ["nm;cost", ...lines, ""].join("\n"))
    expect(items.length).toBeGreaterThan(5)
  }

  it("holds a row as in the plan where all that is counted is the seller's own, without a call more", async () => {
    await holed()
    rule("raise", ...raise("when: item.cost >= 1 ₽", "do:", "  raise_bid: {by: 10%, cap: 5000 ₽}"))
    const plan = await planned()
    expect(plan.held.length).toBeGreaterThan(0)
    expect(plan.held[0]?.because.code).toBe("max_unknown")
    const before = await requests("getCampaigns")
    const drawn = await areExplained(plan)
    expect(await requests("getCampaigns")).toBe(before + drawn.length)
  })

  it("is named as not looked at where it would take the whole account's statistics", async () => {
    await holed()
    rule(
      "raise",
      ...raise(
        "when: item.cost >= 1 ₽ and views[7d] default 0 < 900000",
        "do:",
        "  raise_bid: {by: 10%, cap: 5000 ₽}"
      )
    )
    const plan = await planned()
    const [held] = plan.held
    expect(held?.because.code).toBe("max_unknown")
    const { stdout } = await shop.run("explain", asked(held!.change.subject))
    expect(stdout).toMatch(/raise: acts: /)
    expect(stdout).toMatch(/not counted over the whole account here: .*max_unknown.*; bidhelm plan shows/)
    const whole = await explained("account")
    expect(whole.crowds.find(({ policy }) => policy === "raise")?.verdicts).toMatchObject({ held: 1 })
  })
})

describe("drawn rules", () => {
  const conditions = [
    "campaign.status = active",
    "views[7d] > 40",
    "orders[7d] default 0 >= 1",
    "item.drr[7d] < 60%",
    "item.stock < 40",
    "bid < 300 ₽",
    "item.ad_spend[7d] > 100 ₽"
  ]
  const actions = ["raise_bid: {by: 10%, cap: 400 ₽}", "lower_bid: {by: 10%, floor: min_bid}"]

  it.each(Array.from({ length: Depth.cases(12) }, (_, seed) => seed + 1))(
    "are explained row by row as they are planned (seed %i)",
    async (seed) => {
      await open({ scale: { campaigns: 4, items: 2, clusters: 6 } })
      let state = seed * 2_654_435_761
      const draw = <A>(of: ReadonlyArray<A>): A => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
        return of[Math.floor((state / 2 ** 32) * of.length)]!
      }
      const when = () => `when: ${[...new Set([draw(conditions), draw(conditions)])].join(" and ")}`
      for (const id of ["a", "b"])
        rule(id, ...raise(when(), "do:", `  ${draw(actions)}`, "limits: {share_of_scope: 100%}"))
      rule("c", "mode: preview", "each: campaign", "when: all(item.stock < 60)", "do: pause")
      shop.write("rules/_shared/economics.csv", free)
      const drop = draw(["10%", "30%", "60%"])
      const more = draw(["item.stock >= 1", "item.ad_spend[7d] default 0 ₽ < 900 ₽", "price_drop >= 1%"])
      const action = draw([
        "enrol",
        "{enrol: {reach_tier: next, overlap: allowed}}",
        "{enrol: {overlap: allowed}}"
      ])
      const limits = draw(["{share_of_scope: 30%}", "{changes_per_run: 3}", "{changes_per_run: 200}"])
      rule("d", ...enrolling, `when: price_drop <= ${drop} and ${more}`, `do: ${action}`, `limits: ${limits}`)
      const ads = await areExplained(await planned(), 8)
      const promotions = await areExplained(await planned("promotions"), 6)
      expect(ads.length + promotions.length).toBeGreaterThan(0)
    },
    120_000
  )
})
