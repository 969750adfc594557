/** Which items of a preview a plan could have join: asked as a plan asks, of a rule that enrols all of them (`EnrolIntent`, `Overlaps`). */
import * as Effect from "effect/Effect"
import * as EnrolIntent from "../../engine/decide/intents/EnrolIntent.js"
import type { Gone } from "../../engine/decide/limits/PriceFloor.js"
import { Overlaps } from "../../engine/decide/sets/Overlaps.js"
import * as Print from "../../engine/facts/Print.js"
import type * as Gather from "../../engine/gather/Gather.js"
import type { Policy, RuleSet } from "../../engine/language/Policy.js"
import { RuleMemory } from "../../engine/planning/RuleMemory.js"
import type { Chosen } from "../account/Account.js"

/** `unsure`: it could, but for what else runs at the same time, whose items were not asked for. */
export type Joins = "yes" | "no" | "unsure"

/** By the row of an item in a promotion. Where price floors are gone none joins. */
export const look = (
  gathered: Gather.Gathered,
  rules: RuleSet,
  policy: Policy,
  chosen: Chosen,
  floorsGone: Gone | undefined
) =>
  Effect.gen(function* () {
    if (floorsGone !== undefined) return (): Joins => "no"
    const table = gathered.table("promotion_item")
    const { nowMs } = gathered
    const slots = yield* (yield* RuleMemory).slots(chosen.name, nowMs)
    const overlaps = new Overlaps(table, slots)
    const { currency, timeZone } = chosen.config
    return (row: number): Joins => {
      const target = table.target(row)
      const { itemId, promotionId } = target
      const { outcome } = EnrolIntent.of({
        policy,
        rule: policy.rules[0]!,
        ruleIndex: 0,
        table,
        row,
        target,
        rules,
        slots,
        refused: new Map(),
        holds: new Map(),
        nowMs,
        zone: timeZone,
        currency,
        sign: Print.currencySign(currency)
      })
      if (outcome._tag !== "Move" || itemId === undefined || promotionId === undefined) return "no"
      return joins[overlaps.beside(itemId, promotionId)._tag]
    }
  })

const joins = { Free: "yes", In: "no", Unread: "unsure" } as const
