/**
 * `spend_per_day`: once what all campaigns have spent today, with what the plan is estimated to add, reaches the limit,
 * nothing is done that makes anything dearer. What makes things cheaper always passes.
 */
import * as Days from "../../../domain/Days.js"
import type { CampaignId } from "../../../domain/Ids.js"
import * as Plural from "../../../domain/Plural.js"
import * as Reason from "../../../domain/Reason.js"
import * as Window from "../../../domain/Window.js"
import type { Cell } from "../../facts/Cell.js"
import { factKey, type Table } from "../../facts/Table.js"
import type { Change } from "../../kinds/Change.js"
import type { HeldReason } from "../../kinds/HeldReason.js"
import * as Kinds from "../../kinds/Kinds.js"

/** The fact that is read for it, of every campaign. */
export const spend = { id: "campaign.spend", window: Window.today } as const

const where = "_shared/limits.yaml account.spend_per_day"

/** Kopecks, or why nobody knows them, for a person. */
export type Spent = number | string

/** What has to be known of the account to say what it has spent today. */
export interface Account {
  /** Rows of the campaigns that rules may steer, with their spend. */
  readonly campaigns: Table
  /** Campaigns of the account that could not be read, and so have no row. */
  readonly campaignsUnread: number
  /** What campaigns without a row had spent before they were completed today; undefined when nobody asked. */
  readonly spentByCompleted: Spent | undefined
  /** By which clock it is today; absent where nobody compares clocks. */
  readonly made?: Clock | undefined
}

/** `aheadMs`: of the marketplace's clock; absent where they agree. */
interface Clock {
  readonly nowMs: number
  readonly aheadMs?: number
}

/** Which changes are held; `changes` in the order in which they may take what is left. */
export const hold = (
  changes: ReadonlyArray<Change>,
  account: Account,
  limitKopecks: number
): ReadonlyMap<Change, HeldReason> => {
  const limit = { where, kopecks: limitKopecks }
  const dearer = changes.filter((change) => Kinds.of(change).isDearer(change))
  const apart = ofAnotherDay(account.made)
  const spent = apart === undefined ? today(account) : `today's spend is unknown: ${apart.said}`
  if (typeof spent === "string") {
    return new Map(dearer.map((change) => [change, { code: "spend_unknown", ...limit, said: spent }]))
  }
  let expected = spent
  const held = new Map<Change, HeldReason>()
  for (const change of dearer) {
    const more = increase(change)
    if (expected < limitKopecks && expected + more <= limitKopecks) {
      expected += more
      continue
    }
    const figures = { spentKopecks: spent, plannedKopecks: expected - spent, moreKopecks: more }
    held.set(change, { code: "spend_per_day", ...limit, ...figures })
  }
  return held
}

/** Why figures of a day are those of another, and the marketplace's day: they were asked for by the day of this machine's clock. On the same day they are right, however far the clocks differ. */
export const ofAnotherDay = (
  clock: Clock | undefined
): { readonly said: string; readonly day: Days.Day } | undefined => {
  if (clock?.aheadMs === undefined) return undefined
  const [own, theirs] = [Days.ofMarket(clock.nowMs), Days.ofMarket(clock.nowMs - clock.aheadMs)]
  return own === theirs
    ? undefined
    : {
        day: theirs,
        said: `by the marketplace's clock it is another day (${theirs}, by this machine's ${own}); set the clock (NTP), bidhelm doctor compares them`
      }
}

/** A deposit can be spent within the day. What nobody can estimate counts nothing, and shows in the next run's spend. */
const increase = (change: Change): number => {
  const pays = Kinds.paysOf(change)
  if (pays !== undefined) return pays.amount(change)
  const estimate = change.moneyPerDayKopecks
  return typeof estimate === "number" ? Math.max(0, estimate) : 0
}

/** What all campaigns have spent today. */
export const today = ({ campaigns, campaignsUnread, spentByCompleted }: Account): Spent => {
  if (campaignsUnread > 0)
    return `today's spend is unknown: ${Plural.of(campaignsUnread, "campaign")} could not be read`
  if (spentByCompleted === undefined) return "today's spend of completed campaigns was not read"
  if (typeof spentByCompleted === "string") return spentByCompleted
  const open = sum(
    Array.from({ length: campaigns.size }, (_, row) => ({
      campaignId: campaigns.target(row).campaignId,
      cell: campaigns.get(row, factKey(spend))
    }))
  )
  return typeof open === "string" ? open : open + spentByCompleted
}

/** A campaign of which the marketplace has no statistics today has spent nothing. */
export const sum = (
  spends: Iterable<{ readonly campaignId: CampaignId | undefined; readonly cell: Cell }>
): Spent => {
  let total = 0
  for (const { campaignId, cell } of spends) {
    if (cell._tag === "Known") total += Number(cell.value)
    else if (!Reason.isMissing(Reason.code(cell.reason)))
      return `today's spend of campaign ${campaignId} is unknown: ${Reason.explain[cell.reason]}`
  }
  return total
}
