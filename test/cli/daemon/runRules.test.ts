/** `bidhelm run --rules`: another folder than the configured one, judged by what the marketplace accepted. */
import { afterEach, beforeEach, expect, it } from "vitest"
import * as Input from "../../../src/cli/terminal/Input.js"
import * as Shop from "../Shop.js"

const rule = (name: string, mode: string, action: string) => `version: 1
name: ${name}
mode: ${mode}
schedule: {every: 5m, tz: Europe/Moscow}
each: campaign_item
where: campaign.payment = cpm
when: bid > 1 ₽
do:
  ${action}
cooldown: 6h
`
const raise = (mode: string) => rule("Raise", mode, "raise_bid: {by: 10%, cap: 900 ₽}")
const limits = (killSwitch: boolean) =>
  `version: 1\nkind: limits\naccount: {money_per_day: 100000 ₽, kill_switch: ${killSwitch}}\n`

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open()
  shop.removeRules()
  shop.write("bidhelm.yaml", `${shop.read("bidhelm.yaml")}\nrunner: {log_level: error}\n`)
  shop.write("rules/lower.yaml", rule("Lower", "apply", "lower_bid: {by: 10%, floor: 1 ₽}"))
  shop.write("rules/_shared/limits.yaml", limits(false))
  shop.write("other/_shared/limits.yaml", limits(false))
})
afterEach(() => shop.close())

/** What is due by the rules of the other folder, in this process. */
const once = () =>
  shop.talk({ input: Input.filled(), out: () => {} }, "run", "--once", "--rules", "other", "--json")

/** A policy counts its turns from when it is first seen. */
const ran = async () => {
  await once()
  await shop.advance(6 * 60_000)
  return once()
}

const entries = async () => (await shop.ledger()).entries as ReadonlyArray<Record<"before" | "after", number>>

const waiting = async () => {
  const { approvals } = JSON.parse((await shop.run("approvals", "--json")).stdout) as {
    readonly approvals: ReadonlyArray<{ readonly id: string; readonly state: string }>
  }
  return approvals
}

it("works by the rules of the folder that it is given, and by no others", async () => {
  shop.write("other/raise.yaml", raise("apply"))
  const { code, stdout } = await ran()
  expect([code, stdout]).toEqual([0, expect.stringContaining('"said":"applied')])
  const sent = await entries()
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.filter(({ after, before }) => after <= before)).toEqual([])
})

it("asks for what waits on though the configured rules know nothing of it, and a yes by its own rules is heard", async () => {
  shop.write("other/raise.yaml", raise("approve"))
  expect((await ran()).code).toBe(0)
  const [request] = await waiting()
  expect(request).toMatchObject({ state: "requested" })
  expect((await shop.run("approve", request!.id)).stderr).toContain("The rules have changed")
  expect([await entries(), await waiting()]).toEqual([[], [expect.objectContaining({ state: "requested" })]])
  expect((await shop.run("approve", request!.id, "--rules", "other")).code).toBe(0)
  expect((await entries()).length).toBeGreaterThan(0)
})

it("sends nothing while the kill switch is on in the configured limits, and begins nothing without limits of its own", async () => {
  shop.write("other/raise.yaml", raise("apply"))
  await once()
  shop.write("rules/_shared/limits.yaml", limits(true))
  await shop.advance(6 * 60_000)
  expect((await once()).stdout).toContain("6 held (kill_switch)")
  expect(await entries()).toEqual([])
  shop.write("other/_shared/limits.yaml", "version: 1\nkind: vars\nvars: {}\n")
  expect(await once()).toMatchObject({ code: 3, stderr: expect.stringContaining("Nothing was begun") })
})
