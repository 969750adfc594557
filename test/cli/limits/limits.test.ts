import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Shop } from "../Shop.js"

let shop: Shop

beforeAll(async () => {
  shop = await Shop.open({ scale: { campaigns: 3, items: 2, clusters: 10 } })
})
afterAll(async () => {
  await shop.close()
})

interface Limits {
  readonly buckets: ReadonlyArray<Record<string, unknown>>
  readonly quotas: ReadonlyArray<Record<string, unknown>>
}
interface Forecast {
  readonly campaigns: number
  readonly items: number
  readonly rows: ReadonlyArray<{
    readonly policy: string | null
    readonly name: string | null
    readonly calls: Record<string, number>
    readonly tokens: ReadonlyArray<{
      readonly kind: string
      readonly runMs: number | null
      readonly shortestCadenceMs: number | null
      readonly decidedBy: string | null
      readonly notServed: ReadonlyArray<string>
      readonly stepless: ReadonlyArray<string>
    }>
  }>
}
const json = async <A>(...args: ReadonlyArray<string>): Promise<A> => {
  const { code, stderr, stdout } = await shop.run(...args, "--json")
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
  return JSON.parse(stdout) as A
}

describe("the state of the limits", () => {
  it("says before the first call that all is full, and how to see more", async () => {
    const { code, stderr, stdout } = await shop.run("limits")
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    expect(stderr).toContain("No calls of main yet: every limit is full.")
    expect(stderr).toContain("bidhelm limits --all")
    expect(await json<Limits>("limits")).toMatchObject({ buckets: [], quotas: [] })
  })

  it("lists every limit the token can draw from, and the daily quota, on request", async () => {
    const { buckets, quotas } = await json<Limits>("limits", "--all")
    expect(buckets).toHaveLength(57)
    expect(buckets).toContainEqual({
      limitGroup: "marketplace.general",
      tokenKind: "personal",
      burst: 20,
      intervalMs: 200,
      cost4xx: 10,
      available: 20,
      inFlight: 0,
      frozenForMs: 0,
      frozenUntil: null
    })
    expect(quotas).toEqual([
      { group: "csvReports", perDay: 20, usedToday: 0, refused: false, closedForMs: 0, closedUntil: null }
    ])
    const { stdout } = await shop.run("limits", "--all")
    expect(stdout).toMatch(/^marketplace\.passCreate +1 of 1 now, one more every 10 min$/m)
    expect(stdout).toMatch(/^daily quotas\ncsvReports +0 of 20 used this Moscow day$/m)
  })

  it("tells how long a frozen one stays frozen, and until when by the clock", async () => {
    const fault = { kind: "throttle", operation: "getBalance", retrySeconds: 18_000, count: 1 }
    await shop.control("faults", { faults: [fault] })
    const { code, stderr } = await shop.run("call", "getBalance", "--max-wait", "10s")
    expect(code).toBe(5)
    expect(stderr).toContain("advert.getBalance")
    const { stdout } = await shop.run("limits")
    expect(stdout).toMatch(
      /^advert\.getBalance +0 of 5 now, one more every 1 s {2}refused by the marketplace until 2026-09-01 2\d:\d\d:\d\d Europe\/Moscow, \d h( \d+ min)? from now$/m
    )
    const { buckets } = await json<Limits>("limits")
    const frozen = buckets.find((one) => one.limitGroup === "advert.getBalance")
    expect(frozen?.frozenForMs).toBeGreaterThan(0)
    expect(frozen?.frozenUntil).toMatch(/^2026-09-01T\d\d:\d\d:\d\d\.\d{3}Z$/)
  })

  it("refuses options of a forecast without one", async () => {
    const { code, stderr } = await shop.run("limits", "--assume", "campaigns=1")
    expect(code).toBe(1)
    expect(stderr).toContain("add --forecast")
  })
})

describe("a forecast", () => {
  const offline = ["limits", "--forecast", "--config", "nowhere.yaml", "--rules", "rules"]

  it("needs neither configuration nor token for assumed sizes", async () => {
    const { campaigns, items, rows } = await json<Forecast>(
      ...offline,
      "--assume",
      "campaigns=100,items=10,clusters=50"
    )
    expect([campaigns, items, rows.length]).toEqual([100, 1000, 8])
    const [raise] = rows
    expect(raise?.calls).toMatchObject({ getBidRecommendations: 50, getCampaigns: 2, getClusterStats: 10 })
    // 50 recommendations, five at once and one every 12 s; four fifths of 5 a minute are 4 a minute.
    expect(raise?.tokens[0]).toEqual({
      kind: "personal",
      runMs: 45 * 12_000,
      shortestCadenceMs: (50 / 4) * 60_000,
      decidedBy: "advert.getBidRecommendations",
      notServed: [],
      stepless: []
    })
    expect(raise?.tokens.map((one) => [one.kind, one.shortestCadenceMs === null])).toEqual([
      ["personal", false],
      ["service", false],
      ["base", false]
    ])
    expect(rows.at(-1)).toMatchObject({ policy: null, name: null })
  })

  it("reads for people, and grows with the share that survives", async () => {
    const at = (percent: string) =>
      shop.run(...offline, "--assume", "campaigns=100,items=10", "--survivors", percent)
    const few = await at("1")
    expect(few.stderr).toContain("for an assumed 100 campaigns of 10 items, when 1% of the rows pass")
    expect(few.stdout).toMatch(
      /^ {2}personal {2}a run takes .* every .* or slower \(advert\.getBidRecommendations\)$/m
    )
    expect((await at("20")).stdout).toContain("getBidRecommendations 200")
  })

  it("names the bids that a Base token leaves alone until the configuration tells their steps", async () => {
    const optimise = shop.read("rules/10-optimise.yaml").replace("mode: disabled", "mode: preview")
    const perView = optimise.replace(/^where: .*$/m, "where: campaign.payment = cpm")
    const perClick = optimise.replace(/^where: .*$/m, "where: campaign.payment = cpc")
    for (const [name, text] of Object.entries({ optimise, perClick, perView }))
      shop.write(`stepless/${name}.yaml`, text)
    shop.write("stepless/_shared/vars.yaml", shop.read("rules/_shared/vars.yaml"))
    const base = async (config: string) => {
      const { stdout } = await shop.run(
        ...["limits", "--forecast", "--config", config, "--rules", "stepless"],
        ...["--assume", "campaigns=10,items=2", "--json"]
      )
      return (JSON.parse(stdout) as Forecast).rows
        .slice(0, 3)
        .map(({ policy, tokens }) => [policy, tokens[2]?.notServed.length, tokens[2]?.stepless])
    }
    expect(await base("nowhere.yaml")).toEqual([
      ["optimise", 0, ["cpc"]],
      ["perClick", 1, ["cpc"]],
      ["perView", 0, []]
    ])
    shop.write("steps.yaml", `${shop.read("bidhelm.yaml")}\nbid_step: {cpc: 0.10 ₽}\n`)
    expect((await base("steps.yaml")).map(([, ...told]) => told)).toEqual(Array(3).fill([0, []]))
    const checked = async (config: string) =>
      (
        await shop.run(
          ...["check", "stepless", "--config", config],
          ...["--assume", "campaigns=10,items=2,clusters=5", "--token", "base"]
        )
      ).stdout.includes("bid_step:")
    expect([await checked("nowhere.yaml"), await checked("steps.yaml")]).toEqual([true, false])
    const { stdout } = await shop.run(
      ...["limits", "--forecast", "--config", "nowhere.yaml", "--rules", "stepless"],
      ...["--assume", "campaigns=10,items=2"]
    )
    const mend =
      "getPromotionConfig is not served: bids of campaigns paid by cpc stay as they are until bidhelm.yaml tells their steps in bid_step:"
    expect(stdout).toContain(`base      never: ${mend}`)
    expect(stdout).toMatch(/^ {2}base {6}.* or slower \(.*\); getPromotionConfig is not served: bids/m)
  })

  it("tells policies of one name apart by their ids", async () => {
    const raise = readFileSync(`${shop.folder}/rules/01-raise-to-reach-max.yaml`, "utf8").replace(
      /^name: .*$/m,
      "name: Raise"
    )
    for (const id of ["01-first", "02-second"]) shop.write(`twins/${id}.yaml`, raise)
    shop.write("twins/_shared/vars.yaml", shop.read("rules/_shared/vars.yaml"))
    const assumed = [...offline.slice(0, -1), "twins", "--assume", "campaigns=100,items=10"]
    const { rows } = await json<Forecast>(...assumed)
    expect(rows.map(({ name, policy }) => [policy, name])).toEqual([
      ["01-first", "Raise"],
      ["02-second", "Raise"],
      [null, null]
    ])
    const { stdout } = await shop.run(...assumed)
    expect(stdout.match(/^\S.*$/gm)).toEqual(["01-first", "02-second", "all rules in one run"])
  })

  it("takes the account's own sizes otherwise, with the calls that lists them", async () => {
    const { campaigns, items, rows } = await json<Forecast>("limits", "--forecast")
    expect([campaigns, items]).toEqual([3, 6])
    expect(rows.every((row) => row.calls.listCampaignIds === 1)).toBe(true)
  })

  it("counts the calls of the calendar, which share one limit: two lists for each promotion", async () => {
    shop.write(
      "promos/09-join.yaml",
      'version: 1\nname: Join\nmode: approve\nschedule: {at: "07:00", tz: Europe/Moscow}\neach: promotion_item\nwhere: promotion.type = regular\nwhen: price_drop <= 20%\ndo: enrol\n'
    )
    const assumed = ["limits", "--forecast", "--assume", "campaigns=1", "--rules", "promos"]
    const { rows } = await json<Forecast>(...assumed, "--promotions", "4")
    expect(rows[0]?.calls).toMatchObject({ listPromotions: 1, getPromotionDetails: 1, listPromotionItems: 8 })
    const base = rows[0]?.tokens.find(({ kind }) => kind === "base")
    // Ten calls of one bucket: one at once and one an hour.
    expect([base?.runMs, base?.shortestCadenceMs]).toEqual([9 * 3_600_000, (10 / 0.8) * 3_600_000])
    const usual = await json<Forecast>(...assumed)
    expect(usual.rows[0]?.calls).toMatchObject({ listPromotionItems: 20 })
    expect((await shop.run(...assumed, "--promotions", "0")).stderr).toContain("from 1 on")
  })

  it("says what is wrong with sizes and with a folder without rules", async () => {
    const sizes = await shop.run(...offline, "--assume", "campaign=1")
    expect([sizes.code, sizes.stderr]).toEqual([1, expect.stringContaining("write campaigns=100,items=10")])
    const share = await shop.run(...offline, "--assume", "campaigns=1", "--survivors", "101")
    expect([share.code, share.stderr]).toEqual([1, expect.stringContaining("between 0 and 100")])
    shop.write("empty/readme.txt", "")
    const none = await shop.run("limits", "--forecast", "--assume", "campaigns=1", "--rules", "empty")
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      "",
      expect.stringContaining("No rule is switched on")
    ])
    const orders = readFileSync("rules/13-fulfilment.yaml", "utf8")
    shop.write("assembly/13-fulfilment.yaml", orders.replace(/^mode: .*$/m, "mode: approve"))
    const lane = await shop.run("limits", "--forecast", "--assume", "campaigns=1", "--rules", "assembly")
    expect([lane.code, lane.stderr]).toEqual([
      0,
      expect.stringContaining("Only rules of orders and supplies are switched on")
    ])
  })
})

describe("limits of a sandbox account", () => {
  it("are forgotten by the sandbox's clock, not by this machine's", async () => {
    await shop.run("plan")
    // The sandbox's September is long over, or far away, for this machine.
    const { limits } = JSON.parse((await shop.run("store", "purge", "--dry-run", "--json")).stdout)
    expect(limits).toBe(0)
    const kept = await shop.run("store", "purge")
    expect([kept.code, kept.stdout.trim()]).toEqual([0, "Nothing is old enough to be forgotten."])
  })
})
