/** Tokens and accounts with the real program: a token of another seller, a second account of one, a refused service. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { sandboxToken } from "../../src/sandbox/SandboxToken.js"
import * as Shop from "./Shop.js"

beforeAll(Shop.build)
afterAll(Shop.removeBuild)

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

describe("a service that the seller has no right to", () => {
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
