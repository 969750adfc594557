import { describe, expect, it } from "vitest"
import type { Change } from "../../src/engine/kinds/Change.js"
import { History } from "./invariants/History.js"
import { cancelled, deleted, handedOver, made, move, pass, put } from "./invariants/StoryOrders.js"
import {
  autoPromotionId,
  busyCluster,
  campaignId,
  cheapItem,
  dearItem,
  itemId,
  leastBid,
  memberItem,
  promotionId,
  quietCluster,
  rules,
  startMs,
  steeredLine,
  usualBid
} from "./invariants/StoryWorld.js"
import { bid, deposit, enrol, minus, optimised, pause } from "./invariants/Written.js"

const up = bid(usualBid, usualBid + 200)
const down = bid(usualBid + 200, usualBid)
/** Somebody starts what was paused. */
const started = { ...pause({ before: "paused", after: "active" }), before: 11, after: 9 }
const hourMs = 3_600_000

/** A history, and the invariants that it breaks. */
type Story = readonly [what: string, broken: ReadonlyArray<number>, history: () => History]

const one = (written: ReturnType<typeof bid>, course: Parameters<History["write"]>[1] = {}) =>
  new History().turn([written]).write(written, course)

/** A reason that only statistics can give. */
const bySpend = { reason: [{ condition: "spend[7d] >= 100 ₽", value: "0 ₽", holds: "true" as const }] }
const byDefault = {
  reason: [{ condition: "spend[7d] default 0 ₽ < 100 ₽", value: "0 ₽", holds: "true" as const }]
}

const spendsNothing = {
  reason: [{ condition: "spend default 0 ₽ < 50 ₽", value: "0 ₽", holds: "true" as const }]
}
const by = (name: string): Change["origin"] => ({ by: "policy", name, line: 3 })
const steered = (before: number, after: number) =>
  bid(before, after, { origin: { by: "policy", name: "steered", line: steeredLine } })
/** What the change of a bid in search says of an overlay. */
const laid = (basisPoints: number, base: number): Partial<Change> => ({
  kind: "item_bid",
  details: {
    placement: "search",
    payment: "cpm",
    overlay: { policy: "bids", basisPoints, baseBeforeKopecks: base, baseKopecks: base }
  }
})
const overlay = (before: number, after: number, basisPoints: number, base: number) =>
  bid(before, after, {
    action: "adjust_bid",
    ...laid(basisPoints, base)
  })
/** A raise because of orders, and what the marketplace says of them. */
const few = bid(usualBid, usualBid + 200, {
  origin: { by: "policy", name: "steered", line: steeredLine },
  reason: [{ condition: "orders <= 9", value: "0", holds: "true" }]
})
const statistics = (nmId: number, figures: object = { views: 7, orders: 1 }) => ({
  advertId: campaignId,
  days: [{ apps: [{ nms: [{ nmId, ...figures }] }] }]
})
/** The stories begin at nine in the morning in Moscow. */
const minutesToMidnight = 15 * 60
const nothingSpent = (written: ReturnType<typeof pause>, minutes = 0) => {
  const list = ["getCampaignStats", "getClusterStats"].map((operation) => ({
    kind: "zeros" as const,
    operation
  }))
  return new History()
    .event({ _tag: "Faults", at: startMs, untilMs: startMs + 24 * hourMs, list })
    .pass(minutes)
    .turnThatRead(200, written)
    .write(written)
}

const stories: ReadonlyArray<Story> = [
  [
    "a bid is raised, read back, and lowered on another day",
    [],
    () =>
      one(up)
        .pass(5)
        .read("getCampaigns")
        .pass(24 * 60)
        .turn([down])
        .write(down)
  ],

  ["a bid lies above the highest allowed", [1, 2], () => one(bid(usualBid, 40_100))],
  ["a bid goes past the cap of its own rule, by half a step", [1], () => one(steered(39_700, 40_000))],
  ["a bid goes as far as its own rule lets it", [], () => one(steered(39_600, 39_900))],
  ["a bid goes a step farther than its own rule says", [1], () => one(steered(30_000, 30_400))],
  [
    "an overlay ends, and the bid is not its base",
    [1],
    () => one(overlay(usualBid + 1000, usualBid + 100, 0, usualBid))
  ],
  ["a bid lies below the smallest", [1], () => one(bid(leastBid, leastBid - 100))],
  ["a bid goes farther than the day allows", [2], () => one(bid(usualBid, usualBid * 2 - (usualBid % 100)))],
  ["a bid goes half a step farther than the day allows", [2], () => one(bid(10_200, 12_300))],
  ["a bid goes as far as the day allows", [], () => one(bid(10_200, 12_200))],
  ["a bid above the highest allowed comes down to it", [], () => one(bid(60_000, 40_000))],
  [
    "a bid goes too far in two steps",
    [2],
    () => one(bid(10_000, 11_900)).pass(60).turn().write(bid(11_900, 13_000))
  ],

  ["a campaign gets a deposit", [], () => one(deposit(1000))],
  [
    "a campaign gets more than it may in a day",
    [3],
    () => one(deposit(1000)).pass(60).turn().write(deposit(1000))
  ],
  [
    "deposits without an answer count",
    [3],
    () => one(deposit(1000), { isUnknown: true, ends: "parked" }).pass(60).turn().write(deposit(1000))
  ],
  [
    "a deposit without an answer counts for ten minutes, whatever the journal says",
    [3],
    () =>
      one(deposit(1000), { isUnknown: true, hasNoEffect: true, ends: "not_applied" })
        .pass(6)
        .turn()
        .write(deposit(1000))
  ],
  [
    "a deposit comes when it is called unpaid already, and counts",
    [3, 22],
    () =>
      one(deposit(1000), { isUnknown: true, isLate: true, ends: "not_applied" })
        .pass(60)
        .turn()
        .write(deposit(1000))
  ],
  [
    "one intent is sent twice",
    [4],
    () => {
      const story = one(deposit(500)).pass(10)
      return story.write(deposit(500))
    }
  ],

  [
    "a write leaves before its row is committed",
    [5, 25],
    () => one(up, { isUnjournaled: true, isUnread: false })
  ],

  ["an unknown write is repeated at once", [6, 7, 8], () => one(up, { isUnknown: true }).write(up)],
  [
    "an unknown write is repeated when something else was read",
    [6],
    () =>
      one(up, { isUnknown: true, hasNoEffect: true }).pass(5).read("getBalance").write(up, { isUnread: true })
  ],
  [
    "an unknown write is repeated when it was read too early",
    [6],
    () =>
      one(up, { isUnknown: true, hasNoEffect: true })
        .read("getCampaigns")
        .pass(5)
        .write(up, { isUnread: true })
  ],
  [
    "an unknown write is repeated when it was read and not there",
    [],
    () =>
      one(up, { isUnknown: true, hasNoEffect: true, ends: "not_applied" })
        .pass(5)
        .read("getCampaigns")
        .turn([up])
        .write(up)
  ],

  ["two writes to a place are under way", [7, 8], () => one(up, { tookMs: 9000 }).write(up)],
  [
    "two deposits of the account are under way",
    [7],
    () => one(deposit(200), { tookMs: 240_000 }).pass(3.5).turn().write(deposit(200))
  ],
  [
    "a write leaves over one that another run left open",
    [7],
    () => {
      const story = new History().leaves(up, "run 0", 9).turn([up])
      return story.write(up)
    }
  ],

  ["a life writes while another one holds the lock", [7], () => one(up, { lockedBy: "life 2, run 9" })],
  ["a life writes with the lock", [], () => one(up, { lockedBy: "life 1, run 1" })],

  [
    "a second write comes before the first can be seen",
    [8],
    () => one(up).pass(0.1).turn([down]).write(down)
  ],

  [
    "a bid is raised although no statistics could be read",
    [9],
    () => {
      const blind = bid(usualBid, usualBid + 200, bySpend)
      return new History().turnThatRead(502, blind).write(blind)
    }
  ],
  [
    "a bid is raised for its spend, which was read",
    [],
    () => {
      const seen = bid(usualBid, usualBid + 200, bySpend)
      return new History().turnThatRead(200, seen).write(seen)
    }
  ],
  [
    "a bid is raised for what holds without statistics",
    [],
    () => {
      const safe = bid(usualBid, usualBid + 200, byDefault)
      return new History().turnThatRead(502, safe).write(safe)
    }
  ],
  [
    "a bid is raised while all statistics are null",
    [9],
    () => {
      const list = ["getCampaignStats", "getClusterStats"].map((operation) => ({
        kind: "nulls" as const,
        operation
      }))
      const blind = bid(usualBid, usualBid + 200, bySpend)
      return new History()
        .event({ _tag: "Faults", at: startMs, untilMs: startMs + hourMs, list })
        .turnThatRead(200, blind)
        .write(blind)
    }
  ],
  [
    "a bid is raised while nulls are armed behind another fault, which strikes instead",
    [],
    () => {
      const list = (kind: "zeros" | "nulls", share?: number) =>
        ["getCampaignStats", "getClusterStats"].map((operation) => ({
          kind,
          operation,
          ...(share && { share })
        }))
      const seen = bid(usualBid, usualBid + 200, bySpend)
      const window = { _tag: "Faults" as const, at: startMs, untilMs: startMs + hourMs }
      return new History()
        .event({ ...window, list: list("nulls") })
        .event({ ...window, list: list("zeros", 0.3) })
        .turnThatRead(200, seen)
        .write(seen)
    }
  ],
  [
    "a campaign is paused by a default of nothing while all statistics are zero, and it has spent",
    [14],
    () => nothingSpent(pause(spendsNothing))
  ],
  [
    "a campaign is paused by a default of nothing while all statistics are zero, and has spent nothing yet",
    [],
    () => nothingSpent(pause(spendsNothing), minutesToMidnight)
  ],
  [
    "a campaign is paused by a default of nothing while all statistics are zero, and all have spent next to nothing",
    [],
    () => nothingSpent(pause(spendsNothing), minutesToMidnight + 5)
  ],
  [
    "money is believed that is a hundred times too large",
    [9],
    () => {
      const list = ["getCampaignStats", "getClusterStats"].map((operation) => ({
        kind: "hundredfold" as const,
        operation
      }))
      const reason = bySpend.reason.map((one) => ({ ...one, value: "25000 ₽" }))
      const rich = bid(usualBid, usualBid + 200, { reason })
      return new History()
        .event({ _tag: "Faults", at: startMs, untilMs: startMs + hourMs, list })
        .turnThatRead(200, rich)
        .write(rich)
    }
  ],
  [
    "a bid is raised by a figure that no answer had",
    [9],
    () => new History().turnThatWasTold([statistics(1)], few).write(few)
  ],
  [
    "a bid is raised by a figure without its field",
    [9],
    () => new History().turnThatWasTold([statistics(itemId, { views: 7 })], few).write(few)
  ],
  [
    "a bid is raised by a figure that came",
    [],
    () => new History().turnThatWasTold([statistics(itemId)], few).write(few)
  ],
  [
    "a run that may only look writes",
    [9],
    () => new History().turn([up], { observeOnly: "all zeros" }).write(up)
  ],
  ["the audit chain does not verify", [25], () => one(up).breaksChain("row 3: its hash is another one")],

  [
    "a campaign is paused although no statistics could be read",
    [14],
    () => {
      const blind = pause(bySpend)
      return new History().turnThatRead(502, blind).write(blind)
    }
  ],

  [
    "a run changes more than a policy may",
    [10],
    () => {
      const all = ["a", "b", "c"].map((phrase, i) =>
        minus(["a", "b", "c"].slice(0, i), ["a", "b", "c"].slice(0, i + 1), phrase)
      )
      const story = new History().turn(all)
      for (const written of all) story.write(written).pass(5)
      return story
    }
  ],
  [
    "a run changes as much as a policy may",
    [],
    () => {
      const story = new History().turn()
      return story.write(up).write(pause())
    }
  ],

  [
    "a bid is written that somebody has changed since the plan",
    [11],
    () =>
      new History()
        .turn([up])
        .pass(1)
        .human(bid(usualBid, usualBid + 500))
        .pass(1)
        .write(up)
  ],
  [
    "a bid is written that somebody has changed and changed back since the plan",
    [],
    () =>
      new History()
        .turn([up])
        .pass(1)
        .human(bid(usualBid, usualBid + 500))
        .pass(1)
        .human(bid(usualBid + 500, usualBid))
        .pass(1)
        .write(up)
  ],
  [
    "a deposit is made although somebody has paid since the plan",
    [11],
    () =>
      new History()
        .turn([deposit(500)])
        .pass(1)
        .human(deposit(700))
        .pass(1)
        .write(deposit(500))
  ],
  [
    "a bid is written though somebody has set another one since ours",
    [11],
    () => {
      const theirs = bid(usualBid + 200, usualBid + 500)
      const over = bid(usualBid + 500, usualBid + 600)
      return one(up).pass(60).human(theirs).pass(60).turn([over]).write(over)
    }
  ],
  [
    "a bid is written that somebody had set while an earlier one of ours was to take effect, over theirs",
    [],
    () => {
      const theirs = bid(usualBid, usualBid + 500)
      const over = bid(usualBid + 200, usualBid + 400)
      return one(up).pass(0.2).human(theirs).pass(60).turn([over]).write(over)
    }
  ],
  [
    "a bid is written four days after somebody has set it",
    [],
    () => {
      const theirs = bid(usualBid + 200, usualBid + 500)
      const over = bid(usualBid + 500, usualBid + 600)
      return one(up)
        .pass(60)
        .human(theirs)
        .pass(4 * 24 * 60)
        .turn([over])
        .write(over)
    }
  ],
  [
    "a bid is written four days after somebody has set it, by a clock that was set forward",
    [],
    () => {
      const theirs = bid(usualBid + 200, usualBid + 500)
      const over = bid(usualBid + 500, usualBid + 600)
      const story = one(up)
        .pass(60)
        .human(theirs)
        .pass(2 * 24 * 60)
      return story
        .event({ _tag: "Clock", at: startMs, byMs: 0 })
        .event({ _tag: "Clock", at: startMs + 24 * 3_600_000, byMs: 2 * 24 * 3_600_000 })
        .turn([over])
        .write(over)
    }
  ],
  [
    "a campaign is paused that somebody started before our pause was read, and paused and started later",
    [],
    () =>
      one(pause())
        .pass(1)
        .human(started)
        .read("getCampaigns")
        .pass(60)
        .human(pause())
        .read("getCampaigns")
        .pass(60)
        .human(started)
        .pass(60)
        .turn([pause()])
        .write(pause())
  ],
  [
    "a campaign is paused that somebody started once our pause was read",
    [11],
    () =>
      one(pause())
        .pass(30)
        .read("getCampaigns")
        .pass(1)
        .human(started)
        .pass(60)
        .turn([pause()])
        .write(pause())
  ],
  [
    "a bid is written that somebody had set and set back",
    [],
    () => {
      const theirs = bid(usualBid + 200, usualBid + 500)
      const back = bid(usualBid + 500, usualBid + 200)
      return one(up).pass(60).human(theirs).pass(1).human(back).pass(60).turn([down]).write(down)
    }
  ],
  [
    "a list is written without the phrase that was claimed for it",
    [12],
    () => one(minus([], ["theirs"], "ours", { action: "add_minus", before: false, after: true }))
  ],
  [
    "a phrase is added again that somebody took out of the list once it was read there",
    [11],
    () => {
      const ours = minus(["theirs"], ["ours", "theirs"], "ours")
      const out = minus(["ours", "theirs"], ["theirs"], "ours")
      return one(ours).pass(60).read("getMinusPhrases").pass(1).human(out).pass(60).turn([ours]).write(ours)
    }
  ],
  [
    "a phrase is added again that was never read in the list",
    [],
    () => {
      const ours = minus(["theirs"], ["ours", "theirs"], "ours")
      const out = minus(["ours", "theirs"], ["theirs"], "ours")
      return one(ours).pass(60).human(out).pass(60).turn([ours]).write(ours)
    }
  ],
  [
    "a phrase is added again whose list was answered by a web page only, until somebody took it out",
    [],
    () => {
      const ours = minus(["theirs"], ["ours", "theirs"], "ours")
      const out = minus(["ours", "theirs"], ["theirs"], "ours")
      return one(ours)
        .pass(60)
        .readSpoilt("getMinusPhrases")
        .pass(1)
        .human(out)
        .pass(60)
        .turn([ours])
        .write(ours)
    }
  ],
  ["a bid is written that was not read again", [11], () => one(up, { isUnread: true })],
  [
    "somebody changes another campaign's bid",
    [],
    () => {
      const other = bid(usualBid, usualBid + 500)
      const elsewhere = { ...other, slot: "bid.recommendations" as const }
      return new History().turn([up]).pass(1).human(elsewhere).pass(1).write(up)
    }
  ],

  ["a minus list loses a phrase of somebody else", [12], () => one(minus(["theirs"], ["ours"], "ours"))],
  [
    "a minus list loses a phrase that was added before it was read, seconds ago",
    [12],
    () => {
      const story = new History()
        .turn()
        .human(minus([], ["theirs"], "theirs"))
        .pass(0.05)
      return story.write(minus(["theirs"], ["ours"], "ours"))
    }
  ],
  [
    "a minus list loses a phrase that was added after it was read",
    [],
    () => {
      const story = new History().turn().read("getMinusPhrases").pass(0.05)
      return story
        .human(minus([], ["theirs"], "theirs"))
        .write(minus(["theirs"], ["ours"], "ours"), { isUnread: true })
    }
  ],
  [
    "a minus list loses a phrase because it was read long before",
    [12],
    () => {
      const story = new History().turn().read("getMinusPhrases").pass(0.25)
      return story
        .human(minus([], ["theirs"], "theirs"))
        .write(minus(["theirs"], ["ours"], "ours"), { isUnread: true })
    }
  ],
  ["a minus list gets a phrase beside others", [], () => one(minus(["theirs"], ["ours", "theirs"], "ours"))],
  [
    "a minus list loses the phrase that was asked for",
    [],
    () => one(minus(["ours", "theirs"], ["theirs"], "ours"))
  ],

  [
    "a change is taken back exactly",
    [],
    () =>
      one(up)
        .pass(60)
        .turn([], { kind: "undo" })
        .write(bid(usualBid + 200, usualBid, undoing(up)))
  ],
  [
    "a change is taken back to another value",
    [15],
    () =>
      one(up)
        .pass(60)
        .turn([], { kind: "undo" })
        .write(bid(usualBid + 200, usualBid + 100, undoing(up)))
  ],
  [
    "a change is taken back over somebody's value",
    [15],
    () =>
      one(up)
        .pass(60)
        .human(bid(usualBid + 200, usualBid + 500))
        .pass(1)
        .turn([], { kind: "undo" })
        .write(bid(usualBid + 500, usualBid, undoing(up)))
  ],
  [
    "a change is taken back by a repetition of a request that was refused, and asked for again",
    [],
    () =>
      one(up)
        .pass(60)
        .turn([], { kind: "undo" })
        .repeated(bid(usualBid + 200, usualBid, undoing(up)))
        .write(bid(usualBid, usualBid, undoing(up)))
  ],
  [
    "a change is taken back twice",
    [15],
    () => {
      const back = bid(usualBid + 200, usualBid, undoing(up))
      return one(up)
        .pass(60)
        .turn([], { kind: "undo" })
        .write(back)
        .pass(60)
        .human(up)
        .pass(1)
        .turn([], { kind: "undo" })
        .write(back)
    }
  ],
  [
    "a change is taken back, somebody brings it back before that can be seen, and it is taken back again",
    [],
    () => {
      const back = bid(usualBid + 200, usualBid, undoing(up))
      return one(up)
        .pass(60)
        .turn([], { kind: "undo" })
        .write(back, { ends: "not_applied" })
        .pass(1)
        .human(up)
        .pass(60)
        .turn([], { kind: "undo" })
        .write(back)
    }
  ],
  [
    "a change is taken back, that is taken back too, and then the change once more",
    [],
    () => {
      const back = bid(usualBid + 200, usualBid, undoing(up))
      const again = bid(usualBid, usualBid + 200, undoing(back, "run 2"))
      const story = one(up)
      for (const written of [back, again, back])
        story.pass(60).turn([written], { kind: "undo" }).write(written)
      return story
    }
  ],
  [
    "a phrase is taken back, and the list has others",
    [],
    () => {
      const first = minus(["theirs"], ["ours", "theirs"], "ours")
      const back = minus(["more", "ours", "theirs"], ["more", "theirs"], "ours", undoing(first))
      return one(first).pass(60).turn([back], { kind: "undo" }).write(back)
    }
  ],
  [
    "a pause is taken back to what the journal says was there, and the ledger has something else",
    [15],
    () => {
      const first = { ...pause(), before: 4 }
      const back = {
        ...pause({ ...undoing(first), action: "start", before: "paused", after: "active" }),
        before: 11,
        after: 9,
        operation: "startCampaign",
        url: `/start?id=${campaignId}`
      }
      return one(first).pass(60).turn([back], { kind: "undo" }).write(back)
    }
  ],
  [
    "a phrase is taken back to where the ledger has it, whatever the journal says was there",
    [15],
    () => {
      const first = minus(["theirs"], ["ours", "theirs"], "ours", { before: true })
      const back = minus(["ours", "theirs"], ["ours", "theirs"], "ours", {
        ...undoing(first),
        action: "remove_minus"
      })
      return one(first).pass(60).turn([back], { kind: "undo" }).write(back)
    }
  ],

  [
    "a bid is written after the kill switch was pulled",
    [16],
    () => {
      const story = one(up)
      story.record.killed.push({ from: startMs + 1, to: startMs + hourMs })
      return story.pass(5).write(down)
    }
  ],
  [
    "a bid is written at the instant at which the kill switch was pulled while it waited",
    [16],
    () => {
      const story = new History().turn([up])
      story.record.killed.push({ from: startMs, to: startMs + hourMs, requestsFrom: 0 })
      return story.write(up)
    }
  ],
  [
    "a bid leaves when the process wakes that hung when the kill switch was pulled",
    [],
    () => {
      const story = new History().turn([up])
      story.record.killed.push({ from: startMs - 1000, to: startMs + hourMs })
      story.record.zombies.push({ life: 1, hungAt: startMs - hourMs, wokenAt: startMs })
      return story.write(up)
    }
  ],
  [
    "a bid is written while planning",
    [16],
    () => {
      const story = one(up)
      for (const cycle of story.record.cycles) cycle.requestsPlanned = 9
      return story
    }
  ],
  [
    "a list is changed that no policy which applies could want to change",
    [16],
    () => {
      const list = minus([], ["ours"], "ours")
      const policies = rules.policies.filter(({ id }) => id === "bids")
      return new History().turn([list], { rules: { ...rules, policies } }).write(list)
    }
  ],
  [
    "a policy in preview changes something",
    [16],
    () => one(bid(usualBid, usualBid + 200, { origin: by("shown") }))
  ],
  [
    "a person approves what a policy in preview wants",
    [],
    () => {
      const shown = bid(usualBid, usualBid + 200, { origin: by("shown") })
      return new History().turn([shown], { kind: "approve" }).write(shown)
    }
  ],

  [
    "a policy that waits for a person changes something",
    [16],
    () => one(bid(usualBid, usualBid + 200, { origin: by("asked") }))
  ],
  [
    "what a person let be laid over a bid ends",
    [],
    () =>
      one(bid(usualBid + 200, usualBid, { origin: by("asked"), action: "adjust_bid", ...laid(0, usualBid) }))
  ],

  ["the same input gives another plan", [17], () => new History().turn([], { isRepeatable: false })],
  [
    "a process plans anew from what another, woken beside it, has begun to apply",
    [],
    () => new History().turn([up], { life: 2, isRepeatable: false, endedAt: undefined }).turn([up]).write(up)
  ],
  [
    "a process that hung while it planned plans anew from what its successor has written",
    [],
    () => {
      const story = new History().turn([], { isRepeatable: false, endedAt: undefined })
      story.record.zombies.push({ life: 1, hungAt: startMs + 500, wokenAt: startMs + 60_000 })
      return story
    }
  ],

  [
    "a bid goes to and fro four times in a day",
    [18],
    () => {
      const story = new History()
      for (const written of [up, down, up, down, up]) story.turn([written]).write(written).pass(30)
      return story
    }
  ],
  [
    "an overlay comes and goes four times in a day",
    [],
    () => {
      const story = new History()
      for (const { after, before } of [up, down, up, down, up]) {
        const edge = bid(Number(before), Number(after), {
          action: "adjust_bid",
          ...laid(2000, Math.min(Number(before), Number(after)))
        })
        story.turn([edge]).write(edge).pass(30)
      }
      return story
    }
  ],

  ["a request comes although its limit is used up", [21], () => one(up, { isBreach: true })],
  [
    "a request comes although its limit is used up, after a restart",
    [21],
    () =>
      new History().event({ _tag: "Stop", at: startMs, downMs: 1 }).turn([up]).write(up, { isBreach: true })
  ],
  [
    "other software has used up a limit",
    [],
    () =>
      new History()
        .event({ _tag: "OtherSoftware", at: startMs, requests: 40, pick: 1 })
        .turn([up])
        .write(up, { isBreach: true })
  ],

  [
    "a process that had hung sends what it was allowed before, and one more",
    [],
    () => {
      const story = new History().turn([up])
      story.record.zombies.push({ life: 1, hungAt: startMs - 60_000, wokenAt: startMs })
      return story.write(up, { isBreach: true })
    }
  ],

  [
    "a deposit leaves when the process wakes that hung right before its first byte",
    [],
    () => {
      const story = new History().turn([deposit(500)])
      story.record.zombies.push({ life: 1, hungAt: startMs - hourMs, wokenAt: startMs, isAtRequest: true })
      return story.write(deposit(500), { isUnjournaled: true, isUnread: true })
    }
  ],
  [
    "a deposit leaves when a process wakes that hung elsewhere, and looks at nothing",
    [4, 5, 25],
    () => {
      const story = new History().turn([deposit(500)])
      story.record.zombies.push({ life: 1, hungAt: startMs - hourMs, wokenAt: startMs })
      return story.write(deposit(500), { isUnjournaled: true, isUnread: true })
    }
  ],
  [
    "two deposits of a process leave when it wakes",
    [4, 5, 25],
    () => {
      const story = new History().turn([deposit(500)])
      story.record.zombies.push({ life: 1, hungAt: startMs - hourMs, wokenAt: startMs, isAtRequest: true })
      const unlooked = { isUnjournaled: true, isUnread: true }
      return story.write(deposit(500), unlooked).write(deposit(300), unlooked)
    }
  ],

  ["a row is never settled", [22], () => one(up, { ends: "unknown" })],
  ["a deposit is never settled", [22], () => one(deposit(500), { ends: "dispatching" })],
  ["a deposit waits for a person", [], () => one(deposit(500), { ends: "parked" })],
  ["the journal denies what happened", [22], () => one(up, { ends: "not_applied" })],
  [
    "somebody put the old value back before it was read",
    [],
    () => one(up, { ends: "not_applied" }).pass(1).human(down)
  ],

  ["a request carries the token of another account", [23], () => one(up, { seller: "another" })],
  [
    "a request names a campaign of another account",
    [23],
    () => one({ ...up, body: { advert_id: campaignId, nm_bids: 1_900_000 } })
  ],

  ["a bid is off the step", [24], () => one(bid(usualBid, usualBid + 250))],
  [
    "a bid is asked for in parts of a kopeck",
    [24],
    () => one({ ...up, body: { bid_kopecks: 100.5, advert_id: campaignId } })
  ],
  ["a budget is not whole", [24], () => one({ ...deposit(500), after: 600.4 })],

  ["a change has no reason", [25], () => one(bid(usualBid, usualBid + 200, { reason: [] }))],
  ["a change has no policy", [25], () => one(bid(usualBid, usualBid + 200, { origin: by("") }))],

  [
    "a life goes on with a run of an earlier one",
    [26],
    () => {
      const story = new History().turn([up])
      story.record.runsBefore.set(2, new Set(["run 1"]))
      return story.write(up, { life: 2 })
    }
  ],
  [
    "a life writes over what an earlier one left open",
    [26],
    () => new History().leaves(up, "run 0", 2).turn([up]).write(up, { life: 2 })
  ],

  [
    "a run fails long after all has healed",
    [27],
    () => new History().pass(21).turn([], { error: "StoreFailure" })
  ],
  [
    "a turn after the healing never ends",
    [27],
    () => new History().turn([], { endedAt: undefined }).pass(60)
  ],
  [
    "a turn after the healing ends with the process that had hung",
    [],
    () => {
      const story = new History().turn([], { endedAt: undefined }).pass(60)
      story.record.zombies.push({ life: 1, hungAt: startMs - hourMs, wokenAt: startMs })
      return story
    }
  ],
  [
    "a run fails just after all has healed",
    [],
    () => new History().pass(19).turn([], { error: "StoreFailure" })
  ],

  ["an item is filed for a promotion by a rule that may", [], () => one(enrol())],
  [
    "an item is filed again in the next turn",
    [28],
    () => one(enrol()).pass(120).turn([enrol()]).write(enrol())
  ],
  [
    "an item is filed again because no answer came",
    [28],
    () => one(enrol(), { isUnknown: true, hasNoEffect: true }).pass(120).turn([enrol()]).write(enrol())
  ],
  [
    "an item is filed again after the marketplace had refused it",
    [],
    () =>
      one(enrol(), { status: 422, hasNoEffect: true, ends: "rejected" })
        .pass(120)
        .turn([enrol()])
        .write(enrol())
  ],
  [
    "two items are filed for one promotion one after the other",
    [],
    () => {
      const [first, second] = [enrol(), enrol("joinsByCost", dearItem)]
      return new History().turn([first, second]).write(first).write(second)
    }
  ],
  ["an item is filed that waits for a person", [29], () => one(enrol("joinsAsked"))],
  [
    "an item is filed that a person has approved",
    [],
    () => {
      const asked = enrol("joinsAsked")
      return new History().turn([asked], { kind: "approve" }).write(asked)
    }
  ],
  [
    "an item is filed that was not in what a person approved",
    [29],
    () =>
      new History().turn([enrol("joinsAsked", 200_000_006)], { kind: "approve" }).write(enrol("joinsAsked"))
  ],
  ["an item is filed by a policy that only shows", [16], () => one(enrol("joinsShown"))],
  ["an item is filed whose price falls too far", [30], () => one(enrol("joins", dearItem))],
  ["an item is filed at less than the seller's floor", [30], () => one(enrol("joinsByCost", 200_000_006))],
  ["an item is filed that costs little enough", [], () => one(enrol("joinsByCost", dearItem))],
  ["an item is filed that costs too much", [30], () => one(enrol("joinsByCost", cheapItem))],
  ["an item is filed of which nobody knows the cost", [30], () => one(enrol("joinsByCost", 200_000_003))],
  ["an item is filed that is in already", [30], () => one(enrol("joins", memberItem))],
  [
    "an item is filed that somebody entered since the last look",
    [],
    () => one(enrol()).isIn(promotionId, cheapItem)
  ],
  [
    "an item is filed for a promotion that the marketplace fills itself",
    [30],
    () => one(enrol("joins", memberItem, autoPromotionId))
  ],
  ["an item is filed for a promotion that has started", [30], () => one(enrol("joins", 200_000_002, 1003))],
  [
    "an item is in, and the journal says that it did not enter",
    [22],
    () =>
      one(enrol(), { ends: "conflict", reason: '{"code":"not_entered"}' })
        .pass(1)
        .isIn(promotionId, cheapItem)
  ],
  ["an item may still enter", [], () => one(enrol(), { ends: "accepted" }).pass(60)],
  [
    "an item has been in for hours, and is still open",
    [22],
    () =>
      one(enrol(), { ends: "accepted" })
        .isIn(promotionId, cheapItem)
        .pass(6 * 60)
  ],
  [
    "an item that is not in is open long after its promotion has started",
    [22],
    () => one(enrol(), { ends: "accepted" }).pass(20 * 60)
  ],

  [
    "an order goes into a supply and is handed over",
    [],
    () => one(put()).pass(30).turn().write(handedOver())
  ],
  [
    "an order leaves its supply for another one without need",
    [19],
    () => one(put()).pass(30).turn([move()]).write(move())
  ],
  [
    "an order leaves its supply because its mark was refused",
    [],
    () =>
      one(put())
        .pass(30)
        .turn()
        .write(move({ isFailing: true, wasFailing: true }))
  ],
  [
    "an order that a closed supply left over goes into another one",
    [],
    () =>
      one(put())
        .pass(30)
        .turn()
        .write(move({ isLeftOver: true }))
  ],
  ["an order leaves a supply into which somebody has just put it", [], () => one(move({ isSettled: false }))],
  ["a person moves an order", [], () => one(put()).pass(30).turn([move()], { kind: "call" }).write(move())],
  [
    "an order is handed over twice",
    [19],
    () => one(handedOver()).pass(30).turn([handedOver()]).write(handedOver())
  ],
  [
    "an order is handed over again that was sent again",
    [],
    () =>
      one(handedOver())
        .pass(30)
        .turn()
        .write(put({ isLeftOver: true }))
        .pass(30)
        .turn()
        .write(handedOver())
  ],
  ["a supply is asked for again", [31], () => one(made()).pass(30).turn([made()]).write(made())],
  [
    "a supply is asked for again because no answer came",
    [31],
    () => one(made(), { isUnknown: true, hasNoEffect: true }).pass(30).turn([made()]).write(made())
  ],
  [
    "a supply is asked for again after the marketplace had refused it",
    [],
    () =>
      one(made(), { status: 400, hasNoEffect: true, ends: "rejected" }).pass(30).turn([made()]).write(made())
  ],
  ["a cancelled order goes into a supply", [32], () => one(put({ isCancelled: true }))],
  [
    "a cancelled order was to go into a supply, and the marketplace refused it",
    [32],
    () => one(put({ isCancelled: true }), { status: 409, hasNoEffect: true, ends: "rejected" })
  ],
  ["a supply goes with the goods of a cancelled order", [32], () => one(handedOver({ isCancelled: true }))],
  [
    "a person hands a supply over from which they took the goods of a cancelled order",
    [],
    () => new History().turn([handedOver()], { kind: "call" }).write(handedOver({ isCancelled: true }))
  ],
  ["a supply is handed over that waits for a person", [33], () => one(handedOver({}, "assemblesAsking"))],
  [
    "a supply is handed over that a person has approved",
    [],
    () => {
      const asked = handedOver({}, "assemblesAsking")
      return new History().turn([asked], { kind: "approve" }).write(asked)
    }
  ],
  [
    "a supply is handed over that was not in what a person approved",
    [33],
    () => new History().turn([], { kind: "approve" }).write(handedOver({}, "assemblesAsking"))
  ],
  [
    "an order goes into a supply by a policy that asks before a hand-over",
    [],
    () => one(put({}, "assemblesAsking"))
  ],
  ["an order goes into a supply by a policy that asks", [33], () => one(put({}, "assemblesAsked"))],
  ["an order goes into a supply by a policy that only shows", [16], () => one(put({}, "assemblesShown"))],
  ["a rule cancels an order", [33], () => one(cancelled())],
  ["a turn deletes a supply that somebody else made", [33], () => one(deleted())],
  [
    "a turn deletes a supply that it has just made",
    [33],
    () => one(made()).pass(50).turn([deleted()]).write(deleted())
  ],
  [
    "a turn deletes a supply to which nothing has happened for an hour",
    [],
    () => one(made()).pass(60).turn([deleted()]).write(deleted())
  ],
  [
    "a turn deletes a supply, and a person is to agree to what nothing takes back",
    [33],
    () =>
      one(made())
        .pass(60)
        .turn([deleted("assemblesAsking")])
        .write(deleted("assemblesAsking"))
  ],
  [
    "a person cancels an order",
    [],
    () => new History().turn([cancelled()], { kind: "call" }).write(cancelled())
  ],
  [
    "a supply is handed over with a mark that is missing",
    [34],
    () => one(handedOver({ isFailing: true, wasFailing: true }))
  ],
  [
    "a supply is handed over with a mark that somebody has just taken away",
    [],
    () => one(handedOver({ isFailing: true }), { status: 409, hasNoEffect: true, ends: "rejected" })
  ],
  [
    "two passes are asked for within ten minutes",
    [35],
    () => one(pass()).pass(9).turn([pass()]).write(pass())
  ],
  ["two passes are asked for ten minutes apart", [], () => one(pass()).pass(10).turn([pass()]).write(pass())],
  [
    "a pass is asked for again soon after it was refused",
    [35],
    () =>
      one(pass(), { status: 400, hasNoEffect: true, ends: "rejected" }).pass(20).turn([pass()]).write(pass())
  ],
  [
    "two passes are asked for within ten minutes, and somebody set the clock",
    [],
    () =>
      one(pass())
        .event({ _tag: "Clock", at: startMs + 60_000, byMs: 3_600_000 })
        .pass(9)
        .turn([pass()])
        .write(pass())
  ],
  [
    "a mark stands in the log",
    [36],
    () => {
      const story = one(put())
      story.record.leaks.push({ at: startMs, where: "a line of the log" })
      return story
    }
  ],
  [
    "labels come in the stored order, some not at all",
    [],
    () =>
      printed(
        [
          [1, 11],
          [3, 13]
        ],
        [11, 12, 13]
      )
  ],
  [
    "labels come in another order",
    [37],
    () =>
      printed(
        [
          [3, 13],
          [1, 11]
        ],
        [11, 12, 13]
      )
  ],
  ["a label says another place", [37], () => printed([[1, 12]], [11, 12])],
  [
    "labels that were printed before had other places",
    [37],
    () => printed([[1, 11]], [11, 12], printed([[1, 12]], [12, 11]))
  ],
  [
    "more orders came after the labels were printed",
    [],
    () =>
      printed(
        [[3, 13]],
        [11, 12, 13],
        printed(
          [
            [1, 11],
            [2, 12]
          ],
          [11, 12]
        )
      )
  ],
  ["an order is in no supply, and it is said why", [], () => waiting({ why: "left_alone" })],
  ["an order is in no supply, and nothing is said of it", [38], () => waiting({})],
  [
    "an order is in no supply, because nobody could read its status",
    [38],
    () => waiting({ why: "status_unread" })
  ],
  ["an order waits for a person", [], () => waiting({ planned: true })],
  ["an order waits, and a turn could have taken it", [38], () => waiting({ planned: true, alone: true })],
  ["a bid is optimised by all views of the days that are over", [], () => one(dearer("optimises"))],
  ["a bid is optimised by more views than there were", [39], () => one(dearer("optimises", { views: 1 }))],
  ["a bid is raised that costs more than it brings", [40], () => one(dearer("optimisesAtLoss"))],
  ["such a bid is lowered", [], () => one(dearer("optimisesAtLoss", { by: -2000 }))],
  ["a campaign over its budget gets dearer", [41], () => one(dearer("optimisesWithin"))],
  ["a campaign over its budget gets cheaper", [], () => one(dearer("optimisesWithin", { by: -2000 }))],
  [
    "a campaign over its budget gets dearer by next to nothing",
    [],
    () => one(dearer("optimisesWithin", { of: quietCluster }))
  ],
  [
    "what gets dearer is next to nothing but for a rush of that very day",
    [],
    () => {
      const written = dearer("optimisesWithin", { of: quietCluster })
      return new History().rushes(100).turn([written]).write(written)
    }
  ]
]

/** A bid that is raised by a fifth, or otherwise, and goes by as many views as there were unless others are added. */
function dearer(
  policy: string,
  {
    by,
    of = busyCluster,
    views = 0
  }: { by?: number; of?: typeof busyCluster | typeof quietCluster; views?: number } = {}
) {
  const step = by ?? Math.floor(of.bid / 500) * 100
  return optimised(policy, of.place, of.bid, of.bid + step, of.views + views)
}

/** Labels of one supply, each with its place, over the order that the store has. */
function printed(
  labels: ReadonlyArray<readonly [position: number, orderId: number]>,
  stored: ReadonlyArray<number>,
  before: History = new History()
): History {
  before.record.prints.push({
    at: startMs,
    supplyId: "PLATFORM-GI-1",
    labels: labels.map(([position, orderId]) => ({ orderId, position })),
    stored
  })
  return before
}

/** An order that was made an hour and more before the end, of which a person's last look says this. */
function waiting({ alone, planned, why }: { why?: string; planned?: true; alone?: true }): History {
  const story = new History().hasOrder()
  const { orderId } = story
  story.pass(80)
  story.turnOfOrders().pass(60)
  story.record.left = {
    at: startMs + 140 * 60_000,
    why: new Map(why === undefined ? [] : [[orderId, why]]),
    planned: new Set(planned === true ? [orderId] : []),
    alone: new Set(alone === true ? [orderId] : [])
  }
  return story
}

function undoing(first: ReturnType<typeof bid>, runId = "run 1") {
  return {
    id: `undo of ${first.change.id}`,
    undoes: { runId, changeId: first.change.id, policy: "bids" }
  }
}

describe("the invariants", () => {
  for (const [what, broken, history] of stories)
    it(`${broken.length === 0 ? "hold" : `${broken.join(", ")} break`} when ${what}`, () => {
      expect(history().broken()).toEqual(broken)
    })

  it("each have a history that breaks nothing else", () => {
    const told = new Set(stories.flatMap(([, broken]) => (broken.length === 1 ? broken : [])))
    // A write without a row can be told by nobody either, and a bid under way twice is too early as well.
    const beside = [5]
    const checked = [
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 18, 19, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
      31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41
    ]
    expect(checked.filter((invariant) => !told.has(invariant))).toEqual(beside)
  })
})
