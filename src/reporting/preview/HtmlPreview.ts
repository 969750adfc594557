/**
 * A plan as one self-contained page: no address outside, every text escaped. Its one script, which the page's security
 * policy names by its hash, sorts, filters and folds; without it everything still stands there to be read.
 */
import * as Hash from "../../domain/Hash.js"
import { format, Kopecks } from "../../domain/Money.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Wording from "../Wording.js"
import * as ChangeRows from "./ChangeRows.js"
import { script, style } from "./PlanPage.js"
import * as Preview from "./Preview.js"
import * as Totals from "./Totals.js"
import type { Grouping } from "./View.js"

/** Prints a plan in HTML. */
export const render = (plan: Plan): string => {
  const preview = Preview.make(plan)
  const title = `Plan ${preview.planId.slice(0, 12)} for account ${preview.account}`
  const summary = `<p class=summary>${preview.summary.map(text).join("<br>")}</p>`
  const rows = ChangeRows.of(plan, plan.changes.length > Preview.mostWhole ? "money" : "target")
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
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
    ...(["rule", "campaign"] as const).map((by) => totalsPart(plan, by)),
    ...changesPart(plan, rows),
    ...preview.held.map(heldPart),
    ...tallyPart("Unknown", preview.unknown),
    ...tallyPart("Unchanged", preview.unchanged),
    ...list("Calls made to read", preview.calls),
    summary,
    `<script>${script}</script>`,
    "</body>",
    "</html>",
    ""
  ].join("\n")
}

const policy = [
  "default-src 'none'",
  `script-src 'sha256-${Hash.base64(script)}'`,
  `style-src 'sha256-${Hash.base64(style)}'`,
  "base-uri 'none'",
  "form-action 'none'"
].join("; ")

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }

/** A text node or a quoted attribute: names and clusters come from other people and must never become markup. */
const text = (value: string): string => value.replace(/[&<>"]/g, (c) => entities[c] ?? c)

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  `<table><thead><tr>${head.map((h) => `<th>${text(h)}</th>`).join("")}</tr></thead><tbody>\n${rows.map(cells).join("\n")}\n</tbody></table>`

const cells = (values: ReadonlyArray<string>): string =>
  `<tr>${values.map((value) => `<td>${text(value)}</td>`).join("")}</tr>`

const list = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0
    ? []
    : [`<h2>${text(title)}</h2>\n<ul>${lines.map((line) => `<li>${text(line)}</li>`).join("")}</ul>`]

/** Groups that stand open; more are folded. */
const mostOpen = 20

const totalsPart = (plan: Plan, by: Grouping): string => {
  const { head, rows } = Totals.table(Totals.of(plan, by, Number.POSITIVE_INFINITY), plan.currency)
  const open = rows.length > mostOpen ? "" : " open"
  return `<details${open}><summary>${text(`${head[0]} (${rows.length})`)}</summary>\n${table(head, rows)}</details>`
}

/**
 * Every change on one line. What the changes of a rule have in common stands once, in the list below the table; a row has
 * the values that are its own, in the order of their conditions.
 */
const changesPart = (plan: Plan, rows: ReadonlyArray<ChangeRows.Entry>): ReadonlyArray<string> => {
  if (rows.length === 0) return []
  const reasons = reasonsOf(rows)
  const head = ["", "campaign", "item", "target", "change", "money a day", "rule", "values of its conditions"]
  const names = new Map(
    plan.changes.map((change) => [change.target.campaignId, Totals.nameOf(change, "campaign")])
  )
  return [
    `<h2>Changes (${rows.length})</h2>`,
    `<table id=changes><thead><tr>${head.map((h) => `<th>${text(h)}</th>`).join("")}</tr></thead><tbody>`,
    ...rows.map((entry) => changeRow(entry, reasons, plan.currency)),
    "</tbody></table>",
    `<details id=reasons><summary>What changes of a rule have in common, and the conditions of their values (${reasons.size})</summary><ol>`,
    ...[...reasons.values()].map(
      ({ conditions, kind, notes, rule, ruleAt }) =>
        `<li data-rule="${text(rule)}" data-kind="${text(kind)}">${text(ruleAt)}<ul>${conditions.map(conditionItem).join("")}${notes.map((note) => `<li data-note>${text(note)}</li>`).join("")}</ul></li>`
    ),
    "</ol></details>",
    `<details id=campaigns><summary>Names of the campaigns (${names.size})</summary><ul>`,
    ...[...names].sort(([a], [b]) => a - b).map(([id, name]) => `<li data-id=${id}>${text(name)}</li>`),
    "</ul></details>"
  ]
}

const changeRow = (entry: ChangeRows.Entry, reasons: Reasons, currency: string): string => {
  const { change, row } = entry
  const reason = reasons.get(keyOf(entry))
  const own = row.conditions.filter((_, i) => reason?.conditions[i]?.same === undefined)
  const values = own.map(({ value }) => text(value)).join(" <i></i>")
  const clamps = row.clamps.map((clamp) => ` <b></b>${text(clamp)}`).join("")
  const cells = [
    row.symbol,
    `${change.target.campaignId}`,
    `${row.itemId ?? ""}`,
    row.subject,
    row.effect,
    moneyOf(entry, currency),
    change.policy
  ]
  return `<tr data-r=${reason?.number} data-m=${kopecksOf(entry)}>${cells.map((cell) => `<td>${text(cell)}</td>`).join("")}<td>${values}${clamps}</td></tr>`
}

/** A condition whose value is the same in all rows says it here. */
const conditionItem = ({ condition, same }: Reason["conditions"][number]): string =>
  same === undefined ? `<li>${text(condition)}</li>` : `<li data-same>${text(`${condition}: ${same}`)}</li>`

interface Reason {
  readonly number: number
  readonly rule: string
  readonly ruleAt: string
  readonly kind: string
  readonly conditions: ReadonlyArray<{ readonly condition: string; readonly same: string | undefined }>
  readonly notes: ReadonlyArray<string>
}

type Reasons = ReadonlyMap<string, Reason>

/** Changes with one key have the same words. */
const keyOf = ({ change, row, stake }: ChangeRows.Entry): string =>
  [
    change.policy,
    row.rule,
    ...notesOf({ row, stake }),
    "",
    ...row.conditions.map((line) => line.condition)
  ].join("\u0000")

const notesOf = ({ row, stake }: Pick<ChangeRows.Entry, "row" | "stake">): ReadonlyArray<string> =>
  stake._tag === "Unknown" || stake._tag === "Paused" ? [row.stake, ...row.notes] : row.notes

const reasonsOf = (rows: ReadonlyArray<ChangeRows.Entry>): Reasons => {
  const groups = new Map<string, [ChangeRows.Entry, ...Array<ChangeRows.Entry>]>()
  for (const entry of rows) {
    const key = keyOf(entry)
    const own = groups.get(key)
    if (own === undefined) groups.set(key, [entry])
    else own.push(entry)
  }
  return new Map(
    [...groups].map(([key, own], number) => {
      const [{ change, row }] = own
      const conditions = row.conditions.map(({ condition, value }, i) => ({
        condition,
        same:
          own.length > 1 && own.every((other) => other.row.conditions[i]?.value === value) ? value : undefined
      }))
      return [
        key,
        {
          number,
          rule: change.policy,
          ruleAt: row.rule,
          kind: change.action,
          conditions,
          notes: notesOf(own[0])
        }
      ]
    })
  )
}

/** The amount alone; the words around it stand in the head of its column, or once in the list of reasons. */
const moneyOf = ({ row, stake }: ChangeRows.Entry, currency: string): string => {
  if (stake._tag === "Unknown") return "no estimate"
  if (stake._tag === "Paused") return "counts nothing"
  if (stake._tag === "Deposit") return row.stake
  const shown = format(Kopecks(stake.kopecks), Wording.sign(currency))
  return stake.kopecks === 0 ? shown : `${stake._tag === "Raise" ? "+" : "-"}${shown}`
}

/** What the page sorts by: a plain number. */
const kopecksOf = ({ stake }: ChangeRows.Entry): number =>
  stake._tag === "Unknown" || stake._tag === "Paused"
    ? 0
    : stake._tag === "Saving"
      ? 0 - stake.kopecks
      : stake.kopecks

const heldPart = ({ limit, over, rows }: Preview.HeldGroup): string => {
  const title = `Held by ${limit} (${rows.length})${over === undefined ? "" : `: ${over}`}`
  const head = ["target", "change", ...(over === undefined ? ["over"] : [])]
  const shown = rows.map((row) => [row.target, row.effect, ...(over === undefined ? [row.over] : [])])
  return `<details${rows.length > mostOpen ? "" : " open"}><summary>${text(title)}</summary>\n${table(head, shown)}</details>`
}

const tallyPart = (title: string, tallies: ReadonlyArray<Preview.Tally>): ReadonlyArray<string> =>
  tallies.length === 0
    ? []
    : [
        `<h2>${text(title)}</h2>`,
        ...tallies.map((tally) => {
          const head = `${tally.targets.length === 0 ? "" : `${tally.targets.length} · `}${tally.policy}: ${tally.why}`
          return `<details><summary>${text(head)}</summary>${tally.targets.map(text).join("<br>")}</details>`
        })
      ]
