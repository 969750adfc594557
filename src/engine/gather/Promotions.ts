/**
 * The rows of promotions, before any policy asks about them: the calendar first, then the items of those promotions alone
 * that some policy may be about, or that its items may be in already. All calls of the calendar draw from one limit (field note P07).
 */
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { Reason } from "../../domain/Reason.js"
import type { PromotionItemTarget, Subject } from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Notice } from "../decide/Plan.js"
import * as Overlaps from "../decide/sets/Overlaps.js"
import * as Cells from "../facts/Cell.js"
import * as Evaluate from "../facts/Evaluate.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Kleene from "../facts/Kleene.js"
import type { SourceNeed } from "../facts/Needs.js"
import type { Table } from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Condition, Policy } from "../language/Policy.js"
import { type CalendarUnread, FactSource } from "./FactSource.js"
import type { Office } from "./Office.js"

const calendar: SourceNeed = { source: "promotions" }
const items: SourceNeed = { source: "promotionItems" }

/** Nothing is asked where no policy is about promotions. */
export const learn = (
  policies: ReadonlyArray<Policy>,
  office: Office
): Effect.Effect<void, never, FactSource> => {
  const asking = policies.filter(({ each }) => each === "promotion" || each === "promotion_item")
  if (asking.length === 0) return Effect.void
  office.desk(calendar).expect("local", 1)
  office.desk(items).expect("local", 1)
  return Effect.gen(function* () {
    yield* office.learn([calendar], "local", () => [{}])
    const { calendar: scarce } = yield* FactSource
    const keys = wanted(asking, office)
    const inTurn = scarce === undefined ? keys : yield* scarce.inTurn(keys)
    yield* office.learn([items], "local", () => inTurn)
  })
}

/**
 * Today's price of an item in a promotion that runs is that promotion's. Of one that begins after it nobody knows how far the price
 * will fall: it would look smaller than it is, and nothing takes the item out again. What was `filed` is on its way there, or in by now;
 * where nobody listed the items, any that a policy may enrol is.
 */
export const forgetPrices = (
  policies: ReadonlyArray<Policy>,
  promotions: Table,
  items: Table,
  nowMs: number,
  filed: ReadonlyArray<PromotionItemTarget>
): void => {
  const entered = openTo(policies.filter(enrols), promotions)
  for (const running of rowsOf(promotions)) {
    const endsIn = endOf(running, promotions)
    if (startOf(running, promotions) > 0 || endsIn <= 0) continue
    const forget = (rows: ReadonlyArray<number>, why: Reason) => {
      for (const later of rows) if (endsIn <= startOf(later, items)) forgetPrice(items, later, nowMs, why)
    }
    const target = promotions.target(running)
    if (isRegular(running, promotions) && !Overlaps.isListed(target, promotions, items))
      forget(
        entered.flatMap((row) => items.rowsUnder(promotions.target(row))),
        "otherUnread"
      )
    for (const row of items.rowsUnder(target)) {
      const isIn = items.get(row, "promotion_item.in_action")
      if (isIn._tag === "Unknown" || isIn.value === true)
        forget(
          rowsOfItem(items.target(row), items),
          isIn._tag === "Unknown" ? "otherUnread" : "otherPromotion"
        )
    }
    for (const one of filed)
      if (one.promotionId === target.promotionId) forget(rowsOfItem(one, items), "otherPromotion")
  }
}

const rowsOfItem = ({ itemId }: Subject, items: Table): ReadonlyArray<number> =>
  itemId === undefined ? [] : items.rowsUnder({ itemId })

/** The price itself stays known: it is today's. */
const forgetPrice = (items: Table, row: number, nowMs: number, why: Reason): void => {
  const unknown = Cells.unknown(why)
  items.set(row, "promotion_item.price_drop", unknown)
  const days = items.ahead(row) ?? [{ from: Days.ofMarket(nowMs), said: new Map() }]
  items.setAhead(
    row,
    days.map(({ from, said }) => ({ from, said: new Map([...said, ["promotion_item.price", unknown]]) }))
  )
}

/** What the limit of the calendar left unread, so that nobody takes it for nothing. */
export const notices = (unread: ReadonlyArray<CalendarUnread>): ReadonlyArray<Notice> => {
  const groups = new Map<string, ReadonlyArray<CalendarUnread>>()
  for (const one of unread) {
    const name = `${one.what} ${one.readAt === undefined ? "never" : "long ago"}`
    groups.set(name, [...(groups.get(name) ?? []), one])
  }
  return [...groups].sort(TextOrder.byKey).map(([, all]): Notice => {
    const readAt = Math.min(...all.map((one) => one.readAt ?? Number.POSITIVE_INFINITY))
    return {
      policy: "all rules",
      campaignName: "",
      because: {
        code: "calendar_unread",
        what: all[0]!.what,
        promotions: all.flatMap(({ promotionId }) => promotionId ?? []).sort((a, b) => a - b),
        ...(Number.isFinite(readAt) ? { readAt } : {})
      }
    }
  })
}

/**
 * Promotions that the conditions of some policy about their items do not rule out; beside one that a policy enrols into, regular ones at
 * the same time (an item that is in one of these does not join), and those that run and are over before (today's price may be theirs).
 */
const wanted = (policies: ReadonlyArray<Policy>, office: Office): ReadonlyArray<Subject> => {
  const table = office.table("promotion")
  const ofItems = policies.filter(({ each }) => each === "promotion_item")
  const guarded = openTo(ofItems.filter(looksBeside), table)
  const entered = openTo(ofItems.filter(enrols), table)
  const beside = rowsOf(table).filter(
    (row) =>
      isRegular(row, table) &&
      (guarded.some((one) => one !== row && areAtOneTime(one, row, table)) ||
        (startOf(row, table) <= 0 &&
          !Overlaps.isEmpty(table.target(row), table) &&
          entered.some((one) => endOf(row, table) <= startOf(one, table))))
  )
  return [...new Set([...openTo(ofItems, table), ...beside])]
    .sort((a, b) => a - b)
    .map((row) => table.target(row))
}

const rowsOf = (table: Table): ReadonlyArray<number> => Array.from({ length: table.size }, (_, row) => row)

/** Promotions that some of the policies may be about. */
const openTo = (policies: ReadonlyArray<Policy>, promotions: Table): ReadonlyArray<number> =>
  rowsOf(promotions).filter((row) => policies.some((policy) => !isRuledOut(policy, row, promotions)))

const isRuledOut = ({ where }: Policy, row: number, table: Table): boolean =>
  where.some(
    ({ condition }) =>
      isOfPromotion(condition) && Evaluate.condition(condition, table, [row]).truth[0] === Kleene.False
  )

const enrols = ({ rules }: Policy): boolean => rules.some(({ action }) => action._tag === "Enrol")

const looksBeside = ({ rules }: Policy): boolean =>
  rules.some(({ action }) => action._tag === "Enrol" && action.overlap === undefined)

/** The lists of automatic ones are refused (field note P02). */
const isRegular = (row: number, table: Table): boolean => {
  const type = table.get(row, "promotion.type")
  return type._tag === "Known" && type.value === "regular" && valueOf(row, "promotion.ends_in", table, 1) > 0
}

const areAtOneTime = (a: number, b: number, table: Table): boolean =>
  startOf(a, table) < endOf(b, table) && startOf(b, table) < endOf(a, table)

const startOf = (row: number, table: Table): number =>
  valueOf(row, "promotion.starts_in", table, Number.NEGATIVE_INFINITY)
const endOf = (row: number, table: Table): number =>
  valueOf(row, "promotion.ends_in", table, Number.POSITIVE_INFINITY)

const valueOf = (row: number, id: string, table: Table, unknown: number): number => {
  const cell = table.get(row, id)
  return cell._tag === "Known" ? Number(cell.value) : unknown
}

const isOfPromotion = (condition: Condition): boolean =>
  FactRefs.ofCondition(condition).every(({ id }) => {
    const level = Vocabulary.byFactId(id)?.level
    return level === "promotion" || level === "account"
  })
