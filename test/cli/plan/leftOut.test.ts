/** Changes that a person has reviewed and that may not go by now: the rest goes, and a script hears that something is left. */
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import * as Shop from "../Shop.js"

let shop: Shop.Shop
beforeEach(async () => {
  shop = await Shop.Shop.open({ scale: { campaigns: 3, items: 2, clusters: 10 } })
  shop.removeRules()
})
afterEach(() => shop.close())

const held = 1_000_001

const raise = (mode: "apply" | "approve" | "preview", name = "raise", campaigns = "campaign.id > 0") =>
  shop.write(
    `rules/${name}.yaml`,
    `version: 1\nname: ${name}\nmode: ${mode}\neach: campaign_item\nwhere: campaign.payment = cpm and ${campaigns}\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: 10%, cap: 9000 ₽}\ncooldown: 1h\n`
  )

interface Named {
  readonly id: string
  readonly subject: { readonly campaignId: number; readonly itemId: number }
}
interface Answer {
  readonly runId: string | null
  readonly changes: ReadonlyArray<{ readonly change: Named; readonly state: string }>
  readonly left: ReadonlyArray<{ readonly change: Named; readonly why: string; readonly code: string }>
}

const answer = (stdout: string) => JSON.parse(stdout) as Answer
const planned = async () => {
  await shop.run("plan", "--out", "plan.json")
  return (JSON.parse(shop.read("plan.json")) as { readonly changes: ReadonlyArray<Named> }).changes
}
const hold = (target: number) => shop.run("hold", "--target", `${target}`, "--why", "mine")
const written = async () => new Set((await shop.ledger()).entries.map(({ target }) => target.campaignId))
const campaigns = (changes: ReadonlyArray<{ readonly change: Named }>) =>
  new Set(changes.map(({ change }) => change.subject.campaignId))

describe("a saved plan of which something is held by now", () => {
  it("ends with 4 when the rest went, and names each that was left out by what it would have done", async () => {
    raise("apply")
    const changes = await planned()
    const others = new Set(changes.map(({ subject }) => subject.campaignId).filter((id) => id !== held))
    await hold(held)
    const { code, stderr, stdout } = await shop.run("apply", "plan.json", "--yes", "--json")
    const { changes: made, left } = answer(stdout)
    expect(await written()).toEqual(others)
    expect([campaigns(made), campaigns(left)]).toEqual([others, new Set([held])])
    expect(left.map(({ change }) => change.id).sort()).toEqual(
      changes.flatMap(({ id, subject }) => (subject.campaignId === held ? [id] : [])).sort()
    )
    for (const { code: why, why: words } of left)
      expect([why, words]).toEqual(["hold", expect.stringMatching(/^on hold by/)])
    const [{ itemId }] = left.map(({ change }) => change.subject) as [Named["subject"]]
    expect(stderr).toMatch(
      new RegExp(`^left out: ${held}/${itemId} bid .+ → .+ ₽ .*\\(raise\\): on hold by .+: mine`, "m")
    )
    expect(stderr).toMatch(new RegExp(`${left.length} changes? (was|were) left out; why, it says above`))
    expect(code).toBe(4)
  })

  it("ends with 1 when nothing of it may go any more", async () => {
    raise("apply", "raise", `campaign.id = ${held}`)
    const changes = await planned()
    await hold(held)
    const told = await shop.run("apply", "plan.json", "--yes", "--json")
    const { left, runId } = answer(told.stdout)
    expect([told.code, runId, left.length, await written()]).toEqual([1, null, changes.length, new Set()])
    expect((await shop.run("apply", "plan.json", "--yes")).code).toBe(1)
  })

  it("ends with 0 when that is of a rule in mode preview, which nobody would have made", async () => {
    raise("preview", "look", `campaign.id = ${held}`)
    raise("apply", "raise", `campaign.id != ${held}`)
    await planned()
    await hold(held)
    const { code, stdout } = await shop.run("apply", "plan.json", "--yes", "--json")
    const { changes, left } = answer(stdout)
    expect([code, left, changes.length > 0]).toEqual([0, [], true])
  })
})

describe("a new plan of which something is held", () => {
  it("names each in the JSON, but for what a rule in mode preview would have done, and ends with 0", async () => {
    raise("preview", "look", `campaign.id = ${held}`)
    raise("apply", "raise", `campaign.id != ${held}`)
    await hold(held)
    await hold(held + 1)
    for (const hasRun of [true, false]) {
      const { code, stdout } = await shop.run("apply", "--yes", "--json")
      const { left, runId } = answer(stdout)
      expect([code, runId !== null, campaigns(left)]).toEqual([0, hasRun, new Set([held + 1])])
      expect(new Set(left.map((one) => one.code))).toEqual(new Set(["hold"]))
    }
  })
})

describe("an approval of which something is held by now", () => {
  it("ends with 4 when the rest went, and names what was left out, also afterwards", async () => {
    raise("approve")
    await shop.run("apply", "--yes")
    const asked = async () =>
      (JSON.parse((await shop.run("approvals", "--json")).stdout) as { approvals: { id: string }[] })
        .approvals[0]!
    const { id } = await asked()
    await hold(held)
    const { code, stderr, stdout } = await shop.run("approve", id, "--json")
    const { changes, left } = answer(stdout)
    expect((await written()).has(held)).toBe(false)
    expect([changes.length > 0, campaigns(left)]).toEqual([true, new Set([held])])
    expect(stderr).toMatch(new RegExp(`^left out: ${held}/\\d+ bid .+\\(raise\\): on hold by`, "m"))
    expect(code).toBe(4)
    const later = (await shop.run("approvals", id)).stdout
    expect(later.match(new RegExp(`^left out: ${held}/\\d+ bid .+ ₽ .*\\(raise\\)$`, "gm"))).toHaveLength(
      left.length
    )
    const told = JSON.parse((await shop.run("approvals", id, "--json")).stdout) as {
      left: { id: string }[]
    }
    expect(told.left.map((one) => one.id).sort()).toEqual(left.map(({ change }) => change.id).sort())
  })
})
