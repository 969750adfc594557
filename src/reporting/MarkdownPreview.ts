/** A plan for a review thread: one table per campaign. */
import type { Plan } from "../engine/decide/Plan.js"
import * as Preview from "./Preview.js"

/** Prints a plan in Markdown. */
export const render = (plan: Plan): string => {
  const preview = Preview.make(plan)
  const summary = preview.summary.map((line) => `**${escape(line)}**  `)
  return [
    `# Plan ${preview.planId.slice(0, 12)} for account ${escape(preview.account)}`,
    "",
    `${preview.createdAt}  `,
    ...summary,
    "",
    ...tallyTable("Notices", preview.notices),
    ...list("Rules", preview.policies),
    ...preview.campaigns.flatMap(campaignTable),
    ...preview.held.flatMap((group) => [
      `## Held by ${escape(group.limit)} (${group.rows.length})`,
      "",
      ...table(
        ["target", "change", "over"],
        group.rows.map((row) => [row.target, row.effect, row.over])
      )
    ]),
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

const campaignTable = (campaign: Preview.CampaignGroup): ReadonlyArray<string> => [
  `## Campaign ${campaign.campaignId} ${escape(campaign.name)}`,
  "",
  ...table(
    ["", "item", "target", "change", "money", "rule", "because"],
    campaign.items.flatMap((item) =>
      item.rows.map((row) => [
        row.symbol,
        item.itemId === undefined ? "" : String(item.itemId),
        row.subject,
        row.effect,
        row.stake,
        row.rule,
        [...row.conditions.map((line) => `${line.condition}: ${line.value}`), ...row.notes].join("; ")
      ])
    )
  )
]

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
