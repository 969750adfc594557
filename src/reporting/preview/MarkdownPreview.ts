/** A plan for a review thread, in tables. */
import * as Plural from "../../domain/Plural.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Preview from "./Preview.js"
import type { View } from "./View.js"

/** Prints a plan in Markdown; a big one as its totals and its largest changes, so that a review thread takes it. */
export const render = (plan: Plan, view: View = {}): string => {
  const preview = Preview.make(plan, view)
  const summary = preview.summary.map((line) => `**${escape(line)}**  `)
  return [
    `# Plan ${preview.planId.slice(0, 12)} for account ${escape(preview.account)}`,
    "",
    `${preview.createdAt}  `,
    ...summary,
    "",
    ...tallyTable("Notices", preview.notices),
    ...list("Rules", preview.policies),
    ...list("Sets that reach a tier", preview.sets),
    ...list("Budgets", preview.budgets),
    ...preview.totals.flatMap(({ head, rows }) => [`## ${head[0]}`, "", ...table(head, rows)]),
    ...preview.sections.flatMap(sectionTable),
    ...(preview.folded === 0
      ? []
      : [
          `${Plural.of(preview.folded, "more change is", "more changes are")} folded; --all shows every one.`,
          ""
        ]),
    ...preview.held.flatMap((group) => heldTable(group, preview.folded > 0)),
    ...tallyTable("Unknown", preview.unknown),
    ...tallyTable("Unchanged", preview.unchanged),
    ...list("Calls made to read", preview.calls),
    ...summary,
    ""
  ].join("\n")
}

/** Text that must not become markup: names and clusters come from other people. */
const escape = (text: string): string =>
  text.replace(/[\\`*_{}[\]<>#|~]/g, (c) => `\\${c}`).replace(/\r?\n/g, " ")

const table = (
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>
): ReadonlyArray<string> => [
  `| ${head.join(" | ")} |`,
  `|${head.map(() => "---").join("|")}|`,
  ...rows.map((cells) => `| ${cells.map(escape).join(" | ")} |`),
  ""
]

const list = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [`## ${title}`, "", ...lines.map((line) => `- ${escape(line)}`), ""]

const sectionTable = ({ mixed, parts, title }: Preview.Section): ReadonlyArray<string> => [
  `## ${escape(title)}`,
  "",
  ...table(
    ["", "item", "target", "change", "money", "rule", "because"],
    parts.flatMap(({ rows }) =>
      rows.map((row) => [
        row.symbol,
        row.itemId === undefined ? "" : String(row.itemId),
        [mixed ? row.name : row.subject, ...(row.each.length === 0 ? [] : [row.each.join(", ")])].join(": "),
        row.effect,
        row.stake,
        row.rule,
        [
          ...row.conditions.map((line) => `${line.condition}: ${line.value}`),
          ...row.clamps,
          ...row.told,
          ...row.notes
        ].join("; ")
      ])
    )
  )
]

/** Held rows of a folded plan that are shown before they are counted. */
const shownHeld = 3

const heldTable = ({ limit, over, rows }: Preview.HeldGroup, folded: boolean): ReadonlyArray<string> => {
  const shown = folded ? rows.slice(0, shownHeld) : rows
  return [
    `## Held by ${escape(limit)} (${rows.length})${over === undefined ? "" : `: ${escape(over)}`}`,
    "",
    ...table(
      ["target", "change", "over"],
      shown.map((row) => [row.target, row.effect, row.over])
    )
  ]
}

const tallyTable = (title: string, tallies: ReadonlyArray<Preview.Tally>): ReadonlyArray<string> =>
  tallies.length === 0
    ? []
    : [
        `## ${title}`,
        "",
        ...table(
          ["rows", "rule", "why", "for example"],
          tallies.map((t) => [String(t.targets.length), t.policy, t.why, t.targets.slice(0, 3).join(", ")])
        )
      ]
