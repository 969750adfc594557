/**
 * The rows of promotions, before any policy asks about them: the calendar first, then the items of those promotions alone
 * that some policy may be about. All calls of the calendar draw from one limit (field note P07).
 */
import * as Effect from "effect/Effect"
import * as Evaluate from "../facts/Evaluate.js"
import * as FactRefs from "../facts/FactRefs.js"
import * as Kleene from "../facts/Kleene.js"
import type { SourceNeed } from "../facts/Needs.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Condition, Policy } from "../language/Policy.js"
import type { FactSource } from "./FactSource.js"
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
  return office
    .learn([calendar], "local", () => [{}])
    .pipe(Effect.zipRight(office.learn([items], "local", () => wanted(asking, office))))
}

/** Promotions that the conditions of some policy about their items do not rule out. */
const wanted = (policies: ReadonlyArray<Policy>, office: Office) => {
  const table = office.table("promotion")
  const rows = Array.from({ length: table.size }, (_, row) => row)
  const ofItems = policies.filter(({ each }) => each === "promotion_item")
  return rows
    .filter((row) => ofItems.some((policy) => !isRuledOut(policy, row)))
    .map((row) => table.target(row))

  function isRuledOut({ where }: Policy, row: number): boolean {
    return where.some(
      ({ condition }) =>
        isOfPromotion(condition) && Evaluate.condition(condition, table, [row]).truth[0] === Kleene.False
    )
  }
}

const isOfPromotion = (condition: Condition): boolean =>
  FactRefs.ofCondition(condition).every(({ id }) => {
    const level = Vocabulary.byFactId(id)?.level
    return level === "promotion" || level === "account"
  })
