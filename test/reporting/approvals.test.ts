/** What waits for a person, in full: whoever answers must know what of. */

import { expect, it } from "vitest"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import { isOfCampaign } from "../../src/engine/kinds/Change.js"
import * as Kinds from "../../src/engine/kinds/Kinds.js"
import type { Request } from "../../src/engine/planning/ApprovalStore.js"
import * as Approvals from "../../src/reporting/people/Approvals.js"
import { samplePlan } from "./samplePlan.js"

const at = Date.parse("2026-09-01T12:00:00Z")

const requestOf = (changes: ReadonlyArray<Change>): Request => ({
  id: "3f2a9c",
  account: "shop",
  plan: { ...samplePlan, changes },
  asked: changes.map((change) => ({
    id: change.id,
    slot: Kinds.slotOf(change),
    policy: change.origin.name,
    after: change.after,
    tier: "notable",
    why: "a larger move"
  })),
  state: "requested",
  requestedAt: at,
  expiresAt: at + 86_400_000
})

const bare = samplePlan.changes.filter(isOfCampaign)[0]!
const change = (id: string, campaignId: number, itemId: number | undefined, cluster?: string): Change =>
  ({
    ...bare,
    id,
    campaignName: campaignId === 777 ? "Кеды" : "",
    subject: {
      campaignId: CampaignId.make(campaignId),
      ...(itemId === undefined ? {} : { itemId: ItemId.make(itemId) }),
      ...(cluster === undefined ? {} : { cluster: Cluster.make(cluster) })
    },
    reason: []
  }) as Change

it("names the campaign and the item of each change, once for those that stand together", () => {
  const request = requestOf([
    change("d", 888, undefined),
    change("b", 777, 1001, "кеды красные"),
    change("a", 777, 1001, "кеды женские"),
    change("c", 777, 1002, "кеды женские")
  ])
  const lines = Approvals.preview(request, at, "Europe/Moscow").split("\n").slice(1, -1)
  const named = lines.filter((line) => !line.includes("notable: a larger move"))
  expect(named.map((line) => line.replace(/: active → paused .*/, ""))).toEqual([
    "Campaign 777 Кеды",
    "  Item 1001",
    "    a  кеды женские",
    "    b  кеды красные",
    "  Item 1002",
    "    c  кеды женские",
    "Campaign 888",
    "    d  campaign"
  ])
})

it("tells of each ending who, when and why, for machines in one form", () => {
  const open = requestOf([change("a", 777, 1001)])
  const late = at + 86_400_000
  const by = { decidedAt: at + 1, decidedBy: "bidhelm", why: "replaced by 77aa" }
  const ends = [
    Approvals.plain({ ...open, state: "rejected", ...by, decidedBy: "anna", why: "sale" }, late),
    Approvals.plain({ ...open, state: "superseded", ...by }, late, {
      successors: new Map([[open.id, "77aa"]])
    }),
    Approvals.plain(open, late)
  ]
  expect(ends.map(({ decidedAt, decidedBy, state, why }) => [state, decidedAt, decidedBy, why])).toEqual([
    ["rejected", at + 1, "anna", "sale"],
    ["superseded", at + 1, "bidhelm", "replaced by 77aa"],
    ["expired", late, "bidhelm", "nobody answered it in time"]
  ])
  expect(ends[1]).toHaveProperty("successor", "77aa")
  for (const key of ["decidedAt", "plan"]) expect(Approvals.plain(open, at)).not.toHaveProperty(key)
})

it("of one that is over says since when and why, and how to look at what is asked now", () => {
  const open = requestOf([change("a", 777, 1001)])
  const told = (request: Request, nowMs: number, successors?: ReadonlyMap<string, string>) =>
    Approvals.preview(request, nowMs, "Europe/Moscow", successors === undefined ? {} : { successors }, {
      account: "shop",
      accounts: 2
    })
  const ended = { ...open, state: "superseded" as const, decidedAt: at, decidedBy: "bidhelm" }
  const replaced = told({ ...ended, why: "replaced by 77aa" }, at, new Map([[open.id, "77aa"]]))
  expect(replaced).toMatch(/^3f2a9c {2}superseded on .*: replaced by 77aa {2}/)
  expect(replaced.split("\n").at(-1)).toBe("asked now: bidhelm approvals 77aa --account shop")
  expect(told(open, at + 86_400_000)).toMatch(/^3f2a9c {2}expired on .*: nobody answered it in time {2}/)
})
