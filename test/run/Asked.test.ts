/** What is said of a change that another one holds back, though that one only waits, is only shown, or is held itself. */
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type * as Load from "../../src/engine/language/Load.js"
import { ApprovalStore } from "../../src/engine/planning/ApprovalStore.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import * as Said from "../reporting/Said.js"
import * as Scenario from "../scenario/Scenario.js"

const file = (name: string, mode: string, rest: string): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: ${mode}\n${rest}`
})
const clusters = "each: cluster\nwhere: campaign.payment = cpm and not cluster.in_minus\nwindow: 7d\n"
const minus = (mode: string, more = "") =>
  file("minus", mode, `${clusters}when: views >= 10\ndo: add_minus\n${more}`)
const cut = (mode: string) =>
  file("cut", mode, `${clusters}when: views >= 10\ndo: {lower_bid: {by: 20%, floor: 60 ₽}}\n`)
const stop = (mode: string) =>
  file("stop", mode, `each: campaign\nwhen: campaign.status = active\ndo: pause\n`)
const topUp = (mode: string) =>
  file(
    "topup",
    mode,
    `each: campaign
when: budget < 1000000 ₽ and campaign.status = active
do:
  deposit: {amount: 1000 ₽, from: balance}
limits: {money_per_day: 1000 ₽, policy_money_per_day: 10000 ₽}
`
  )

/** What a plan says of all that is held back, and the codes of it. */
const said = (rules: ReadonlyArray<Load.File>, prepare: (world: Scenario.World) => void = () => {}) =>
  Scenario.run({ rules }, (world) =>
    Effect.map(
      Effect.zipRight(
        Effect.sync(() => prepare(world)),
        world.plan
      ),
      ({ reviewed: { plan } }) => {
        const rows = plan.unchanged.filter(({ because }) => because.code === "overtaken")
        return {
          whys: [...new Set(rows.map((row) => `${row.policy}: ${Said.why(row)}`))].sort(),
          codes: new Set(rows.map(({ because }) => because.code === "overtaken" && because.only))
        }
      }
    )
  )

describe("a plan says of what it leaves as it is beside a minus phrase or a pause", () => {
  it("that this is done, where it is", async () => {
    expect(await said([minus("apply"), cut("apply"), stop("apply"), topUp("apply")])).toEqual({
      whys: [
        "cut: minus makes it a minus phrase, which takes no bid",
        "topup: stop pauses the campaign, which gets no money then"
      ],
      codes: new Set([undefined])
    })
  })

  it("that a person is asked, where nothing is done before the answer", async () => {
    expect(await said([minus("approve"), cut("apply"), stop("approve"), topUp("apply")])).toEqual({
      whys: [
        "cut: minus would make it a minus phrase, which takes no bid, if a person agrees (bidhelm approvals); until that is answered it stays as it is",
        "topup: stop would pause the campaign, which gets no money then, if a person agrees (bidhelm approvals); until that is answered it stays as it is"
      ],
      codes: new Set(["asked"])
    })
  })

  it("that it is only shown, where both rules are in preview", async () => {
    expect(await said([minus("preview"), cut("preview"), stop("preview"), topUp("preview")])).toEqual({
      whys: [
        "cut: minus would make it a minus phrase, which takes no bid, but only shows it (mode: preview)",
        "topup: stop would pause the campaign, which gets no money then, but only shows it (mode: preview)"
      ],
      codes: new Set(["shown"])
    })
  })

  it("that nothing is done, nor asked, where statistics that cannot be true let a run only look", async () => {
    const looking = (name: string) => minus(name).text.replace("views >= 10", "spend <= 900000 ₽")
    for (const mode of ["apply", "approve"])
      expect(
        await said(
          [
            { path: "rules/minus.yaml", text: looking(mode) },
            { path: "rules/cut.yaml", text: cut("apply").text.replace("views >= 10", "spend <= 900000 ₽") }
          ],
          (world) => world.faults([{ kind: "zeros", operation: "getClusterStats" }])
        )
      ).toEqual({
        whys: ["cut: minus would make it a minus phrase, which takes no bid, but this run only looks"],
        codes: new Set(["looks"])
      })
  })

  it("that a limit holds it, where neither of the two is done", async () => {
    expect(await said([minus("apply", "limits: {changes_per_run: 1}\n"), cut("apply")])).toEqual({
      whys: [
        "cut: minus would make it a minus phrase, which takes no bid, but is held back itself; this stays as it is as well"
      ],
      codes: new Set(["held"])
    })
  })

  it("and means it: after a no the bid is cut, and nothing has become a minus phrase", () =>
    Scenario.run({ rules: [minus("approve"), cut("apply")] }, (world) =>
      Effect.gen(function* () {
        const cycle = Effect.gen(function* () {
          const { reviewed } = yield* world.plan
          const after = yield* Effect.provide(Asking.afterPlan(reviewed), world.context)
          yield* Effect.provide(
            Cycle.apply(reviewed, { approvedBy: "test", account: Scenario.account, chosen: after.now }),
            world.context
          )
          return after
        })
        const { request } = yield* cycle
        expect(world.ledger()).toEqual([])
        const store = yield* Effect.provide(ApprovalStore, world.context)
        const no = { to: "rejected" as const, by: "anna", nowMs: world.now() }
        yield* store.decide(Scenario.account, request!.id, no)
        yield* world.advance("1 hours")
        yield* cycle
        expect(new Set(world.ledger().map(({ slot }) => slot))).toEqual(new Set(["bid"]))
        expect(world.ledger().length).toBeGreaterThan(3)
      })
    ))
})
