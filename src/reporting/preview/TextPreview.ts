/** A plan for a terminal. */
import * as Plural from "../../domain/Plural.js"
import type { Plan } from "../../engine/decide/Plan.js"
import { widthOf } from "../Wrap.js"
import type { Row } from "./ChangeRows.js"
import * as Preview from "./Preview.js"
import type * as Totals from "./Totals.js"
import type { View } from "./View.js"

export interface Options extends View {
  readonly colour: boolean
}

/** Rows of one reason that are printed before they are counted. */
const shown = 3
const shownHeld = 20
/** Reasons of a folded plan that are printed before they are counted. */
const shownReasons = 10

/** Prints a plan: summary, changes, what is held, unknown and unchanged, summary again. */
export const render = (plan: Plan, options: Options): string => {
  const paint = options.colour ? ansi : plain
  const preview = Preview.make(plan, options)
  const summary = preview.summary.map((line) => paint.bold(line))
  const how: How = { all: options.all ?? false, folded: preview.folded, paint }
  return [
    `Plan ${preview.planId.slice(0, 12)} for account ${preview.account}, ${preview.createdAt}`,
    ...summary,
    "",
    ...section("Notices", tallyLines(preview.notices, how), paint),
    ...section(
      "Rules",
      preview.policies.map((line) => `  ${line}`),
      paint
    ),
    ...section(
      "Sets that reach a tier",
      preview.sets.map((line) => `  ${line}`),
      paint
    ),
    ...section(
      "Budgets",
      preview.budgets.map((line) => `  ${line}`),
      paint
    ),
    ...preview.totals.flatMap((table) => [...tableLines(table, paint), ""]),
    ...preview.sections.flatMap((one) => [...sectionLines(one, how), ""]),
    ...foldedLines(preview.folded),
    ...section(
      "Held: shown, never sent",
      preview.held.flatMap((g) => heldLines(g, how)),
      paint
    ),
    ...section("Unknown: no decision without the facts", tallyLines(preview.unknown, how), paint),
    ...section("Unchanged", tallyLines(preview.unchanged, how), paint),
    ...section(
      "Calls made to read",
      preview.calls.map((line) => `  ${line}`),
      paint
    ),
    ...summary,
    ""
  ].join("\n")
}

interface How {
  readonly all: boolean
  /** Changes that are not shown: the others are told in two lines each. */
  readonly folded: number
  readonly paint: Paint
}

interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly symbol: (symbol: Row["symbol"]) => string
}

const plain: Paint = { bold: (t) => t, dim: (t) => t, symbol: (s) => s }

const ansi: Paint = {
  bold: (t) => `\u001b[1m${t}\u001b[22m`,
  dim: (t) => `\u001b[2m${t}\u001b[22m`,
  symbol: (s) => `\u001b[${s === "+" ? 32 : s === "-" ? 31 : 33}m${s}\u001b[39m`
}

const section = (title: string, lines: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [paint.bold(title), ...lines, ""]

/** Columns of a table; figures stand under each other. */
const tableLines = ({ head, rows }: Totals.Table, paint: Paint): ReadonlyArray<string> => {
  const widths = head.map((title, i) => Math.max(...[title, ...rows.map((row) => row[i] ?? "")].map(widthOf)))
  const line = (cells: ReadonlyArray<string>): string =>
    cells
      .map((cell, i) => {
        const gap = " ".repeat((widths[i] ?? 0) - widthOf(cell))
        return i === 0 ? `${cell}${gap}` : `${gap}${cell}`
      })
      .join("  ")
      .trimEnd()
  return [paint.bold(line(head)), ...rows.map((row) => line(row))]
}

const sectionLines = (one: Preview.Section, how: How): ReadonlyArray<string> => [
  how.paint.bold(one.title),
  ...one.parts.flatMap((part) => [
    ...(part.itemId === undefined ? [] : [`  Item ${part.itemId}`]),
    ...part.rows.flatMap((row) => {
      const name = one.mixed ? row.name : row.subject
      return how.folded > 0 ? briefLines(row, name, how.paint) : rowLines(row, name, how.paint)
    })
  ])
]

/** How to see what is not shown. */
const foldedLines = (folded: number): ReadonlyArray<string> =>
  folded === 0
    ? []
    : [
        `${Plural.of(folded, "more change is", "more changes are")} folded: --all shows every one, --top N the N largest, --group campaign|rule|kind arranges them, --format html makes a page that sorts and filters; bidhelm explain TARGET tells all of one.`,
        ""
      ]

/** Conditions that are told of a change in a folded plan: the last ones, for the first say where the rule looks. */
const shownConditions = 3

const briefLines = (row: Row, name: string, paint: Paint): ReadonlyArray<string> => {
  const left = row.conditions.length - shownConditions
  const because = row.conditions
    .slice(-shownConditions)
    .map(({ condition, holds, value }) => `${condition}: ${value}${mark(holds)}`)
  const more = left > 0 ? ` (and ${left} more)` : ""
  const [told] = row.told
  return [
    headLine(row, name, paint),
    ...eachLine(row, "      "),
    `      ${row.rule}; ${paint.dim(told ?? `${because.join("; ")}${more}`)}`
  ]
}

const headLine = ({ effect, stake, symbol }: Row, name: string, paint: Paint): string =>
  `  ${paint.symbol(symbol)} ${name}  ${paint.bold(effect)}${stake === "" ? "" : `  ${stake}`}`

const eachLine = ({ each }: Row, indent: string): ReadonlyArray<string> =>
  each.length === 0 ? [] : [`${indent}${each.join(", ")}`]

const rowLines = (row: Row, name: string, paint: Paint): ReadonlyArray<string> => {
  const width = Math.max(0, ...row.conditions.map((line) => line.condition.length))
  return [
    `  ${headLine(row, name, paint)}`,
    ...eachLine(row, "        "),
    `        ${row.rule}`,
    ...row.conditions.map((line) =>
      paint.dim(`          ${line.condition.padEnd(width)}  ${line.value}${mark(line.holds)}`)
    ),
    ...[...row.told, ...row.clamps, ...row.notes].map((note) => `          ${note}`)
  ]
}

/** A change's conditions hold; anything else is said. */
const mark = (holds: "true" | "false" | "unknown"): string => (holds === "true" ? "" : `  (${holds})`)

const heldLines = (group: Preview.HeldGroup, { all, folded, paint }: How): ReadonlyArray<string> => {
  const rows = all ? group.rows : group.rows.slice(0, folded > 0 ? shown : shownHeld)
  const rest = group.rows.length - rows.length
  const over = group.over === undefined ? "" : `: ${group.over}`
  return [
    `  ${group.limit} (${group.rows.length})${over}`,
    ...rows.map((row) =>
      `    ${row.target}  ${row.effect}  ${group.over === undefined ? paint.dim(row.over) : ""}`.trimEnd()
    ),
    ...(rest === 0 ? [] : [`    and ${rest} more; --all shows every row`])
  ]
}

const tallyLines = (tallies: ReadonlyArray<Preview.Tally>, how: How): ReadonlyArray<string> => {
  const some = how.folded > 0 ? tallies.slice(0, shownReasons) : tallies
  const left = tallies.slice(some.length)
  const rows = left.reduce((sum, { targets }) => sum + targets.length, 0)
  return [
    ...some.flatMap((tally) => reasonLines(tally, how)),
    ...(left.length === 0
      ? []
      : [
          `  ${String(rows).padStart(5)}  for ${Plural.of(left.length, "more reason")}; --all shows every row`
        ])
  ]
}

const reasonLines = ({ policy, targets, why }: Preview.Tally, { all }: How): ReadonlyArray<string> => {
  if (targets.length === 0) return [`         ${policy}: ${why}`]
  const head = `  ${String(targets.length).padStart(5)}  ${policy}: ${why}`
  if (all) return [head, ...targets.map((target) => `           ${target}`)]
  const examples = targets.slice(0, shown).join(", ")
  return [head, `           ${examples}${targets.length > shown ? ", …" : ""}`]
}
