/** The rows of a case: their facts, and which campaign, item and cluster each one is. */
import { CampaignId, Cluster, ItemId } from "../../domain/Ids.js"
import * as Target from "../../domain/Target.js"
import * as Level from "../facts/Level.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Each, Policy } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import type { MapNode, Node } from "../language/yaml/Node.js"
import * as Source from "../language/yaml/Source.js"
import * as Layout from "./Layout.js"
import * as Statements from "./Statements.js"
import type { Below, Row, Statement } from "./TestFile.js"

/** Rows that have an id; the others were reported. */
export const read = (
  items: ReadonlyArray<Node>,
  defaults: Node | undefined,
  policy: Policy,
  problems: Problems
): ReadonlyArray<Row> => {
  const general = Statements.read(defaults, policy, problems)
  const seen = new Map<string, number>()
  const named = items.flatMap((item) => {
    const map = Layout.map(item, "A row", keys, problems, "facts")
    const id = map === undefined ? undefined : Layout.text(map, "id", problems)
    if (map === undefined || id === undefined) return []
    const name = id.text.trim()
    const line = Source.lineOf(problems.source, id.range.start)
    const first = seen.get(name)
    if (first !== undefined) {
      return (
        problems.error("T04", id.range, `A row "${name}" is already on line ${first}. Ids must differ.`) ?? []
      )
    }
    seen.set(name, line)
    const statements = new Map([...general, ...Statements.read(map, policy, problems)])
    return [{ id: name, node: id, map, statements }]
  })
  const numbers = {
    campaign: numbering(named, "campaign.id"),
    item: numbering(named, policy.each === "item" ? "item.id" : "campaign_item.item.id")
  }
  const rows = named.map(({ id, map, node, statements }, index) => {
    const [campaign, item] = [numbers.campaign(statements, index), numbers.item(statements, index)]
    const target = targetOf(policy.each, id, campaign, item)
    const span = Source.span(problems.source, node.range)
    const below = readBelow(map, target, policy, problems)
    return { id, span, range: node.range, target, statements, below }
  })
  sharedFacts(rows, problems)
  return rows.map(({ range: _, ...row }) => row)
}

const keys: Layout.Keys = { known: ["id"], needed: { id: "Name the row, such as id: a" } }

type Said = ReadonlyMap<string, Statement>

/** Numbers that the rows state, and others for those that do not. */
const numbering = (rows: ReadonlyArray<{ readonly statements: Said }>, fact: string) => {
  const stated = (statements: Said): number | undefined => {
    const said = statements.get(fact)?.said
    if (said?._tag !== "Value" || said.cell._tag !== "Known") return undefined
    const number = Number(said.cell.value)
    return Number.isSafeInteger(number) && number > 0 ? number : undefined
  }
  const highest = Math.max(0, ...rows.map(({ statements }) => stated(statements) ?? 0))
  return (statements: Said, index: number): number => stated(statements) ?? highest + index + 1
}

const targetOf = (each: Each, id: string, campaign: number, item: number): Target.Subject => {
  if (each === "account") return {}
  if (each === "item") return { itemId: ItemId.make(item) }
  const campaignId = CampaignId.make(campaign)
  if (each === "campaign") return { campaignId }
  const itemId = ItemId.make(item)
  return each === "campaign_item" ? { campaignId, itemId } : { campaignId, itemId, cluster: Cluster.make(id) }
}

type Placed = Row & { readonly range: Source.Range }

/** T04 when two rows are the same thing; T07 when they disagree on what they share (their campaign's budget). */
const sharedFacts = (rows: ReadonlyArray<Placed>, problems: Problems): void => {
  const rowsByTarget = new Map<string, Placed>()
  const said = new Map<string, { readonly row: Placed; readonly value: string }>()
  for (const row of rows) {
    const key = Target.key(row.target)
    const twin = rowsByTarget.get(key)
    if (twin !== undefined) {
      problems.error(
        "T04",
        row.range,
        `Rows "${twin.id}" and "${row.id}" have the same numbers. Let them differ.`
      )
    }
    rowsByTarget.set(key, row)
    for (const [name, statement] of row.statements) {
      const fact = Vocabulary.byFactId(statement.fact)
      const shared = fact === undefined ? undefined : ownerOf(fact.level, row.target)
      if (fact === undefined || shared === undefined) continue
      const value = JSON.stringify(statement.said)
      const before = said.get(`${shared} ${name}`)
      if (before === undefined) said.set(`${shared} ${name}`, { row, value })
      else if (before.value !== value) {
        const message = `Rows "${before.row.id}" and "${row.id}" share ${fact.word}, and give it different values.`
        problems.error("T07", row.range, message)
      }
    }
  }
}

const ownerOf = (level: Vocabulary.Level, { campaignId, itemId }: Target.Subject): string | undefined =>
  level === "account"
    ? "account"
    : level === "item" && itemId !== undefined
      ? Target.key({ itemId })
      : campaignId === undefined
        ? undefined
        : level === "campaign"
          ? Target.key({ campaignId })
          : level === "campaign_item" && itemId !== undefined
            ? Target.key({ campaignId, itemId })
            : undefined

// Rows below a row: the items of a campaign, or the campaigns of an item and of the account, for what `all(…)`,
// `any(…)` and `sum(…)` ask. They stand in the row's own list, under `items:` or `campaigns:`.

/** The rows below one row. Numbers that the test does not say are counted on from the row's own. */
export const readBelow = (
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
    return [{ target: belowTargetOf(owner, number), statements }]
  })
}

const belowTargetOf = ({ campaignId, itemId }: Target.Subject, number: number): Target.Subject => {
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
