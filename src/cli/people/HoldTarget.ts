/**
 * Whether anything of a held target's name is known here: what the journal changed, and the rows of the last recorded
 * day. A hold is placed whatever comes of this: a person may know of a campaign before its first plan does.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { CampaignId } from "../../domain/Ids.js"
import * as Recording from "../../engine/backtest/Recording.js"
import { ChangeLog } from "../../engine/door/ChangeLog.js"
import * as OperatorHold from "../../engine/kinds/OperatorHold.js"
import * as Suggest from "../../engine/language/problems/Suggest.js"
import { Snapshots } from "../../engine/planning/Snapshots.js"
import { cleanLine } from "../../reporting/Clean.js"

/** What to say of a target of which nothing is known; undefined when it is known, or the store knows too little to tell. */
export const unknown = (account: string, what: string) =>
  Effect.gen(function* () {
    // Of orders, supplies and promotions no recorded day knows all.
    if (/^(?!item\/)[a-z]+\//.test(what)) return undefined
    const rows = yield* lastRows(account)
    if (rows === undefined) return undefined
    const names = namesOf(rows)
    const [kind, cluster] = kindOf(what)
    // Clusters are read only where a rule asks for them.
    if (names.known.has(what) || (cluster && names.clusters.length === 0)) return undefined
    if (yield* isJournaled(account, what)) return undefined
    return told(what, nearest(what, [...names[kind], ...alike(what, names.known)]))
  })

const told = (what: string, near: string | undefined): string =>
  `Attention: nothing is known here of the target ${cleanLine(what)}, neither from the journal nor from the last plan; the hold stands all the same. ${near === undefined ? "" : `The nearest that is known: ${cleanLine(near)}. `}A target is written ${OperatorHold.targetForms}.`

type Kind = "campaigns" | "pairs" | "items" | "clusters"

/** Which of the names a target could be, and whether it is a cluster. */
const kindOf = (what: string): readonly [Kind, boolean] => {
  if (what.startsWith("item/")) return ["items", false]
  const parts = what.split("/").length
  return parts === 1 ? ["campaigns", false] : parts === 2 ? ["pairs", false] : ["clusters", true]
}

/** The same number as another kind of target: an item that was written as a campaign. */
const alike = (what: string, known: ReadonlySet<string>): ReadonlyArray<string> =>
  [`item/${what}`, what.replace(/^item\//, "")].filter((one) => known.has(one))

/** The part of a recorded day that says which rows there were. */
const Rows = Schema.parseJson(
  Schema.Struct({
    campaigns: Schema.Array(Schema.Number),
    items: Schema.Array(Schema.Number),
    campaignItems: Schema.Array(Schema.Array(Schema.Number)),
    clusters: Schema.Array(Schema.Array(Schema.String))
  })
)

/** The rows of the last recorded day; undefined when there is none, or it cannot be read. */
const lastRows = (account: string) =>
  Effect.gen(function* () {
    const store = yield* Snapshots
    const last = (yield* store.days(account)).at(-1)
    if (last === undefined) return undefined
    const parts = yield* store.read(account, last.day)
    const text = parts.find(({ name }) => name === Recording.rowsName)?.text
    return Option.getOrUndefined(Schema.decodeUnknownOption(Rows)(text))
  })

const namesOf = ({ campaignItems, campaigns, clusters, items }: typeof Rows.Type) => {
  const pairs = campaigns.flatMap((campaign, i) =>
    (campaignItems[i] ?? []).map((item) => `${campaign}/${item}`)
  )
  const names = {
    campaigns: campaigns.map(String),
    pairs,
    items: [...new Set([...items, ...campaignItems.flat()])].map((item) => `item/${item}`),
    clusters: pairs.flatMap((pair, i) => (clusters[i] ?? []).map((cluster) => `${pair}/${cluster}`))
  }
  return { ...names, known: new Set(Object.values(names).flat()) }
}

/** Most changes of a campaign that are looked through. */
const mostChanges = 200

/** Whether the journal has a change of the campaign that the hold would have stopped; an item alone is in no index. */
const isJournaled = (account: string, what: string) =>
  Effect.gen(function* () {
    const campaign = Number(what.split("/")[0])
    if (!Number.isSafeInteger(campaign)) return false
    const log = yield* ChangeLog
    const changes = yield* log.browse({ account, campaignId: CampaignId.make(campaign) }, mostChanges)
    const hold = { account, kind: "target", what, since: 0, by: "" } as const
    return changes.some(({ change }) =>
      OperatorHold.covers(hold, { ...change, origin: { by: "policy", name: "", line: 0 } })
    )
  })

/** What differs least in spelling, if that is little; the first of several in code units. */
export const nearest = (what: string, names: ReadonlyArray<string>): string | undefined => {
  const most = Math.max(1, Math.floor(what.length / 4))
  let found: { readonly name: string; readonly distance: number } | undefined
  for (const name of names) {
    const isSame = bare(name) === bare(what)
    const before = found?.distance ?? most + 1
    const distance = isSame ? 0 : Suggest.distance(what, name, before + 1)
    if (distance < before || (distance === before && found !== undefined && name < found.name))
      found = { name, distance }
  }
  return found?.name
}

const bare = (name: string): string => name.replace(/^item\//, "")
