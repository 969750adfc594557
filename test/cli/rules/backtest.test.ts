/** Rules over recorded days, through the real program. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { Shop } from "../Shop.js"

let shop: Shop

beforeAll(async () => {
  shop = await Shop.open({ scale: { campaigns: 3, items: 2, clusters: 10 } })
})
afterAll(async () => {
  await shop.close()
})

interface Told {
  readonly days: ReadonlyArray<{
    readonly day: string
    readonly policies: ReadonlyArray<{ readonly policy: string; readonly changeCount: number }>
  }>
  readonly caveat: string
  readonly withoutSnapshot: ReadonlyArray<string>
}

const other = `version: 1
name: Another rule
mode: preview
each: cluster
where: campaign.payment = cpm
window: 14d
when: orders >= 1
do:
  raise_bid: {by: 3%, cap: 900 ₽}
`

describe("bidhelm backtest", () => {
  it("says before the first plan how snapshots come about", async () => {
    const { code, stderr, stdout } = await shop.run("backtest")
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain("there are no snapshots of main yet; bidhelm plan and bidhelm apply keep one")
  })

  it("answers the recorded day, other rules included, and says what it does not know", async () => {
    const plan = JSON.parse((await shop.run("plan", "--json")).stdout) as {
      readonly changes: ReadonlyArray<{ readonly origin: { readonly name: string } }>
    }
    const requests = (await shop.ledger()).entries.length
    const same = await shop.run("backtest", "--json", "--all")
    expect(same).toMatchObject({ code: 0, stderr: "" })
    const told = JSON.parse(same.stdout) as Told
    expect(told).toMatchObject({ version: 1, kind: "backtest", account: "main", withoutSnapshot: [] })
    expect(told.days).toHaveLength(1)
    expect(told.days[0]?.policies.map(({ changeCount, policy }) => [policy, changeCount])).toEqual(
      told.days[0]?.policies.map(({ policy }) => [
        policy,
        plan.changes.filter((change) => change.origin.name === policy).length
      ])
    )
    expect(same.stdout).not.toContain("moneyPerDay")

    shop.write("other/01-other.yaml", other)
    const text = await shop.run("backtest", "other")
    expect(text.code).toBe(0)
    expect(text.stdout).toContain("The recorded facts do not answer to these changes")
    expect(text.stdout).toMatch(/01-other: [1-9]\d* of \d+ rows match, [1-9]\d* changes \(raise_bid \d+\)/)
    expect(text.stdout).toMatch(/true +orders >= 1/)
    expect(text.stdout).toContain("Over all days")
    expect(await shop.run("backtest", "other")).toEqual(text)
    expect((await shop.ledger()).entries).toHaveLength(requests)
  })

  it("counts the policies that were written, not what the account's own limits do", async () => {
    shop.write("limited/01-other.yaml", other)
    const limits = "version: 1\nkind: limits\naccount:\n  max_bid: {cpm: 900 ₽}\n"
    shop.write("limited/_shared/limits.yaml", limits)
    expect((await shop.run("backtest", "limited")).stdout).toContain("Backtest of 1 policy for account main")
    const alone = await shop.run("backtest", "limited", "--policy", "limits/max-bid")
    expect(alone.stdout).toContain("Backtest of the account's limits for account main")
  })

  it("names days without a snapshot, and a range that has none at all", async () => {
    const { code, stderr } = await shop.run("backtest", "--from", "2026-08-31", "--to", "2026-09-01")
    expect(code).toBe(0)
    expect(stderr).toContain("No snapshot of 2026-08-31")
    const none = await shop.run("backtest", "--to", "2026-08-01")
    expect(none.code).toBe(1)
    expect(none.stderr).toContain("the first is of 2026-09-01")
  })

  it("says what is wrong with what was asked", async () => {
    const said = async (...args: ReadonlyArray<string>) => {
      const { code, stderr } = await shop.run("backtest", ...args)
      expect(code).toBe(1)
      return stderr
    }
    expect(await said("--from", "2026-02-30")).toContain("--from 2026-02-30: write a day of the calendar")
    expect(await said("--from", "2026-09-02", "--to", "2026-09-01")).toContain("is after --to 2026-09-01")
    expect(await said("--policy", "nobody")).toContain(
      "there is no policy nobody that is switched on; there is: 01-"
    )
    expect((await shop.run("backtest", "no-such-folder")).stderr).toContain(
      "there is nothing at no-such-folder"
    )
  })
})
