/** The cases of a test file: rows, instants, and what each run expects. */
import * as Days from "../../domain/Days.js"
import { CampaignId, Cluster, ItemId, PromotionId } from "../../domain/Ids.js"
import * as Target from "../../domain/Target.js"
import * as Levels from "../facts/Level.js"
import * as Vocabulary from "../facts/Vocabulary.js"
import type { Each, Policy } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import * as Suggest from "../language/problems/Suggest.js"
import { entry, type MapNode, type Node, type ScalarNode } from "../language/yaml/Node.js"
import * as Source from "../language/yaml/Source.js"
import * as Expectations from "./Expectations.js"
import * as Layout from "./Layout.js"
import * as PolicyParts from "./PolicyParts.js"
import * as Statements from "./Statements.js"
import {
  type Below,
  type Case,
  type LimitWord,
  limitWords,
  type Row,
  type Run,
  type Statements as Said,
  type Statement
} from "./TestFile.js"

const single = ["now", ...Expectations.keys]
const keys: Layout.Keys = {
  known: ["name", "now", "defaults", "rows", ...Expectations.keys, "limits", "from", "step", "runs"],
  needed: { name: "Say what the case shows.", rows: "List the rows, each after a dash." }
}
const runKeys: Layout.Keys = {
  known: ["at", "rows", ...Expectations.keys],
  needed: { at: "When does it run?" }
}

/** Cases that could be read. Names of a file must differ. */
export const read = (items: ReadonlyArray<Node>, policy: Policy, problems: Problems): ReadonlyArray<Case> => {
  const names = new Map<string, number>()
  return items.flatMap((item) => {
    const map = Layout.map(item, "A case", keys, problems)
    if (map === undefined) return []
    const name = Layout.text(map, "name", problems)
    const first = name === undefined ? undefined : names.get(name.text.trim())
    if (name !== undefined && first !== undefined) {
      problems.error("T04", name.range, `A case of this name is already on line ${first}. Names must differ.`)
    }
    if (name !== undefined) names.set(name.text.trim(), Source.lineOf(problems.source, name.range.start))
    const made = one(map, policy, problems)
    return name === undefined
      ? []
      : [{ ...made, name: name.text.trim(), span: Source.span(problems.source, name.range) }]
  })
}

const one = (map: MapNode, policy: Policy, problems: Problems): Omit<Case, "name" | "span"> => {
  const items = Layout.list(map, "rows", problems)
  if (items?.length === 0) {
    problems.error(
      "T02",
      entry(map, "rows")!.keyRange,
      "There is no row here. A case without rows tests nothing."
    )
  }
  const defaults = defaultsOf(map, problems)
  const rows = readRows(items ?? [], defaults, policy, problems)
  const runs = runsOf(map, rows, policy, problems)
  const said = [
    ...rows.map(({ statements }) => statements),
    ...rows.flatMap(({ below }) => below.map(({ statements }) => statements)),
    ...runs.flatMap(({ below, facts }) => [
      ...facts.values(),
      ...[...below.values()].flat().map(({ statements }) => statements)
    ])
  ]
  const from = fromOf(map, said, problems)
  stepOf(Layout.text(map, "step", problems), problems)
  return {
    rows,
    limits: limitsOf(Layout.text(map, "limits", problems), problems),
    ...(from === undefined ? {} : { from }),
    runs
  }
}

const defaultsOf = (map: MapNode, problems: Problems): Node | undefined => {
  const node = entry(map, "defaults")?.value
  const id = entry(node, "id")
  if (id !== undefined)
    problems.error("K01", id.keyRange, "Every row has an id of its own; defaults have none.")
  return node === undefined
    ? undefined
    : Layout.map(node, "defaults", { known: ["orders"], needed: {} }, problems, "facts")
}

const runsOf = (
  map: MapNode,
  rows: ReadonlyArray<Row>,
  policy: Policy,
  problems: Problems
): ReadonlyArray<Run> => {
  const ids = rows.map(({ id }) => id)
  const several = entry(map, "runs")
  if (several === undefined) {
    const now = Layout.text(map, "now", problems)
    if (entry(map, "now") === undefined) {
      problems.error(
        "K13",
        Layout.first(map),
        "now: is missing. When does it run? For example now: 2026-09-01T09:00+03:00"
      )
    }
    const expected = Expectations.read(map, ids, problems)
    return [{ ...timeOf(now, "now", map, problems), facts: new Map(), below: new Map(), ...expected }]
  }
  for (const { key, keyRange } of map.entries) {
    if (!single.includes(key)) continue
    problems.error("K01", keyRange, `"${key}" belongs to a case with a single run. Write it under runs:`)
  }
  const items = Layout.list(map, "runs", problems) ?? []
  if (items.length === 0)
    problems.error("T02", several.keyRange, "There is no run here. A case without runs tests nothing.")
  let last = Number.NEGATIVE_INFINITY
  return items.flatMap((item) => {
    const run = Layout.map(item, "A run", runKeys, problems)
    if (run === undefined) return []
    const at = Layout.text(run, "at", problems)
    const time = timeOf(at, "at", run, problems)
    if (at !== undefined && time.atMs <= last) {
      problems.error(
        "T08",
        at.range,
        "Runs stand in the order of time; this one is not later than the one before."
      )
    }
    last = Math.max(last, time.atMs)
    const { below, facts } = newFacts(run, rows, policy, problems)
    return [{ ...time, facts, below, ...Expectations.read(run, ids, problems) }]
  })
}

const timeOf = (node: ScalarNode | undefined, key: string, map: MapNode, problems: Problems) => {
  const atMs = node === undefined ? undefined : instantOf(node.text.trim())
  if (node !== undefined && atMs === undefined) {
    const message = `${key}: is an instant with its offset, such as 2026-09-01T09:00+03:00`
    problems.error("T08", node.range, message)
  }
  return { atMs: atMs ?? 0, span: Source.span(problems.source, node?.range ?? Layout.first(map)) }
}

/** Facts that a run of several states anew. */
const newFacts = (
  run: MapNode,
  rows: ReadonlyArray<Row>,
  policy: Policy,
  problems: Problems
): Pick<Run, "facts" | "below"> => {
  const ids = rows.map(({ id }) => id)
  const found = new Map<string, Said>()
  const below = new Map<string, ReadonlyArray<Below>>()
  const layout = { known: ["id"], needed: { id: "Which row?" } }
  for (const item of Layout.list(run, "rows", problems) ?? []) {
    const row = Layout.map(item, "A row", layout, problems, "facts")
    const id = row === undefined ? undefined : Layout.text(row, "id", problems)
    if (id === undefined) continue
    const name = id.text.trim()
    if (found.has(name)) problems.error("T04", id.range, `"${name}" is listed twice.`)
    else if (ids.includes(name)) {
      found.set(name, Statements.read(row, policy, problems))
      below.set(name, readBelow(row!, rows[ids.indexOf(name)]!.target, policy, problems))
    } else problems.error("T05", id.range, `There is no row "${name}" here. ${Suggest.sentence(name, ids)}`)
  }
  return { facts: found, below }
}

const limitsOf = (node: ScalarNode | undefined, problems: Problems): LimitWord => {
  const word = node?.text.trim()
  const found = limitWords.find((one) => one === word)
  if (node !== undefined && found === undefined) {
    const message = `limits cannot be "${word}". ${Suggest.sentence(word ?? "", limitWords)}`
    problems.error("K04", node.range, message, Suggest.nearest(word ?? "", limitWords))
  }
  return found ?? "usual"
}

const stepOf = (node: ScalarNode | undefined, problems: Problems): void => {
  if (node !== undefined && node.text.trim() !== "1d") {
    problems.error("K04", node.range, "step: is 1d, one value per day.", "1d")
  }
}

/** First day of the series; a series without it would stand nowhere. */
const fromOf = (map: MapNode, said: ReadonlyArray<Said>, problems: Problems): Days.Day | undefined => {
  const node = Layout.text(map, "from", problems)
  const from = node === undefined ? undefined : Days.parse(node.text.trim())
  if (node !== undefined && from === undefined) {
    problems.error("T08", node.range, `from: is a day, such as 2026-08-25`)
  }
  const hasSeries = said.some((one) => [...one.values()].some((each) => each.said._tag === "Series"))
  if (hasSeries && entry(map, "from") === undefined) {
    const message = "from: is missing. Which day is the first of the series? For example from: 2026-08-25"
    problems.error("T07", Layout.first(map), message)
  }
  return from
}

// Instants as tests write them.

/** An instant with its offset, such as `2026-09-01T09:00+03:00`, in epoch milliseconds; undefined for other texts. */
const instantOf = (text: string): number | undefined => {
  const match = /^(\d{4}-\d{2}-\d{2})T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?(Z|[+-](0\d|1[0-4]):[0-5]\d)$/.exec(
    text
  )
  return match === null || Days.parse(match[1]!) === undefined ? undefined : Date.parse(text)
}

// The rows of a case: their facts, and which campaign, item and cluster each one is.

/** Rows that have an id; the others were reported. */
const readRows = (
  items: ReadonlyArray<Node>,
  defaults: Node | undefined,
  policy: Policy,
  problems: Problems
): ReadonlyArray<Row> => {
  const general = Statements.read(defaults, policy, problems)
  const seen = new Map<string, number>()
  const named = items.flatMap((item) => {
    const map = Layout.map(item, "A row", rowKeys, problems, "facts")
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
  const each = PolicyParts.levelOf(policy)
  const isOfPromotion = each === "promotion" || each === "promotion_item"
  const numbers = {
    container: numbering(named, isOfPromotion ? "promotion.id" : "campaign.id"),
    item: numbering(named, each === "item" || isOfPromotion ? "item.id" : "campaign_item.item.id")
  }
  const rows = named.map(({ id, map, node, statements }, index) => {
    const [container, item] = [numbers.container(statements, index), numbers.item(statements, index)]
    const target = targetOf(each, id, container, item)
    const span = Source.span(problems.source, node.range)
    const below = readBelow(map, target, policy, problems)
    return { id, span, range: node.range, target, statements, below }
  })
  sharedFacts(rows, problems)
  return rows.map(({ range: _, ...row }) => row)
}

const rowKeys: Layout.Keys = { known: ["id"], needed: { id: "Name the row, such as id: a" } }

type SaidOfRow = ReadonlyMap<string, Statement>

/** Numbers that the rows state, and others for those that do not. */
const numbering = (rows: ReadonlyArray<{ readonly statements: SaidOfRow }>, fact: string) => {
  const stated = (statements: SaidOfRow): number | undefined => {
    const said = statements.get(fact)?.said
    if (said?._tag !== "Value" || said.cell._tag !== "Known") return undefined
    const number = Number(said.cell.value)
    return Number.isSafeInteger(number) && number > 0 ? number : undefined
  }
  const highest = Math.max(0, ...rows.map(({ statements }) => stated(statements) ?? 0))
  return (statements: SaidOfRow, index: number): number => stated(statements) ?? highest + index + 1
}

/** `container` is the number of the campaign or of the promotion that the row is in. */
const targetOf = (each: Each, id: string, container: number, item: number): Target.Subject => {
  if (each === "account") return {}
  if (each === "item") return { itemId: ItemId.make(item) }
  if (each === "promotion") return { promotionId: PromotionId.make(container) }
  if (each === "promotion_item")
    return { promotionId: PromotionId.make(container), itemId: ItemId.make(item) }
  const campaignId = CampaignId.make(container)
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

const ownerOf = (
  level: Levels.Level,
  { campaignId, itemId, promotionId }: Target.Subject
): string | undefined =>
  level === "account"
    ? "account"
    : level === "promotion" && promotionId !== undefined
      ? Target.key({ promotionId })
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
const readBelow = (
  map: MapNode,
  owner: Target.Subject,
  policy: Policy,
  problems: Problems
): ReadonlyArray<Below> => {
  const over = Levels.below(PolicyParts.levelOf(policy))
  const key = Layout.keyBelow(PolicyParts.levelOf(policy))
  if (over === undefined || key === undefined) return []
  const keys = { known: ["item.id"], needed: {} }
  return (Layout.list(map, key, problems) ?? []).flatMap((node, index) => {
    const child = Layout.map(node, `An entry of ${key}`, keys, problems, "facts")
    if (child === undefined) return []
    const statements = Statements.read(child, PolicyParts.ofBelow(policy), problems)
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
