/**
 * `never_touch` of `_shared/limits.yaml`: campaigns, and items, that no rule changes. What an item's promotions do is a
 * change of it and of every campaign it is in. An unknown answer counts as a match. Pure.
 */
import * as Reason from "../../../domain/Reason.js"
import type * as Target from "../../../domain/Target.js"
import type { Table } from "../../facts/Table.js"
import type { NeverTouch } from "../../kinds/HeldReason.js"
import type { AccountLimits, Clause } from "../../language/Policy.js"
import * as BidLimits from "../intents/BidLimits.js"

type Limits = Pick<AccountLimits, "neverTouch" | "neverTouchItems">

/** Of what is in a campaign: by the campaign, or by the item. `table` is any view of the account. */
export const ofCampaign = (subject: Target.Subject, limits: Limits, table: Table): NeverTouch | undefined => {
  if (limits.neverTouch.length > 0) {
    const campaigns = table.view("campaign")
    const row = campaigns.indexOf(subject)
    const clause = matching(limits.neverTouch, campaigns, row)
    if (clause !== undefined) return named(clause, row !== undefined)
  }
  return subject.itemId === undefined ? undefined : byItem(subject, limits, table)
}

/** Of an item wherever it is: by the item, or by a campaign that it is in. */
export const ofItem = (subject: Target.Subject, limits: Limits, table: Table): NeverTouch | undefined => {
  const { itemId } = subject
  if (itemId === undefined) return undefined
  const own = byItem(subject, limits, table)
  if (own !== undefined || limits.neverTouch.length === 0) return own
  const [items, campaigns] = [table.view("campaign_item"), table.view("campaign")]
  for (const item of items.rowsUnder({ itemId })) {
    const clause = matching(limits.neverTouch, campaigns, campaigns.indexOf(items.target(item)))
    if (clause !== undefined) return { ...named(clause, true), what: "campaign_of_item" }
  }
  // It may be in a campaign that could not be read.
  return table.leftOut("item") === Reason.known
    ? undefined
    : { ...named(limits.neverTouch[0]!, false), what: "campaign_of_item" }
}

const byItem = (
  { itemId }: Target.Subject,
  { neverTouchItems = [] }: Limits,
  table: Table
): NeverTouch | undefined => {
  if (itemId === undefined || neverTouchItems.length === 0) return undefined
  const items = table.view("item")
  const row = items.indexOf({ itemId })
  const clause = matching(neverTouchItems, items, row)
  return clause === undefined ? undefined : { ...named(clause, row !== undefined), what: "item" }
}

const matching = (
  clauses: ReadonlyArray<Clause>,
  table: Table,
  row: number | undefined
): Clause | undefined => clauses.find((one) => BidLimits.mayMatch([one], table, row))

const named = ({ span, text }: Clause, read: boolean): NeverTouch => ({
  code: "never_touch",
  line: span.line,
  condition: text,
  read
})
