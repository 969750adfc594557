import { describe, expect, it } from "vitest"
import { CampaignId, ItemId } from "../../src/domain/Ids.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import type { BidOverlay } from "../../src/engine/kinds/Parts.js"
import * as Wording from "../../src/reporting/Wording.js"

const change = (more: Partial<Change>, over: Partial<BidOverlay> = {}): Change =>
  ({
    id: "1",
    origin: { by: "policy", name: "evening-boost", line: 9 },
    subject: { campaignId: CampaignId.make(777), itemId: ItemId.make(1001) },
    campaignName: "Sneakers",
    action: "adjust_bid",
    before: 44_000,
    after: 52_800,
    kind: "item_bid",
    details: {
      placement: "search",
      payment: "cpm",
      overlay: {
        policy: "evening-boost",
        basisPoints: 2_000,
        baseBeforeKopecks: 44_000,
        baseKopecks: 44_000,
        ...over
      }
    },
    reason: [],
    clamps: [],
    overruled: [],
    reversible: true,
    moneyPerDayKopecks: { unknown: "no spend" },
    ...more
  }) as Change

describe("a change of a bid under an overlay", () => {
  it("says whose share lies over which base", () => {
    expect(Wording.effect(change({}), "RUB")).toBe(
      "bid in search 440 → 528 ₽ per 1000 views (evening-boost +20% over base 440 ₽)"
    )
    expect(Wording.symbol(change({}))).toBe("~")
  })

  it("says that the base returns when it is over", () => {
    const over = change({ before: 52_800, after: 44_000 }, { basisPoints: 0 })
    expect(Wording.effect(over, "RUB")).toBe(
      "bid in search 528 → 440 ₽ per 1000 views (evening-boost is over, the base returns)"
    )
  })

  it("says how steering moved the base below it", () => {
    const raised = change(
      {
        origin: { by: "policy", name: "raise", line: 3 },
        action: "raise_bid",
        before: 52_800,
        after: 58_000
      },
      { baseKopecks: 48_400 }
    )
    expect(Wording.effect(raised, "RUB")).toBe(
      "bid in search 528 → 580 ₽ per 1000 views (base 440 ₽ → 484 ₽ under evening-boost +20%)"
    )
  })
})
