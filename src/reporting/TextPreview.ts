/** A plan for a terminal. */
import type { Plan } from "../engine/decide/Plan.js"
import * as Preview from "./Preview.js"

export interface Options {
  readonly colour: boolean
  /** Every held, unknown and unchanged row, instead of counts with examples. */
  readonly all: boolean
}

/** Rows of one reason that are printed before they are counted. */
const shown = 3
const shownHeld = 20

/** Prints a plan: summary, changes, what is held, unknown and unchanged, summary again. */
export const render = (plan: Plan, options: Options): string => {
  const paint = options.colour ? ansi : plain
  const preview = Preview.make(plan)
  const summary = preview.summary.map((line) => paint.bold(line))
  return [
    `Plan ${preview.planId.slice(0, 12)} for account ${preview.account}, ${preview.createdAt}`,
    ...summary,
    "",
    ...section("Notices", tallyLines(preview.notices, options), paint),
    ...section(
      "Rules",
      preview.policies.map((line) => `  ${line}`),
      paint
    ),
    ...preview.campaigns.flatMap((campaign) => [...campaignLines(campaign, paint), ""]),
    ...section(
      "Held: shown, never sent",
      preview.held.flatMap((g) => heldLines(g, options, paint)),
      paint
    ),
    ...section("Unknown: no decision without the facts", tallyLines(preview.unknown, options), paint),
    ...section("Unchanged", tallyLines(preview.unchanged, options), paint),
    ...section(
      "Calls made to read",
      preview.calls.map((line) => `  ${line}`),
      paint
    ),
    ...summary,
    ""
  ].join("\n")
}

interface Paint {
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
  readonly symbol: (symbol: Preview.Row["symbol"]) => string
}

const plain: Paint = { bold: (t) => t, dim: (t) => t, symbol: (s) => s }

const ansi: Paint = {
  bold: (t) => `\u001b[1m${t}\u001b[22m`,
  dim: (t) => `\u001b[2m${t}\u001b[22m`,
  symbol: (s) => `\u001b[${s === "+" ? 32 : s === "-" ? 31 : 33}m${s}\u001b[39m`
}

const section = (title: string, lines: ReadonlyArray<string>, paint: Paint): ReadonlyArray<string> =>
  lines.length === 0 ? [] : [paint.bold(title), ...lines, ""]

const campaignLines = (campaign: Preview.CampaignGroup, paint: Paint): ReadonlyArray<string> => [
  paint.bold(`Campaign ${campaign.campaignId} ${campaign.name}`),
  ...campaign.items.flatMap((item) => [
    ...(item.itemId === undefined ? [] : [`  Item ${item.itemId}`]),
    ...item.rows.flatMap((row) => rowLines(row, paint))
  ])
]

const rowLines = (row: Preview.Row, paint: Paint): ReadonlyArray<string> => {
  const width = Math.max(0, ...row.conditions.map((line) => line.condition.length))
  return [
    `    ${paint.symbol(row.symbol)} ${row.subject}  ${paint.bold(row.effect)}  ${row.stake}`,
    `        ${row.rule}`,
    ...row.conditions.map((line) =>
      paint.dim(`          ${line.condition.padEnd(width)}  ${line.value}${mark(line.holds)}`)
    ),
    ...row.notes.map((note) => `          ${note}`)
  ]
}

/** A change's conditions hold; anything else is said. */
const mark = (holds: "true" | "false" | "unknown"): string => (holds === "true" ? "" : `  (${holds})`)

const heldLines = (group: Preview.HeldGroup, options: Options, paint: Paint): ReadonlyArray<string> => {
  const rows = options.all ? group.rows : group.rows.slice(0, shownHeld)
  const rest = group.rows.length - rows.length
  return [
    `  ${group.limit} (${group.rows.length})`,
    ...rows.map((row) => `    ${row.target}  ${row.effect}  ${paint.dim(row.over)}`),
    ...(rest === 0 ? [] : [`    and ${rest} more; --all shows every row`])
  ]
}

const tallyLines = (tallies: ReadonlyArray<Preview.Tally>, options: Options): ReadonlyArray<string> =>
  tallies.flatMap((tally) => {
    if (tally.targets.length === 0) return [`         ${tally.policy}: ${tally.why}`]
    const head = `  ${String(tally.targets.length).padStart(5)}  ${tally.policy}: ${tally.why}`
    if (options.all) return [head, ...tally.targets.map((target) => `           ${target}`)]
    const examples = tally.targets.slice(0, shown).join(", ")
    return [head, `           ${examples}${tally.targets.length > shown ? ", …" : ""}`]
  })
