/**
 * Promotions at one time. An item has one price, so what is in one promotion does not join another that overlaps it in
 * time. What cannot be looked at is never taken for free: only automatic promotions, whose items nobody can list (field
 * note P02), are no conflict.
 */
import * as Arr from "effect/Array"
import * as Groups from "../../../domain/Groups.js"
import type { ItemId, PromotionId } from "../../../domain/Ids.js"
import type { PromotionItemTarget, Subject } from "../../../domain/Target.js"
import * as TextOrder from "../../../domain/TextOrder.js"
import type { Cell } from "../../facts/Cell.js"
import type { Table } from "../../facts/Table.js"
import * as Enrolment from "../../kinds/Enrolment.js"
import type { SlotHistory } from "../../kinds/SlotHistory.js"
import type { UnchangedReason, UnknownReason } from "../RowReason.js"

/**
 * Whether an item is in a promotion at the time of another one. Where it is not: which it is in at other times, and at other times
 * those of which nobody knows whether it is in them (it may be filed for one), ascending: any of them may be moved.
 */
export type Beside =
  | { readonly _tag: "In"; readonly because: UnchangedReason }
  | { readonly _tag: "Unread"; readonly because: UnknownReason }
  | {
      readonly _tag: "Free"
      readonly others: ReadonlyArray<Named>
      readonly unread: ReadonlyArray<PromotionId>
    }

/** A promotion as a reason names it. */
export interface Named {
  readonly promotionId: PromotionId
  readonly promotionName: string
}

interface Promotion extends Named {
  readonly isAutomatic: boolean
  /** From now, milliseconds; as wide as can be where the calendar does not say. */
  readonly startsIn: number
  readonly endsIn: number
}

/** What overlaps one promotion, by promotion numbers. */
interface Others {
  readonly regular: ReadonlyMap<PromotionId, Promotion>
  /** Regular ones that nobody listed the items of, though some may be in. */
  readonly unread: ReadonlyArray<Promotion>
  /** The same of those at other times. */
  readonly unreadApart: ReadonlyArray<PromotionId>
  readonly automatic: ReadonlyArray<Promotion>
}

export class Overlaps {
  private readonly promotions: ReadonlyMap<PromotionId, Promotion>
  private readonly items: Table
  private readonly inAction: (row: number) => Cell
  private readonly known = new Map<PromotionId, Others>()
  private readonly filed: ReadonlyMap<ItemId, ReadonlyArray<PromotionItemTarget>>

  /** `slots` is what the journal knows of filings: their lists may not show them yet. */
  constructor(
    private readonly table: Table,
    slots: ReadonlyMap<string, SlotHistory>
  ) {
    this.items = table.view("promotion_item")
    this.inAction = this.items.cells("promotion_item.in_action")
    this.promotions = promotionsOf(table.view("promotion"))
    this.filed = filedOf(slots)
  }

  /** The order in which promotions are decided on: the earlier start, then the smaller number. */
  compare(a: PromotionId, b: PromotionId): number {
    return TextOrder.compare(this.startOf(a), this.startOf(b)) || TextOrder.compare(a, b)
  }

  overlap(a: PromotionId, b: PromotionId): boolean {
    const [one, other] = [this.promotions.get(a), this.promotions.get(b)]
    return a !== b && one !== undefined && other !== undefined && areAtOneTime(one, other)
  }

  named(id: PromotionId): Named {
    const { promotionName = "" } = this.promotions.get(id) ?? {}
    return { promotionId: id, promotionName }
  }

  /** What an item is in beside a promotion that it may join. */
  beside(itemId: ItemId, id: PromotionId): Beside {
    const { regular, unread, unreadApart } = this.others(id)
    let unsure: Named | undefined = unread[0]
    const others: Array<Named> = []
    const apart = new Set(unreadApart)
    for (const row of this.items.rowsUnder({ itemId })) {
      const { promotionId } = this.items.target(row)
      const other =
        promotionId === undefined || promotionId === id ? undefined : this.promotions.get(promotionId)
      if (other === undefined) continue
      const isAtThatTime = regular.has(other.promotionId)
      const cell = this.inAction(row)
      if (cell._tag === "Unknown") {
        if (isAtThatTime) unsure ??= other
        else if (!other.isAutomatic) apart.add(other.promotionId)
      } else if (cell.value === true) {
        if (isAtThatTime)
          return { _tag: "In", because: { code: "overlap_in", ...this.named(other.promotionId) } }
        if (!other.isAutomatic) others.push(this.named(other.promotionId))
      }
    }
    for (const { promotionId } of this.filed.get(itemId) ?? []) {
      if (promotionId === id) continue
      if (regular.has(promotionId))
        return { _tag: "In", because: { code: "overlap_filed", ...this.named(promotionId) } }
      if (!this.isInCalendar(promotionId)) unsure ??= this.named(promotionId)
      else if (this.promotions.get(promotionId)?.isAutomatic === false) apart.add(promotionId)
    }
    return unsure === undefined
      ? { _tag: "Free", others, unread: [...apart].sort(TextOrder.compare) }
      : { _tag: "Unread", because: { code: "overlap_unread", ...this.named(unsure.promotionId) } }
  }

  /** Automatic promotions at the time of one, by number. */
  automatic(id: PromotionId): ReadonlyArray<Named> {
    return this.others(id).automatic
  }

  private startOf(id: PromotionId): number {
    return this.promotions.get(id)?.startsIn ?? Number.POSITIVE_INFINITY
  }

  private others(id: PromotionId): Others {
    const existing = this.known.get(id)
    if (existing !== undefined) return existing
    const own = this.promotions.get(id)
    const [apart, others] = Arr.partition(
      [...this.promotions.values()].filter(({ promotionId }) => promotionId !== id),
      (other) => own === undefined || areAtOneTime(own, other)
    )
    const regular = others.filter(({ isAutomatic }) => !isAutomatic)
    const isUnread = ({ isAutomatic, promotionId }: Promotion) =>
      !isAutomatic && !isListed({ promotionId }, this.table.view("promotion"), this.items)
    const made = {
      regular: new Map(regular.map((one) => [one.promotionId, one])),
      unread: others.filter(isUnread),
      unreadApart: apart.filter(isUnread).map(({ promotionId }) => promotionId),
      automatic: others.filter(({ isAutomatic }) => isAutomatic)
    }
    this.known.set(id, made)
    return made
  }

  /** One that is over is in it. */
  private isInCalendar(promotionId: PromotionId): boolean {
    return this.table.view("promotion").indexOf({ promotionId }) !== undefined
  }
}

/** Whether it is known who is in a promotion. */
export const isListed = (promotion: Subject, promotions: Table, items: Table): boolean =>
  items.rowsUnder(promotion).length > 0 || isEmpty(promotion, promotions)

/** A promotion that nobody takes part in needs no list. */
export const isEmpty = (promotion: Subject, promotions: Table): boolean => {
  const row = promotions.indexOf(promotion)
  const part = row === undefined ? undefined : promotions.get(row, "promotion.participation")
  return part?._tag === "Known" && part.value === 0
}

/** What items were filed for that no list has shown yet, by number. */
const filedOf = (slots: ReadonlyMap<string, SlotHistory>) =>
  Groups.by(Enrolment.pending(slots), ({ itemId }) => itemId)

/** Those that are not over, ascending by number. */
const promotionsOf = (table: Table): ReadonlyMap<PromotionId, Promotion> => {
  const found: Array<Promotion> = []
  for (let row = 0; row < table.size; row++) {
    const { promotionId } = table.target(row)
    const value = (id: string) => {
      const cell = table.get(row, id)
      return cell._tag === "Known" ? cell.value : undefined
    }
    const endsIn = Number(value("promotion.ends_in") ?? Number.POSITIVE_INFINITY)
    if (promotionId === undefined || endsIn <= 0) continue
    found.push({
      promotionId,
      promotionName: String(value("promotion.name") ?? ""),
      isAutomatic: value("promotion.type") === "auto",
      startsIn: Number(value("promotion.starts_in") ?? Number.NEGATIVE_INFINITY),
      endsIn
    })
  }
  return new Map(
    found.sort(TextOrder.by(({ promotionId }) => promotionId)).map((one) => [one.promotionId, one])
  )
}

const areAtOneTime = (a: Promotion, b: Promotion): boolean => a.startsIn < b.endsIn && b.startsIn < a.endsIn
