/** A recording read back: the tables as they were, and which facts were recorded at all. Pure. */
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import * as Table from "../facts/Table.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import * as Recording from "./Recording.js"

export interface Recalled extends Recording.Recorded {
  /** Keys of the facts that were read for at least some rows. */
  readonly facts: ReadonlySet<string>
}

/** Left: why it cannot be read, for a person. */
export const recall = (parts: ReadonlyArray<Recording.Part>): Either.Either<Recalled, string> => {
  try {
    return Either.flatMap(headOf(parts), (head) => Either.right(recalled(head, parts)))
  } catch {
    return Either.left(damaged)
  }
}

const damaged = "it is damaged"

const Head = Schema.parseJson(
  Schema.Struct({
    version: Schema.Int,
    account: Schema.String,
    nowMs: Schema.Number,
    zone: Schema.String,
    currency: Schema.String,
    rulesHash: Schema.String,
    asked: Schema.Array(Schema.String),
    // Recordings made before these were kept do not say.
    campaignsUnread: Schema.optionalWith(Schema.Int, { default: () => 0 }),
    known: Schema.optionalWith(Schema.Int, { default: () => 0 }),
    spentByCompleted: Schema.optional(Schema.Union(Schema.Number, Schema.String))
  })
)

const Rows = Schema.parseJson(
  Schema.Struct({
    campaigns: Schema.Array(CampaignId),
    items: Schema.Array(ItemId),
    campaignItems: Schema.Array(Schema.Array(ItemId)),
    clusters: Schema.Array(Schema.Array(Cluster))
  })
)

/** Left: why what the parts hold cannot be told, for a person. */
export const headOf = (parts: ReadonlyArray<Recording.Part>) =>
  Either.filterOrLeft(
    Either.mapLeft(Schema.decodeUnknownEither(Head)(textOf(parts, Recording.headName)), () => damaged),
    (head) => head.version === Recording.version,
    ({ version }) => `it is of version ${version}, this program reads ${Recording.version}; update bidhelm`
  )

const textOf = (parts: ReadonlyArray<Recording.Part>, name: string): string | undefined =>
  parts.find((part) => part.name === name)?.text

const recalled = (head: typeof Head.Type, parts: ReadonlyArray<Recording.Part>): Recalled => {
  const { known: _, version: __, spentByCompleted, ...circumstances } = head
  const cluster = Table.make("cluster")
  enterRows(cluster, Schema.decodeUnknownSync(Rows)(textOf(parts, Recording.rowsName)))
  if (head.campaignsUnread > 0) cluster.leaveOut("failed")
  const facts = new Set<string>()
  for (const { name, text } of parts) {
    if (!name.startsWith(factPrefix)) continue
    const key = name.slice(factPrefix.length)
    const fact = Vocabulary.byFactId(key.split("@")[0]!)
    // A word that rules no longer have cannot be asked for.
    if (fact === undefined) continue
    facts.add(key)
    const rows = Table.view(cluster, fact.level)
    Recording.decode(text, (row, cell) => rows.set(row, key, cell))
  }
  return { ...circumstances, spentByCompleted, facts, table: (each) => Table.view(cluster, each) }
}

const factPrefix = Recording.factName("")

/** In the order of the recording, so that a row's number is its place in it. */
const enterRows = (table: Table.Table, rows: typeof Rows.Type): void => {
  for (const campaignId of rows.campaigns) table.addKey({ campaignId })
  for (const itemId of rows.items) table.addKey({ itemId })
  let pair = 0
  for (const [at, items] of rows.campaignItems.entries()) {
    const campaignId = rows.campaigns[at]!
    for (const itemId of items) {
      table.addKey({ campaignId, itemId })
      for (const cluster of rows.clusters[pair++] ?? []) table.addKey({ campaignId, itemId, cluster })
    }
  }
}
