/** The cases of a test file: rows, instants, and what each run expects. */
import * as Days from "../../domain/Days.js"
import type { Policy } from "../language/Policy.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import * as Suggest from "../language/problems/Suggest.js"
import { entry, type MapNode, type Node, type ScalarNode } from "../language/yaml/Node.js"
import * as Source from "../language/yaml/Source.js"
import * as Expectations from "./Expectations.js"
import * as Layout from "./Layout.js"
import * as Rows from "./Rows.js"
import * as Statements from "./Statements.js"
import {
  type Below,
  type Case,
  type LimitWord,
  limitWords,
  type Row,
  type Run,
  type Statements as Said
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
  const rows = Rows.read(items ?? [], defaults, policy, problems)
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
      below.set(name, Rows.readBelow(row!, rows[ids.indexOf(name)]!.target, policy, problems))
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
