/** Broken rule files by the thousand: shipped rules and known mistakes, mutated with a seed, and what must hold of each. */
import * as Format from "../../src/engine/language/format/Format.js"
import * as Mend from "../../src/engine/language/format/Mend.js"
import * as Load from "../../src/engine/language/Load.js"
import * as Render from "../../src/engine/language/problems/Render.js"

/** Random numbers from 0 up to 1 (mulberry32): the same seed gives the same files on every machine. */
export const random = (seed: number): (() => number) => {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Samples of the kinds of files that are not shipped. */
export const templates = `version: 1
kind: templates
templates:
  raise-to:
    params: {cap: required, step: 10%}   # values of the policy
    each: cluster
    where: campaign.payment = cpm
    window: 7d
    when:
      - orders >= 3 and spend < $cap * 10
    do:
      raise_bid: {by: $step, cap: $cap}
`
const facts = `version: 1
kind: facts
source: {csv: ../data/cost.csv, delimiter: ";", decimal: ","}
join: item.id = nm
fields: {item.cost: {column: cost, type: money}}
max_age: 30d
`
const using = `version: 1
name: Raise
use: raise-to
with: {cap: 450 ₽}
when: query contains "кеды"
limits: {changes_per_run: 20}
`

type Mutation = (text: string, next: () => number, samples: ReadonlyArray<string>) => string

const pick = <A>(from: ReadonlyArray<A>, next: () => number): A => from[Math.floor(next() * from.length)]!
const place = (text: string, next: () => number): number => Math.floor(next() * (text.length + 1))

const pieces = (
  "\n|\t|\r\n|: |:|- |-|#| #|{|}|[|]|\"|'|>|\\||&a |*a|!|%|@|`|?|? |,|<<: |---\n|...\n|\u00a0|\u200b|\ufeff|\u2028|\u0000|\ud800|" +
  "😀|é|е|с|“|”|≥|=>|&&|==|₽|rub|руб.|1 000|1,5|0.01|1e400|.inf|.nan|0x7f|0123|999999999999999999999|-1|and |or |not |(|)|" +
  "ctr[7d]|ctr[|$x|with 99% confidence|is known| default 0|when:|do:\n|\n  - |  |    |raise_bid:|version: 1\n|\\|-|\\|+2|>-|'''|\"\\u0041\"|~|null"
)
  .split(/(?<!\\)\|/)
  .map((piece) => piece.replace("\\|", "|"))

const mutations: ReadonlyArray<Mutation> = [
  // A flipped bit, as a disk or a clipboard makes it.
  (text, next) => {
    const bytes = Buffer.from(text, "utf8")
    if (bytes.length > 0) bytes[Math.floor(next() * bytes.length)]! ^= 1 << Math.floor(next() * 8)
    return bytes.toString("utf8")
  },
  (text, next) => {
    const at = place(text, next)
    return text.slice(0, at) + text.slice(at + Math.floor(next() * 40))
  },
  (text, next) => text.slice(0, place(text, next)),
  (text, next) => {
    const at = place(text, next)
    return text.slice(0, at) + pick(pieces, next) + text.slice(at)
  },
  (text, next, samples) =>
    text.slice(0, place(text, next)) + ((other) => other.slice(place(other, next)))(pick(samples, next)),
  (text, next) => {
    const lines = text.split("\n")
    const at = Math.floor(next() * lines.length)
    return [...lines.slice(0, at + 1), lines[at]!, ...lines.slice(at + 1)].join("\n")
  },
  (text, next) => {
    const lines = text.split("\n")
    const [a, b] = [Math.floor(next() * lines.length), Math.floor(next() * lines.length)]
    return lines.map((line, i) => (i === a ? lines[b]! : i === b ? lines[a]! : line)).join("\n")
  },
  (text, next) => {
    const lines = text.split("\n")
    const at = Math.floor(next() * lines.length)
    const indent = pick([" ", "  ", "   ", "\t", ""], next)
    return lines.map((line, i) => (i === at ? indent + line.trimStart() : line)).join("\n")
  },
  (text, next) => {
    const at = place(text, next)
    const piece = pick(
      ["(", "[", "{", "- ", "? ", "not ", "a: ", " ", "9", "a", "*", "'", '"', "%", ",", "x and "],
      next
    )
    return text.slice(0, at) + piece.repeat(1 + Math.floor(next() * 400)) + text.slice(at)
  },
  (text, next) =>
    text.replace(/\d+/g, (digits) => (next() < 0.2 ? digits.repeat(1 + Math.floor(next() * 30)) : digits)),
  (text) => text.replace(/\n/g, "\r\n"),
  (text, next) => {
    const at = place(text, next)
    return text.slice(0, at) + String.fromCharCode(Math.floor(next() * 0x10000)) + text.slice(at)
  }
]

/** Each shipped rule as often as it takes for half of all mutants to come from a rule without a mistake. */
export const weighted = (
  shipped: ReadonlyArray<string>,
  broken: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const whole = [...shipped, templates, facts, using]
  const times = Math.ceil(broken.length / whole.length)
  return [...Array.from({ length: times }, () => whole).flat(), ...broken]
}

/** One sample after one to six mutations, few more often than many. */
export const mutant = (samples: ReadonlyArray<string>, next: () => number): string => {
  let text = pick(samples, next)
  for (let left = 1 + Math.floor(next() ** 2 * 6); left > 0; left--)
    text = pick(mutations, next)(text, next, samples)
  return text
}

/** Undefined when all is well with a text; a sentence when something broke. Never throws. */
export const trouble = (text: string): string | undefined => {
  try {
    return examine({ path: "rules/a.yaml", text }) ?? together(text)
  } catch (error) {
    return `threw ${error instanceof Error ? error.stack : String(error)}`
  }
}

const examine = (file: Load.File): string | undefined => {
  const { diagnostics, ruleSet } = Load.check([file])
  const errors = diagnostics.filter(({ severity }) => severity === "error").length
  if ((ruleSet === undefined) !== errors > 0) return "a rule set and errors, or neither"
  const lines = file.text.split("\n").length
  for (const { span } of diagnostics)
    if (!(span.line >= 1 && span.column >= 1 && span.endLine >= span.line && span.endLine <= lines))
      return `a place outside the file: ${JSON.stringify(span)}`
  Render.text(diagnostics, [file])
  const { problems } = Mend.report(diagnostics, [file])
  const certain = problems.some(({ applicable }) => applicable)
  return formatted(file, ruleSet?.hash) ?? (certain ? mended(file, errors) : undefined)
}

/** The text as templates, and as a policy beside known templates: what one file says is used by another. */
const together = (text: string): string | undefined => {
  const sets = [
    ...(text.includes("templates") ? [[user, { path: "rules/_shared/templates.yaml", text }]] : []),
    ...(text.includes("use:") ? [[{ path: "rules/a.yaml", text }, known]] : [])
  ]
  for (const files of sets) {
    const { diagnostics } = Load.check(files)
    Render.text(diagnostics, files)
    for (const { file, related = [], span } of diagnostics) {
      for (const at of [{ ...span, file }, ...related.map((one) => one.span)]) {
        const lines = files.find(({ path }) => path === at.file)?.text.split("\n").length ?? 0
        if (at.line < 1 || at.endLine > lines) return `a place outside the files: ${JSON.stringify(at)}`
      }
    }
  }
  return undefined
}

const user: Load.File = {
  path: "rules/b.yaml",
  text: "version: 1\nname: b\nuse: raise-to\nwith: {cap: 450 ₽}\n"
}
const known: Load.File = { path: "rules/_shared/templates.yaml", text: templates }

const formatted = (file: Load.File, hash: string | undefined): string | undefined => {
  const made = Format.format(file)
  if (made._tag !== "Formatted" || !made.changed) return undefined
  const next = { path: file.path, text: made.text }
  const again = Format.format(next)
  if (again._tag !== "Formatted" || again.changed) return "fmt is not idempotent"
  return hash === undefined || Load.check([next]).ruleSet?.hash === hash
    ? undefined
    : "fmt changed the meaning"
}

const mended = (file: Load.File, errors: number): string | undefined => {
  const { files, left } = Mend.mend([file])
  if (left.diagnostics.filter(({ severity }) => severity === "error").length > errors)
    return "fix made it worse"
  const again = Mend.mend(files)
  return again.files[0]?.text === files[0]?.text ? undefined : "fix does not come to rest"
}
