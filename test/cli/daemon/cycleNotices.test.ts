/** What rules tell and what could not be read stands in the log of `bidhelm run`: nobody looks at its plans. */
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { expect, it } from "vitest"
import * as CycleFigures from "../../../src/cli/daemon/CycleFigures.js"
import * as Review from "../../../src/engine/decide/Review.js"
import * as Summary from "../../../src/engine/decide/Summary.js"
import * as Example from "../../decide/Example.js"
import * as Scenario from "../../scenario/Scenario.js"

const rule = (name: string, each: string, when: string, words: string) => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: apply\nschedule: {every: 3h}\neach: ${each}\nwindow: 7d\nwhen: ${when}\ndo:\n  notify: "${words}"\n`
})

/** Lines of the log while the effect runs, of what is held or of all else. */
const heard = <E, R>(effect: Effect.Effect<void, E, R>, of: "held" | "rest" = "rest") =>
  Effect.gen(function* () {
    const told: Array<string> = []
    const logger = Logger.make(({ message }) => {
      const [words, fields = {}] = Array.isArray(message) ? message : [message]
      const { event, why } = fields as { readonly event?: string; readonly why?: string }
      told.push(`${event}: ${String(words)}${why === undefined ? "" : ` why=${why}`}`)
    })
    yield* effect.pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    return told.filter((line) => line.startsWith("held") === (of === "held"))
  })

it("tells every message of a rule, with the words that the rule has for it", () =>
  Scenario.run(
    { rules: [rule("tell", "campaign", "campaign.status = active", "{campaign.name} runs")] },
    (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const told = yield* heard(CycleFigures.watching({ account: "shop", lane: "ads" }).gathered(planned))
        const notices = planned.reviewed.plan.notices ?? []
        expect(notices.length).toBeGreaterThan(0)
        expect(told).toEqual(
          notices.map(({ subject, text }) => `notice: shop: tell: ${subject?.campaignId}: ${text}`)
        )
      })
  ))

it("names the campaigns that a message is about, the first of many", () =>
  Scenario.run({ rules: [rule("tell", "campaign", "campaign.id > 0", "look")] }, (world) =>
    Effect.gen(function* () {
      const planned = yield* world.plan
      const ids = (planned.reviewed.plan.notices ?? []).map(({ subject }) => subject?.campaignId)
      expect(ids.length).toBeGreaterThan(4)
      expect(yield* heard(CycleFigures.noticeLines("shop", planned))).toEqual([
        `notice: shop: tell: ${ids.slice(0, 3).join(", ")} and ${ids.length - 3} more: look`
      ])
    })
  ))

it("says of what is held which change it is, whose, and by how much or what to do", () =>
  Scenario.run(
    {
      rules: [
        {
          path: "rules/stop.yaml",
          text: "version: 1\nname: stop\nmode: apply\nschedule: {every: 3h}\neach: campaign\nwhere: campaign.status = active\nwhen: campaign.id > 0\ndo: pause\n"
        },
        {
          path: "rules/_shared/limits.yaml",
          text: "version: 1\nkind: limits\naccount: {changes_per_run: 1}\n"
        }
      ]
    },
    (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { held } = planned.reviewed.plan
        expect(held.length).toBeGreaterThan(1)
        const told = yield* heard(
          CycleFigures.watching({ account: "shop", lane: "ads" }).planned(planned.reviewed),
          "held"
        )
        expect(told).toEqual([
          `held: shop: ${held.length} held by changes_per_run: pause of ${held[0]?.change.subject.campaignId} by stop, and others, see bidhelm plan why=${held.length} changes, ${held.length - 1} over`
        ])
      })
  ))

it("leaves out the remedy that would repeat a buyer's words", () => {
  const change = Example.onlyChange(Example.plan({ policies: [Example.policy("raise", Example.raiseBid())] }))
  const edit = {
    code: "human_edit",
    slot: Example.oneSlot,
    ours: 30_000,
    live: 40_000,
    firstSeenAt: Example.now,
    writtenAt: Example.now,
    until: Example.now,
    zone: "UTC"
  } as const
  const plan = Summary.seal({
    ...Example.plan({ policies: [] }),
    held: [{ change, by: "human_edit", because: edit }]
  })
  const reviewed = Review.review(plan, {
    rules: Example.rules([]),
    ...Example.around,
    campaigns: Example.campaigns()
  })
  return Effect.runPromise(
    Effect.gen(function* () {
      const [line] = yield* heard(
        CycleFigures.watching({ account: "shop", lane: "ads" }).planned(reviewed),
        "held"
      )
      expect(line).toBe(
        "held: shop: 1 held by human_edit: raise_bid of 777/1001 by raise why=see bidhelm plan"
      )
    })
  )
})

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
