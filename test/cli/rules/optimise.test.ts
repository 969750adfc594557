/** What a person sees of `optimise`: the plan, a backtest and a failing test say what each change was made of, and `explain` tells of a bid and of a campaign. */
import { afterAll, beforeAll, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeAll(async () => {
  shop = await Shop.Shop.open()
  const rule = "rules/10-optimise.yaml"
  shop.write(rule, shop.read(rule).replace("mode: disabled", "mode: preview"))
}, 60_000)
afterAll(() => shop.close())

interface Planned {
  readonly changes: ReadonlyArray<{
    readonly origin: { readonly name: string }
    readonly subject: { readonly campaignId: number; readonly itemId: number; readonly cluster?: string }
    readonly action: string
  }>
}

it("tells what views leave and what a day is expected to bring, in the plan and of a single bid", async () => {
  const shown = await shop.run("plan", "--all")
  expect([shown.code, shown.stderr]).toEqual([0, expect.any(String)])
  expect(shown.stdout).toMatch(
    /1000 views leave [\d .]+ ₽ to [\d .]+ ₽ before advertising \(\d+ orders?, \d+ carts? and .* clicks? of .* views in 28 days/
  )
  expect(shown.stdout).toMatch(/a day is expected to bring [\d ]+ → [\d ]+ views/)
  const plan = JSON.parse((await shop.run("plan", "--format", "json")).stdout) as Planned
  const own = plan.changes.filter(({ origin }) => origin.name === "10-optimise")
  const one = own.find(({ action, subject }) => action === "set_bid" && subject.cluster !== undefined)
  expect(one).toBeDefined()
  const { campaignId, cluster, itemId } = one!.subject
  const bid = await shop.run("explain", `${campaignId}/${itemId}/${cluster}`)
  expect([bid.code, bid.stdout]).toEqual([0, expect.stringMatching(/10-optimise: shown: bid .* → /)])
  expect(bid.stdout).toMatch(/1000 views leave/)
  const campaign = await shop.run("explain", String(campaignId))
  expect(campaign.stdout).toMatch(/10-optimise: shown: \d+ changes below it/)
}, 120_000)

const made = [
  /1000 views leave [\d .]+ ₽ to [\d .]+ ₽ before advertising/,
  /a day is expected to bring [\d ]+ → [\d ]+ views/
]

it("tells the same of what it would have done on a recorded day", async () => {
  await shop.run("plan")
  const { code, stdout } = await shop.run("backtest", "--policy", "10-optimise")
  expect(code).toBe(0)
  for (const words of made) expect(stdout).toMatch(words)
}, 120_000)

it("tells the same where a test expected something else", async () => {
  const tests = "rules/tests/10-optimise.test.yaml"
  shop.write(tests, shop.read(tests).replace("set_bid: 260 ₽", "set_bid: 250 ₽"))
  const { code, stdout } = await shop.run("test", tests)
  expect([code, stdout]).toEqual([1, expect.stringContaining("got       bid 200 ₽ → 260 ₽")])
  for (const words of made) expect(stdout).toMatch(words)
}, 120_000)
