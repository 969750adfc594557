import * as fc from "fast-check"
import { expect, it } from "vitest"
import * as Hash from "../../src/domain/Hash.js"
import { CampaignId, Cluster, ItemId } from "../../src/domain/Ids.js"
import * as Target from "../../src/domain/Target.js"

const target = fc
  .record({
    c: fc.integer({ min: 1, max: 3 }),
    i: fc.option(fc.integer({ min: 1, max: 3 })),
    q: fc.option(fc.string())
  })
  .map(({ c, i, q }): Target.Target => {
    const campaignId = CampaignId.make(c)
    if (i === null) return { campaignId }
    return q === null
      ? { campaignId, itemId: ItemId.make(i) }
      : { campaignId, itemId: ItemId.make(i), cluster: Cluster.make(q) }
  })

it("targets have one order, the same from both sides, with coarser ones first", () => {
  fc.assert(
    fc.property(target, target, target, (a, b, c) => {
      expect(Math.sign(Target.compare(a, b)) + Math.sign(Target.compare(b, a))).toBe(0)
      if (Target.compare(a, b) <= 0 && Target.compare(b, c) <= 0)
        expect(Target.compare(a, c)).toBeLessThanOrEqual(0)
      expect(Target.compare({ campaignId: a.campaignId }, a)).toBeLessThanOrEqual(0)
    })
  )
})

it("a hash depends on content, not on the order of keys", () => {
  expect(Hash.of({ a: 1, b: [1, 2] })).toBe(Hash.of({ b: [1, 2], a: 1 }))
  expect(Hash.of({ a: 1 })).not.toBe(Hash.of({ a: 2 }))
  expect(Hash.of([1, 2])).not.toBe(Hash.of([2, 1]))
})
