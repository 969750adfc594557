/** `bidhelm doctor` about `bidhelm run`: what would keep it from starting or from sending. */
import { chmodSync, readdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { afterEach, beforeAll, beforeEach, expect, it } from "vitest"
import { sandboxToken } from "../../../src/sandbox/SandboxToken.js"
import { type TokenCategory, tokenCategories } from "../../../src/services/Operation.js"
import * as Bundle from "../Bundle.js"
import * as ShopPolicy from "../fulfilment/ShopPolicy.js"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(() => void Bundle.program(), Bundle.withinMs)
beforeEach(async () => {
  shop = await Shop.Shop.open({ speed: 60 })
})
afterEach(() => shop.close())

interface Finding {
  readonly check: string
  readonly well: boolean
  readonly says: string
  readonly todo?: string
}

const doctor = async () => {
  const { code, stdout } = await shop.run("doctor", "--json")
  const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<Finding> }
  return { code, find: (check: string) => checks.find((finding) => finding.check === check) }
}

it("says when the rules are due next, and that a program could start", async () => {
  const { code, find } = await doctor()
  expect(code).toBe(0)
  expect(find("run")).toMatchObject({ well: true, says: "none runs here; one can start" })
  expect(find("rules")?.says).toMatch(/^16 policies: 7 in mode apply, .*, 9 disabled$/)
  expect(find("timetable")?.says).toMatch(
    /^7 policies have a schedule; the next turn is \d{4}-\d\d-\d\d \d\d:\d\d Europe\/Moscow$/
  )
})

it("warns of rules that act at once as init wrote them for the sandbox, where the account is none, and not of one that was edited", async () => {
  expect((await doctor()).find("starter rules")).toBeUndefined()
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^ *sandbox: true\n/m, ""))
  const first = "rules/01-raise-to-reach-max.yaml"
  shop.write(first, shop.read(first).replace("by: 30%", "by: 20%"))
  const unread =
    "03-daily-budget-stop, 04-target-acos, 14-target-acos-per-click, 15-lower-dear-clusters, 16-rest-weak-clusters"
  expect((await doctor()).find("starter rules")).toMatchObject({
    well: true,
    says: `Attention: 5 rules act at once on main as bidhelm init wrote them for the sandbox: ${unread}`,
    todo: expect.stringMatching(/^write mode: preview in each, .* before mode: apply/)
  })
})

it("counts the policy of orders, and knows that its waves are a timetable", async () => {
  const orders = await ShopPolicy.open("preview")
  try {
    const { stdout } = await orders.run("doctor", "--json")
    const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<Finding> }
    const says = (name: string) => checks.find(({ check }) => check === name)?.says
    expect(says("rules")).toBe("1 policy: 0 in mode apply, 0 in mode approve, 1 in mode preview")
    expect(says("timetable")).toMatch(/^1 policy has a schedule; the next turn is /)
  } finally {
    await orders.close()
  }
})

it("lives by the sandbox's clock, which is weeks away and faster, and finds no fault in that", async () => {
  const { stdout } = await shop.run("doctor", "--json")
  const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<Finding> }
  expect(checks.filter(({ well }) => !well)).toEqual([])
  // The sandbox began on the first of September, at a minute a second.
  expect(checks.find(({ check }) => check === "timetable")?.says).toMatch(/ turn is 2026-09-0[12] /)
})

it("names the program that runs, and leaves it alone", async () => {
  const daemon = shop.start("run")
  const end = Shop.ended(daemon)
  try {
    while ((await shop.run("status")).code !== 0);
    const { code, find } = await doctor()
    expect(code).toBe(0)
    expect(find("run")).toMatchObject({ well: true, says: `runs, pid ${daemon.pid}` })
  } finally {
    daemon.kill("SIGTERM")
  }
  expect((await end).code).toBe(0)
})

it("finds an address that somebody else has, and a file that stops everything", async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : 0)
    })
  })
  try {
    shop.write("bidhelm.yaml", `${shop.read("bidhelm.yaml")}\nrunner: {http: "127.0.0.1:${port}"}\n`)
    shop.write(".bidhelm/STOP", "")
    const { code, find } = await doctor()
    expect(code).toBe(1)
    expect(find("runner: http")).toMatchObject({ well: false })
    expect(find("stop")).toMatchObject({ well: false })
  } finally {
    server.close()
  }
})

it("calls attention to a kill switch that stands, which is no failure, until it is lifted", async () => {
  await shop.run("kill", "--why", "bids look wrong")
  const { code, find } = await doctor()
  expect(code).toBe(0)
  expect(find("hold of main")).toMatchObject({
    well: true,
    says: expect.stringMatching(
      /^Attention: every request of the account \(kill switch\): on hold by .* wrong$/
    ),
    todo: "when it is time: bidhelm resume --kill"
  })
  await shop.run("resume", "--kill")
  expect((await doctor()).find("hold of main")).toBeUndefined()
})

it("warns of a token from which nothing can be read", async () => {
  shop.write("token", "garbage")
  chmodSync(join(shop.folder, "token"), 0o600)
  shop.write("bidhelm.yaml", shop.read("bidhelm.yaml").replace(/^( *)token: .*$/m, "$1token: {file: token}"))
  const { code, find } = await doctor()
  expect(code).toBe(0)
  expect(find("token of main")).toMatchObject({
    well: true,
    says: expect.stringContaining("nothing could be read from it"),
    todo: expect.stringContaining("the whole token")
  })
})

it("remarks what a token for reading only cannot do, which is no failure", async () => {
  shop.environment = { BIDHELM_TOKEN: sandboxToken({ readOnly: true }) }
  const { code, find } = await doctor()
  expect(code).toBe(0)
  expect(find("token of main")).toMatchObject({
    well: true,
    says: expect.stringContaining("for reading only"),
    todo: expect.stringMatching(/plans and lists work, and nothing is sent: apply, .* are refused/)
  })
})

const tokenOf = async (categories: ReadonlyArray<TokenCategory>, prepare: (shop: Shop.Shop) => void) => {
  const other = await Shop.Shop.open({ token: { categories } })
  try {
    prepare(other)
    const { code, stdout } = await other.run("doctor", "--json")
    const { checks } = JSON.parse(stdout) as { checks: ReadonlyArray<Finding> }
    return { code, ...checks.find(({ check }) => check === "token of main") }
  } finally {
    await other.close()
  }
}
const switchOn = (name: string) => (of: Shop.Shop) =>
  of.write(`rules/${name}.yaml`, of.read(`rules/${name}.yaml`).replace(/^mode: disabled/m, "mode: preview"))
const switchOffAll = (of: Shop.Shop) => {
  for (const name of readdirSync(join(of.folder, "rules")).filter((file) => file.endsWith(".yaml")))
    of.write(`rules/${name}`, of.read(`rules/${name}`).replace(/^mode: \w+/m, "mode: disabled"))
}

it("finds a token wanting for what switched-on policies need, and says which they are", async () => {
  const wanting = async (category: TokenCategory, policy: string) => {
    const others = tokenCategories.filter((one) => one !== category)
    const found = await tokenOf(others, (of) => {
      switchOffAll(of)
      switchOn(policy)(of)
    })
    expect(found).toMatchObject({ code: 1, well: false })
    expect(found.todo).toContain(
      `make a token with the category ${category}: ${policy} cannot do without ${category}`
    )
  }
  await wanting("marketplace", "13-fulfilment")
  await wanting("pricesAndDiscounts", "09-join-promotions")
  await wanting("analytics", "07-stock-pause")
})

it("asks an account for no advertising where only orders are worked on", async () => {
  const onlyOrders = (of: Shop.Shop) => {
    switchOffAll(of)
    switchOn("13-fulfilment")(of)
  }
  const found = await tokenOf(["marketplace", "analytics"], onlyOrders)
  expect(found).toMatchObject({ code: 0, well: true })
  const other = await tokenOf(["marketplace", "analytics"], (of) => {
    onlyOrders(of)
    switchOn("03-daily-budget-stop")(of)
  })
  expect(other).toMatchObject({ code: 1, well: false, todo: expect.stringContaining("category promotion") })
  const bounded = await tokenOf(["marketplace", "analytics"], (of) => {
    onlyOrders(of)
    const limits = join(of.folder, "rules/_shared/limits.yaml")
    writeFileSync(limits, "version: 1\nkind: limits\nmax_bid: {cpm: 900 ₽}\nenforce_max_bid: apply\n")
  })
  expect(bounded).toMatchObject({ code: 1, well: false, todo: expect.stringContaining("category promotion") })
})

it("is content with a token that can do all that is switched on, and names the hosts it is not for", async () => {
  expect(await tokenOf(["promotion"], switchOffAll)).toMatchObject({
    code: 0,
    well: true,
    says: expect.stringContaining("promotion, not for the host marketplace and analytics")
  })
})

it("leaves a category alone whose host is not configured: that is told where it is missing", async () => {
  const found = await tokenOf(["promotion"], (of) => {
    switchOffAll(of)
    switchOn("13-fulfilment")(of)
    of.write("bidhelm.yaml", of.read("bidhelm.yaml").replace(/^ *marketplace: .*\n/m, ""))
  })
  expect(found).toMatchObject({ code: 0, well: true })
})
