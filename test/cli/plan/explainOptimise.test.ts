/** `bidhelm explain` of what `optimise` decided: one bid alone depends on all that its budget pays for. */
import { afterEach, describe, expect, it } from "vitest"
import * as Target from "../../../src/domain/Target.js"
import type { Plan } from "../../../src/engine/decide/Plan.js"
import type { Explanation } from "../../../src/reporting/explain/Explanation.js"
import * as Wording from "../../../src/reporting/Wording.js"
import * as Depth from "../../Depth.js"
import { Shop } from "../Shop.js"

let shop: Shop | undefined
afterEach(() => shop?.close())

const rule = (options: string) => `version: 1
name: Best profit
mode: preview
each: campaign
where: campaign.status = active and campaign.payment = cpm
window: 14d
do:
  optimise: {margin: 25%, cap: {cpm: 450 ₽}, ${options}}
`

describe("what optimise makes of a bid", () => {
  it.each(["budget: 900 ₽", "budget: 2000 ₽, budget_of: account"])(
    "is explained as it is planned: %s",
    async (options) => {
      shop = await Shop.open({ scale: { campaigns: 4, items: 3, clusters: 8 } })
      shop.removeRules()
      shop.write("rules/50-best.yaml", rule(options))
      const plan: Plan = JSON.parse((await shop.run("plan", "--json")).stdout)
      const own = plan.changes.filter(({ origin }) => origin.name === "50-best")
      expect(own.length).toBeGreaterThan(10)
      const drawn = own.filter((_, at) => at % Math.ceil(own.length / Depth.cases(6, 1 / 2)) === 0)
      for (const change of drawn) {
        const { subject } = change
        const target = [subject.campaignId, subject.itemId, subject.cluster].filter(
          (part) => part !== undefined
        )
        const shown = await shop.run("explain", target.join("/"), "--json")
        const { policies } = JSON.parse(shown.stdout) as Explanation
        const best = policies.find((one) => one.policy === "50-best")
        expect([target, best?.verdict, best?.why]).toEqual([
          target,
          "shown",
          expect.stringContaining(Wording.effect(change, "RUB"))
        ])
      }
      const { campaignId, itemId } = own[0]!.subject
      const pair = `${campaignId}/${itemId}`
      const asked = JSON.parse((await shop.run("explain", pair, "--json")).stdout) as Explanation
      const notes = asked.policies.find((one) => one.policy === "50-best")?.notes ?? []
      const below = own.filter(
        ({ subject }) => subject.itemId === itemId && subject.campaignId === campaignId
      )
      const told = below.filter(({ subject }) =>
        notes.some((note) => note.startsWith(`${Target.key(subject)}: `))
      )
      expect([pair, told.length]).toEqual([pair, below.length])
    },
    240_000
  )
})
