/**
 * The rows of promotions, before any policy asks about them: the calendar first, then the items of those promotions alone
 * that some policy may be about, or that its items may be in already. All calls of the calendar draw from one limit (field note P07).
 */
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { PromotionItemTarget, Subject } from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Notice } from "../decide/Plan.js"
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

const price = "promotion_item.price"
const fall = "promotion_item.price_drop"

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
    const keys = wanted(asking, office, scarce === undefined)
    const inTurn = scarce === undefined ? keys : yield* scarce.inTurn(keys)
    yield* office.learn([items], "local", () => inTurn)
  })
}

/**
 * Today's price of an item in a promotion that runs is that promotion's. Of one that begins after it nobody knows how far the price
 * will fall: it would look smaller than it is, and nothing takes the item out again. What was `filed` is on its way there, or in by now.
 */
export const forgetPrices = (
  promotions: Table,
  items: Table,
  nowMs: number,
  filed: ReadonlyArray<PromotionItemTarget>
): void => {
  for (let running = 0; running < promotions.size; running++) {
    const endsIn = endOf(running, promotions)
    if (startOf(running, promotions) > 0 || endsIn <= 0) continue
    const target = promotions.target(running)
    const onTheirWay = filed.filter(({ promotionId }) => promotionId === target.promotionId)
    for (const { itemId } of [...itemsIn(items, target), ...onTheirWay])
      for (const later of itemId === undefined ? [] : items.rowsUnder({ itemId }))
        if (endsIn <= startOf(later, items)) forgetPrice(items, later, nowMs)
  }
}

const itemsIn = (items: Table, promotion: Subject): ReadonlyArray<Subject> =>
  items.rowsUnder(promotion).flatMap((row) => {
    const isIn = items.get(row, "promotion_item.in_action")
    return isIn._tag === "Known" && isIn.value === true ? [items.target(row)] : []
  })

/** The price itself stays known: it is today's. */
const forgetPrice = (items: Table, row: number, nowMs: number): void => {
  const unknown = Cells.unknown("otherPromotion")
  items.set(row, fall, unknown)
  const days = items.ahead(row) ?? [{ from: Days.ofMarket(nowMs), said: new Map() }]
  items.setAhead(
    row,
    days.map(({ from, said }) => ({ from, said: new Map([...said, [price, unknown]]) }))
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
 * Promotions that the conditions of some policy about their items do not rule out, and regular ones at the same time as
 * one that a policy enrols into: an item that is in one of these does not join. Where calls are not scarce and a policy that enrols goes by how
 * far prices fall, those that run as well: today's price may be theirs.
 */
const wanted = (policies: ReadonlyArray<Policy>, office: Office, looksAtRunning: boolean) => {
  const table = office.table("promotion")
  const rows = Array.from({ length: table.size }, (_, row) => row)
  const ofItems = policies.filter(({ each }) => each === "promotion_item")
  const asked = rows.filter((row) => ofItems.some((policy) => !isRuledOut(policy, row, table)))
  const guarded = ofItems.filter(looksBeside)
  const entered = asked.filter((row) => guarded.some((policy) => !isRuledOut(policy, row, table)))
  const beside = rows.filter(
    (row) => isRegular(row, table) && entered.some((one) => one !== row && areAtOneTime(one, row, table))
  )
  const running =
    looksAtRunning && asked.length > 0 && ofItems.some(countsFall)
      ? rows.filter((row) => isRegular(row, table) && startOf(row, table) <= 0)
      : []
  return [...new Set([...asked, ...beside, ...running])].sort((a, b) => a - b).map((row) => table.target(row))
}

const isRuledOut = ({ where }: Policy, row: number, table: Table): boolean =>
  where.some(
    ({ condition }) =>
      isOfPromotion(condition) && Evaluate.condition(condition, table, [row]).truth[0] === Kleene.False
  )

const looksBeside = ({ rules }: Policy): boolean =>
  rules.some(({ action }) => action._tag === "Enrol" && action.overlap === undefined)

/** Whether it enrols by how far prices fall. What a set costs is made of today's price, which is a fact of the action then. */
const countsFall = (policy: Policy): boolean =>
  policy.rules.some(({ action }) => action._tag === "Enrol") &&
  FactRefs.ofPolicy(policy).some(({ id }) => id === price || id === fall)

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
