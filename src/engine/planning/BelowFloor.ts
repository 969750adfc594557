/** Items that are in a promotion at a price below their floor: it fell after they joined, or somebody else put them there. Pure. */
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import * as PriceFloor from "../decide/limits/PriceFloor.js"
import type { Notice } from "../decide/Plan.js"
import { type Facts, Reading } from "../facts/Reading.js"
import type { Table } from "../facts/Table.js"

/** Items are named up to this many. */
const mostNamed = 20

/** Of the promotions whose items this run has read; `rows` are those of items in promotions. */
export const notices = (rows: Table): ReadonlyArray<Notice> => {
  const reading = new Reading(rows)
  // A floor that begins later is none yet: only the first of the promotion's days that are left counts.
  const facts: Facts = {
    get: (row, factKey) => reading.get(row, factKey),
    ahead: (row) => reading.ahead(row)?.slice(0, 1)
  }
  const below = new Map<PromotionId, { readonly name: string; readonly items: Array<Below> }>()
  for (let row = 0; row < rows.size; row++) {
    const { itemId, promotionId } = rows.target(row)
    const isIn = facts.get(row, "promotion_item.in_action")
    const price = facts.get(row, "promotion_item.plan_price")
    if (promotionId === undefined || itemId === undefined) continue
    if (isIn._tag !== "Known" || isIn.value !== true || price._tag !== "Known") continue
    const planPriceKopecks = Number(price.value)
    const found = PriceFloor.against(planPriceKopecks, facts, row)
    if (found?._tag !== "Below") continue
    const name = facts.get(row, "promotion.name")
    const known = below.get(promotionId) ?? {
      name: name._tag === "Known" ? String(name.value) : "",
      items: []
    }
    known.items.push({ itemId, planPriceKopecks, floorKopecks: found.floorKopecks })
    below.set(promotionId, known)
  }
  return [...below]
    .sort(([a], [b]) => a - b)
    .map(([promotionId, { items, name }]) => ({
      policy: "all rules",
      campaignName: "",
      because: {
        code: "in_below_floor",
        promotionId,
        promotionName: name,
        items: items.toSorted((a, b) => a.itemId - b.itemId).slice(0, mostNamed),
        count: items.length
      }
    }))
}

interface Below {
  readonly itemId: ItemId
  readonly planPriceKopecks: number
  readonly floorKopecks: number
}
