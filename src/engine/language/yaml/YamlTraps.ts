/**
 * Mistakes that YAML accepts in silence, or reports in words no marketer understands: found in the raw text.
 * Each trap mutes the lines whose meaning it destroyed, so that one mistake is reported once.
 */
import type { Code } from "../problems/Codes.js"
import type { Problems } from "../problems/Diagnostic.js"
import * as Keys from "../shape/Keys.js"
import type { ScalarNode } from "./Node.js"
import type { Range } from "./Source.js"
import * as Source from "./Source.js"

/** Piece of YAML with its place; `type` is the library's token name, or `plain` and `block-scalar` for text. */
export interface Lexeme {
  readonly type: string
  readonly text: string
  readonly start: number
}

const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u00a0\u00ad\u1680\u2000-\u200c\u200e\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/g

/** The text with every invisible character as a plain space, so that the rest can still be read. */
export const blankInvisible = (text: string): string => text.replace(invisible, " ")

/**
 * Finds every trap of a file. `lexemes` are of the blanked text, whose offsets are the source's own. Answers the parts of
 * which nothing more is to be said.
 */
export const find = (
  source: Source.Source,
  lexemes: ReadonlyArray<Lexeme>,
  problems: Problems,
  muted: Set<number>
): ReadonlyArray<Range> => {
  const trap: Trap = (code, range, message, fix, mute = range) => {
    muteLines(source, mute, muted)
    return problems.error(code, range, message, fix)
  }
  const isBlanked = blankInvisible(source.text) !== source.text
  const told: Array<Range> = []
  for (const [index, lexeme] of lexemes.entries()) {
    if (isBlanked) invisibleIn(source, lexeme, trap)
    if (lexeme.start < (told.at(-1)?.end ?? 0)) continue
    const found = lexeme.type === "flow-map-start" ? inBraces(source, lexeme, trap) : undefined
    if (found === undefined) inLexeme(source, lexemes, index, trap)
    else told.push(found)
  }
  indentation(source, lexemes, trap)
  documents(lexemes, trap)
  return told
}

type Trap = (code: Code, range: Range, message: string, fix?: string, mute?: Range) => undefined

const muteLines = (source: Source.Source, range: Range, muted: Set<number>): void => {
  const last = Source.lineOf(source, Math.max(range.start, range.end - 1))
  for (let line = Source.lineOf(source, range.start); line <= last; line++) muted.add(line)
}

const whole = (lexeme: Lexeme): Range => ({ start: lexeme.start, end: lexeme.start + lexeme.text.length })

const part = (lexeme: Lexeme, at: number, length: number): Range => ({
  start: lexeme.start + at,
  end: lexeme.start + at + length
})

const invisibleIn = (source: Source.Source, lexeme: Lexeme, trap: Trap): void => {
  if (lexeme.type === "comment") return
  const original = source.text.slice(lexeme.start, lexeme.start + lexeme.text.length)
  for (const match of original.matchAll(invisible)) {
    const at = lexeme.start + match.index
    const next = /^[\s\u00a0\u200b]*([^\s\u00a0]{1,20})/.exec(source.text.slice(at + 1, at + 60))?.[1]
    const where = next === undefined ? "" : ` before "${next}"`
    const mend = /\s/.test(match[0]) && match[0] !== "\ufeff" ? "Retype the space." : "Remove it."
    trap("Y02", { start: at, end: at + 1 }, `Invisible character${where}. ${mend}`)
  }
}

const inLexeme = (
  source: Source.Source,
  lexemes: ReadonlyArray<Lexeme>,
  index: number,
  trap: Trap
): undefined => {
  const lexeme = lexemes[index]!
  const { text, type } = lexeme
  switch (type) {
    case "plain":
      return bulleted(source, lexemes, index, trap) ? undefined : plain(lexemes, index, trap)
    case "comment":
      if (/^#[^\s#!]/.test(text) && followsValue(lexemes, index)) {
        const word = /^#\S+/.exec(text)?.[0] ?? text
        const message = `Text after " #" was dropped as a comment. Write "${word}" in quotes, or "# " before a comment.`
        trap("Y08", whole(lexeme), message)
      }
      return
    case "tag":
      if (/^!(!|<)/.test(text))
        return trap("Y19", whole(lexeme), "Tags are not used here. Write the value alone.")
      return trap("Y14", whole(lexeme), '"!" emptied this value.', `not ${text.replace(/^!+/, "")}`)
    case "anchor":
      return trap("Y19", whole(lexeme), "Anchors are not used here. Write the value where it is needed.")
    case "alias": {
      // The merge key before it has been told.
      if (keyOf(lexemes, index) === "<<") return
      const known = lexemes.some((l) => l.type === "anchor" && l.text.slice(1) === text.slice(1))
      if (known)
        return trap("Y19", whole(lexeme), "Anchors are not used here. Write the value where it is needed.")
      if (bulleted(source, lexemes, index, trap)) return
      const rest = /^[^\r\n#,\]}]*/.exec(source.text.slice(lexeme.start))?.[0].trim() ?? text
      return trap("Y16", whole(lexeme), "A leading * needs quotes.", inQuotes(rest))
    }
    case "double-quoted-scalar":
    case "single-quoted-scalar":
      if (!isClosed(text)) {
        const { line, column } = Source.span(source, whole(lexeme))
        const message = `Text opened at ${line}:${column} is not closed.`
        trap("Y15", part(lexeme, 0, 1), message, `close it with ${text[0]}`, {
          start: lexeme.start,
          end: source.text.length
        })
      }
      return
    case "block-scalar-header": {
      if (lexemes[index - 2]?.type === "tag") return
      const rest = /^.*/.exec(source.text.slice(lexeme.start))?.[0].trim() ?? ""
      if (/^[>|][+-]?\s*([#]|$)/.test(rest)) return
      const key = keyOf(lexemes, index)
      const field = key === undefined || Keys.all.has(key) ? undefined : key
      const message =
        field === undefined ? "Which field? For example: views > 500" : "A condition has no colon."
      trap("Y05", part(lexeme, 0, rest.length), message, field && `${field} ${rest}`)
    }
  }
}

/** Y11: what documents write for a dash, before the first condition of a key. True when it has been reported. */
const bulleted = (
  source: Source.Source,
  lexemes: ReadonlyArray<Lexeme>,
  index: number,
  trap: Trap
): boolean => {
  const { start, text, type } = lexemes[index]!
  if (!bullet.test(text) || text.includes("\n") || !/^w(?:hen|here)$/.test(keyOf(lexemes, index) ?? ""))
    return false
  const row = source.text.slice(start).split(/\r?\n/, 1)[0] ?? ""
  const isAlone = Source.line(source, Source.lineOf(source, start)).trimStart() === row
  const [sign, condition] = [text[0], row.replace(bullet, "").trim()]
  const last = type === "alias" ? lexemes.slice(index + 1).find((one) => one.type === "plain") : undefined
  const mute = { start, end: last === undefined ? start + text.length : whole(last).end }
  if (isAlone)
    trap(
      "Y11",
      { start, end: start + 1 },
      `"${sign}" is no dash. Start each condition with "- ".`,
      `- ${condition}`,
      mute
    )
  else trap("Y11", { start, end: start + 1 }, `Remove "${sign}" before the condition.`, condition, mute)
  return true
}

const aField = /^\s*[\p{L}_][\p{L}\p{N}_.]*(?:\[[^\]]*\])?\s*$/u
const aComparison = /[<>=≥≤≠]|\s(?:in|is|matches|contains|between)\s/

/** Braces that hold no keys: a condition, or a field in a text. */
const inBraces = (source: Source.Source, { start }: Lexeme, trap: Trap): Range | undefined => {
  const block = /^\{[ \t]*\r?\n[^{}]*\}/.exec(source.text.slice(start))?.[0]
  if (block !== undefined && aComparison.test(block) && !/:(\s|$)/.test(block)) {
    const range = { start, end: start + block.length }
    trap("Y09", range, "Conditions need no braces. Write each on a line of its own, after a dash.")
    return range
  }
  const line = Source.line(source, Source.lineOf(source, start))
  const column = Source.span(source, { start, end: start }).column - 1
  const [closing, ending] = bracesOf(line, column)
  const inside = line.slice(column + 1, closing)
  if (closing === undefined || /:(\s|$)/.test(inside)) return undefined
  const mended = (from: number, to: number, value: string) =>
    `${line.slice(0, from)}${value}${line.slice(to)}`.trim().replace(/^- /, "")
  if (aField.test(inside)) {
    const words = /[^\s:,{[-][^:,{[]*$/.exec(line.slice(0, column))?.[0] ?? ""
    const from = column - words.length
    const text = line.slice(from, ending).trimEnd()
    const range = { start: start - words.length, end: start - words.length + text.length }
    trap("Y09", range, "A text with { needs quotes.", mended(from, from + text.length, inQuotes(text)))
    return range
  }
  if (!aComparison.test(inside)) return undefined
  const range = { start, end: start + closing + 1 - column }
  if (inside.replace(/\[[^\]]*\]|\([^)]*\)/g, "").includes(","))
    trap("Y09", range, "Conditions need no braces. Write each on a line of its own, after a dash.")
  else
    trap(
      "Y09",
      range,
      "A condition needs no braces.",
      mended(column, closing + 1, inside.trim().replace(bullet, ""))
    )
  return range
}

/** Where a brace of a line is closed, and where what begins with it ends: at a bracket that closes what is around it. */
const bracesOf = (line: string, start: number): readonly [closing: number | undefined, ending: number] => {
  let closing: number | undefined
  let depth = 0
  for (let at = start; at < line.length; at++) {
    const sign = line[at]
    if (sign === "#" && line[at - 1] === " ") return [closing, at]
    if (sign === "{" || sign === "[") depth++
    if (sign !== "}" && sign !== "]") continue
    depth--
    if (depth < 0) return [closing, at]
    if (depth === 0) closing ??= at
  }
  return [closing, line.length]
}

const followsValue = (lexemes: ReadonlyArray<Lexeme>, index: number): boolean => {
  for (let i = index - 1; i >= 0; i--) {
    const { type } = lexemes[i]!
    if (type === "newline") return false
    if (type !== "space") return true
  }
  return false
}

const isClosed = (text: string): boolean => {
  const quote = text[0]!
  if (text.length < 2 || !text.endsWith(quote)) return false
  if (quote === "'") return text.split("'").length % 2 === 1
  const backslashes = /\\*$/.exec(text.slice(0, -1))?.[0].length ?? 0
  return backslashes % 2 === 0
}

const plain = (lexemes: ReadonlyArray<Lexeme>, index: number, trap: Trap): undefined => {
  const lexeme = lexemes[index]!
  const { text } = lexeme
  if (text === "<<") trap("Y19", whole(lexeme), "Merge keys are not used here. Write the values out.")
  const wholeValue = keyOf(lexemes, index) !== undefined
  if (wholeValue && /^-?0\d+$/.test(text) && !isName(lexemes, index)) {
    const number = String(Number(text))
    const message = `This number would change to ${number}. Write ${number}; a text, such as a code, stands in quotes.`
    trap("Y20", whole(lexeme), message, number)
  } else if (
    (wholeValue && /^-?0\d+$/.test(text)) ||
    (/^\d+$/.test(text) && !Number.isSafeInteger(Number(text)))
  ) {
    trap("Y20", whole(lexeme), `This number would change to ${Number(text)}. Quote it.`, `"${text}"`)
  }
  const percent = /^%\s*(\d+(?:[.,]\d+)?)/.exec(text)
  if (percent !== null)
    trap("Y06", whole(lexeme), `The percent sign goes behind: ${percent[1]}%`, `${percent[1]}%`)
  const next = lexemes.slice(index + 1, index + 4).find((l) => l.type !== "space")
  if (next?.type === "flow-seq-start") {
    trap(
      "Y10",
      { start: lexeme.start, end: next.start + 1 },
      "Brackets do not nest here. One condition per line, each after a dash."
    )
  }
  lines(lexemes, index, trap)
}

/** Looks at each line of a plain text: a lost colon or dash turns the next lines into part of it. */
const lines = (lexemes: ReadonlyArray<Lexeme>, index: number, trap: Trap): undefined => {
  const lexeme = lexemes[index]!
  if (!/[:\r\n]|^[ \t]*-/.test(lexeme.text)) return
  let found = false
  for (const match of lexeme.text.matchAll(/^([ \t]*)([^\r\n]*)/gm)) {
    const at = match.index + match[1]!.length
    const line = match[2]!
    const colon = /^(?:- )?([\p{L}_]+):(?=[^\s])/u.exec(line)
    const dash = /^-(?=[\p{L}_!("“])/u.exec(line)
    if (colon !== null && Keys.all.has(colon[1]!)) {
      found = true
      trap(
        "Y03",
        part(lexeme, at, colon[0].length),
        "Put a space after the colon.",
        fixColon(line),
        whole(lexeme)
      )
    } else if (dash !== null && !isName(lexemes, index)) {
      found = true
      trap("Y12", part(lexeme, at, 1), "Put a space after the dash.", `- ${line.slice(1)}`, whole(lexeme))
    }
  }
  if (!found && /\n/.test(lexeme.text)) joined(lexemes, index, trap)
}

const fixColon = (line: string): string => line.replace(":", ": ")

const isName = (lexemes: ReadonlyArray<Lexeme>, index: number): boolean => keyOf(lexemes, index) === "name"

/** The key whose value starts at this lexeme, if it is a direct value. */
const keyOf = (lexemes: ReadonlyArray<Lexeme>, index: number): string | undefined => {
  let i = index - 1
  while (i >= 0 && /^(space|newline|comment)$/.test(lexemes[i]!.type)) i--
  return lexemes[i]?.type === "map-value-ind" ? lexemes[i - 1]?.text : undefined
}

const compared = /[<>=≥≤≠]|\b(?:in|between|contains|matches|is)\b/
/** What documents write for a dash. */
const bullet = /^(?:[–—−•·]\s*|\*(?:\s+|$)|\d{1,2}[.)]\s+)/

/** Y11: a plain text over several lines under `when:` or `where:` that does not read on; Y04: a dash in it out of line. */
const joined = (lexemes: ReadonlyArray<Lexeme>, index: number, trap: Trap): undefined => {
  const lexeme = lexemes[index]!
  const stray = /\n\s*(?=- \S)/.exec(lexeme.text)
  if (stray !== null) {
    const [before, at] = [lexeme.text.slice(0, stray.index), stray.index + stray[0].length]
    const [row = ""] = lexeme.text.slice(at).split("\n")
    if (compared.test(before) && compared.test(row))
      return trap(
        "Y04",
        part(lexeme, at, 1),
        "This dash stands out of line. Put it under the others.",
        undefined,
        whole(lexeme)
      )
  }
  const key = keyOf(lexemes, index)
  if (key !== "when" && key !== "where") return
  const rows = lexeme.text.split(/\r?\n/).map((row) => row.trim())
  const readsOn = rows.every(
    (row, i) =>
      i === 0 ||
      /^(and|or|in|not in|[-+*/<>=)])/.test(row) ||
      /(\b(and|or|not|in|between|any|contains|matches)|[-+*/<>=(,[])$/.test(rows[i - 1]!)
  )
  if (readsOn) return
  const count = rows.length === 2 ? "Two" : String(rows.length)
  trap(
    "Y11",
    whole(lexeme),
    `${count} conditions became one text. Start each with "- ".`,
    `- ${rows[0]?.replace(bullet, "")}`
  )
}

/** Y01 tabs, and Y04: a top-level key that does not start its line. */
const indentation = (source: Source.Source, lexemes: ReadonlyArray<Lexeme>, trap: Trap): undefined => {
  const quoted = lexemes.filter((l) => /quoted|block-scalar$/.test(l.type) && l.text.includes("\n"))
  const isText = (offset: number) => quoted.some((l) => l.start < offset && offset < l.start + l.text.length)
  const hasGroups = /^(rules|cases|templates):/m.test(source.text)
  const dash = hasGroups || /^kind:/m.test(source.text) ? -1 : source.text.search(/^- /m)
  if (
    /^- (?:when|name|do):/.test(source.text.slice(Math.max(dash, 0))) &&
    !isText(dash) &&
    !lastLine(source.text.slice(0, Math.max(dash, 0))).endsWith(":")
  ) {
    const [range, rest] = [
      { start: dash, end: dash + 1 },
      { start: dash - 1, end: source.text.length }
    ]
    return trap(
      "Y04",
      range,
      "Rules in a list stand below rules: write that line above this dash.",
      undefined,
      rest
    )
  }
  const top = Keys.topOf(source.text)
  let topLine: number | undefined
  let topKey: string | undefined
  for (const [i, start] of source.lineStarts.entries()) {
    const text = Source.line(source, i + 1)
    const tab = /^ *\t\s*(?=\S)/.exec(text)
    if (tab !== null && !isText(start)) {
      const at = start + text.indexOf("\t")
      trap(
        "Y01",
        { start: at, end: at + 1 },
        "A tab starts this line. Use two spaces.",
        undefined,
        around(source, i + 1)
      )
      continue
    }
    const key = /^( *)([a-z_]+):(\s|$)/.exec(text)
    if (key === null || !top.includes(key[2]!) || isText(start)) continue
    if (key[1] === "") {
      topLine = i + 1
      topKey = key[2]
    } else if (
      topKey !== "vars" &&
      topKey !== "with" &&
      !hasGroups &&
      topLine !== undefined &&
      key[2] !== "name"
    ) {
      const range = { start: start + key[1]!.length, end: start + key[1]!.length + key[2]!.length }
      trap("Y04", range, misaligned(source, i + 1, topLine), undefined, around(source, i + 1))
    }
  }
}

/** The last line that says something, without its remark. */
const lastLine = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.replace(/(^|\s)#.*$/, "").trimEnd())
    .findLast((line) => line !== "") ?? ""

/** The line with its neighbours above and below: a lost indentation spoils how they are read. */
const around = (source: Source.Source, line: number): Range => ({
  start: source.lineStarts[Math.max(0, line - 2)]!,
  end: source.lineStarts[line + 1] ?? source.text.length
})

const documents = (lexemes: ReadonlyArray<Lexeme>, trap: Trap): void => {
  let content = false
  for (const lexeme of lexemes) {
    if (lexeme.type === "directive-line" || lexeme.type === "directive") {
      trap("Y18", whole(lexeme), "Remove this line: directives are not used here.")
    } else if (lexeme.type === "doc-start" || lexeme.type === "doc-end") {
      if (content) {
        trap("Y18", whole(lexeme), "One policy per file. Move what follows to a file of its own.")
        return
      }
      content = lexeme.type === "doc-end"
    } else if (!/^(space|newline|comment)$/.test(lexeme.type)) content = true
  }
}

/**
 * A key of a flow map that has no value: `{cap:450 ₽}`, the right half of `{to: min(a, b)}`, or a name that lacks its
 * colon. True when it has been reported.
 */
export const splitPair = (key: ScalarNode, problems: Problems, muted: Set<number>): boolean => {
  muteLines(problems.source, key.range, muted)
  if (/^[\p{L}_]+:\S/u.test(key.text)) {
    problems.error("Y03", key.range, "Put a space after the colon.", fixColon(key.text))
  } else if (beginsMap(key, problems.source.text)) {
    problems.error("Y09", key.range, `"${key.text}" has no value: put a colon and a space after its name.`)
  } else {
    problems.error(
      "Y09",
      key.range,
      `The comma split this value: "${key.text}" stands alone. Put the value on its own line, without the comma.`
    )
  }
  return true
}

const beginsMap = ({ range }: ScalarNode, text: string): boolean =>
  text.slice(0, range.start).trimEnd().endsWith("{")

// The YAML library's own errors in a marketer's words; one per line, none where a trap already spoke.

/** What the library says: its code, the offsets, and an English sentence. */
interface LibraryError {
  readonly code: string
  readonly pos: readonly [number, number]
  readonly message: string
}

/** Adds the errors; the lines they stand on are muted for later checks. */
export const report = (errors: ReadonlyArray<LibraryError>, problems: Problems, muted: Set<number>): void => {
  const { source } = problems
  for (const error of [...errors].sort((a, b) => a.pos[0] - b.pos[0])) {
    const at = firstInk(source.text, error.pos[0])
    const line = Source.lineOf(source, at)
    const endLine = Source.lineOf(source, Math.max(at, error.pos[1] - 1))
    if (muted.has(line) || muted.has(endLine)) continue
    muted.add(line)
    muted.add(endLine)
    explain(error, { start: at, end: Math.max(at + 1, error.pos[1]) }, line, problems)
  }
}

const explain = (error: LibraryError, range: Source.Range, line: number, problems: Problems): void => {
  const { source } = problems
  const text = Source.line(source, line)
  switch (error.code) {
    case "BAD_INDENT":
      if (error.message.startsWith("Flow")) break
      problems.error("Y04", range, misaligned(source, line))
      return
    case "BLOCK_AS_IMPLICIT_KEY": {
      if (/^\s*- /.test(text)) {
        problems.error("Y04", range, "This dash stands left of the others. Put it under them.")
        return
      }
      const action = /^do: ([a-z_]+: (?:\{.*\}|[^{}[\],:#"']+))$/.exec(text)?.[1]
      if (action !== undefined) {
        problems.error("Y07", range, "An action with options stands in braces.", `do: {${action}}`)
        return
      }
      problems.error(
        "Y07",
        range,
        "Text with a colon needs quotes.",
        text
          .trim()
          .replace(/^((?:- )?[\w.]+: )(.*)$/, (_, key: string, value: string) => key + inQuotes(value))
      )
      return
    }
    case "MISSING_CHAR":
      if (!error.message.startsWith("Implicit map keys")) break
      if (bracedAlone(text, range, problems)) return
      problems.error("Y22", range, `"${text.trim()}" has no value: put a colon and a space after its name.`)
      return
    case "MULTILINE_IMPLICIT_KEY":
      if (bracedAlone(text, range, problems)) return
      problems.error("Y22", range, `"${text.trim()}" has no colon, or a line above it is not finished.`)
      return
    case "BAD_SCALAR_START":
      problems.error(
        "Y22",
        range,
        `A value may not start with "${text[startColumn(source, range)]}". Put it in quotes.`
      )
      return
    case "UNEXPECTED_TOKEN":
      problems.error(
        "Y22",
        range,
        "Text after the end of the value. Put the whole value in single quotes: '…'"
      )
      return
  }
  if (error.code === "MISSING_CHAR" || error.code === "BAD_INDENT") {
    problems.error("Y22", range, "A bracket opened here, or just before, is not closed.")
  } else {
    problems.error("Y22", range, `This cannot be read as YAML: ${error.message}`)
  }
}

/** `{…}` at the left edge, below keys. True when it has been reported. */
const bracedAlone = (line: string, range: Source.Range, problems: Problems): boolean => {
  if (!line.trimStart().startsWith("{")) return false
  const message =
    "Braces below keys are the value of none. Write what is in them as keys without braces, or behind the key whose value they are."
  problems.error("Y22", range, message)
  return true
}

const inQuotes = (value: string): string =>
  /["\\]/.test(value) ? `'${value.replaceAll("'", "''")}'` : `"${value}"`

const startColumn = (source: Source.Source, range: Source.Range): number =>
  Source.span(source, range).column - 1

/** Skips the white space an error starts with, so that it points at something to see. */
const firstInk = (text: string, from: number): number => {
  let at = from
  while (at < text.length && /\s/.test(text[at]!)) at++
  return at < text.length ? at : Math.min(from, Math.max(0, text.length - 1))
}

/** `"do" is one space left of "when"; align to column 5.` */
const misaligned = (source: Source.Source, line: number, reference?: number): string => {
  const word = (text: string) => /^\s*(?:- )?"?([^\s:"]+)/.exec(text)?.[1] ?? text.trim()
  const indent = (text: string) => text.length - text.trimStart().length
  const own = Source.line(source, line)
  let above = reference ?? line - 1
  while (above > 1 && /^\s*(#|$)/.test(Source.line(source, above))) above--
  const other = Source.line(source, above)
  const off = indent(own) - indent(other)
  const distance = Math.abs(off) === 1 ? "one space" : `${Math.abs(off)} spaces`
  return `"${word(own)}" is ${distance} ${off > 0 ? "right" : "left"} of "${word(other)}"; align to column ${indent(other) + 1}.`
}
