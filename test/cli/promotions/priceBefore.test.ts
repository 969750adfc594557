/** Which price an item had before it joined a promotion, where another one ran when it was filed. */
import { describe, expect, it } from "vitest"
import type { Filing } from "../../../src/cli/promotions/Filed.js"
import * as PriceBefore from "../../../src/cli/promotions/PriceBefore.js"
import { ItemId, PromotionId } from "../../../src/domain/Ids.js"
import type { JournalState } from "../../../src/engine/door/Journal.js"
import { samplePlan } from "../../reporting/samplePlan.js"

const day = 86_400_000

interface Filed {
  readonly promotion: number
  /** The day of filing, and the days on which it starts and ends. */
  readonly days: readonly [filed: number, starts: number | undefined, ends: number | undefined]
  readonly price: number | undefined
  readonly plan: number
  readonly state?: JournalState
  readonly item?: number
}

const filing = ({ days, item = 1, plan, price, promotion, state = "applied" }: Filed): Filing => {
  const [sent, starts, ends] = days
  const sentAt = sent * day
  return {
    promotionId: PromotionId.make(promotion),
    itemId: ItemId.make(item),
    sentAt,
    task: {},
    details: {
      promotionName: "",
      planPriceKopecks: plan,
      ...(ends === undefined ? {} : { endsAt: ends * day }),
      ...(price === undefined ? {} : { priceKopecks: price }),
      ...(starts === undefined ? {} : { startsAt: starts * day })
    },
    row: {
      runId: "run",
      planId: samplePlan.id,
      account: "demo",
      slot: `enrolment:${promotion}/${item}`,
      change: samplePlan.changes[0]!,
      state,
      operation: undefined,
      requestHash: undefined,
      reason: undefined,
      updatedAt: sentAt,
      sentAt
    }
  }
}

/** Of the last of them: its price, and the promotion that it is from before or that may have made it. */
const told = (...made: ReadonlyArray<Filed>) => toldWhere([], ...made)

/** The same, where the calendar has other days of promotions by now. */
const toldWhere = (
  moved: ReadonlyArray<readonly [promotion: number, starts: number, ends: number]>,
  ...made: ReadonlyArray<Filed>
) => {
  const all = made.map(filing)
  const today = moved.map(
    ([id, starts, ends]) => [PromotionId.make(id), { startsAt: starts * day, endsAt: ends * day }] as const
  )
  const found = PriceBefore.of(all.at(-1)!, all, new Map(today))
  return found._tag === "Unknown"
    ? [found._tag, undefined, found.promotionId]
    : [
        found._tag,
        found.filing.details.priceKopecks,
        found._tag === "Earlier" ? found.promotionId : undefined
      ]
}

const summer: Filed = { promotion: 4, days: [0, 2, 10], price: 1000, plan: 800 }
const autumn: Filed = { promotion: 5, days: [5, 12, 20], price: 800, plan: 700 }

describe("the price before a promotion", () => {
  it("is the one from before the promotion that ran when the item was filed, not that promotion's", () => {
    expect(told(summer, autumn)).toEqual(["Earlier", 1000, 4])
  })

  it("goes back as far as each promotion ran when the next one was filed", () => {
    const winter: Filed = { promotion: 6, days: [15, 22, 30], price: 700, plan: 600 }
    expect(told(summer, autumn, winter)).toEqual(["Earlier", 1000, 4])
    const late: Filed = { ...autumn, days: [11, 12, 20], price: 900 }
    expect(told(summer, late, winter)).toEqual(["Earlier", 900, 5])
  })

  it("is as filed where the earlier one had not begun, was over, was another item's, or never took it in", () => {
    expect(told(summer, { ...autumn, days: [1, 12, 20], price: 1000 })).toEqual(["AsFiled", 1000, undefined])
    expect(told(summer, { ...autumn, days: [11, 12, 20] })).toEqual(["AsFiled", 800, undefined])
    expect(told({ ...summer, item: 2 }, autumn)).toEqual(["AsFiled", 800, undefined])
    expect(told({ ...summer, state: "conflict" }, autumn)).toEqual(["AsFiled", 800, undefined])
  })

  it("is from before the filing where the promotion ran already then, and its price fell at once", () => {
    expect(told({ ...summer, days: [3, undefined, 10] }, autumn)).toEqual(["Earlier", 1000, 4])
  })

  it("is that of the first filing for a promotion that a person filed again while it ran", () => {
    expect(told(summer, { ...summer, days: [5, undefined, 10], price: 800 })).toEqual(["Earlier", 1000, 4])
  })

  it("is not the one from before a promotion whose end nobody knew, unless the price shows that it ran", () => {
    const endless: Filed = { ...summer, days: [0, undefined, undefined] }
    expect(told(endless, { ...autumn, days: [300, 312, 320], price: 1500 })).toEqual([
      "Unknown",
      undefined,
      4
    ])
    expect(told(endless, autumn)).toEqual(["Earlier", 1000, 4])
  })

  it("is not known where nobody saw the item in that promotion, and the price of then is neither of its two", () => {
    const doubted: Filed = { ...summer, state: "unknown" }
    expect(told(doubted, { ...autumn, price: 850 })).toEqual(["Unknown", undefined, 4])
    expect(told(doubted, { ...autumn, price: undefined })).toEqual(["Unknown", undefined, 4])
    expect(told(doubted, autumn)).toEqual(["Earlier", 1000, 4])
    expect(told(doubted, { ...autumn, price: 1000 })).toEqual(["Earlier", 1000, 4])
    expect(told(summer, { ...autumn, price: 850 })).toEqual(["Earlier", 1000, 4])
  })

  it("goes by the days that the calendar has now where they were moved since the earlier one was filed for", () => {
    const early: Filed = { ...summer, days: [0, 8, 10] }
    expect(toldWhere([[4, 2, 10]], early, autumn)).toEqual(["Earlier", 1000, 4])
    expect(toldWhere([[4, 8, 10]], summer, { ...autumn, price: 900 })).toEqual(["AsFiled", 900, undefined])
    expect(toldWhere([[4, 2, 18]], summer, { ...autumn, days: [15, 22, 30] })).toEqual(["Earlier", 1000, 4])
  })

  it("is not known where the price of then is that of a promotion that had not begun as it was filed, and is gone", () => {
    const early: Filed = { ...summer, days: [0, 8, 10] }
    expect(told(early, autumn)).toEqual(["Unknown", undefined, 4])
    expect(told(early, { ...autumn, price: 900 })).toEqual(["AsFiled", 900, undefined])
    expect(toldWhere([[4, 8, 10]], early, autumn)).toEqual(["AsFiled", 800, undefined])
  })
})
