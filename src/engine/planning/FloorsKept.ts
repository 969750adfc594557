/**
 * Whether price floors of the account hold. A table or a column that is gone takes none away: who wants to do without leaves
 * the column empty. Meanwhile nothing joins a promotion.
 */
import * as Effect from "effect/Effect"
import * as Days from "../../domain/Days.js"
import type { StoreFailure } from "../../domain/StoreFailure.js"
import * as PriceFloor from "../decide/limits/PriceFloor.js"
import type { RuleSet } from "../language/Policy.js"
import { LimitsMemory } from "./LimitsMemory.js"

/** The table in which floors stand; undefined where none do, though it may have a column for them. */
export const tableOf = (rules: RuleSet): string | undefined => {
  const column = PriceFloor.columnOf(rules)
  return column?.column === "filled" ? column.data?.path : undefined
}

/** Where floors of the account stood and until when; undefined while a table has their column, and where none ever did. */
export const gone = (
  account: string,
  rules: RuleSet
): Effect.Effect<PriceFloor.Gone | undefined, StoreFailure, LimitsMemory> =>
  Effect.gen(function* () {
    if (PriceFloor.columnOf(rules) !== undefined) return undefined
    const stood = yield* (yield* LimitsMemory).known(account, "price floors")
    return stood === undefined ? undefined : { path: stood.path, lastSeen: Days.ofMarket(stood.atMs) }
  })
