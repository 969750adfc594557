/** `add_minus` and `remove_minus`: whether a cluster is among the minus phrases of its item. */
import * as Target from "../../../domain/Target.js"
import * as MinusPhrase from "../../kinds/MinusPhrase.js"
import { acts } from "../../language/Mode.js"
import { type Ground, type Intent, type Outcome, ofRow, stay, targetOf, undecided } from "./Intent.js"

export const of = (ground: Ground, action: "AddMinus" | "RemoveMinus"): Intent =>
  ofRow(ground, MinusPhrase.slot(targetOf(ground)), outcome(ground, action))

const outcome = (ground: Ground, action: "AddMinus" | "RemoveMinus"): Outcome => {
  const { table, row } = ground
  if (ground.target.cluster === undefined) return stay({ code: "minus_needs_cluster" }, false)
  const status = table.get(row, "campaign.status")
  if (status._tag === "Known" && ["completed", "declined", "deleted"].includes(String(status.value))) {
    return stay({ code: "minus_closed", status: String(status.value) }, false)
  }
  const inMinus = table.get(row, "cluster.in_minus")
  if (inMinus._tag === "Unknown") {
    return undecided({ code: "fact_unknown", fact: "cluster.in_minus", reason: inMinus.reason }, true)
  }
  const before = inMinus.value === true
  const after = action === "AddMinus"
  if (before === after) return stay({ code: "minus_already", listed: after }, true)
  return {
    _tag: "Move",
    dearer: !after,
    setting: { before, after, kind: MinusPhrase.name, details: {}, clamps: [], reversible: true }
  }
}

/**
 * Counts what one run adds to each list, so that together the additions keep to `max_total`. A preview takes no place
 * from what is done.
 */
export class Lists {
  private readonly planned = new Map<string, number>()
  private readonly shown = new Map<string, number>()

  /** Why the item's list has no place; undefined where it has one. */
  full(ground: Ground, maxTotal: number): Outcome | undefined {
    const key = listOf(ground)
    const count = ground.table.get(ground.row, "campaign_item.minus.count")
    if (count._tag === "Unknown") {
      return undecided(
        { code: "fact_unknown", fact: "campaign_item.minus.count", reason: count.reason },
        true
      )
    }
    const planned = (this.planned.get(key) ?? 0) + (acts(ground.policy) ? 0 : (this.shown.get(key) ?? 0))
    const total = Number(count.value) + planned
    return total >= maxTotal
      ? stay({ code: "minus_list_full", phrases: total, most: maxTotal }, true)
      : undefined
  }

  /** Takes one place in the item's list. */
  take(ground: Ground): void {
    const key = listOf(ground)
    const places = acts(ground.policy) ? this.planned : this.shown
    places.set(key, (places.get(key) ?? 0) + 1)
  }
}

const listOf = (ground: Ground): string => {
  const { campaignId, itemId } = targetOf(ground)
  return itemId === undefined ? `${campaignId}` : Target.key({ campaignId, itemId })
}
