/** What rules tell and what could not be read stands in the log of `bidhelm run`: nobody looks at its plans. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import * as CycleFigures from "../../../src/cli/daemon/CycleFigures.js"
import * as Scenario from "../../scenario/Scenario.js"

const rule = (name: string, each: string, when: string, words: string) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\nschedule: {every: 3h}\neach: ${each}\nwindow: 7d\nwhen: ${when}\ndo:\n  notify: "${words}"\n`
})

/** Lines of the log while the effect runs, of this event. */
const heard = <E, R>(effect: Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const logger = Logger.make(({ message }) => {
      const [words, fields] = Array.isArray(message) ? message : [message]
      told.push(`${(fields as { readonly event?: string } | undefined)?.event}: ${String(words)}`)
    })
    yield* effect.pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    return told.filter((line) => !line.startsWith("held"))
  })

it("tells every message of a rule, with the words that the rule has for it", () =>
  Scenario.run(
    { rules: [rule("tell", "campaign", "campaign.status = active", "{campaign.name} runs")] },
    (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const told = yield* heard(CycleFigures.watching({ account: "shop", lane: "ads" }).gathered(planned))
        const texts = planned.reviewed.plan.notices?.map(({ text }) => text) ?? []
        expect(texts.length).toBeGreaterThan(0)
        expect(told).toEqual(texts.map((text) => `notice: shop: tell: ${text}`))
      })
  ))

it("tells once that something could not be read, why, and of how many", () =>
  Scenario.run({ rules: [rule("spent", "campaign", "spend > 1 ₽", "{spend}")] }, (world) =>
    Effect.gen(function* () {
      world.faults([{ kind: "errorBefore", operation: "getCampaignStats", status: 503 }])
      const told = yield* heard(CycleFigures.noticeLines("shop", yield* world.plan))
      expect(told.filter((line) => line.startsWith("not_read"))).toEqual([
        expect.stringMatching(/^not_read: shop: not read \(\d+\): .*getCampaignStats/)
      ])
    })
  ))

it("repeats no words of buyers, and no more than a few lines of one plan", () =>
  Scenario.run(
    {
      rules: [
        rule("words", "cluster", "cluster.state = active", "{query}"),
        rule("each", "campaign_item", "bid > 0 ₽", "{campaign.id} {item.id}")
      ]
    },
    (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const notices = planned.reviewed.plan.notices ?? []
        const words = notices.flatMap(({ subject: target }) => target?.cluster ?? [])
        expect(words.length).toBeGreaterThan(20)
        const told = yield* heard(CycleFigures.noticeLines("shop", planned))
        expect(told.filter((line) => words.some((word) => line.includes(word)))).toEqual([])
        expect(told.join("\n")).toContain(
          `words: has messages about clusters, see bidhelm plan (${words.length} times)`
        )
        expect(told.length).toBe(1 + 11)
        expect(told.join("\n")).toMatch(/each: \d+ more messages, see bidhelm plan/)
      })
  ))
