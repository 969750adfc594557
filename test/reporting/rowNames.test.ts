import { expect, it } from "vitest"
import { CampaignId, ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as FactType from "../../src/engine/facts/FactType.js"
import * as Print from "../../src/engine/facts/Print.js"
import * as Wording from "../../src/reporting/Wording.js"

it("a row is named so that an item in two promotions is told apart", () => {
  const [campaignId, itemId, promotionId] = [CampaignId.make(7), ItemId.make(1001), PromotionId.make(5)]
  expect(Wording.rowName({ campaignId, itemId })).toBe("7/1001")
  expect(Wording.rowName({ itemId })).toBe("item 1001")
  expect(Wording.rowName({ itemId, promotionId })).toBe("item 1001 in promotion 5")
})

it("a time that has passed is written in days like one that comes", () => {
  const shown = (value: number) => Print.cell({ _tag: "Known", value }, FactType.duration, "₽")
  expect([shown(108_000_001), shown(-108_000_001), shown(-457_546_720)]).toEqual(["1.25d", "-1.25d", "-5.3d"])
})
