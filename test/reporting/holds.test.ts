/** What is left alone, for a terminal: short when much is, each when asked. */
import { expect, it } from "vitest"
import * as Holds from "../../src/reporting/people/Holds.js"

const at = Date.parse("2026-09-01T12:00:00Z")
const day = 86_400_000
const minute = 60_000

const undone = (slot: string, kopecks: number, plusMs = 0) => ({
  slot,
  ours: kopecks,
  live: kopecks,
  writtenAt: at + plusMs,
  firstSeenAt: at + plusMs,
  until: at + plusMs + 3 * day
})
const edited = (slot: string, plusMs = 0) => ({ ...undone(slot, 100_00, plusMs), ours: 90_00 })
const bid = (campaign: number, n: number) => `cluster_bid:${campaign}/1001/cluster ${n}`

const lines = (edits: Holds.Standing["edits"], all = false) =>
  Holds.text("shop", { holds: [], edits, looking: [] }, "Europe/Moscow", all).split("\n")

it("counts what one undo left by campaign, and says how each is seen and given back", () => {
  const edits = [
    ...[1, 2, 3].map((n) => undone(bid(777, n), 150_00, n * minute)),
    ...[1, 2].map((n) => undone(bid(888, n), 150_00))
  ]
  expect(lines(edits)).toEqual([
    "campaign 777: 3 values undone or set by a person on 2026-09-01 15:01; left alone until 2026-09-04 15:03; sooner with: bidhelm resume --target 777",
    "campaign 888: 2 values undone or set by a person on 2026-09-01 15:00; left alone until 2026-09-04 15:00; sooner with: bidhelm resume --target 888",
    "each of the 5 values: bidhelm holds --all"
  ])
  const each = lines(edits, true)
  expect(each).toHaveLength(5)
  expect(each[0]).toMatch(
    /^777\/1001\/cluster 1: undone or set by a person .*150 ₽.*resume --target '777\/1001/
  )
})

it("keeps apart what was undone from what somebody changed, and one last day from another", () => {
  const edits = [
    ...[1, 2].map((n) => undone(bid(777, n), 150_00)),
    ...[3, 4].map((n) => edited(bid(777, n))),
    ...[5, 6].map((n) => edited(bid(777, n), day))
  ]
  const shown = lines(edits)
  expect(shown.slice(0, 3).map((line) => /(\d values \w+) .*until (\S+)/.exec(line)?.slice(1))).toEqual([
    ["2 values undone", "2026-09-04"],
    ["2 values changed", "2026-09-04"],
    ["2 values changed", "2026-09-05"]
  ])
})

it("names the account in what gives values back, where there are several", () => {
  const edits = [...[1, 2].map((n) => undone(bid(777, n), 150_00)), edited(bid(888, 1))]
  const standing = { holds: [], edits, looking: [] }
  const shown = Holds.text("shop", standing, "Europe/Moscow", false, 2).split("\n")
  expect(shown.map((line) => line.slice(line.indexOf("bidhelm")))).toEqual([
    "bidhelm resume --target 777 --account shop",
    "bidhelm resume --target '888/1001/cluster 1' --account shop",
    "bidhelm holds --all --account shop"
  ])
})

it("shows a value that is alone in its campaign as it is", () => {
  expect(lines([edited(bid(777, 1))])).toEqual([
    "777/1001/cluster 1: changed by someone on or after 2026-09-01 15:00: 90 ₽ → 100 ₽; left alone until 2026-09-04 15:00; sooner with: bidhelm resume --target '777/1001/cluster 1'"
  ])
})

it("says of an edit whose last write a clock ahead has dated only before when it was made", () => {
  const ahead = { ...edited(bid(777, 1)), writtenAt: at + 3 * 60 * minute }
  expect(lines([ahead], true)[0]).toContain("changed by someone before 2026-09-01 15:00: 90 ₽ → 100 ₽")
})
