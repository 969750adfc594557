/** What people say for a sign or a keyword of a condition: `больше`, `at least`, `is not`, `содержит`. */

/** What stands at a place of a text, and what it means: `not contains` where `not` belongs in front of the field. */
interface Phrase {
  readonly written: string
  readonly meant: string
}

const no = "(?:is\\s+not|isn[’']t|does\\s+not|doesn[’']t|not|no|не)"
const more = "(?:more|greater|higher|larger|bigger|over|above|exceeds?|больше|более|выше|свыше|превышает)"
const less = "(?:less|fewer|lower|smaller|below|under|меньше|менее|ниже)"
const than = "(?:\\s+(?:than|чем))?"
const same = "(?:equals?(?:\\s+to)?|равн[оаы]|равен|совпадает\\s+с)"
const or = "\\s+(?:or|или)\\s+"
const orSame = `${than}${or}${same}`
const part = "(?:contains?|includes?|содерж[ия]т|включает)"
const nothing = "(?:null|nil|none|empty|missing|undefined|nan|пусто)"
/** A word of one alphabet: what has letters of two is told of by itself. */
const operand = "(?=\\s+(?:[\"'$\\d]|[a-z_][\\w.]*(?![а-яё\\w])|[а-яё]+(?![а-яё\\w])))"
const wordEnd = "(?![a-zа-яё0-9_.[(])"

/** The first that fits counts, so the longer stand before their parts. */
const table: ReadonlyArray<readonly [spellings: string, meant: string]> = [
  [
    `${less}${orSame}|${same}${or}${less}${than}|${no}\\s+${more}${than}|at\\s+most|(?:как\\s+)?максимум`,
    "<="
  ],
  [
    `${more}${orSame}|${same}${or}${more}${than}|${no}\\s+${less}${than}|at\\s+least|(?:как\\s+)?минимум`,
    ">="
  ],
  [`${more}${than}`, ">"],
  [`${less}${than}`, "<"],
  [`${no}\\s+${part}|has\\s+no`, "not contains"],
  [`${part}|has`, "contains"],
  [`is\\s+${nothing}|is\\s+not\\s+set|не\\s*известн[оа]`, "is not known"],
  [`is\\s+not\\s+${nothing}|is\\s+set|известн[оа]`, "is known"],
  [`(?:is\\s+not|isn[’']t)\\s+(?:in|(?:one|any)\\s+of)`, "not in"],
  ["is\\s+in|(?:one|any)\\s+of", "in"],
  [`${no}\\s+${same}`, "!="],
  [same, "="],
  ["(?:от|from)(?=[^<>=]{1,40}?\\s(?:до|to|по)\\s)|между|is\\s+between", "between"],
  ["от|from", ">="],
  ["до|up\\s+to", "<="],
  [`(?:is\\s+not|isn[’']t|not|не)${operand}(?!\\s+(?:in|в|known|between|matches)${wordEnd})`, "!="],
  [`is${operand}(?!\\s+(?:not|known|unknown|matches)${wordEnd})`, "="]
]
const phrases = table.map(
  ([spellings, meant]) => [new RegExp(`(?:is\\s+)?(?:${spellings})${wordEnd}`, "iy"), meant] as const
)

/** The phrase that begins at a place. The days of `spend over 7 days > 100 ₽` are none, those an age is over are. */
export const at = (text: string, place: number): Phrase | undefined => {
  const days = daysAt(text, place)
  if (days !== undefined && asks(text, place + days.written.length)) return undefined
  for (const [pattern, meant] of phrases) {
    pattern.lastIndex = place
    const written = pattern.exec(text)?.[0]
    if (written !== undefined) return { written, meant }
  }
  return undefined
}

const asks = (text: string, place: number): boolean => {
  const next = place + (text.slice(place).match(/^\s*/)?.[0].length ?? 0)
  return /[<>=!≥≤≠]/.test(text[next] ?? "") || at(text, next) !== undefined
}

/** The sign that a whole text says, or `contains`; the ends of a range and what is empty may mean one thing or another. */
export const certain = (text: string): string | undefined => {
  const found = /^(?:is\s+)?(?:от|до|from|up)/i.test(text) ? undefined : at(`${text} 1`, 0)
  return found?.written === text && /^(?:[<>=!]+|contains|(?:not )?in)$/.test(found.meant)
    ? found.meant
    : undefined
}

/** Of a place in a list they may mean nearer to its top, where the number is less. */
export const isOfHeight = (written: string): boolean =>
  /(?:^|\s)(?:over|above|higher|under|below|lower|выше|свыше|ниже)(?!\S)/i.test(written)

const days =
  "(?:\\d*\\s*(?:weeks?|months?|недел[юияь]|месяц(?:а|ев)?)|\\d+\\s*(?:d|days?|дн[а-яё]*|день|суток))"
const span = new RegExp(`(?:(?:за|in|for|over|last|past|the|последн[а-яё]+)\\s+)+${days}${wordEnd}`, "iy")
const named = new RegExp(`(?:(?:за|in|for)\\s+)?(?:(today|сегодня)|yesterday|вчера)${wordEnd}`, "iy")
const rate = new RegExp(`(?:(?:в|за|per|an?|each|every)\\s+|/\\s*)(?:день|сутки|day)${wordEnd}`, "iy")

/** Days that stand beside a condition instead of behind its field: `7d`, `today`, or `a day` of a rate. */
export const daysAt = (text: string, place: number): Phrase | undefined => {
  rate.lastIndex = place
  const daily = rate.exec(text)?.[0]
  if (daily !== undefined) return { written: daily, meant: "a day" }
  named.lastIndex = place
  const day = named.exec(text)
  if (day !== null) return { written: day[0], meant: day[1] === undefined ? "yesterday" : "today" }
  span.lastIndex = place
  const written = span.exec(text)?.[0]
  if (written === undefined) return undefined
  const count = Number(/\d+/.exec(written)?.[0] ?? 1)
  return {
    written,
    meant: `${count * (/week|недел/i.test(written) ? 7 : /month|месяц/i.test(written) ? 30 : 1)}d`
  }
}
