/** Facts from tables of the seller's on their way into a run: each item gets its value, or the reason it has none. */
import type { CampaignId } from "../../domain/Ids.js"
import type { Notice } from "../decide/Plan.js"
import type { Cell } from "../facts/Cell.js"
import * as Cells from "../facts/Cell.js"
import * as FactRefs from "../facts/FactRefs.js"
import type { Table } from "../facts/Table.js"
import type { OwnFact } from "../language/OwnFact.js"
import type { Each, RuleSet } from "../language/Policy.js"

/** Enters the values of a campaign's items, once they are known; `items` is the table of items in campaigns. */
export const enter = (
  { ownFacts = [] }: RuleSet,
  items: Table,
  campaignId: CampaignId,
  nowMs: number
): void => {
  if (ownFacts.length === 0) return
  for (const subject of items.keys("item", items.rowsUnder({ campaignId }))) {
    const { itemId } = subject
    if (itemId === undefined) continue
    for (const own of ownFacts) items.setFor({ itemId }, own.fact.id, valueOf(own, itemId, nowMs))
  }
}

const valueOf = (own: OwnFact, itemId: number, nowMs: number): Cell => {
  if (own.data === undefined) return Cells.unknown("notFetched")
  return isStale(own, nowMs) ? Cells.unknown("stale") : (own.values.get(itemId) ?? Cells.unknown("unlisted"))
}

const isStale = ({ data, maxAgeMs }: OwnFact, nowMs: number): boolean =>
  maxAgeMs !== undefined && data !== undefined && nowMs - data.modifiedMs > maxAgeMs

/** S05: one notice per policy and fact whose value some of the account's items lack. */
export const notices = (
  { ownFacts = [], policies }: RuleSet,
  table: (each: Each) => Table,
  nowMs: number
): ReadonlyArray<Notice> => {
  if (ownFacts.length === 0) return []
  const items = table("item")
  return policies.flatMap((policy) => {
    if (policy.mode === "disabled") return []
    const read = new Set(FactRefs.ofPolicy(policy).map(({ id }) => id))
    return ownFacts
      .filter(({ fact }) => read.has(fact.id))
      .flatMap((own) => {
        const text = coverage(own, items, nowMs)
        return text === undefined ? [] : [{ policy: policy.id, campaignName: "", text }]
      })
  })
}

const coverage = (own: OwnFact, items: Table, nowMs: number): string | undefined => {
  const { data, fact } = own
  if (data !== undefined && isStale(own, nowMs)) {
    const days = Math.floor((nowMs - data.modifiedMs) / 86_400_000)
    return `S05 ${fact.word}: ${data.path} is ${days} days old, longer than max_age; all ${grouped(items.size)} items are skipped`
  }
  let known = 0
  for (let row = 0; row < items.size; row++) if (items.get(row, fact.id)._tag === "Known") known++
  const rest = items.size - known
  if (rest === 0) return undefined
  return `S05 ${fact.word} is known for ${grouped(known)} of ${grouped(items.size)} items; ${grouped(rest)} are skipped`
}

const grouped = (count: number): string => String(count).replace(/\B(?=(\d{3})+$)/g, ",")
