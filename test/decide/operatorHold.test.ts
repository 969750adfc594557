/** What a person's hold is about. */
import { describe, expect, it } from "vitest"
import { CampaignId, Cluster, ItemId, OrderId, SupplyId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"
import * as OperatorHold from "../../src/engine/kinds/OperatorHold.js"

const stops = (what: string, subject: OperatorHold.Move["subject"]): boolean =>
  OperatorHold.stoppingMove(
    [{ kind: "target", what, account: "shop", since: 0, by: "anna" }],
    { policy: "p", subject },
    1
  ) !== undefined

describe("a hold of a target", () => {
  const order = { orderId: OrderId.make(5001) }
  const supply = { supply: SupplyId.make("PLATFORM-GI-1") }
  const cluster = {
    campaignId: CampaignId.make(777),
    itemId: ItemId.make(12),
    cluster: Cluster.make("red/shoes")
  }

  it.each([order, supply, cluster])("stops what is written so: %j", (subject) => {
    expect(stops(Target.key(subject), subject)).toBe(true)
  })

  it("of a supply stops orders that would go into it", () => {
    const into = (supplyId: string) =>
      OperatorHold.stoppingMove(
        [{ kind: "target", what: "supply/PLATFORM-GI-1", account: "shop", since: 0, by: "anna" }],
        { policy: "p", subject: order, into: supplyId },
        1
      )
    expect(into("PLATFORM-GI-1")).toBeDefined()
    expect(into("PLATFORM-GI-12")).toBeUndefined()
  })

  it("stops what is below it, and nothing beside it", () => {
    expect(stops("777", cluster)).toBe(true)
    expect(stops("item/12", cluster)).toBe(true)
    expect(stops("77", cluster)).toBe(false)
    expect(stops("order/500", order)).toBe(false)
    expect(stops("order/5001", supply)).toBe(false)
    expect(stops("supply/PLATFORM-GI", supply)).toBe(false)
  })
})
