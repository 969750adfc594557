/** Commands that the program prints work as they are printed, where the configuration has several accounts. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import * as HeldReasons from "../../../src/reporting/HeldReasons.js"
import * as ShopSupply from "../labels/ShopSupply.js"
import { Shop } from "../Shop.js"

let shop: Shop
beforeAll(async () => {
  shop = await Shop.open()
  const raise = "rules/02-minus-low-ctr.yaml"
  shop.write(raise, shop.read(raise).replace("mode: apply", "mode: approve"))
  shop.write(
    "bidhelm.yaml",
    shop
      .read("bidhelm.yaml")
      .replace(
        /^accounts:\n/m,
        'accounts:\n  - name: "second"\n    token: {env: BIDHELM_TOKEN}\n    sandbox: true\n'
      )
  )
})
afterAll(() => shop.close())

/** The first command of the text that begins so, as its words. */
const printed = (text: string, pattern: RegExp): ReadonlyArray<string> =>
  (pattern.exec(text)?.[0] ?? "nothing of the kind").split(" ").slice(1)

describe("what is printed is typed", () => {
  it("resume of a hold and of the kill switch, in what a plan says that it holds", async () => {
    for (const words of [["hold"], ["kill"]]) {
      await shop.run(...words, "--account", "main")
      const plan: Plan = JSON.parse((await shop.run("plan", "--account", "main", "--json")).stdout)
      const [held] = plan.held.map(({ because }) => HeldReasons.line(because, plan))
      const resume = printed(held ?? "", /bidhelm resume.* --account main/)
      expect(resume[0]).toBe("resume")
      expect((await shop.run(...resume)).code).toBe(0)
    }
  })

  it("approve and reject of a request, and apply of a saved plan", async () => {
    const saved = await shop.run("plan", "--account", "main", "--out", "plan.json")
    const apply = printed(saved.stderr, /bidhelm apply plan\.json.*/)
    expect(apply).toEqual(["apply", "plan.json", "--account", "main"])
    const { stderr } = await shop.run(...apply, "--yes")
    const approve = printed(stderr, /bidhelm approve \S+ --account main/)
    expect(printed(stderr, /bidhelm reject \S+ --account main/)[1]).toBe(approve[1])
    const shown = await shop.run("approvals", approve[1] ?? "", "--account", "main")
    expect(shown.stdout).toContain(`bidhelm ${approve.join(" ")}   or`)
    expect((await shop.run(...approve)).code).toBe(0)
  })

  it("the way of an order that was taken for a campaign, and a new plan for one that is not there or was edited", async () => {
    const unlisted = await shop.run("explain", "4000000001", "--account", "main")
    const order = printed(unlisted.stderr, /bidhelm orders history \d+ --account main/)
    expect(order.slice(2)).toEqual(["4000000001", "--account", "main"])
    const missing = await shop.run("apply", "none.json", "--account", "main", "--yes")
    const made = printed(missing.stderr, /bidhelm plan --out none\.json.*/)
    expect(made).toEqual(["plan", "--out", "none.json", "--account", "main"])
    const saved = shop.read("plan.json")
    shop.write("other.json", saved.replace(/"createdAt": "2/, '"createdAt": "1'))
    const edited = await shop.run("apply", "other.json", "--account", "main", "--yes")
    expect(edited.stderr).toContain("bidhelm plan --out plan.json --account main makes a new one")
  })

  it("plan of another lane, and the hand-over of a supply that was checked", async () => {
    const { stderr } = await shop.run("plan", "--lane", "promotions", "--account", "main")
    const plan = printed(stderr, /bidhelm plan --lane ads --account main/)
    expect((await shop.run(...plan)).code).toBe(0)
    const [order] = (await ShopSupply.fresh(shop)).filter(
      ({ requiredMeta }) => (requiredMeta ?? []).length === 0
    )
    const supply = await ShopSupply.open(shop, [order!.id])
    const { stdout } = await shop.run("supplies", "check", supply, "--account", "main")
    const deliver = printed(stdout, /bidhelm supplies deliver \S+ --account main/)
    expect((await shop.run(...deliver, "--plan")).code).toBe(0)
  })

  it("reconcile, of a store that only looks", async () => {
    const heads = [{ account: "main", seq: 9_999, hash: "ff", reconciled: 0 }]
    shop.write(".bidhelm/bidhelm.sqlite.serial", JSON.stringify({ heads }))
    const looking = await shop.run("plan", "--account", "main")
    const reconcile = printed(looking.stderr, /bidhelm reconcile[^".]*/)
    expect(reconcile).toEqual(["reconcile", "--account", "main"])
    const refused = await shop.run("apply", "--account", "main", "--yes")
    expect(printed(refused.stderr, /bidhelm reconcile[^".]*/)).toEqual(reconcile)
    expect((await shop.run("account", "deposits", "main")).stdout).toContain(
      "The rules make no deposit until bidhelm reconcile --account main"
    )
    const done = await shop.run(...reconcile)
    expect([done.code, done.stderr]).toEqual([
      0,
      expect.stringContaining('look at "bidhelm plan --account main" first')
    ])
  })
})
