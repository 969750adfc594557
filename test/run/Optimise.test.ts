/** `optimise` end to end: what reaches the marketplace stays within its bounds, says why, and is taken back like anything else. */
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Target from "../../src/domain/Target.js"
import * as Window from "../../src/domain/Window.js"
import * as Decide from "../../src/engine/decide/Decide.js"
import * as Past from "../../src/engine/decide/optimise/Past.js"
import type { Forecast } from "../../src/engine/decide/Plan.js"
import * as Charges from "../../src/engine/facts/Charges.js"
import { factKey, type Table } from "../../src/engine/facts/Table.js"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import * as MinusPhrase from "../../src/engine/kinds/MinusPhrase.js"
import type * as Load from "../../src/engine/language/Load.js"
import type { RuleSet } from "../../src/engine/language/Policy.js"
import * as Asking from "../../src/engine/planning/Asking.js"
import * as Cycle from "../../src/engine/planning/Cycle.js"
import type * as Faults from "../../src/sandbox/Faults.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Scenario from "../scenario/Scenario.js"

const vars: Load.File = { path: "rules/_shared/vars.yaml", text: "version: 1\nkind: vars\nvars: {}\n" }

const optimise = (options: string, mode = "apply"): Load.File => ({
  path: "rules/10-optimise.yaml",
  text: `version: 1
name: Best profit
mode: ${mode}
each: campaign
where: campaign.status = active
window: 14d
do:
  optimise:
    margin: 25%
    budget: 900 ₽
    cap: {cpm: 260 ₽, cpc: 12 ₽}
${options}
`
})

const dayMs = 86_400_000

/** The bids that the marketplace accepted, by what they are for. */
const bidsOf = (entries: ReadonlyArray<Ledger.Entry>) =>
  entries.filter(({ after, slot }) => slot.startsWith("bid") && typeof after === "number")

/** Whether one bid is for everything in the campaign of a subject. */
const isOneBid = (
  { gathered }: Cycle.Planned,
  { campaignId }: { readonly campaignId?: unknown }
): boolean => {
  const campaigns = gathered.table("campaign")
  const row = campaigns.rows.findIndex((one) => one.campaignId === campaignId)
  const type = campaigns.get(row, "campaign.bid_type")
  return type._tag === "Known" && type.value === "unified"
}

/** Views that a change of a bid for all rests on, by its item. */
const seenOfItem = (
  planned: Cycle.Planned,
  { details, subject }: Change
): ReadonlyArray<readonly [number, number]> =>
  isOneBid(planned, subject) &&
  subject.cluster === undefined &&
  "optimised" in details &&
  details.optimised?.verb === "bid"
    ? [[Number(subject.itemId), details.optimised.seen.views]]
    : []

const numberIn = (table: Table, row: number, id: string): number => {
  const cell = table.get(row, factKey({ id, window: Window.last(14) }))
  return cell._tag === "Known" ? Number(cell.value) : 0
}

const isMinus = (table: Table, row: number): boolean => {
  const cell = table.get(row, "cluster.in_minus")
  return cell._tag === "Known" && cell.value === true
}

/** What rules make of facts that were gathered, with a past of the story's own. */
const draftOf = (rules: RuleSet, gathered: Cycle.Planned["gathered"], past: Partial<Past.Past>) =>
  Decide.draft(Scenario.decideInput(rules, gathered, { past: { ...Past.nothing, ...past } }))

describe("optimise", () => {
  it("moves a bid once a day, by no more than it may, and none above its cap", async () => {
    const days = 4
    const { entries, changes } = await Scenario.run({ rules: [vars, optimise("    move: 20%")] }, (world) =>
      Effect.gen(function* () {
        const changes = []
        for (let day = 0; day < days; day++) {
          const planned = yield* world.plan
          changes.push(...planned.reviewed.plan.changes)
          yield* world.apply(planned)
          yield* world.advance("24 hours")
        }
        return { entries: [...world.ledger()], changes }
      })
    )
    const bids = bidsOf(entries)
    expect(bids.length).toBeGreaterThan(30)
    expect(entries.some(({ slot }) => slot === "minus")).toBe(true)
    const seen = new Set<string>()
    for (const { after, at, before, slot, target } of bids) {
      const [from, to] = [Number(before), Number(after)]
      const key = `${slot} ${target.campaignId} ${target.itemId} ${target.cluster ?? ""} ${Math.floor((at - Scenario.startMs) / dayMs)}`
      expect([key, seen.has(key)]).toEqual([key, false])
      seen.add(key)
      // What stood above the cap comes down as far as a day lets it.
      if (to > from) expect(to).toBeLessThanOrEqual(26_000)
      // A cluster without a bid of its own had its item's: the ledger has none before.
      if (before !== null) expect(Math.abs(to - from) / from).toBeLessThanOrEqual(0.2 + 1e-9)
    }
    for (const change of changes) {
      const { details } = change
      expect("optimised" in details && details.optimised !== undefined).toBe(true)
    }
  }, 120_000)

  it("brings a bid above its cap down day by day, by no more than it may", async () => {
    const low = { ...optimise(""), text: optimise("    move: 10%").text.replace("cpm: 260", "cpm: 120") }
    const entries = await Scenario.run({ rules: [vars, low] }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.plan)
        return [...world.ledger()]
      })
    )
    const above = bidsOf(entries).filter(({ before }) => Number(before) > 12_000 * 1.2)
    expect(above.length).toBeGreaterThan(3)
    for (const { after, before } of above) expect(Number(after)).toBeGreaterThanOrEqual(Number(before) * 0.9)
  })

  it("leaves the clusters of an item alone whose bid another rule has moved today", async () => {
    const lower: Load.File = {
      path: "rules/01-lower.yaml",
      text: `version: 1
name: Lower
mode: apply
each: campaign_item
where: [campaign.status = active, campaign.payment = cpm, campaign.bid_type = manual]
window: 7d
when: views >= 1
do: {lower_bid: {by: 9%, floor: min_bid}}
limits: {move_per_day: 10%}
`
    }
    const cheap = { ...optimise(""), text: optimise("").text.replace("cpm: 260", "cpm: 100") }
    const { after, items } = await Scenario.run({ rules: [vars, lower, cheap] }, (world) =>
      Effect.gen(function* () {
        yield* world.apply(yield* world.planOf(new Set(["01-lower"])))
        const items = new Set(
          bidsOf(world.ledger()).map(({ target }) => `${target.campaignId} ${target.itemId}`)
        )
        const before = world.ledger().length
        yield* world.advance("3 hours")
        yield* world.apply(yield* world.planOf(new Set(["10-optimise"])))
        return { items, after: bidsOf(world.ledger().slice(before)) }
      })
    )
    expect(items.size).toBeGreaterThan(3)
    expect(after.some(({ before }) => before !== null)).toBe(true)
    const inherited = after.filter(
      ({ before, target }) => before === null && items.has(`${target.campaignId} ${target.itemId}`)
    )
    expect(inherited).toEqual([])
  }, 60_000)

  it("makes the same plan of the same facts, to the byte", async () => {
    const rules = [vars, optimise("", "preview")]
    const [one, other] = await Promise.all(
      [rules, [...rules].reverse()].map((files) =>
        Scenario.run({ rules: files }, (world) => Effect.map(world.plan, ({ reviewed }) => reviewed.plan))
      )
    )
    expect(one!.changes.length).toBeGreaterThan(10)
    expect(JSON.stringify(other)).toBe(JSON.stringify(one))
  })

  it("expects no more spend of a budget than it has, or says that bids cannot fall fast enough", async () => {
    const { forecasts = [] } = await Scenario.run({ rules: [vars, optimise("", "preview")] }, (world) =>
      Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
    expect(forecasts.length).toBeGreaterThan(3)
    for (const { dailyKopecks, overspent, spendKopecks } of forecasts)
      expect([overspent, spendKopecks.mean <= dailyKopecks]).not.toEqual([false, false])
  })

  it("makes nothing dearer in a budget without room while a limit or a guard holds what would make room", async () => {
    const short = (limits = "") => {
      const file = optimise("")
      return { ...file, text: `${file.text.replace("900 ₽", "400 ₽")}${limits}` }
    }
    const run = (...rules: ReadonlyArray<Load.File>) =>
      Scenario.run({ rules: [vars, ...rules] }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          yield* world.apply(planned)
          return { plan: planned.reviewed.plan, bids: bidsOf(world.ledger()) }
        })
      )
    const raised = ({ after, before }: Ledger.Entry) => before !== null && Number(after) > Number(before)
    const whole = await run(short())
    const overspent = (whole.plan.forecasts ?? []).flatMap(({ before, campaigns, dailyKopecks }) =>
      before !== undefined && before.spendKopecks.mean > dailyKopecks ? campaigns : []
    )
    const dearer = whole.bids.filter((one) => raised(one) && overspent.includes(one.target.campaignId ?? 0))
    expect(dearer.length).toBeGreaterThan(0)
    const { campaignId } = dearer[0]!.target
    const cheaper = whole.bids.find((one) => !raised(one) && one.target.campaignId === campaignId)!

    const few = await run(short("limits: {changes_per_run: 12}\n"))
    expect(few.bids.length).toBeGreaterThan(3)
    expect(few.bids.filter(raised)).toEqual([])
    const raise = few.plan.held.map(({ change }) => change).find(BudgetRoom.isDearer)!
    const undoes = { runId: "run", changeId: raise.id, policy: raise.origin.name }
    expect(BudgetRoom.isDearer({ ...raise, undoes })).toBe(false)

    const never: Load.File = {
      path: "rules/_shared/limits.yaml",
      text: `version: 1\nkind: limits\naccount:\n  never_touch: ["item.id = ${cheaper.target.itemId}"]\n`
    }
    const guarded = await run(short(), never)
    const held = guarded.plan.held.filter(({ because }) => because.code === "budget_no_room")
    expect(held.map(({ change }) => change.subject.campaignId)).toContain(campaignId)
    const still = guarded.bids.filter((one) => raised(one) && one.target.campaignId === campaignId)
    expect(still.length).toBeLessThan(dearer.filter(({ target }) => target.campaignId === campaignId).length)
  }, 120_000)

  it("makes nothing dearer in a budget without room while what makes room waits for a person", async () => {
    const file = optimise("", "approve")
    const short = {
      ...file,
      text: file.text
        .replace("900 ₽", "400 ₽")
        .replace("mode: approve", "mode: approve\nauto_approve: {bid_change: 30%}")
    }
    const { after, ledger, plan } = await Scenario.run({ rules: [vars, short] }, (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* world.plan
        const after = yield* Asking.afterPlan(reviewed).pipe(Effect.provide(world.context))
        yield* Cycle.apply(reviewed, {
          approvedBy: "test",
          account: Scenario.account,
          chosen: after.now
        }).pipe(Effect.provide(world.context))
        return { plan: reviewed.plan, after, ledger: [...world.ledger()] }
      })
    )
    const asked = after.waiting.filter(({ change }) => BudgetRoom.isDearer(change))
    expect(asked.map(({ why }) => why)).toContain("what makes room for it in its budget waits")
    expect(after.automatic.length).toBeGreaterThan(3)
    expect(bidsOf(ledger).length).toBe(after.now.size)
    const shares = plan.changes.flatMap((change) => {
      const share = BudgetRoom.shareOf(change)
      return share === undefined ? [] : [{ ...share, goes: after.now.has(change.id) }]
    })
    for (const [first, ...others] of Object.values(Arr.groupBy(shares, ({ budget }) => budget))) {
      const all = [first, ...others]
      const sum = (some: typeof all) => some.reduce((total, one) => total + one.moreKopecks, 0)
      const sent = all.filter(({ goes }) => goes)
      if (!sent.some(({ moreKopecks }) => moreKopecks > 0)) continue
      expect(first.spendKopecks + sum(sent)).toBeLessThanOrEqual(
        Math.max(first.dailyKopecks, first.spendKopecks + sum(all)) + 1
      )
    }
  }, 60_000)

  it("makes nothing dearer in a budget without room when what was to make room is refused, and sends that first", async () => {
    const short = { ...optimise(""), text: optimise("").text.replace("900 ₽", "400 ₽") }
    const run = (isRefused: boolean) =>
      Scenario.run({ rules: [vars, short] }, (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          if (isRefused) world.faults([{ operation: "setMinusPhrases", kind: "refuse", status: 400 }])
          const { rows } = yield* world.apply(planned)
          // What was refused is in the next plans too: the budget has no more room than before.
          for (let later = 0; isRefused && later < 3; later++) {
            yield* world.advance("10 minutes")
            yield* world.apply(yield* world.plan)
          }
          return { plan: planned.reviewed.plan, rows, ledger: [...world.ledger()] }
        })
      )
    const raised = ({ after, before }: Ledger.Entry) => before !== null && Number(after) > Number(before)
    const of = (entries: ReadonlyArray<Ledger.Entry>, campaigns: ReadonlySet<unknown>) =>
      bidsOf(entries).filter((one) => raised(one) && campaigns.has(one.target.campaignId))
    const whole = await run(false)
    const overspent = new Set(
      (whole.plan.forecasts ?? []).flatMap(({ before, campaigns, dailyKopecks }) =>
        before !== undefined && before.spendKopecks.mean > dailyKopecks ? campaigns : []
      )
    )
    const parking = new Set<unknown>(
      whole.plan.changes.flatMap(({ after, kind, subject }) =>
        kind === "minus_phrase" && after === true && overspent.has(Number(subject.campaignId))
          ? [subject.campaignId]
          : []
      )
    )
    const dearer = of(whole.ledger, parking)
    expect(dearer.length).toBeGreaterThan(0)
    const seqOf = ({ subject: { campaignId, cluster, itemId } }: Change) =>
      whole.ledger.flatMap(({ seq, slot, target }) =>
        slot.startsWith("bid") &&
        target.campaignId === campaignId &&
        target.itemId === itemId &&
        target.cluster === cluster
          ? [seq]
          : []
      )
    const bids = whole.plan.changes.filter(({ kind }) => kind !== "minus_phrase")
    const [cheaper, paid] = Arr.partition(bids, BudgetRoom.isDearer)
    expect(Math.min(...paid.flatMap(seqOf))).toBeGreaterThan(Math.max(...cheaper.flatMap(seqOf)))

    const refused = await run(true)
    expect(refused.ledger.some(({ slot }) => slot === "minus")).toBe(false)
    expect(bidsOf(refused.ledger).length).toBeGreaterThan(3)
    expect(of(refused.ledger, parking)).toEqual([])
    const kept = refused.rows.filter(({ reason }) => reason?.code === "budget_no_room")
    expect(kept.length).toBeGreaterThanOrEqual(dearer.length)
  }, 120_000)

  it("shares one budget among all campaigns where it is the account's", async () => {
    const { forecasts = [] } = await Scenario.run(
      { rules: [vars, optimise("    budget_of: account", "preview")] },
      (world) => Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
    expect(forecasts.map(({ budget }) => budget)).toEqual(["account"])
    expect(forecasts[0]!.campaigns.length).toBeGreaterThan(3)
  })

  it("lets clusters of one bid for all rest while money is short, and shows them again after a week", async () => {
    const file = optimise("    explore: 20%")
    const short = { ...file, text: file.text.replace("900 ₽", "200 ₽") }
    const { minus, verbs } = await Scenario.run({ rules: [vars, short] }, (world) =>
      Effect.gen(function* () {
        const verbs: Array<string> = []
        for (let day = 0; day < 12; day++) {
          const planned = yield* world.plan
          for (const { details, kind, subject } of planned.reviewed.plan.changes)
            if (kind === "minus_phrase" && isOneBid(planned, subject) && "optimised" in details)
              verbs.push(`${day} ${details.optimised?.verb}`)
          yield* world.apply(planned)
          yield* world.advance("24 hours")
        }
        return { verbs, minus: world.ledger().filter(({ slot }) => slot === "minus") }
      })
    )
    const of = (verb: string) => verbs.filter((one) => one.endsWith(` ${verb}`))
    expect(of("park").length).toBeGreaterThan(3)
    // Nobody is let back within the week, unless the estimate says that it is good again.
    expect(of("unpark").some((one) => Number(one.split(" ")[0]) >= 7)).toBe(true)
    expect(minus.length).toBeGreaterThan(3)
  }, 180_000)

  it("judges a bid that is for all by the clusters that are still shown, and not by what a minus phrase brought before", async () => {
    const counted = await Scenario.run({ rules: [vars, optimise("    minus: no\n    park: no")] }, (world) =>
      Effect.gen(function* () {
        const before = yield* world.plan
        const bids = new Map(before.reviewed.plan.changes.flatMap((change) => seenOfItem(before, change)))
        const clusters = before.gathered.table("cluster")
        const views = (row: number) => numberIn(clusters, row, "cluster.views")
        const counted = []
        for (const [itemId, seen] of bids) {
          const rows = clusters.rows.flatMap((one, row) => (one.itemId === itemId ? [row] : []))
          const [most] = rows.filter((row) => !isMinus(clusters, row)).sort((a, b) => views(b) - views(a))
          const { campaignId, cluster } = clusters.target(most!)
          const others = rows
            .filter((row) => isMinus(clusters, row))
            .map((row) => clusters.target(row).cluster!)
          world.edit({ campaignId: Number(campaignId), itemId, minus: [...others, cluster!] })
          counted.push({ itemId, less: views(most!), before: seen })
        }
        yield* world.advance("10 minutes")
        const after = yield* world.plan
        const now = new Map(after.reviewed.plan.changes.flatMap((change) => seenOfItem(after, change)))
        return counted.flatMap(({ before, itemId, less }) => {
          const seen = now.get(itemId)
          return seen === undefined ? [] : [{ less, fell: before - seen }]
        })
      })
    )
    expect(counted.length).toBeGreaterThan(0)
    for (const { fell, less } of counted) expect([less > 0, fell]).toEqual([true, less])
  })

  it("lets nothing back on the day on which it was parked, though its orders come late, and does so the day after", async () => {
    const { parked, sameDay, nextDay } = await Scenario.run({ rules: [vars, optimise("")] }, (world) =>
      Effect.gen(function* () {
        const phrases = () =>
          world
            .ledger()
            .filter(({ slot }) => slot === "minus")
            .reduce((sum, { after, before }) => sum + [after].flat().length - [before].flat().length, 0)
        const turn = Effect.gen(function* () {
          yield* world.apply(yield* world.plan)
          return phrases()
        })
        world.faults([{ operation: "getClusterStats", kind: "unattributed" }])
        const parked = yield* turn
        world.faults([])
        yield* world.advance("3 hours")
        const sameDay = yield* turn
        yield* world.advance("21 hours")
        return { parked, sameDay, nextDay: yield* turn }
      })
    )
    expect(parked).toBeGreaterThan(0)
    expect(sameDay).toBeGreaterThanOrEqual(parked)
    expect(nextDay).toBeLessThan(sameDay)
  })

  it("says of a cluster that it let rest and leave: keeps so that it is a minus phrase, and since when", async () => {
    const file = optimise("    explore: 0%")
    const short = { ...file, text: file.text.replace("900 ₽", "200 ₽") }
    const { parked, planned } = await Scenario.run({ rules: [vars, short] }, (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        yield* world.apply(first)
        yield* world.advance("73 hours")
        const parked = first.reviewed.plan.changes.filter(
          (change) => "optimised" in change.details && change.details.optimised?.verb === "park"
        )
        return { parked, planned: yield* world.plan }
      })
    )
    expect(parked.length).toBeGreaterThan(1)
    const { gathered } = planned
    const left = optimise("    leave: query contains 'ки'")
    const rules = Scenario.check([vars, left])
    const span = { fromMs: gathered.nowMs - 73 * 3_600_000, toMs: Number.POSITIVE_INFINITY }
    const parkings = new Map(parked.map((change) => [Kinds.slotOf(change), [span]]))
    const { unchanged } = draftOf(rules, gathered, { parkings })
    const resting = unchanged.filter(({ because }) => because.code === "left_at_rest")
    const names = (all: ReadonlyArray<{ readonly subject: unknown }>) =>
      all.map(({ subject }) => JSON.stringify(subject)).sort()
    const kept = parked.filter(({ subject }) =>
      ("cluster" in subject ? (subject.cluster ?? "") : "").includes("ки")
    )
    expect(kept.length).toBeGreaterThan(0)
    expect(names(resting)).toEqual(names(kept))
    for (const { because } of resting) expect(because).toMatchObject({ days: 3 })
  }, 60_000)

  it("leaves a payment type without a cap alone, and says so", async () => {
    const rules = [
      vars,
      { ...optimise("", "preview"), text: optimise("", "preview").text.replace(", cpc: 12 ₽", "") }
    ]
    const plan = await Scenario.run({ rules }, (world) =>
      Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
    expect(
      plan.changes.some((change) => "payment" in change.details && change.details.payment === "cpc")
    ).toBe(false)
    expect(plan.unchanged.some(({ because }) => because.code === "no_cap_for_payment")).toBe(true)
  })

  it("lowers and parks nothing to make room for campaigns without a cap that one budget pays for too", async () => {
    const text = optimise("    budget_of: account", "preview").text
    const planned = (rule: string) =>
      Scenario.run({ rules: [vars, { ...optimise("", "preview"), text: rule }] }, (world) =>
        Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
      )
    const whole = await planned(text)
    expect(whole.changes.length).toBeGreaterThan(0)
    const [{ elsewhereKopecks = 0, spendKopecks }] = whole.forecasts as [Forecast]
    expect(elsewhereKopecks).toBeGreaterThan(0)
    expect(elsewhereKopecks).toBeLessThan(spendKopecks.mean)
    const lacking = await planned(text.replace(", cpc: 12 ₽", ""))
    expect(lacking.changes).toEqual([])
    expect(lacking.forecasts).toBeUndefined()
    expect(lacking.unchanged.map(({ because }) => because)).toContainEqual({
      code: "budget_pays_uncapped",
      payment: "cpc",
      campaigns: expect.any(Number),
      spendKopecks: expect.any(Number)
    })
    // Nothing of such a campaign need be left for want of a cap.
    const left = await planned(`${text.replace("cpm: 260 ₽, ", "")}    leave: not query contains "ъъъ"\n`)
    expect(left.changes).toEqual([])
    expect(left.unchanged.map(({ because }) => because.code)).toContain("budget_pays_uncapped")
    const apart = await planned(
      text.replace(", cpc: 12 ₽", "").replace("status = active", "status = active and campaign.payment = cpm")
    )
    expect(apart.changes.length).toBeGreaterThan(0)
  })

  it("takes the budget for shorter where a rule had paused the campaigns for half of the days, and what it leaves for dearer", async () => {
    const files = [vars, optimise("    explore: 0%", "preview")]
    const planned = await Scenario.run({ rules: files }, (world) => world.plan)
    const rules = Scenario.check(files)
    const { gathered } = planned
    const ids = gathered.table("campaign").rows.flatMap(({ campaignId }) => campaignId ?? [])
    const halves = Array.from({ length: 20 }, (_, day) => {
      const fromMs = gathered.nowMs - (day + 1) * dayMs
      return { fromMs, toMs: fromMs + dayMs / 2 }
    }).reverse()
    const earns = (pauses: Past.Past["pauses"]): number =>
      draftOf(rules, gathered, { pauses }).forecasts!.reduce((sum, { roubleEarns }) => sum + roubleEarns, 0)
    const pauses = new Map(ids.map((id) => [id, halves]))
    expect(earns(pauses)).toBeGreaterThan(earns(new Map()) * 1.1)
    const left = Scenario.check([vars, optimise("    leave: not query contains 'ъъъ'", "preview")])
    const beside = (past: Partial<Past.Past>): number =>
      draftOf(left, gathered, past).forecasts!.reduce((sum, one) => sum + one.elsewhereKopecks!, 0)
    expect(beside({ pauses }) / beside({})).toBeCloseTo(2, 1)
    // Of a cluster that rested in those hours too, no hour is missing twice.
    const parked = gathered.table("cluster").rows.flatMap((one) => Target.ofSubject(one) ?? [])
    const parkings = new Map(parked.map((target) => [MinusPhrase.slot(target), halves]))
    expect(beside({ pauses, parkings })).toBe(beside({ pauses }))
  })

  it("leaves a whole budget alone of which a part could not be read, and says what failed", async () => {
    const planOf = (options: string) =>
      Scenario.run({ rules: [vars, optimise(options, "preview")] }, (world) =>
        Effect.gen(function* () {
          world.faults([{ kind: "errorBefore", operation: "getClusterStats" }])
          return (yield* world.plan).reviewed.plan
        })
      )
    const [own, shared] = await Promise.all([planOf(""), planOf("    budget_of: account")])
    // Campaigns that have no clusters of their own are decided for themselves, and not where all share one purse.
    expect(shared.changes).toEqual([])
    expect(shared.forecasts ?? []).toEqual([])
    const failed = own.unknown.filter(
      ({ because }) => because.code === "fact_unknown" && because.fact === "statistics"
    )
    expect(failed.length).toBeGreaterThan(0)
    const ids = new Set(failed.map(({ subject }) => subject.campaignId))
    expect(own.changes.filter(({ subject }) => ids.has(subject.campaignId))).toEqual([])
  })

  it("shares no budget of the account out where nobody could read whether a campaign is part of it", async () => {
    const planOf = async (options: string) => {
      const file = optimise(options, "preview")
      const text = file.text.replace(
        "where: campaign.status = active",
        'where: [campaign.status = active, campaign.name != "none"]'
      )
      const files = [vars, { ...file, text }]
      const { gathered } = await Scenario.run({ rules: files }, (world) => world.plan)
      const campaigns = gathered.table("campaign")
      const row = campaigns.rows.findIndex((_, i) => {
        const status = campaigns.get(i, "campaign.status")
        return status._tag === "Known" && status.value === "active"
      })
      campaigns.set(row, "campaign.name", { _tag: "Unknown", reason: "failed" })
      return draftOf(Scenario.check(files), gathered, {})
    }
    const [own, shared] = await Promise.all([planOf(""), planOf("    budget_of: account")])
    expect(own.changes.length).toBeGreaterThan(3)
    expect(shared.changes).toEqual([])
    expect(shared.unknown.length).toBeGreaterThan(1)
    expect(new Set(shared.unknown.map(({ because }) => because.code))).toEqual(new Set(["condition_unknown"]))
  })

  it("leaves budgets alone that were charged more than their statistics tell of, and says both", async () => {
    const omitted = ["getCampaignStats", "getClusterStats"].map(
      (operation) => ({ kind: "omit", operation, share: 0.5 }) as const
    )
    // Both campaigns are among those left out, and half of their clusters are not.
    const scale = { campaigns: 2, items: 2, clusters: 12 }
    const dayWith = (faults: ReadonlyArray<Faults.Fault>) =>
      Scenario.run({ rules: [vars, optimise("")], scale }, (world) =>
        Effect.gen(function* () {
          world.faults(faults)
          const planned = yield* world.plan
          yield* world.apply(planned)
          world.faults([])
          const window = Window.resolve(Window.last(14), planned.gathered.nowMs)
          const charged = (yield* (yield* world.facts).charged!(window))!
          return { plan: planned.reviewed.plan, entries: [...world.ledger()], charged }
        })
      )
    const [usual, { charged, entries, plan }] = [await dayWith([]), await dayWith(omitted)]
    expect(bidsOf(usual.entries).length).toBeGreaterThan(5)
    expect(entries).toEqual([])
    const because = ({ kopecks: chargedKopecks }: Charges.Charge) => ({
      code: "spend_untold",
      statedKopecks: 0,
      chargedKopecks,
      days: 14
    })
    expect(plan.unknown.map((one) => one.because)).toEqual([...charged.values()].map(because))
  })

  it("learns nothing of a campaign about which nothing is decided", async () => {
    const rules = [vars, optimise("", "preview")]
    const { gathered, reviewed } = await Scenario.run({ rules }, (world) => world.plan)
    const { campaignId } = reviewed.plan.changes[0]!.subject
    const campaigns = gathered.table("campaign")
    const row = campaigns.rows.findIndex((one) => one.campaignId === campaignId)
    for (let i = 0; i < campaigns.size; i++)
      campaigns.set(i, "campaign.bid_type", { _tag: "Known", value: "manual" })
    const key = Charges.keyOf(Window.resolve(Window.last(14), gathered.nowMs))
    const charges = new Map([[key, new Map([[campaignId!, { kopecks: 1_000_000_000, days: undefined }]])]])
    const untold = draftOf(Scenario.check(rules), gathered, { charges })
    campaigns.set(row, "campaign.status", { _tag: "Known", value: "paused" })
    const without = draftOf(Scenario.check(rules), gathered, {})
    expect(untold.unknown.map(({ because }) => because.code)).toContain("spend_untold")
    expect(untold.changes.length).toBeGreaterThan(3)
    expect(untold.changes).toEqual(without.changes)
  })

  it("leaves budgets alone while nobody can read what was charged", async () => {
    const plan = await Scenario.run({ rules: [vars, optimise("", "preview")] }, (world) =>
      Effect.gen(function* () {
        world.faults([{ kind: "errorBefore", operation: "getCostHistory" }])
        return (yield* world.plan).reviewed.plan
      })
    )
    expect(plan.changes).toEqual([])
    expect(plan.unknown.map(({ because }) => because)).toContainEqual({
      code: "fact_unknown",
      fact: "charges",
      reason: "failed"
    })
  })

  it("negates nothing where an order leaves nothing, and says so", async () => {
    const files = [vars, { ...optimise("", "preview") }]
    files[1] = { ...files[1]!, text: files[1]!.text.replace("margin: 25%", "margin: item.price * 0%") }
    const plan = await Scenario.run({ rules: files }, (world) =>
      Effect.map(world.plan, ({ reviewed }) => reviewed.plan)
    )
    expect(plan.changes).toEqual([])
    expect(plan.unchanged.some(({ because }) => because.code === "order_earns_nothing")).toBe(true)
  })
})
