/** A plan as one self-contained page: no script, no address outside, every text escaped. */
import type { Plan } from "../engine/decide/Plan.js"
import * as Preview from "./Preview.js"

/** Prints a plan in HTML. */
export const render = (plan: Plan): string => {
  const preview = Preview.make(plan)
  const title = `Plan ${preview.planId.slice(0, 12)} for account ${preview.account}`
  const summary = `<p class="summary">${preview.summary.map(text).join("<br>")}</p>`
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${text(title)}</title>`,
    `<style>${style}</style>`,
    "</head>",
    "<body>",
    `<h1>${text(title)}</h1>`,
    `<p>${text(preview.createdAt)}</p>`,
    summary,
    ...tallyPart("Notices", preview.notices),
    ...list("Rules", preview.policies),
    ...preview.campaigns.map(campaignPart),
    ...preview.held.map(heldPart),
    ...tallyPart("Unknown", preview.unknown),
    ...tallyPart("Unchanged", preview.unchanged),
    ...list("Calls made to read", preview.calls),
    summary,
    "</body>",
    "</html>",
    ""
  ].join("\n")
}

const style =
  "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem;color:#1c1c1c;background:#fff}" +
  "table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}" +
  "th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #ddd}" +
  "th{font-weight:600}.summary{font-weight:600}.because{color:#555;font-size:.9em}" +
  "details{margin:.25rem 0}"

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** A text node: names and clusters come from other people and must never become markup. */
const text = (value: string): string => value.replace(/[&<>"']/g, (c) => entities[c] ?? c)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<string>): string =>
  `<table><thead><tr>${head.map((h) => `<th>${text(h)}</th>`).join("")}</tr></thead><tbody>\n${rows.join("\n")}\n</tbody></table>`

const cells = (values: ReadonlyArray<string>): string =>
  `<tr>${values.map((value) => `<td>${text(value)}</td>`).join("")}</tr>`

const list = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [`<h2>${text(title)}</h2>\n<ul>${lines.map((line) => `<li>${text(line)}</li>`).join("")}</ul>`]

const campaignPart = (campaign: Preview.CampaignGroup): string => {
  const rows = campaign.items.flatMap((item) =>
    item.rows.map((row) => {
      const because = [...row.conditions.map((c) => `${c.condition}: ${c.value}`), ...row.notes]
      const itemText = item.itemId === undefined ? "" : String(item.itemId)
      const first = [row.symbol, itemText, row.subject, row.effect, row.stake].map(
        (v) => `<td>${text(v)}</td>`
      )
      return `<tr>${first.join("")}<td>${text(row.rule)}<div class="because">${because.map(text).join("<br>")}</div></td></tr>`
    })
  )
  return `<h2>${text(`Campaign ${campaign.campaignId} ${campaign.name}`)}</h2>\n${table(
    ["", "item", "target", "change", "money", "rule and reasons"],
    rows
  )}`
}

const heldPart = (group: Preview.HeldGroup): string =>
  `<h2>${text(`Held by ${group.limit} (${group.rows.length})`)}</h2>\n${table(
    ["target", "change", "over"],
    group.rows.map((row) => cells([row.target, row.effect, row.over]))
  )}`

const tallyPart = (title: string, tallies: ReadonlyArray<Preview.Tally>): ReadonlyArray<string> =>
  tallies.length === 0
    ? []
    : [
        `<h2>${text(title)}</h2>`,
        ...tallies.map((tally) => {
          const head = `${tally.targets.length} · ${tally.policy}: ${tally.why}`
          return `<details><summary>${text(head)}</summary>${tally.targets.map(text).join("<br>")}</details>`
        })
      ]
