import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import * as Days from "../../src/domain/Days.js"
import * as Target from "../../src/domain/Target.js"
import * as Bids from "../../src/engine/kinds/Bids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { BidPlacement } from "../../src/engine/kinds/Parts.js"
import type * as Load from "../../src/engine/language/Load.js"
import * as Reasons from "../../src/reporting/Reasons.js"
import type * as Ledger from "../../src/sandbox/Ledger.js"
import * as Blueprint from "../../src/sandbox/market/Blueprint.js"
import * as Market from "../../src/sandbox/market/Market.js"
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as Shop from "../../src/sandbox/market/World.js"
import { defaultSeller } from "../../src/sandbox/SandboxToken.js"
import * as Said from "../reporting/Said.js"
import * as OwnPast from "../sandbox/OwnPast.js"
import * as Scenario from "../scenario/Scenario.js"

const seed = 1

const rule = (body: string, name = "rule", mode = "apply"): Load.File => ({
  path: `rules/${name}.yaml`,
  text: `version: 1\nname: ${name}\nmode: ${mode}\n${body}\n`
})

const limits = (body: string): Load.File => ({
  path: "rules/_shared/limits.yaml",
  text: `version: 1\nkind: limits\n${body}\n`
})

const statusCodes: Readonly<Record<string, number>> = { ready: 4, active: 9, paused: 11 }

const raisingItems = rule(
  "each: campaign_item\nwhere: campaign.payment = cpm and campaign.bid_type = manual\nwindow: 7d\nwhen: views > 1\ndo:\n  raise_bid: {by: 5%, cap: 900 ₽}"
)

const minusing = rule(
  "each: cluster\nwhere: [campaign.payment = cpm, not cluster.in_minus]\nwindow: 7d\nwhen: spend > 0 ₽\ndo: add_minus\nlimits: {share_of_scope: 100%}"
)

/** What the ledger must show for a bid or a status: target, slot, before and after. */
const wanted = (change: Change): string => {
  const { subject: target, kind, before, after } = change
  const { placement, inherited } = Bids.detailsOf(change)
  if (kind === "campaign_status") {
    return `${Target.key(target)} status ${statusCodes[String(before)]} → ${statusCodes[String(after)]}`
  }
  const slot =
    kind === "cluster_bid" ? "bid" : placement === "recommendations" ? "bid.recommendations" : "bid.search"
  return `${Target.key(target)} ${slot} ${inherited === true ? null : before} → ${after}`
}

const keyOf = ({ campaignId, itemId, cluster }: Ledger.Entry["target"]): string =>
  [campaignId, itemId, cluster].filter((part) => part !== undefined).join("/")

const happened = (entry: Ledger.Entry): string =>
  `${keyOf(entry.target)} ${entry.slot} ${entry.before} → ${entry.after}`

/**
 * Plans, applies and plans again: the ledger has exactly what was planned, every change was read back, and the second
 * plan leaves every target alone and says why.
 */
const carriedOut = (world: Scenario.World, why: RegExp) =>
  Effect.gen(function* () {
    const first = yield* world.plan
    const { changes } = first.reviewed.plan
    expect(changes.length).toBeGreaterThan(0)
    const report = yield* world.apply(first)
    expect(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`)).toEqual(
      changes.map(() => "applied: read back")
    )
    expect(report.status).toBe("done")
    expect(world.ledger().map(happened).sort()).toEqual(changes.map(wanted).sort())
    expect(world.throttled()).toBe(0)
    const second = yield* world.plan
    expect(second.reviewed.plan.changes).toEqual([])
    expect(second.open).toEqual([])
    const reasons = new Map(
      second.reviewed.plan.unchanged.map((row) => [Target.key(row.subject), Said.why(row)])
    )
    for (const { subject: target } of changes) expect(reasons.get(Target.key(target))).toMatch(why)
    return first
  })

const floors = (change: Change) => Market.item(seed, change.subject.itemId ?? 0, Scale.demo.clusters).floors

interface Kind {
  readonly where: ReadonlyArray<string>
  readonly options: string
  readonly placement: BidPlacement
  readonly floor: string
  readonly least: (change: Change) => number
  readonly step: number
  readonly cap: number
  readonly to: number
}

const perView = { step: 100, cap: 18_000, to: 15_000, options: "" }

/** The bids an item can have. */
const kinds: Readonly<Record<string, Kind>> = {
  "a custom bid in search": {
    ...perView,
    where: ['campaign.name matches "Поиск*основная"', "campaign.payment = cpm"],
    placement: "search",
    floor: "min_bid",
    least: (change) => floors(change).cpm.search
  },
  "a custom bid in recommendations": {
    ...perView,
    where: ['campaign.name matches "Поиск и полки"', "campaign.payment = cpm"],
    options: ", placement: recommendations",
    placement: "recommendations",
    floor: "min_bid.recommendations",
    least: (change) => floors(change).cpm.recommendations
  },
  "a standard bid": {
    ...perView,
    where: ["campaign.bid_type = unified", "campaign.payment = cpm"],
    placement: "combined",
    floor: "min_bid",
    least: (change) => floors(change).cpm.combined
  },
  "a bid per click": {
    where: ["campaign.payment = cpc"],
    options: "",
    placement: "search",
    floor: "min_bid",
    least: (change) => floors(change).cpc.search,
    step: 10,
    cap: 1_000,
    to: 1_200
  }
}

const roubles = (kopecks: number): string => `${kopecks / 100} ₽`

const ofItems = (kind: Kind, action: string): ReadonlyArray<Load.File> => [
  rule(
    `each: campaign_item\nwhere:\n${kind.where.map((line) => `  - ${line}\n`).join("")}when: campaign.status = active\ndo:\n  ${action}\ncooldown: 6h`
  )
]

const down = (kopecks: number, step: number): number => Math.floor(kopecks / step) * step

describe("bids of items", () => {
  for (const [name, kind] of Object.entries(kinds)) {
    const expected = (after: (change: Change, before: number) => number, changes: ReadonlyArray<Change>) => {
      for (const change of changes) {
        expect(Bids.detailsOf(change).placement).toBe(kind.placement)
        expect(change.after).toBe(after(change, Number(change.before)))
      }
    }

    it(`raise_bid raises ${name} by the share, in steps, up to the cap`, () =>
      Scenario.run(
        {
          seed,
          rules: ofItems(kind, `raise_bid: {by: 10%, cap: ${roubles(kind.cap)}${kind.options}}`)
        },
        (world) =>
          Effect.gen(function* () {
            const { reviewed } = yield* carriedOut(world, /^(cooldown until|no room to move)/)
            expected((_, before) => Math.min(kind.cap, down(before * 1.1, kind.step)), reviewed.plan.changes)
          })
      ))

    it(`lower_bid lowers ${name} by steps, down to the marketplace's minimum`, () =>
      Scenario.run(
        { seed, rules: ofItems(kind, `lower_bid: {by: 20 steps, floor: ${kind.floor}${kind.options}}`) },
        (world) =>
          Effect.gen(function* () {
            const { reviewed } = yield* carriedOut(world, /^(cooldown until|already there)/)
            expected(
              (change, before) => Math.max(kind.least(change), before - 20 * kind.step),
              reviewed.plan.changes
            )
          })
      ))

    it(`set_bid takes ${name} to the value, and is then content`, () =>
      Scenario.run(
        {
          seed,
          rules: ofItems(kind, `set_bid: {to: ${roubles(kind.to)}, cap: ${roubles(kind.to)}${kind.options}}`)
        },
        (world) =>
          Effect.gen(function* () {
            const { reviewed } = yield* carriedOut(world, /^already there/)
            expected(() => kind.to, reviewed.plan.changes)
          })
      ))
  }
})

const ofClusters = (conditions: ReadonlyArray<string>, action: string): Load.File =>
  rule(
    `each: cluster\nwhere:\n  - campaign.payment = cpm\n  - campaign.bid_type = manual\n  - campaign.status = active\n` +
      `window: 7d\nwhen:\n${conditions.map((line) => `  - ${line}\n`).join("")}do:\n  ${action}`,
    "clusters"
  )

describe("bids of clusters", () => {
  const lowering = ofClusters(["cpo > 300 ₽"], "lower_bid: {by: 10%, floor: min_bid}")

  it("lower_bid lowers own and inherited bids, and waits for new statistics", () =>
    Scenario.run({ seed, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const { reviewed } = yield* carriedOut(world, /^(no statistics newer|already there)/)
        const { changes } = reviewed.plan
        expect(new Set(changes.map((change) => Bids.detailsOf(change).inherited))).toEqual(
          new Set([true, false])
        )
        for (const change of changes) {
          expect(change.after).toBe(
            Math.max(floors(change).cpm.search, down(Number(change.before) * 0.9, 100))
          )
        }
      })
    ))

  it("set_bid goes no farther than max_step at once", () =>
    Scenario.run(
      {
        seed,
        rules: [
          ofClusters(
            ["views >= 100", "cluster.has_own_bid"],
            "set_bid: {to: 450 ₽, cap: 450 ₽, max_step: 5%}"
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const { reviewed } = yield* carriedOut(world, /^(no statistics newer|already there)/)
          for (const { before, after } of reviewed.plan.changes) {
            expect(after).toBe(down(Math.min(45_000, Number(before) * 1.05), 100))
          }
        })
    ))

  it("leaves a minus phrase's bid alone, because it would spoil the whole request", () =>
    Scenario.run(
      { seed, rules: [ofClusters(["bid > 1 ₽"], "lower_bid: {by: 10%, floor: min_bid}\ncooldown: 6h")] },
      (world) =>
        Effect.gen(function* () {
          const { reviewed } = yield* world.plan
          const left = reviewed.plan.unchanged.filter((row) =>
            Said.why(row).startsWith("a minus phrase takes no bid")
          )
          expect(left.length).toBeGreaterThan(0)
          const touched = new Set(reviewed.plan.changes.map((change) => Target.key(change.subject)))
          expect(left.filter((row) => touched.has(Target.key(row.subject)))).toEqual([])
        })
    ))

  it("a phrase that somebody minused after the plan costs its own bid only, and no bid is sent twice", () =>
    Scenario.run({ seed, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        const { campaignId, itemId, cluster } = changes[3]!.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [cluster!] })
        const report = yield* world.apply(planned)
        const refused = report.rows.filter((row) => row.state !== "applied")
        expect(refused.map((row) => row.change.id)).toEqual([changes[3]!.id])
        expect(refused[0]?.state).toBe("rejected")
        expect(Reasons.ofRow(refused[0]!)).toContain("is disabled")
        const others = changes.filter((change) => change !== changes[3])
        expect(world.ledger().map(happened).sort()).toEqual(others.map(wanted).sort())
        expect(world.requests("setClusterBidsMinorUnits")).toBe(2)
        expect((yield* world.plan).reviewed.plan.changes).toEqual([])
      })
    ))

  it("of items whose floor rose after the plan costs that item's bid only, for the refusal names it", () =>
    Scenario.run(
      {
        seed,
        rules: [raisingItems]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          const [first] = changes
          const ofCampaign = changes.filter(({ subject }) => subject.campaignId === first!.subject.campaignId)
          expect(ofCampaign.length).toBeGreaterThan(1)
          OwnPast.setFloors(world.sandbox.world(defaultSeller), first!.subject.itemId!, {
            search: 90_000_000,
            recommendations: 90_000_000
          })
          const report = yield* world.apply(planned)
          const refused = report.rows.filter(({ state }) => state !== "applied")
          expect(new Set(refused.map(({ state }) => state))).toEqual(new Set(["rejected"]))
          expect(new Set(refused.map(({ change }) => change.subject.itemId))).toEqual(
            new Set([first!.subject.itemId])
          )
          const others = changes.filter(({ subject }) => subject.itemId !== first!.subject.itemId)
          expect(world.ledger().map(happened).sort()).toEqual(others.map(wanted).sort())
        })
    ))

  it("that a refusal without a name costs is found by halves: the others are set, and it rests for an hour", () =>
    Scenario.run({ seed, rules: [raisingItems] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        const bad = changes[0]!.subject.itemId!
        world.faults([{ kind: "unnamed", operation: "setItemBids", values: [bad] }])
        const report = yield* world.apply(planned)
        const refused = report.rows.filter(({ state }) => state === "rejected")
        expect(new Set(refused.map(({ change }) => change.subject.itemId))).toEqual(new Set([bad]))
        const others = changes.filter(({ subject }) => subject.itemId !== bad)
        expect(world.ledger().map(happened).sort()).toEqual(others.map(wanted).sort())
        const asked = world.requests("setItemBids")
        const again = yield* world.plan
        expect(again.reviewed.plan.changes).toEqual([])
        const resting = again.reviewed.plan.unchanged.filter(({ subject }) => subject.itemId === bad)
        expect(resting.map(Said.why).join()).toContain(
          "the marketplace refused the same before; tried again from"
        )
        yield* world.advance("61 minutes")
        world.faults([])
        const later = yield* world.apply(yield* world.plan)
        expect(later.rows.map(({ change }) => change.subject.itemId)).toContain(bad)
        expect(later.rows.filter(({ state }) => state !== "applied")).toEqual([])
        expect(world.requests("setItemBids")).toBeGreaterThan(asked)
      })
    ))

  it.each([402, 403])(
    "that a web page of somebody on the way refuses rest for an hour each time: %i",
    (status) =>
      Scenario.run({ seed, rules: [raisingItems] }, (world) =>
        Effect.gen(function* () {
          world.faults([{ kind: "errorBefore", operation: "setItemBids", status }])
          for (let times = 0; times < 2; times++) {
            yield* world.apply(yield* world.plan)
            const { plan } = (yield* world.plan).reviewed
            expect(plan.changes).toEqual([])
            const told = plan.unchanged.map(Said.why).join()
            expect(told).toContain(
              "a web page of somebody on the way, such as a firewall, refused the same before"
            )
            expect(told).not.toContain("the marketplace refused")
            yield* world.advance("61 minutes")
          }
          world.faults([])
          expect((yield* world.apply(yield* world.plan)).counts).toHaveProperty("applied")
        })
      )
  )

  it("that save are tried again minutes after a web page, and so are minus phrases", () =>
    Scenario.run(
      { seed, rules: [ofClusters(["cpo > 300 ₽"], "lower_bid: {by: 10%, floor: min_bid}"), minusing] },
      (world) =>
        Effect.gen(function* () {
          const operations = ["setClusterBids", "setMinusPhrases"] as const
          world.faults(operations.map((operation) => ({ kind: "errorBefore", operation, status: 403 })))
          const before = yield* world.apply(yield* world.plan)
          expect(Object.keys(before.counts)).toEqual(["rejected"])
          world.faults([])
          const refused = new Set(before.rows.map(({ change }) => change.id))
          const { changes } = (yield* world.plan).reviewed.plan
          expect(changes.filter(({ id }) => refused.has(id))).toEqual([])
          yield* world.advance("6 minutes")
          const report = yield* world.apply(yield* world.plan)
          expect(report.counts).toEqual({ applied: before.rows.length })
        })
    ))

  it("of a phrase that the marketplace does not take leaves the others to be minused, whether it is named or not", () =>
    Scenario.run({ seed, rules: [minusing] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { changes } = planned.reviewed.plan
        const pairs = Object.values(
          Arr.groupBy(changes, ({ subject }) => `${subject.campaignId} ${subject.itemId}`)
        )
        const most = pairs.reduce((a, b) => (b.length > a.length ? b : a))
        expect(most.length).toBeGreaterThan(4)
        const bad = most[2]!.subject.cluster!
        world.faults([{ kind: "unnamed", operation: "setMinusPhrases", values: [bad] }])
        yield* world.apply(planned)
        for (let run = 0; run < 4; run++) {
          yield* world.advance("10 minutes")
          yield* world.apply(yield* world.plan)
        }
        const lists = new Map(world.ledger().map((entry) => [keyOf(entry.target), entry.after]))
        const isMinused = ({ campaignId, cluster, itemId }: Change["subject"]) =>
          (lists.get(`${campaignId}/${itemId}`) as ReadonlyArray<string> | undefined)?.includes(cluster!) ===
          true
        const left = changes.filter(({ subject }) => !isMinused(subject))
        expect(new Set(left.map(({ subject }) => subject.cluster))).toEqual(new Set([bad]))
      })
    ))

  it("of a minus list that is refused for a phrase of somebody else's names none of ours for guilty", () =>
    Scenario.run({ seed, rules: [minusing] }, (world) =>
      Effect.gen(function* () {
        const first = (yield* world.plan).reviewed.plan.changes
        const { campaignId, cluster, itemId } = first[0]!.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [cluster!] })
        yield* world.advance("10 minutes")
        world.faults([{ kind: "unnamed", operation: "setMinusPhrases", values: [cluster!] }])
        const { rows } = yield* world.apply(yield* world.plan)
        const ours = rows.filter(
          ({ change: { subject } }) => subject.campaignId === campaignId && subject.itemId === itemId
        )
        const refused = ours.filter(({ state }) => state === "rejected")
        expect(refused.map(({ reason }) => reason)).toEqual([
          expect.objectContaining({ code: "minus_list_refused", phrases: 2, before: 1 })
        ])
        expect(Reasons.ofRow(refused[0]!)).toMatch(
          /^the marketplace refused the list of 2 phrases \(.*\); nobody knows which is at fault: this one, or the one that was in it before$/
        )
      })
    ))

  it("of a minus list that is refused for a phrase of somebody else's, which the answer names, says which it is", () =>
    Scenario.run({ seed, rules: [minusing] }, (world) =>
      Effect.gen(function* () {
        const [first] = (yield* world.plan).reviewed.plan.changes
        const { campaignId, itemId } = first!.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: ["моя"] })
        yield* world.advance("10 minutes")
        const { rows } = yield* world.apply(yield* world.plan)
        const refused = rows.filter(({ reason }) => reason?.code === "minus_list_refused")
        expect(new Set(refused.map(({ change }) => change.subject.itemId))).toEqual(new Set([itemId]))
        for (const row of refused)
          expect(Reasons.ofRow(row)).toMatch(
            /unknown search phrase "моя".*; "моя" was in it before: take it off there by hand, for every list with it is refused$/
          )
        expect(world.ledger().filter(({ target }) => target.itemId === itemId)).toEqual([])
      })
    ))

  it("of a cluster that the same plan minuses the bid stays as it is, and no other bid suffers", () =>
    Scenario.run(
      {
        seed,
        rules: [
          lowering,
          rule(
            'each: cluster\nwhere: query contains any ["ж"]\nwindow: 7d\nwhen: cpo > 300 ₽\ndo: add_minus',
            "minus"
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          const minused = new Set(
            changes.filter((c) => c.action === "add_minus").map((c) => Target.key(c.subject))
          )
          const lowered = changes.filter((change) => change.action === "lower_bid")
          expect(lowered.filter((bid) => minused.has(Target.key(bid.subject)))).toEqual([])
          const overtaken = planned.reviewed.plan.unchanged.filter((row) =>
            minused.has(Target.key(row.subject))
          )
          expect(new Set(overtaken.map((row) => Said.why(row)))).toEqual(
            new Set(["minus makes it a minus phrase, which takes no bid"])
          )
          const report = yield* world.apply(planned)
          expect(report.status).toBe("done")
          const written = world.ledger().filter((entry) => entry.slot === "bid")
          expect(written.map(happened).sort()).toEqual(lowered.map(wanted).sort())
          expect(world.requests("setClusterBidsMinorUnits")).toBe(1)
          expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        })
    ))

  it("no further bid is sent once the kill switch is engaged between a spoilt request and the next", () =>
    Scenario.run({ seed, rules: [lowering] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { campaignId, itemId, cluster } = planned.reviewed.plan.changes[3]!.subject
        world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [cluster!] })
        world.faults([{ operation: "setClusterBidsMinorUnits", kind: "latency", ms: 5000 }])
        const applying = yield* Effect.fork(world.apply(planned))
        yield* world.advance("3 seconds")
        world.kill("stop")
        const report = yield* applying
        expect(world.requests("setClusterBidsMinorUnits")).toBe(1)
        expect(world.ledger()).toEqual([])
        expect(report.counts).toEqual({ rejected: 1, skipped: report.rows.length - 1 })
      })
    ))
})

describe("minus phrases", () => {
  it("remove_minus takes just the matching phrases off the lists and keeps the others", () =>
    Scenario.run(
      {
        seed,
        rules: [
          rule(
            'each: cluster\nwhere:\n  - cluster.in_minus\n  - query contains any ["м"]\nwhen: campaign.status = active\ndo: remove_minus'
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const first = yield* world.plan
          const { changes } = first.reviewed.plan
          expect(changes.length).toBeGreaterThan(0)
          expect(new Set(changes.map(({ before, after }) => `${before} → ${after}`))).toEqual(
            new Set(["true → false"])
          )
          const { rows } = first.gathered.table("cluster")
          const [ours, other] = changes.flatMap((change) => {
            const kept = rows.find((row) => row.itemId === change.subject.itemId && !/м/i.test(row.cluster!))
            return kept === undefined ? [] : [change.subject, kept]
          })
          const { campaignId, itemId, cluster } = ours!
          world.edit({ campaignId: campaignId!, itemId: itemId!, minus: [cluster!, other!.cluster!] })
          const report = yield* world.apply(first)
          expect(report.counts).toEqual({ applied: changes.length })
          const entries = world.ledger()
          expect(entries.map((entry) => entry.slot)).toEqual(entries.map(() => "minus"))
          const taken = entries.flatMap((entry) =>
            (entry.before as ReadonlyArray<string>)
              .filter((phrase) => !(entry.after as ReadonlyArray<string>).includes(phrase))
              .map((phrase) => `${keyOf(entry.target)}/${phrase}`)
          )
          expect(taken.sort()).toEqual(changes.map((change) => Target.key(change.subject)).sort())
          expect(entries.find((entry) => entry.target.itemId === itemId)?.after).toEqual([other!.cluster])
          const second = yield* world.plan
          expect(second.reviewed.plan.changes).toEqual([])
          expect(second.open).toEqual([])
        })
    ))
})

/** One campaign of each kind: the sixth is paused with money, the seventh ready without. */
const seven = { campaigns: 7, items: 2, clusters: 4 }
const ofCampaigns = (where: string, action: string, when = "campaign.id > 1", name = "rule"): Load.File =>
  rule(`each: campaign\nwhere: ${where}\nwhen: ${when}\ndo: ${action}`, name)

describe("states of campaigns", () => {
  it("pause pauses running campaigns and has then nothing left to do", () =>
    Scenario.run(
      { seed, scale: seven, rules: [ofCampaigns("campaign.bid_type = manual", "pause")] },
      (world) =>
        Effect.gen(function* () {
          const { reviewed } = yield* carriedOut(world, /^already paused/)
          expect(new Set(reviewed.plan.changes.map(({ before, after }) => `${before} → ${after}`))).toEqual(
            new Set(["active → paused"])
          )
          expect(reviewed.plan.unchanged.map((row) => Said.why(row)).sort()).toEqual([
            "a campaign that is ready cannot become paused",
            "already paused"
          ])
        })
    ))

  it.each([
    { asks: "figures of its own day", when: "spend default 0 ₽ < 1000000 ₽", goes: false },
    { asks: "what is no day's", when: "campaign.id > 1", goes: true }
  ])("a pause that is sent after midnight goes where it asked $asks: $goes", ({ goes, when }) =>
    Scenario.run(
      {
        seed,
        scale: seven,
        rules: [
          rule(`each: campaign\nwhere: campaign.status = active\nwindow: today\nwhen: ${when}\ndo: pause`)
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          expect(changes.length).toBeGreaterThan(0)
          const day = Days.ofMarket(world.now())
          yield* world.advance("20 hours")
          expect(Days.ofMarket(world.now())).not.toBe(day)
          const report = yield* world.apply(planned)
          expect(world.ledger()).toHaveLength(goes ? changes.length : 0)
          expect(new Set(report.rows.map((row) => `${row.state}: ${Reasons.ofRow(row)}`))).toEqual(
            new Set([
              goes
                ? "applied: read back"
                : `skipped: not sent: figures of ${day} asked for the pause, and it is another day of the marketplace; the next plan asks that day's`
            ])
          )
          if (!goes)
            expect((yield* world.apply(yield* world.plan)).counts).toEqual({ applied: changes.length })
        })
    )
  )

  it("a start that figures of the day take back is not paused by them on another day", () =>
    Scenario.run(
      {
        seed,
        scale: seven,
        rules: [
          rule(
            "each: campaign\nwindow: today\nwhen: campaign.status = paused\ndo: start\nrevert_when: spend default 0 ₽ < 1000000 ₽"
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const { counts } = yield* world.apply(yield* world.plan)
          expect(counts).toEqual({ applied: 1 })
          yield* world.advance("15 minutes")
          const back = yield* world.plan
          expect(back.reviewed.plan.changes.map(({ after }) => after)).toEqual(["paused"])
          yield* world.advance("20 hours")
          const { rows } = yield* world.apply(back)
          expect(rows.map(({ reason, state }) => [state, reason?.code])).toEqual([["skipped", "day_over"]])
          expect(world.ledger()).toHaveLength(1)
          expect((yield* world.apply(yield* world.plan)).counts).toEqual({ applied: 1 })
        })
    ))

  it("start starts a paused campaign; one without budget is held, and starts once it has some", () =>
    Scenario.run(
      { seed, scale: seven, rules: [ofCampaigns("campaign.status in [paused, ready]", "start")] },
      (world) =>
        Effect.gen(function* () {
          const first = yield* world.plan
          const { changes, held } = first.reviewed.plan
          expect(changes.map(({ before, after }) => `${before} → ${after}`)).toEqual(["paused → active"])
          expect(Said.held(held).map(({ by, over }) => `${by}: ${over}`)).toEqual([
            "budget: its budget is empty, and the marketplace starts no campaign without one; top it up first: rules pay nothing to a campaign that a rule has paused, so a person does"
          ])
          expect((yield* world.apply(first)).counts).toEqual({ applied: 1 })
          expect(world.ledger().map(happened)).toEqual([wanted(changes[0]!)])
          for (let run = 0; run < 5; run++) {
            yield* world.advance("10 minutes")
            yield* world.apply(yield* world.plan)
          }
          expect(world.requests("startCampaign")).toBe(1)
          const dry = Shop.campaign(world.sandbox.world(defaultSeller), held[0]!.change.subject.campaignId!)
          dry!.purse.leftKopecks += 500_000
          const topped = yield* world.plan
          expect(topped.reviewed.plan.changes.map(({ id }) => id)).toEqual([held[0]!.change.id])
          expect((yield* world.apply(topped)).counts).toEqual({ applied: 1 })
        })
    ))

  it.each([
    { stop: "safety", starts: false },
    { stop: "normal", starts: true }
  ])(
    "start takes back a pause of another policy that is not due, but none of a higher tier ($stop)",
    ({ starts, stop }) =>
      Scenario.run(
        {
          seed,
          scale: seven,
          rules: [
            rule(
              `tier: ${stop}\neach: campaign\nwhere: campaign.status = active\nwhen: campaign.id > 1\ndo: pause`,
              "stop"
            ),
            rule("each: campaign\nwhen: campaign.status = paused\ndo: start", "go")
          ]
        },
        (world) =>
          Effect.gen(function* () {
            const stopping = yield* world.planOf(new Set(["stop"]))
            yield* world.apply(stopping)
            yield* world.advance("2 hours")
            const ours = stopping.reviewed.plan.changes.map(({ subject }) => subject.campaignId)
            expect(ours.length).toBeGreaterThan(0)
            const later = yield* world.planOf(new Set(["go"]))
            yield* world.apply(later)
            const started = world
              .ledger()
              .flatMap(({ after, target }) => (after === 9 ? [target.campaignId] : []))
            expect(ours.filter((id) => started.includes(id!))).toEqual(starts ? ours : [])
            if (!starts)
              expect(later.reviewed.plan.unchanged.map(Said.why)).toContain(
                "stop (tier safety) paused the campaign: without revert_when a person starts it again"
              )
          })
      )
  )

  it("start starts ready campaigns that have a budget, when the rule asks for one", () =>
    Scenario.run(
      {
        seed,
        scale: many,
        rules: [ofCampaigns("campaign.status = ready", "start", "budget >= 1 ₽")]
      },
      (world) =>
        Effect.gen(function* () {
          const funded = readyWithBudget(many)
          const first = yield* world.plan
          const { changes } = first.reviewed.plan
          expect(changes.map((change) => change.subject.campaignId)).toEqual(funded)
          expect(changes.map((change) => change.reversible)).toEqual(funded.map(() => false))
          expect((yield* world.apply(first)).status).toBe("done")
          expect(world.ledger().map(happened)).toEqual(changes.map(wanted))
          expect((yield* world.plan).reviewed.plan.changes).toEqual([])
        })
    ))
})

const many = { campaigns: 120, items: 1, clusters: 1 }
const readyWithBudget = (scale: Scale.Scale): ReadonlyArray<number> =>
  Array.from({ length: scale.campaigns }, (_, index) =>
    Blueprint.make(seed, scale, 1_000_001, index)
  ).flatMap(({ id, status, budgetRoubles }) =>
    status === Blueprint.status.ready && budgetRoubles > 0 ? [id] : []
  )

const raiseAll = rule(
  "each: campaign_item\nwhere:\n  - campaign.payment = cpm\n  - campaign.status = active\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: 50%, cap: 900 ₽}\ncooldown: 1h"
)

describe("limits of the account", () => {
  it("max_bid clamps every bid, and a campaign selector clamps its campaigns tighter", () =>
    Scenario.run(
      {
        seed,
        rules: [
          raiseAll,
          limits(
            'account:\n  max_bid: {cpm: 220 ₽}\n  enforce_max_bid: off\ncampaigns:\n  - where: campaign.name matches "*полки"\n    max_bid: {cpm: 190 ₽}'
          )
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const { reviewed } = yield* carriedOut(world, /^(cooldown until|no room to move)/)
          const bound = (change: Change) => (change.campaignName.endsWith("полки") ? 19_000 : 22_000)
          for (const change of reviewed.plan.changes) {
            expect(change.after).toBe(Math.min(bound(change), down(Number(change.before) * 1.5, 100)))
          }
          const clamps = reviewed.plan.changes.flatMap((change) => change.clamps)
          expect(new Set(clamps.filter((c) => c.by === "max_bid").map((c) => c.where))).toEqual(
            new Set([
              "_shared/limits.yaml account.max_bid.cpm",
              "_shared/limits.yaml campaigns[0].max_bid.cpm"
            ])
          )
        })
    ))

  it("never_touch holds every change of its campaigns and sends the others", () =>
    Scenario.run(
      { seed, rules: [raiseAll, limits('account:\n  never_touch: campaign.name matches "*полки"')] },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { held, changes } = planned.reviewed.plan
          expect(new Set(held.map((one) => `${one.by} ${one.change.campaignName}`))).toEqual(
            new Set(["never_touch Поиск и полки"])
          )
          expect((yield* world.apply(planned)).status).toBe("done")
          expect(world.ledger().map(happened).sort()).toEqual(changes.map(wanted).sort())
          expect(changes.filter((change) => change.campaignName === "Поиск и полки")).toEqual([])
        })
    ))

  it("changes_per_run lets so many bids through and holds the others with the number", () =>
    Scenario.run({ seed, rules: [raiseAll, limits("account:\n  changes_per_run: 5")] }, (world) =>
      Effect.gen(function* () {
        const planned = yield* world.plan
        const { held, changes } = planned.reviewed.plan
        expect(changes).toHaveLength(5)
        expect(new Set(held.map((one) => `${Said.limit(one)}: ${Said.over(one)}`))).toEqual(
          new Set([
            `_shared/limits.yaml account.changes_per_run 5: ${5 + held.length} changes, ${held.length} over`
          ])
        )
        yield* world.apply(planned)
        expect(world.ledger().map(happened).sort()).toEqual(changes.map(wanted).sort())
      })
    ))

  it("changes_per_run holds all pauses when they are too many", () =>
    Scenario.run(
      {
        seed,
        scale: seven,
        rules: [ofCampaigns("campaign.status = active", "pause"), limits("account:\n  changes_per_run: 2")]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          expect(planned.reviewed.plan.changes).toEqual([])
          expect(planned.reviewed.plan.held).toHaveLength(5)
          yield* world.apply(planned)
          expect(world.ledger()).toEqual([])
        })
    ))

  it("changes_per_run lets the minus phrases through that save most where the policy says worst_first, and others later", async () => {
    const withLimit = <A>(limit: string, story: (world: Scenario.World) => Effect.Effect<A, unknown>) =>
      Scenario.run(
        {
          seed,
          rules: [
            rule(
              `each: cluster\nwhere:\n  - campaign.payment = cpm\n  - not cluster.in_minus\nwindow: 7d\nwhen: spend > 0 ₽\ndo: add_minus\nlimits: {${limit}}`
            )
          ]
        },
        story
      )
    const spends = (changes: ReadonlyArray<Change>) =>
      changes.map(({ spendPerDayKopecks = 0 }) => spendPerDayKopecks).sort((a, b) => b - a)
    const sizeOf = (list: unknown) => (Array.isArray(list) ? list.length : 0)
    const held = await withLimit("changes_per_run: 4", (world) =>
      Effect.map(world.plan, ({ reviewed }) => {
        expect(reviewed.plan.changes).toEqual([])
        return spends(reviewed.plan.held.map(({ change }) => change))
      })
    )
    await withLimit("changes_per_run: 4, excess: worst_first", (world) =>
      Effect.gen(function* () {
        const first = yield* world.plan
        expect(spends(first.reviewed.plan.changes)).toEqual(held.slice(0, 4))
        expect((yield* world.apply(first)).status).toBe("done")
        const grown = world.ledger().map(({ after, before }) => sizeOf(after) - sizeOf(before))
        expect(grown.reduce((sum, phrases) => sum + phrases, 0)).toBe(4)
        const second = yield* world.plan
        expect(spends(second.reviewed.plan.changes)).toEqual(held.slice(4, 8))
      })
    )
  })

  it("a policy in mode preview is shown and not sent, one in mode apply beside it is sent", () =>
    Scenario.run(
      {
        seed,
        scale: seven,
        rules: [
          rule(
            "each: campaign_item\nwhere: campaign.payment = cpc\nwhen: bid > 1 ₽\ndo:\n  raise_bid: {by: 10%, cap: 40 ₽}\ncooldown: 6h",
            "shown",
            "preview"
          ),
          ofCampaigns("campaign.bid_type = unified", "pause", "campaign.id > 1", "sent")
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const planned = yield* world.plan
          const { changes } = planned.reviewed.plan
          expect(new Set(changes.map((change) => change.origin.name))).toEqual(new Set(["shown", "sent"]))
          const report = yield* world.apply(planned)
          expect(report.rows.map((row) => row.change.origin.name)).toEqual(["sent"])
          expect(world.ledger().map(happened)).toEqual(
            changes.filter((change) => change.origin.name === "sent").map(wanted)
          )
        })
    ))

  it("what was paused one by one starts again together, though share_of_scope lets no half of them change at once", () =>
    Scenario.run(
      {
        seed,
        scale: { campaigns: 4, items: 1, clusters: 2 },
        rules: [
          {
            path: "rules/nights.yaml",
            text: `version: 1
name: Nights
mode: apply
schedule: {every: 1h, tz: Europe/Moscow}
each: campaign
where: campaign.status in [active, paused] and campaign.id < 1000005
when: (campaign.id = 1000001 and hour >= 10) or (campaign.id = 1000002 and hour >= 11) or (campaign.id in [1000003, 1000004] and hour >= 12)
do: pause
revert_when: hour < 6
`
          },
          limits("account:\n  share_of_scope: 60%\n  changes_per_run: 2")
        ]
      },
      (world) =>
        Effect.gen(function* () {
          const held: Array<string> = []
          for (let hour = 0; hour < 40; hour++) {
            const planned = yield* world.plan
            held.push(...planned.reviewed.plan.held.map(({ by, change }) => `${change.action} ${by}`))
            yield* world.apply(planned)
            yield* world.advance("1 hour")
          }
          const of = (operation: string) => world.ledger().filter((one) => one.operation === operation).length
          expect(of("pauseCampaign")).toBeGreaterThan(2)
          expect(of("startCampaign")).toBeGreaterThan(2)
          expect(held.filter((one) => one.includes("share_of_scope"))).toEqual([])
        })
    ))
})
