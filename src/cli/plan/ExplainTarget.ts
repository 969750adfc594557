/** Which target `explain` is asked about, and what was probably meant by one that is not there. */
import * as Effect from "effect/Effect"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import * as Plural from "../../domain/Plural.js"
import * as Target from "../../domain/Target.js"
import * as TextOrder from "../../domain/TextOrder.js"
import type { Gathered } from "../../engine/gather/Gather.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import * as Suggest from "../../engine/language/problems/Suggest.js"
import { cleanLine } from "../../reporting/Clean.js"
import { stop } from "../terminal/Stop.js"

/** `777`, `777/1001`, `777/1001/женские кеды` (a cluster may hold slashes), `item/1001` or `account`. */
export const parse = (text: string) => {
  if (text === "account") return Effect.succeed<Target.Subject>({})
  const [first = "", item, ...rest] = text.split("/")
  const isItem = first === "item"
  if (
    (!isItem && !isId(first)) ||
    (item !== undefined && !isId(item)) ||
    (isItem && (item === undefined || rest.length > 0))
  ) {
    return Effect.fail(
      stop(
        1,
        `"${text}" is no target: write CAMPAIGN, CAMPAIGN/ITEM or CAMPAIGN/ITEM/CLUSTER with their numbers, item/ITEM (with its promotions), or account`
      )
    )
  }
  const target: Target.Subject = {
    ...(isItem ? {} : { campaignId: CampaignId.make(Number(first)) }),
    ...(item === undefined ? {} : { itemId: ItemId.make(Number(item)) }),
    ...(rest.length === 0 ? {} : { cluster: Cluster.make(rest.join("/")) })
  }
  return Effect.succeed(target)
}

const isId = (id: string): boolean => /^[1-9]\d{0,15}$/.test(id) && Number.isSafeInteger(Number(id))

type Rows = Pick<Gathered, "table">

/** True when campaign and item are among what was read. */
export const isListed = ({ campaignId, itemId }: Target.Subject, { table }: Rows): boolean => {
  if (campaignId === undefined) return itemId === undefined || has(table, "item", { itemId })
  return (
    has(table, "campaign", { campaignId }) &&
    (itemId === undefined || has(table, "campaign_item", { campaignId, itemId }))
  )
}

const has = (table: Rows["table"], each: Parameters<Rows["table"]>[0], target: Target.Subject): boolean =>
  table(each).indexOf(target) !== undefined

/** Why a target whose campaign or item is not listed cannot be explained, by the rows of the whole account. */
export const unlisted = (target: Target.Subject, { table }: Rows, among: OperatorHold.Among): string => {
  const { campaignId, itemId } = target
  const campaigns = namesOf(table, "campaign")
  const pairs = namesOf(table, "campaign_item")
  const items = new Set(pairs.map((pair) => pair.slice(pair.indexOf("/") + 1)))
  const within = (item: string) => pairs.filter((pair) => pair.endsWith(`/${item}`))
  if (campaignId === undefined) {
    const missing = `item ${itemId} is in no campaign that is ready, active or paused`
    if (campaigns.includes(`${itemId}`)) return `${missing}; ${itemId} is a campaign: write ${itemId}`
    return missing + suggestion(`${itemId}`, [...items], "item/")
  }
  if (!campaigns.includes(`${campaignId}`)) {
    const missing = `campaign ${campaignId} is not among those that are ready, active or paused`
    if (!items.has(`${campaignId}`))
      return missing + suggestion(`${campaignId}`, campaigns) + ofOrder(campaignId, among)
    return `${missing}; ${campaignId} is an item: write item/${campaignId}, or ${listed(within(`${campaignId}`))} for it in one campaign`
  }
  const missing = `item ${itemId} is not in campaign ${campaignId}`
  const elsewhere = within(`${itemId}`)
  if (elsewhere.length > 0) return `${missing}; it is in ${listed(elsewhere)}`
  const own = pairs.filter((pair) => pair.startsWith(`${campaignId}/`))
  return missing + suggestion(`${campaignId}/${itemId}`, own)
}

/** Numbers of orders are longer than those of campaigns. */
const ofOrder = (id: number, among: OperatorHold.Among): string =>
  id < 1_000_000_000
    ? ""
    : `; is it an order? Its way: ${OperatorHold.command(`bidhelm orders history ${id}`, among)}`

/** Why a cluster cannot be explained; undefined when it is listed, or its item's clusters were not read. */
export const unknownCluster = (target: Target.Subject, { table }: Rows): string | undefined => {
  const { campaignId, cluster, itemId } = target
  if (campaignId === undefined || itemId === undefined || cluster === undefined) return undefined
  const clusters = table("cluster")
  const rows = clusters.rowsUnder({ campaignId, itemId })
  if (rows.length === 0 || clusters.indexOf(target) !== undefined) return undefined
  const names = rows.flatMap((row) => clusters.target(row).cluster ?? [])
  const near = nearest(cluster, names).map((name) => cleanLine(`${campaignId}/${itemId}/${name}`))
  return `the cluster "${cleanLine(cluster)}" is not among the ${Plural.of(rows.length, "cluster")} of ${campaignId}/${itemId}; nearest: ${near.join(", ")}`
}

const namesOf = (table: Rows["table"], each: "campaign" | "campaign_item"): ReadonlyArray<string> =>
  table(each).rows.map(Target.key)

const suggestion = (wanted: string, names: ReadonlyArray<string>, before = ""): string => {
  const near = nearest(wanted, names).map((name) => before + name)
  return near.length === 0 ? "" : `; nearest: ${near.join(", ")}`
}

/** Names that are listed before they are counted. */
const mostNamed = 3

const listed = (names: ReadonlyArray<string>): string => Plural.named(names, mostNamed)

/** Names that hold what was written, then those that differ least in spelling; of equals the first by code units. */
const nearest = (wanted: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const words = wanted.toLowerCase()
  const far = (name: string): number =>
    name.toLowerCase().includes(words) ? 0 : Suggest.distance(words, name.toLowerCase(), mostEdits)
  return names
    .map((name) => ({ name, distance: far(name) }))
    .sort((a, b) => a.distance - b.distance || TextOrder.compare(a.name, b.name))
    .slice(0, mostNamed)
    .map(({ name }) => name)
}

/** Names further away are all alike. */
const mostEdits = 40
