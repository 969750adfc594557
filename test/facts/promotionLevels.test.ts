import { assert, describe, it } from "vitest"
import { CampaignId, ItemId, PromotionId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Table from "../../src/engine/facts/Table.js"

const itemId = ItemId.make(1001)
const inPromotion = (promotion: number) => ({ promotionId: PromotionId.make(promotion), itemId })

describe("an item in promotions", () => {
  it("shows the item's own facts in each of them, and in campaigns", () => {
    const clusters = Table.make("cluster")
    clusters.addKey(inPromotion(2001))
    clusters.addKey(inPromotion(2002))
    clusters.addKey({ campaignId: CampaignId.make(777), itemId })
    assert.isTrue(clusters.setFor({ itemId }, "item.stock", Cells.known(5)))
    const rows = clusters.view("promotion_item")
    assert.deepStrictEqual(rows.rows.map(Target.key), ["promotion/2001/1001", "promotion/2002/1001"])
    assert.deepStrictEqual(
      rows.rows.map((_, row) => rows.get(row, "item.stock")),
      [Cells.known(5), Cells.known(5)]
    )
    assert.deepStrictEqual(clusters.view("promotion").rows, [
      { promotionId: PromotionId.make(2001) },
      { promotionId: PromotionId.make(2002) }
    ])
    assert.isUndefined(rows.indexOf(inPromotion(2003)))
    assert.deepStrictEqual(clusters.view("campaign_item").size, 1)
  })

  it("names the campaigns that the item is in, and its places in them, for what is asked about them", () => {
    const clusters = Table.make("cluster")
    clusters.addKey(inPromotion(2001))
    const [first, second] = [CampaignId.make(777), CampaignId.make(778)]
    for (const campaignId of [first, second]) clusters.addKey({ campaignId, itemId })
    clusters.addKey({ campaignId: CampaignId.make(779), itemId: ItemId.make(1002) })
    const rows = clusters.view("promotion_item")
    assert.deepStrictEqual(rows.keys("campaign", [0]), [{ campaignId: first }, { campaignId: second }])
    assert.deepStrictEqual(rows.keys("campaign_item", [0]), [
      { campaignId: first, itemId },
      { campaignId: second, itemId }
    ])
    assert.deepStrictEqual(rows.keys("item", [0]), [{ itemId }])
  })
})
