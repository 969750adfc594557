/**
 * Items in a promotion that neither this program filed nor the last look at the promotion knew: somebody else put them
 * there, and nothing takes them out again. The first look at a promotion is where counting begins.
 */
import * as Effect from "effect/Effect"
import type { ItemId, PromotionId } from "../../domain/Ids.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import type { Notice } from "../decide/Plan.js"
import { ChangeLog } from "../door/ChangeLog.js"
import type { JournalRow } from "../door/Journal.js"
import type { Table } from "../facts/Table.js"
import * as Enrolment from "../kinds/Enrolment.js"
import { RuleMemory } from "./RuleMemory.js"

/** Who is in a promotion, ascending. */
interface Look {
  readonly promotionId: PromotionId
  readonly items: ReadonlyArray<ItemId>
}

export interface Found {
  readonly notices: ReadonlyArray<Notice>
  /** What the next look is compared with. */
  readonly looks: ReadonlyArray<Look>
}

export const none: Found = { notices: [], looks: [] }

/** Items are named up to this many. */
const mostNamed = 20

/** Of the promotions whose items this run has read; `rows` are those of items in promotions. */
export const find = (
  account: string,
  rows: Table
): Effect.Effect<Found, StoreFailure, ChangeLog | RuleMemory> =>
  Effect.gen(function* () {
    const looks = looksOf(rows)
    if (looks.length === 0) return none
    const before = yield* (yield* RuleMemory).promotionMembers(account)
    const notices = yield* Effect.forEach(looks, ({ items, promotionId }) =>
      Effect.gen(function* () {
        const known = before.get(promotionId)
        const joined = known === undefined ? [] : items.filter((itemId) => !known.has(itemId))
        const ours = joined.length === 0 ? new Set<string>() : yield* filed(account, promotionId)
        const strangers = joined.filter((itemId) => !ours.has(Enrolment.slot({ promotionId, itemId })))
        return strangers.length === 0 ? [] : [notice(promotionId, nameOf(rows, promotionId), strangers)]
      })
    )
    return { notices: notices.flat(), looks }
  })

/** Slots of the promotion that we ever filed, whatever became of it: what was refused may not have entered by us. */
const filed = (account: string, promotionId: PromotionId) =>
  Effect.gen(function* () {
    const rows = yield* (yield* ChangeLog).ofSlotsNamed(account, `${Enrolment.prefix}:${promotionId}/`)
    return new Set(rows.filter(mayHaveLeft).map(({ slot }) => slot))
  })

const mayHaveLeft = ({ sentAt, state }: JournalRow): boolean => sentAt !== undefined && state !== "rejected"

const notice = (promotionId: PromotionId, name: string, items: ReadonlyArray<ItemId>): Notice => ({
  policy: "all rules",
  campaignName: "",
  because: {
    code: "joined_by_others",
    promotionId,
    promotionName: name,
    items: items.slice(0, mostNamed),
    count: items.length
  }
})

/** A promotion of which one row does not say whether the item is in was not read whole, and is not looked at. */
const looksOf = (rows: Table): ReadonlyArray<Look> => {
  const members = new Map<PromotionId, Array<ItemId> | undefined>()
  for (let row = 0; row < rows.size; row++) {
    const { itemId, promotionId } = rows.target(row)
    if (promotionId === undefined || itemId === undefined) continue
    const isIn = rows.get(row, "promotion_item.in_action")
    const known = members.has(promotionId) ? members.get(promotionId) : []
    if (isIn._tag === "Known" && isIn.value === true) known?.push(itemId)
    members.set(promotionId, isIn._tag === "Known" ? known : undefined)
  }
  return [...members]
    .flatMap(([promotionId, items]) =>
      items === undefined ? [] : [{ promotionId, items: items.toSorted((a, b) => a - b) }]
    )
    .sort((a, b) => a.promotionId - b.promotionId)
}

const nameOf = (rows: Table, promotionId: PromotionId): string => {
  const row = Array.from({ length: rows.size }, (_, at) => at).find(
    (at) => rows.target(at).promotionId === promotionId
  )
  const name = row === undefined ? undefined : rows.get(row, "promotion.name")
  return name?._tag === "Known" ? String(name.value) : ""
}
