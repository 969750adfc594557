/**
 * Rows below a row: the items of a campaign, or the campaigns of an item and of the account, for what `all(…)`,
 * `any(…)` and `sum(…)` ask. They stand in the row's own list, under `items:` or `campaigns:`.
 */
import { CampaignId, ItemId } from "../../domain/Ids.js"
import type * as Target from "../../domain/Target.js"
import * as Level from "../facts/Level.js"
import type { Each, Policy } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import type { MapNode } from "../language/yaml/Node.js"
import * as Layout from "./Layout.js"
import * as Statements from "./Statements.js"
import type { Below } from "./TestFile.js"

/** The rows below one row. Numbers that the test does not say are counted on from the row's own. */
export const read = (
  map: MapNode,
  owner: Target.Subject,
  policy: Policy,
  problems: Problems
): ReadonlyArray<Below> => {
  const over = Level.below(policy.each)
  const key = Layout.keyBelow(policy.each)
  if (over === undefined || key === undefined) return []
  const keys = { known: ["item.id"], needed: {} }
  return (Layout.list(map, key, problems) ?? []).flatMap((node, index) => {
    const child = Layout.map(node, `An entry of ${key}`, keys, problems, "facts")
    if (child === undefined) return []
    const statements = Statements.read(child, { ...policy, each: over }, problems)
    const number = numbered(statements, over) ?? 1000 * (owner.campaignId ?? owner.itemId ?? 0) + index + 1
    return [{ target: targetOf(owner, number), statements }]
  })
}

const targetOf = ({ campaignId, itemId }: Target.Subject, number: number): Target.Subject => {
  if (campaignId !== undefined) return { campaignId, itemId: ItemId.make(number) }
  const own = CampaignId.make(number)
  return itemId === undefined ? { campaignId: own } : { campaignId: own, itemId }
}

const numbered = (statements: Below["statements"], over: Each): number | undefined => {
  const said = statements.get(over === "campaign" ? "campaign.id" : "campaign_item.item.id")?.said
  if (said?._tag !== "Value" || said.cell._tag !== "Known") return undefined
  const number = Number(said.cell.value)
  return Number.isSafeInteger(number) && number > 0 ? number : undefined
}
