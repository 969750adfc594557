/** Compares what a plan meant to change with what the sandbox marketplace accepted: the same, and nothing twice. */
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Target from "../../domain/Target.js"
import type { Change, Of } from "../../engine/kinds/Change.js"
import type { KindName } from "../../engine/kinds/Parts.js"
import { statusWord } from "../../services/areas/advertising/Campaigns.js"

const Ledger = Schema.Struct({
  entries: Schema.Array(
    Schema.Struct({
      operation: Schema.String,
      slot: Schema.String,
      target: Schema.Struct({
        campaignId: Schema.optional(Schema.Int),
        promotionId: Schema.optional(Schema.Int),
        itemId: Schema.optional(Schema.Int),
        cluster: Schema.optional(Schema.String)
      }),
      before: Schema.Unknown,
      after: Schema.Unknown
    })
  ),
  breaches: Schema.Int
})
export type Ledger = typeof Ledger.Type

/** Reads the sandbox's list of accepted writes. */
export const fetch = (url: string) =>
  Effect.gen(function* () {
    const http = yield* HttpClient.HttpClient
    return yield* http
      .get(`${url}/_sandbox/ledger`)
      .pipe(Effect.flatMap(HttpClientResponse.schemaBodyJson(Ledger)))
  })

export interface Comparison {
  /** Changes that both name, once each. */
  readonly agreed: number
  /** Planned and never accepted. */
  readonly missing: ReadonlyArray<string>
  /** Accepted and not planned, or accepted twice. */
  readonly surplus: ReadonlyArray<string>
}

/** Both sides as sentences `target what value`, compared one by one. */
export const compare = (changes: ReadonlyArray<Change>, ledger: Ledger): Comparison => {
  const left = new Map<string, number>()
  for (const change of changes) {
    const meant = planned(change)
    left.set(meant, (left.get(meant) ?? 0) + 1)
  }
  const surplus: Array<string> = []
  let agreed = 0
  for (const fact of ledger.entries.flatMap(accepted)) {
    const count = left.get(fact) ?? 0
    if (count === 0) surplus.push(fact)
    else {
      agreed += 1
      left.set(fact, count - 1)
    }
  }
  const missing = [...left].flatMap(([fact, count]) => Array<string>(count).fill(fact))
  return { agreed, missing: missing.sort(), surplus: surplus.sort() }
}

/** How many of each kind the marketplace accepted, whatever was planned. */
export interface Kinds {
  readonly raises: number
  readonly minusPhrases: number
  readonly pauses: number
}

/** What the shipped rules do, counted by the marketplace's own list. */
export const kinds = ({ entries }: Ledger): Kinds => {
  const facts = entries.flatMap(accepted)
  return {
    raises: entries.filter(isRaise).length,
    minusPhrases: facts.filter((fact) => fact.endsWith(" minus added")).length,
    pauses: facts.filter((fact) => fact.endsWith(" status paused")).length
  }
}

/** A cluster without a bid of its own had its item's bid, which the entry does not tell: its own one is no lower then. */
const isRaise = ({ after, before, slot }: Ledger["entries"][number]): boolean =>
  slot.startsWith("bid") && typeof after === "number" && (typeof before !== "number" || after > before)

const planned = (change: Change): string =>
  `${Target.key(change.subject)} ${(words[change.kind] as (change: Change) => string)(change)}`

/** A change as the sandbox writes it down. */
const words: { readonly [K in KindName]: (change: Of<K>) => string } = {
  campaign_deposit: ({ after, before }) => `deposit ${(Number(after) - Number(before)) / 100}`,
  campaign_status: ({ after }) => `status ${after}`,
  campaign_placements: ({ after }) => `placements ${after}`,
  campaign_name: ({ after }) => `name ${after}`,
  campaign_stop: ({ after }) => `status ${after}`,
  campaign_deletion: ({ after }) => `status ${after}`,
  campaign_items: ({ after }) => `items ${after === true ? "added" : "removed"}`,
  enrolment: () => "promotion added",
  minus_phrase: ({ after }) => `minus ${after === true ? "added" : "removed"}`,
  item_bid: ({ after, details }) =>
    `${details.placement === "recommendations" ? "bid.recommendations" : "bid.search"} ${after}`,
  cluster_bid: ({ after }) => `bid ${after}`,
  supply_creation: () => "supply open",
  order_in_supply: () => "order confirm",
  order_mark: ({ details: { key } }) => `label ${key}`,
  label_deletion: ({ details: { key } }) => `label ${key}`,
  shipping_units: () => "units",
  supply_delivery: () => "supply closed",
  order_cancellation: () => "order cancel",
  supply_deletion: () => "supply deleted",
  pass_creation: () => "pass"
}

const accepted = (entry: Ledger["entries"][number]): ReadonlyArray<string> => {
  const { campaignId, cluster, itemId, promotionId } = entry.target
  const first = promotionId === undefined ? campaignId : `promotion/${promotionId}`
  const key = [first, itemId, cluster].filter((part) => part !== undefined).join("/")
  if (entry.slot === "status") return [`${key} status ${statusWord(Number(entry.after))}`]
  if (entry.slot === "budget") return [`${key} deposit ${Number(entry.after) - Number(entry.before)}`]
  if (entry.slot === "placements") return [`${key} placements ${places(entry.after)}`]
  if (!lists.includes(entry.slot)) return [`${key} ${entry.slot} ${String(entry.after)}`]
  const [before, after] = [members(entry.before), members(entry.after)]
  return [
    ...[...after].filter((one) => !before.has(one)).map((one) => `${key}/${one} ${entry.slot} added`),
    ...[...before].filter((one) => !after.has(one)).map((one) => `${key}/${one} ${entry.slot} removed`)
  ]
}

/** Slots that the sandbox writes down as a whole list, of which a change is one member. */
const lists = ["minus", "items", "promotion"]

const places = (shown: unknown): string =>
  ["search", "recommendations"]
    .filter((place) => Predicate.isRecord(shown) && shown[place] === true)
    .join(", ")

const members = (list: unknown): ReadonlySet<string> => new Set(Array.isArray(list) ? list.map(String) : [])
