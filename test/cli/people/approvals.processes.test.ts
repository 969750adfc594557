/** A person's yes and no, with the real program: what was not sent never counts as carried out. */
import type { ChildProcess } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
const children: Array<ChildProcess> = []

beforeEach(() => open())
const open = async (options: Shop.Options = {}) => {
  shop = await Shop.Shop.open(options)
  shop.removeRules()
  shop.write("rules/_shared/vars.yaml", "version: 1\nkind: vars\nvars: {}\n")
  await shop.allowDeposits()
}
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    const end = new Promise((ended) => child.once("exit", ended))
    child.kill("SIGKILL")
    await end
  }
  await shop.close()
})

/** Tops campaigns up by name; none is due by itself. */
const topUp = (id: string, mode: string, campaigns: string, roubles: number) =>
  shop.write(
    `rules/${id}.yaml`,
    `version: 1
name: ${id}
mode: ${mode}
schedule: {at: "03:00", tz: Europe/Moscow}
each: campaign
where: ['campaign.name matches "${campaigns}"']
when: budget < 1000000 ₽
do:
  deposit: {amount: ${roubles} ₽, from: balance}
limits: {money_per_day: 9000 ₽, policy_money_per_day: 9000 ₽}
`
  )

interface Listed {
  readonly id: string
  readonly state: string
  readonly runId?: string
  readonly changes: number
  readonly asked: ReadonlyArray<{ readonly id: string; readonly slot: string }>
}

/** The latest first. */
const listed = async (): Promise<ReadonlyArray<Listed>> => {
  const { stderr, stdout } = await shop.run("approvals", "--json")
  if (stdout === "") throw new Error(stderr)
  return (JSON.parse(stdout) as { readonly approvals: ReadonlyArray<Listed> }).approvals
}

const latest = async (): Promise<Listed> => {
  const [first] = await listed()
  if (first === undefined) throw new Error("nothing was ever asked")
  return first
}

/** Roubles of the deposits that the marketplace took, in order. */
const deposited = async (): Promise<ReadonlyArray<number>> =>
  (await shop.ledger()).entries
    .filter(({ slot }) => slot === "budget")
    .map(({ after, before }) => Number(after) - Number(before))

const until = async (reached: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await reached())) await new Promise((wake) => setTimeout(wake, 20))
}

/** Raises some bids by a fifth, each once somebody agrees. */
const raise = () =>
  shop.write(
    "rules/raise.yaml",
    `version: 1
name: raise
mode: approve
schedule: {at: "03:00", tz: Europe/Moscow}
each: campaign_item
where: ['campaign.name matches "Поиск*"', campaign.payment = cpm]
when: bid > 1 ₽
do:
  raise_bid: {by: 20%, cap: 900 ₽}
cooldown: 6h
`
  )

const isStopped = ({ exitCode, pid, signalCode }: ChildProcess): boolean => {
  if (exitCode !== null || signalCode !== null) throw new Error("it has ended, and should stand still")
  return / T /.test(readFileSync(`/proc/${pid}/stat`, "utf8").replace(/\(.*\)/, ""))
}

describe("an approval of a deposit", () => {
  it("that another deposit overtook is refused and goes on waiting; the next plan asks anew, and that is made", async () => {
    topUp("ask", "approve", "Поиск*основная", 1000)
    topUp("do", "apply", "Поиск и полки*", 2000)
    expect((await shop.run("apply", "--yes")).code).toBe(0)
    const { id } = await latest()
    const refused = await shop.run("approve", id, "--json")
    expect(await deposited()).toEqual([2000])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain(`nothing of approval ${id} was sent, so it waits again`)
    const { changes } = JSON.parse(refused.stdout) as {
      readonly changes: ReadonlyArray<{ readonly state: string; readonly detail: string }>
    }
    expect(changes.map(({ detail, state }) => `${state}: ${detail}`)).toEqual([
      expect.stringContaining("skipped: not sent: deposits were made since the plan")
    ])
    const waits = await latest()
    expect([waits.id, waits.state, waits.runId]).toEqual([id, "requested", undefined])
    expect((await shop.run("approvals")).stdout).not.toContain("applied by")

    topUp("do", "disabled", "Поиск и полки*", 2000)
    await shop.run("apply", "--yes")
    const anew = await latest()
    expect((await listed()).map(({ state }) => state)).toEqual(["requested", "superseded"])
    expect((await shop.run("approve", anew.id)).code).toBe(0)
    expect(await deposited()).toEqual([2000, 1000])
    expect((await latest()).state).toBe("applied")
  })

  it("is told the same through a running program", async () => {
    topUp("ask", "approve", "Поиск*основная", 1000)
    topUp("do", "apply", "Поиск и полки*", 2000)
    await shop.run("apply", "--yes")
    const { id } = await latest()
    children.push(shop.start("run"))
    await until(() => existsSync(join(shop.folder, ".bidhelm/run.sock")))
    await until(async () => (await shop.run("status")).code === 0)
    // Only the running program has the token, so whatever is sent, it has sent.
    shop.environment = { BIDHELM_TOKEN: "none" }
    const refused = await shop.run("approve", id)
    expect([refused.code, refused.stdout, refused.stderr]).toEqual([
      1,
      expect.stringContaining("not sent: deposits were made since the plan"),
      expect.stringContaining(`nothing of approval ${id} was sent, so it waits again`)
    ])
    expect((await latest()).state).toBe("requested")
    expect(await deposited()).toEqual([2000])
  })

  it("makes two in one go, one after the other", async () => {
    topUp("ask", "approve", "Поиск*", 1000)
    await shop.run("apply", "--yes")
    const { id } = await latest()
    const done = await shop.run("approve", id)
    expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("done (applied 2)")])
    expect(await deposited()).toEqual([1000, 1000])
    expect((await latest()).state).toBe("applied")
  })

  it("leaves out campaigns that somebody has paused, ended or deleted since, and tops the others up", async () => {
    await shop.close()
    await open({ scale: { campaigns: 6, items: 2, clusters: 10 } })
    topUp("ask", "approve", "", 1000)
    shop.write(
      "rules/ask.yaml",
      shop.read("rules/ask.yaml").replace(/where: .*/, "where: campaign.status = active")
    )
    await shop.run("apply", "--yes")
    const { asked, id } = await latest()
    expect(asked.length).toBeGreaterThan(3)
    const ids = asked.map(({ slot }) => Number(slot.split(":")[1]))
    for (const [at, status] of [11, 7, -1].entries())
      await shop.control("human-edit", { campaignId: ids[at], status })
    await shop.advance(300_000)
    const said = await shop.run("approve", id)
    const paid = (await shop.ledger()).entries.flatMap(({ slot, target }) =>
      slot === "budget" ? [target.campaignId] : []
    )
    expect(paid.sort()).toEqual(ids.slice(3).sort())
    expect(said.stderr).toMatch(
      new RegExp(`left out: ${ids[0]} .*1.000 ₽.* \\(ask\\): its campaign is paused by now`)
    )
    expect(said.stderr.match(/left out: /g)).toHaveLength(3)
    expect(said.code).toBe(4)
  })

  it("of one of two says what becomes of the other, now and when that is approved too", async () => {
    topUp("ask", "approve", "Поиск*", 1000)
    await shop.run("apply", "--yes")
    const { asked, id } = await latest()
    const [first, second] = asked.map((one) => one.id.slice(0, 8))
    const one = await shop.run("approve", id, "--only", first!)
    expect([one.code, one.stderr]).toEqual([
      0,
      expect.stringMatching(/not named, so not made: 1 change\. The next plan asks anew/)
    ])
    const other = await shop.run("approve", id, "--only", second!)
    expect([other.code, other.stderr]).toEqual([
      1,
      expect.stringMatching(/is applied; nothing was sent\. The next plan asks anew for what was left out/)
    ])
    expect(await deposited()).toEqual([1000])
  })
})

describe("an approval that came to nothing", () => {
  it("because another run has the account waits again, whole", async () => {
    await shop.close()
    // A lock ends by the sandbox's clock.
    await open({ speed: 1 })
    topUp("ask", "approve", "Поиск*", 1000)
    topUp("do", "apply", "Распродажа", 2000)
    shop.environment = { BIDHELM_STOP_AT: "locked:1:STOP" }
    const other = shop.start("apply", "--yes")
    children.push(other)
    shop.environment = {}
    await until(() => isStopped(other))
    const { asked, id } = await latest()
    const refused = await shop.run("approve", id, "--only", asked[0]!.id)
    expect(refused.stderr).toContain("is running")
    expect(refused.code).toBe(1)
    expect(await latest()).toMatchObject({ id, state: "requested", changes: 2 })
    expect(await deposited()).toEqual([])
  })

  it("because its program ended before the first request waits again, and is made then", async () => {
    topUp("ask", "approve", "Поиск*основная", 1000)
    await shop.run("apply", "--yes")
    const { id } = await latest()
    shop.environment = { BIDHELM_STOP_AT: "begun" }
    await shop.run("approve", id)
    shop.environment = {}
    const again = await shop.run("approve", id)
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining("it waits again")])
    expect(await deposited()).toEqual([1000])
    expect((await latest()).state).toBe("applied")
  })
})

describe("a request whose policy is gone", () => {
  it("is over as soon as a command sees that, and says so in approvals and in the chain", async () => {
    raise()
    await shop.run("apply", "--yes")
    const { id } = await latest()
    const policy = shop.read("rules/raise.yaml")
    shop.write("rules/raise.yaml", "version: 1\nname: [")
    expect((await latest()).state).toBe("requested")
    shop.write("rules/raise.yaml", policy.replace("mode: approve", "mode: disabled"))
    const late = await shop.run("approve", id)
    const why = "its policy is gone from the rules, or disabled"
    expect([late.code, late.stderr]).toEqual([
      1,
      expect.stringContaining(`approval ${id} is superseded: ${why}; nothing was sent`)
    ])
    shop.write("rules/raise.yaml", policy)
    await shop.run("apply", "--yes")
    const anew = await latest()
    expect(anew.state).toBe("requested")
    shop.removeRules()
    expect(await latest()).toMatchObject({ id: anew.id, state: "superseded", decidedBy: "bidhelm", why })
    await shop.run("history", "--export", "chain.jsonl")
    expect(shop.read("chain.jsonl")).toMatch(new RegExp(`"approval superseded".*${why}`))
    expect((await shop.ledger()).entries).toEqual([])
  })

  it("waits on where its policy is among the rules of another folder that apply was given, and a yes by these rules is heard", async () => {
    raise()
    shop.write(
      "other/raise-more.yaml",
      shop.read("rules/raise.yaml").replace("name: raise", "name: raise-more")
    )
    shop.removeRules()
    await shop.run("apply", "--rules", "other", "--yes")
    const { id } = await latest()
    expect((await latest()).state).toBe("requested")
    expect((await shop.run("approve", id, "--rules", "other")).stderr).not.toContain("superseded")
    expect((await shop.ledger()).entries.length).toBeGreaterThan(0)
  })

  it("is over once a running program looks, though nothing is ever due by its rules", async () => {
    raise()
    await shop.run("apply", "--yes")
    shop.removeRules()
    const running = shop.start("run")
    children.push(running)
    let said = ""
    running.stderr?.on("data", (bytes) => {
      said += bytes
    })
    await until(() => said.includes("1 request for approval is over"))
    expect((await shop.ledger()).entries).toEqual([])
  })
})

describe("a saved plan that is applied again", () => {
  it("asks again for what a newer plan replaced, and not for what somebody has approved", async () => {
    raise()
    await shop.run("plan", "--out", "plan.json")
    await shop.run("apply", "plan.json", "--yes")
    const { id } = await latest()
    shop.write("rules/raise.yaml", shop.read("rules/raise.yaml").replace("by: 20%", "by: 30%"))
    await shop.run("apply", "--yes")
    const newer = (await latest()).id
    expect(newer).not.toBe(id)
    const late = await shop.run("approve", id)
    expect([late.code, late.stderr]).toEqual([
      1,
      expect.stringContaining(
        `approval ${id} is superseded: replaced by ${newer}; nothing was sent. Asked now: bidhelm approvals ${newer}`
      )
    ])
    shop.write("rules/raise.yaml", shop.read("rules/raise.yaml").replace("by: 30%", "by: 20%"))
    expect((await shop.run("apply", "plan.json", "--yes")).stderr).toContain(`bidhelm approve ${id}`)
    const states = new Map((await listed()).map((one) => [one.id === id, one.state]))
    expect([states.get(true), states.get(false)]).toEqual(["requested", "superseded"])
    expect((await shop.run("approve", id)).code).toBe(0)
    const { entries } = await shop.ledger()
    expect(entries.length).toBeGreaterThan(0)
    const again = await shop.run("apply", "plan.json", "--yes")
    expect([again.stdout, again.stderr]).toEqual(["Nothing to apply.\n", ""])
    expect((await shop.ledger()).entries).toEqual(entries)
  })
})

describe("an approval whose changes the marketplace refuses", () => {
  it("is not called applied, but says how its run ended", async () => {
    raise()
    await shop.run("apply", "--yes")
    const { id } = await latest()
    await shop.control("faults", { faults: [{ kind: "refuse", operation: "setItemBids" }] })
    expect((await shop.run("approve", id)).code).toBe(1)
    expect((await shop.ledger()).entries).toEqual([])
    const { runId } = await latest()
    const shown = (await shop.run("approvals")).stdout
    expect(shown).toContain(`(${runId}: failed)`)
    expect(shown).not.toContain("applied")
    const [told] = JSON.parse((await shop.run("approvals", "--json")).stdout).approvals
    expect(told).toMatchObject({ state: "applied", runId, runStatus: "failed" })
  })
})
