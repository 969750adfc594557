/** What people say for a sign or a keyword of a condition: `больше`, `at least`, `is not`, `содержит`. */

/** What stands at a place of a text, and what it means: `not contains` where `not` belongs in front of the field. */
interface Phrase {
  readonly written: string
  readonly meant: string
}

const no = "(?:is\\s+not|isn[’']t|not|no|не)"
const more = "(?:more|greater|higher|larger|bigger|over|above|exceeds?|больше|более|выше|свыше|превышает)"
const less = "(?:less|fewer|lower|smaller|below|under|меньше|менее|ниже)"
const than = "(?:\\s+(?:than|чем))?"
const same = "(?:equals?(?:\\s+to)?|равн[оаы]|равен|совпадает\\s+с)"
const orSame = `${than}\\s+(?:or|или)\\s+${same}`
const part = "(?:contains?|includes?|содерж[ия]т|включает)"
const nothing = "(?:null|nil|none|empty|missing|undefined|nan|пусто)"
/** A word of one alphabet: what has letters of two is told of by itself. */
const operand = "(?=\\s+(?:[\"'$\\d]|[a-z_][\\w.]*(?![а-яё\\w])|[а-яё]+(?![а-яё\\w])))"
const wordEnd = "(?![a-zа-яё0-9_.[(])"

/** The first that fits counts, so the longer stand before their parts. */
const table: ReadonlyArray<readonly [spellings: string, meant: string]> = [
  [`(?:is\\s+)?${less}${orSame}|${no}\\s+${more}${than}|at\\s+most|(?:как\\s+)?максимум`, "<="],
  [`(?:is\\s+)?${more}${orSame}|${no}\\s+${less}${than}|at\\s+least|(?:как\\s+)?минимум`, ">="],
  [`(?:is\\s+)?${more}${than}`, ">"],
  [`(?:is\\s+)?${less}${than}`, "<"],
  [`(?:does\\s+not|doesn[’']t|${no})\\s+${part}`, "not contains"],
  [`${part}|has`, "contains"],
  [`is\\s+${nothing}`, "is not known"],
  [`is\\s+not\\s+${nothing}`, "is known"],
  [`(?:${no}|does\\s+not|doesn[’']t)\\s+${same}`, "!="],
  [`(?:is\\s+)?${same}`, "="],
  [`(?:is\\s+not|isn[’']t|not|не)${operand}(?!\\s+(?:in|в|known|between|matches)${wordEnd})`, "!="],
  [`is${operand}(?!\\s+(?:not|known|unknown)${wordEnd})`, "="],
  ["(?:от|from)(?=[^<>=]{1,40}?\\s(?:до|to|по)\\s)|между", "between"],
  ["от|from", ">="],
  ["до|up\\s+to", "<="]
]
const phrases = table.map(
  ([spellings, meant]) => [new RegExp(`(?:${spellings})${wordEnd}`, "iy"), meant] as const
)

/** The phrase that begins at a place. */
export const at = (text: string, place: number): Phrase | undefined => {
  for (const [pattern, meant] of phrases) {
    pattern.lastIndex = place
    const written = pattern.exec(text)?.[0]
    if (written !== undefined) return { written, meant }
  }
  return undefined
}

/** The sign that a whole text says, or `contains`; the ends of a range and what is empty may mean one thing or another. */
export const certain = (text: string): string | undefined => {
  const found = /^(?:от|до|from|up)/i.test(text) ? undefined : at(`${text} 1`, 0)
  return found?.written === text && /^(?:[<>=!]+|contains)$/.test(found.meant) ? found.meant : undefined
}

const days =
  "(?:\\d*\\s*(?:weeks?|months?|недел[юияь]|месяц(?:а|ев)?)|\\d+\\s*(?:d|days?|дн[а-яё]*|день|суток))"
const span = new RegExp(`(?:(?:за|in|for|over|last|past|the|последн[а-яё]+)\\s+)+${days}${wordEnd}`, "iy")
const rate = new RegExp(`(?:(?:в|за|per|an?|each|every)\\s+|/\\s*)(?:день|сутки|day)${wordEnd}`, "iy")

/** Days that stand beside a condition instead of behind its field: `7d`, or `a day` of a rate. */
export const daysAt = (text: string, place: number): Phrase | undefined => {
  rate.lastIndex = place
  const daily = rate.exec(text)?.[0]
  if (daily !== undefined) return { written: daily, meant: "a day" }
  span.lastIndex = place
  const written = span.exec(text)?.[0]
  if (written === undefined) return undefined
  const count = Number(/\d+/.exec(written)?.[0] ?? 1)
  return {
    written,
    meant: `${count * (/week|недел/i.test(written) ? 7 : /month|месяц/i.test(written) ? 30 : 1)}d`
  }
}
