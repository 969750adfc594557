/** What a case, or one run of it, expects: changes, undecided rows, rows that stay, rows a limit holds. */
import * as Placements from "../kinds/Placements.js"
import * as Amounts from "../language/check/Amounts.js"
import type { Problems } from "../language/problems/Diagnostic.js"
import * as Suggest from "../language/problems/Suggest.js"
import type { MapNode, Node, ScalarNode } from "../language/yaml/Node.js"
import { entry } from "../language/yaml/Node.js"
import * as Source from "../language/yaml/Source.js"
import * as Layout from "./Layout.js"
import { type Expected, type PlainAction, plainActions, type Run, type Unchanged } from "./TestFile.js"

/** Keys that say what is expected. */
export const keys = ["expect", "undecided", "unchanged", "held"]

const reasons = ["toward", "to", "max_step", "cap", "floor", "move_per_day", "max_bid", "min_bid", "step"]

/** Everything expected of one plan. Every row named must be among `rows`, and be named once. */
export const read = (
  map: MapNode,
  rows: ReadonlyArray<string>,
  problems: Problems
): Pick<Run, "expect" | "undecided" | "unchanged" | "held"> => {
  if (entry(map, "expect") === undefined) {
    const message = "expect: is missing. List every row that changes; expect: [] says that nothing does."
    problems.error("T03", Layout.first(map), message, "expect: []")
  }
  const seen = new Set<string>()
  const known = (id: ScalarNode | undefined) => knownRow(id, rows, seen, problems)
  return {
    expect: (Layout.list(map, "expect", problems) ?? []).flatMap((item) => {
      const one = change(item, known, problems)
      return one === undefined ? [] : [one]
    }),
    undecided: ids(map, "undecided", known, problems),
    held: ids(map, "held", known, problems),
    unchanged: (Layout.list(map, "unchanged", problems) ?? []).flatMap((item) => {
      const one = stays(item, known, problems)
      return one === undefined ? [] : [one]
    })
  }
}

type Known = (id: ScalarNode | undefined) => string | undefined

const knownRow = (
  id: ScalarNode | undefined,
  rows: ReadonlyArray<string>,
  seen: Set<string>,
  problems: Problems
): string | undefined => {
  if (id === undefined) return undefined
  const name = id.text.trim()
  if (!rows.includes(name)) {
    const near = Suggest.nearest(name, rows)
    return problems.error(
      "T05",
      id.range,
      `There is no row "${name}" here. ${Suggest.sentence(name, rows)}`,
      near
    )
  }
  if (seen.has(name)) return problems.error("T04", id.range, `"${name}" is listed twice; a row has one end.`)
  seen.add(name)
  return name
}

const ids = (map: Node, key: string, known: Known, problems: Problems): ReadonlyArray<string> =>
  (Layout.list(map, key, problems) ?? []).flatMap((item) => {
    if (item._tag !== "Scalar") {
      return problems.error("K16", item.range, `${key}: takes ids only, such as [a, b].`) ?? []
    }
    return known(item) ?? []
  })

const keyed = ["set_bid", "adjust_bid", "deposit", "placements", "notify"]

/** What a row may become, one of them. */
const outcomes = [...keyed, "do"]

const change = (item: Node, known: Known, problems: Problems): Expected | undefined => {
  const layout = {
    known: ["id", ...outcomes, "because"],
    needed: { id: "Which row changes?" }
  }
  const map = Layout.map(item, "expect", layout, problems, "facts")
  if (map === undefined) return undefined
  for (const { key, keyRange } of map.entries) {
    if (layout.known.includes(key)) continue
    const action = plainActions.find((one) => one === key)
    const near = action === undefined ? Suggest.nearest(key, layout.known) : `do: ${action}`
    const hint = near === undefined ? `Possible: ${layout.known.join(", ")}.` : `Did you mean ${near}?`
    problems.error("K01", keyRange, `Unknown key "${key}". ${hint}`, near)
  }
  const written = Layout.text(map, "id", problems)
  const id = known(written)
  for (const key of ["set_bid", "adjust_bid", "deposit"]) Layout.text(map, key, problems)
  const overlay = Amounts.kopecks(Amounts.keyed(map, "adjust_bid"), problems)
  const bid = overlay ?? Amounts.kopecks(Amounts.keyed(map, "set_bid"), problems)
  const deposit = Amounts.kopecks(Amounts.keyed(map, "deposit"), problems)
  const action = actionOf(Layout.text(map, "do", problems), problems)
  const because = becauseOf(Layout.text(map, "because", problems), bid === undefined, problems)
  const both = outcomes.filter((key) => entry(map, key) !== undefined).length
  if (both !== 1) {
    const message = "Say what the row becomes: set_bid: 450 ₽ or do: pause, exactly one of them."
    problems.error("T03", Layout.first(map), message)
  }
  if (id === undefined || written === undefined || both !== 1) return undefined
  const span = Source.span(problems.source, written.range)
  if (bid !== undefined) {
    return {
      id,
      span,
      want: {
        _tag: "Bid",
        kopecks: bid,
        ...(overlay === undefined ? {} : { byOverlay: true }),
        ...(because === undefined ? {} : { because })
      }
    }
  }
  const shown = placesOf(Layout.text(map, "placements", problems), problems)
  if (shown !== undefined) return { id, span, want: { _tag: "Placements", shown } }
  const told = Layout.text(map, "notify", problems)?.text.trim()
  if (told !== undefined) return { id, span, want: { _tag: "Notify", text: told } }
  if (deposit !== undefined) return { id, span, want: { _tag: "Deposit", kopecks: deposit } }
  return action === undefined ? undefined : { id, span, want: { _tag: "Do", action } }
}

const actionOf = (node: ScalarNode | undefined, problems: Problems): PlainAction | undefined => {
  if (node === undefined) return undefined
  const word = node.text.trim()
  const found = plainActions.find((one) => one === word)
  if (found !== undefined) return found
  const refused = `do: cannot be "${word}".`
  const own = ownKeys.get(word)
  if (own !== undefined) return problems.error("K04", node.range, `${refused} ${own}`)
  const near = Suggest.nearest(word, plainActions)
  const others = near === undefined ? ` All else has a key of its own: ${keyed.join(", ")}.` : ""
  const message = `${refused} ${Suggest.sentence(word, plainActions)}${others}`
  return problems.error("K04", node.range, message, near)
}

const ofBid = "A bid is expected as what it is afterwards: set_bid: 450 ₽"

/** How actions are expected that `do:` does not take. */
const ownKeys: ReadonlyMap<string, string> = new Map([
  ["raise_bid", ofBid],
  ["lower_bid", ofBid],
  ["set_bid", ofBid],
  ["adjust_bid", "A bid is expected as what it is afterwards: adjust_bid: 528 ₽"],
  ["deposit", "A deposit is expected as deposit: 2000 ₽"],
  ["placements", "Where it is shown then is expected as placements: search"],
  ["notify", 'A message is expected by a part of it: notify: "2 000 ₽ left"']
])

/** Where a campaign is shown, in the order in which plans say it. */
const placesOf = (node: ScalarNode | undefined, problems: Problems): string | undefined => {
  if (node === undefined) return undefined
  const text = node.text.trim()
  if (/^(search|recommendations)(\s*,\s*(?!\1)(search|recommendations))?$/.test(text))
    return Placements.text(text.includes("search"), text.includes("recommendations"))
  const message = `placements: cannot be "${text}". It says where the campaign is shown then: search, recommendations or "search, recommendations"`
  return problems.error("K04", node.range, message)
}

const becauseOf = (
  node: ScalarNode | undefined,
  isPlain: boolean,
  problems: Problems
): string | undefined => {
  if (node === undefined) return undefined
  const word = node.text.trim()
  if (isPlain)
    return problems.error("K04", node.range, "because: says what bounds a bid; no bound stops this action.")
  if (!reasons.includes(word)) {
    const near = Suggest.nearest(word, reasons)
    return problems.error(
      "K04",
      node.range,
      `because cannot be "${word}". ${Suggest.sentence(word, reasons)}`,
      near
    )
  }
  return word === "to" ? "toward" : word
}

const stays = (item: Node, known: Known, problems: Problems): Unchanged | undefined => {
  if (item._tag === "Scalar") {
    const id = known(item)
    return id === undefined ? undefined : { id }
  }
  const layout = { known: ["id", "because"], needed: { id: "Which row stays?" } }
  const map = Layout.map(item, "unchanged", layout, problems)
  const id = map === undefined ? undefined : known(Layout.text(map, "id", problems))
  const because = map === undefined ? undefined : Layout.text(map, "because", problems)
  return id === undefined
    ? undefined
    : { id, ...(because === undefined ? {} : { because: because.text.trim() }) }
}
