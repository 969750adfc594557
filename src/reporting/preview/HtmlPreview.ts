/**
 * A plan as one self-contained page: no address outside, every text escaped. Its one script, which the page's security
 * policy names by its hash, sorts, filters and folds; without it everything still stands there to be read.
 */
import * as Groups from "../../domain/Groups.js"
import * as Hash from "../../domain/Hash.js"
import { format, Kopecks } from "../../domain/Money.js"
import type { Plan } from "../../engine/decide/Plan.js"
import * as Wording from "../Wording.js"
import * as ChangeRows from "./ChangeRows.js"
import * as Preview from "./Preview.js"
import * as Totals from "./Totals.js"
import type { Grouping } from "./View.js"

// The look of a plan's page and its one script. The script only moves and hides what the page has, and makes texts,
// never markup, of what other people wrote. Both are constants, so that the page's security policy can name them by
// their hash.

const style =
  "body{font:14px/1.4 system-ui,sans-serif;margin:1rem auto;max-width:110rem;padding:0 1rem;color:#1c1c1c;background:#fff}" +
  "h1{font-size:1.3rem}h2{font-size:1.1rem;margin:1.2rem 0 .4rem}" +
  "table{border-collapse:collapse;margin:.3rem 0 1rem}" +
  "th,td{text-align:left;vertical-align:top;padding:.1rem .5rem;border-bottom:1px solid #ddd}" +
  "th{font-weight:600;position:sticky;top:0;background:#fff}th button{all:unset;cursor:pointer}" +
  "th button:focus-visible{outline:2px solid #06c}" +
  '#changes i::before{content:"· "}#changes b::before{content:"— "}#changes{width:100%}#changes td:nth-child(6){white-space:nowrap}#changes td:nth-child(8){color:#555;font-size:.92em}' +
  "tr[tabindex]{cursor:pointer}tr.why td{padding:.3rem .5rem .6rem 2rem;background:#f6f6f6}tr.group td{background:#eee;font-weight:600;cursor:pointer}" +
  ".summary{font-weight:600}.controls{display:flex;flex-wrap:wrap;gap:.6rem;align-items:center;margin:.4rem 0}" +
  "input,select,.controls button{font:inherit;padding:.15rem .3rem}details{margin:.25rem 0}summary{cursor:pointer}" +
  "@media print{.controls{display:none}}"

/**
 * Rows that are put on the page at once; more come by a button. Everything is still filtered and sorted, and printing
 * shows what stands there.
 */
const page = 500

const script = `"use strict";
(() => {
  const table = document.getElementById("changes")
  if (!table) return
  const body = table.tBodies[0]
  const heads = [...table.tHead.rows[0].cells]
  const reasons = [...document.querySelectorAll("#reasons>ol>li")].map((one) => {
    const list = [...one.querySelectorAll("li")]
    return {
      rule: one.dataset.rule, kind: one.dataset.kind,
      at: one.firstChild.textContent,
      own: list.filter((li) => !("same" in li.dataset || "note" in li.dataset)).map((li) => li.textContent.trim()),
      shared: list.filter((li) => "same" in li.dataset || "note" in li.dataset).map((li) => li.textContent.trim())
    }
  })
  const names = new Map([...document.querySelectorAll("#campaigns li")].map((one) => [one.dataset.id, one.textContent.trim()]))
  const rows = [...body.rows].map((line, at) => {
    const cells = [...line.cells].map((cell) => cell.textContent.trim())
    const reason = reasons[line.dataset.r]
    const campaign = names.get(cells[1]) || cells[1]
    return { line, at, cells, reason, campaign, money: Number(line.dataset.m),
      words: (cells.join(" ") + " " + campaign + " " + reason.kind).toLowerCase() }
  })
  const make = (tag, words) => {
    const made = document.createElement(tag)
    if (words !== undefined) made.textContent = words
    return made
  }
  const place = heads[1].textContent
  const state = { words: "", rule: "", kind: "", group: "", column: -1, down: false, most: ${page}, shut: new Set() }
  const percent = (row) => {
    const found = /\\(([+-][\\d.]+)%\\)/.exec(row.cells[4])
    return found ? Math.abs(Number(found[1])) : Infinity
  }
  const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0)
  const orders = {
    4: (a, b) => compare(percent(a), percent(b)),
    5: (a, b) => compare(a.money, b.money),
    1: (a, b) => Number(a.cells[1]) - Number(b.cells[1]) || compare(a.cells[1], b.cells[1]),
    2: (a, b) => Number(a.cells[2]) - Number(b.cells[2])
  }
  const groupOf = (row) =>
    state.group === "rule" ? row.reason.rule : state.group === "kind" ? row.reason.kind : row.campaign
  const groupLine = (name, own) => {
    const line = make("tr")
    line.className = "group"
    const cell = make("td", (state.shut.has(name) ? "\\u25b8 " : "\\u25be ") + name + " (" + own.length + ")")
    cell.colSpan = heads.length
    line.append(cell)
    line.tabIndex = 0
    const turn = () => {
      if (!state.shut.delete(name)) state.shut.add(name)
      show()
    }
    line.addEventListener("click", turn)
    line.addEventListener("keydown", (event) => { if (event.key === "Enter") turn() })
    return line
  }
  const show = () => {
    const words = state.words.toLowerCase().split(/\\s+/).filter(Boolean)
    const fits = rows.filter((row) =>
      words.every((word) => row.words.includes(word)) &&
      (!state.rule || row.reason.rule === state.rule) && (!state.kind || row.reason.kind === state.kind))
    const order = orders[state.column] || ((a, b) => compare(a.cells[state.column], b.cells[state.column]))
    if (state.column >= 0) fits.sort((a, b) => (state.down ? order(b, a) : order(a, b)) || a.at - b.at)
    const lines = []
    let open = 0
    let shown = 0
    const put = (own) => {
      open += own.length
      for (const { line } of own) if (shown < state.most) { lines.push(line); shown += 1 }
    }
    if (state.group) {
      const groups = new Map()
      for (const row of fits) {
        const name = groupOf(row)
        if (groups.has(name)) groups.get(name).push(row)
        else groups.set(name, [row])
      }
      for (const [name, own] of groups) {
        lines.push(groupLine(name, own))
        if (!state.shut.has(name)) put(own)
      }
    } else put(fits)
    body.replaceChildren()
    for (const line of lines) body.append(line)
    count.textContent = fits.length + " of " + rows.length + " changes"
    more.hidden = shown === open
    more.textContent = "Show the other " + (open - shown)
  }
  const why = (row) => {
    const next = row.line.nextElementSibling
    if (next && next.className === "why") return next.remove()
    const line = make("tr")
    line.className = "why"
    const cell = make("td")
    cell.colSpan = heads.length
    const seen = [""]
    const notes = []
    for (const part of row.line.cells[7].childNodes) {
      if (part.nodeName === "I") seen.push("")
      else if (part.nodeName === "B") notes.push("")
      else if (notes.length > 0) notes[notes.length - 1] += part.textContent.trim()
      else seen[seen.length - 1] += part.textContent.trim()
    }
    cell.append(make("div", row.campaign))
    cell.append(make("div", row.reason.at))
    row.reason.own.forEach((condition, i) => cell.append(make("div", condition + ": " + seen[i])))
    for (const note of [...notes, ...row.reason.shared]) cell.append(make("div", note))
    line.append(cell)
    row.line.after(line)
  }
  for (const row of rows) {
    row.line.tabIndex = 0
    row.line.addEventListener("click", () => why(row))
    row.line.addEventListener("keydown", (event) => { if (event.key === "Enter") why(row) })
  }
  heads.forEach((head, column) => {
    if (!head.textContent) return
    const button = make("button", head.textContent)
    button.type = "button"
    button.addEventListener("click", () => {
      state.down = state.column === column ? !state.down : column === 4
      state.column = column
      heads.forEach((other) => other.removeAttribute("aria-sort"))
      head.setAttribute("aria-sort", state.down ? "descending" : "ascending")
      show()
    })
    head.replaceChildren(button)
  })
  const choice = (label, key, values) => {
    const select = make("select")
    select.setAttribute("aria-label", label)
    select.append(Object.assign(make("option", label), { value: "" }))
    for (const value of values) select.append(Object.assign(make("option", value), { value }))
    select.addEventListener("change", () => { state[key] = select.value; state.most = ${page}; show() })
    return select
  }
  const search = make("input")
  search.type = "search"
  search.placeholder = "Words in a change"
  search.setAttribute("aria-label", "Words in a change")
  search.addEventListener("input", () => { state.words = search.value; state.most = ${page}; show() })
  const count = make("span")
  const more = make("button")
  more.type = "button"
  more.addEventListener("click", () => { state.most = Infinity; show() })
  const unique = (values) => [...new Set(values)].sort()
  const controls = make("div")
  controls.className = "controls"
  controls.append(search,
    choice("All rules", "rule", unique(reasons.map((one) => one.rule))),
    choice("All kinds", "kind", unique(reasons.map((one) => one.kind))),
    choice("No groups", "group", [place, "rule", "kind"]), count)
  table.before(controls)
  table.after(more)
  show()
})()`

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
    ...list("Sets that reach a tier", preview.sets),
    ...list("Budgets", preview.budgets),
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
  const where = Wording.placeNouns(plan.changes)
  const head = ["", where, "item", "target", "change", "money a day", "rule", "values of its conditions"]
  const names = new Map(
    plan.changes.flatMap((change) =>
      change.campaignName === ""
        ? []
        : [[Wording.containerId(Wording.place(change)), Totals.nameOf(change, "campaign")] as const]
    )
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
    ...(names.size === 0
      ? []
      : [
          `<details id=campaigns><summary>What each ${text(where)} is called (${names.size})</summary><ul>`,
          ...[...names]
            .sort(([a], [b]) => Number(a) - Number(b))
            .map(([id, name]) => `<li data-id="${text(String(id))}">${text(name)}</li>`),
          "</ul></details>"
        ])
  ]
}

const changeRow = (entry: ChangeRows.Entry, reasons: Reasons, currency: string): string => {
  const { change, row } = entry
  const reason = reasons.get(keyOf(entry))
  const own = row.conditions.filter((_, i) => reason?.conditions[i]?.same === undefined)
  const values = own.map(({ value }) => text(value)).join(" <i></i>")
  const clamps = [...row.told, ...row.clamps].map((clamp) => ` <b></b>${text(clamp)}`).join("")
  const cells = [
    row.symbol,
    `${Wording.containerId(Wording.place(change))}`,
    `${row.itemId ?? ""}`,
    row.subject,
    row.effect,
    moneyOf(entry, currency),
    change.origin.name
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
    change.origin.name,
    row.rule,
    ...notesOf({ row, stake }),
    "",
    ...row.conditions.map((line) => line.condition)
  ].join("\u0000")

const notesOf = ({ row, stake }: Pick<ChangeRows.Entry, "row" | "stake">): ReadonlyArray<string> =>
  stake._tag === "Unknown" || stake._tag === "Paused" ? [row.stake, ...row.notes] : row.notes

const reasonsOf = (rows: ReadonlyArray<ChangeRows.Entry>): Reasons => {
  return new Map(
    [...Groups.by(rows, keyOf)].map(([key, own], number) => {
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
          rule: change.origin.name,
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
  if (stake._tag === "Deposit" || stake._tag === "Free") return row.stake
  const shown = format(Kopecks(stake.kopecks), Wording.sign(currency))
  return stake.kopecks === 0 ? shown : `${stake._tag === "Raise" ? "+" : "-"}${shown}`
}

/** What the page sorts by: a plain number. */
const kopecksOf = ({ stake }: ChangeRows.Entry): number =>
  stake._tag === "Unknown" || stake._tag === "Paused" || stake._tag === "Free"
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
