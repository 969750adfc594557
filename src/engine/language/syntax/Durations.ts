/** Lengths of time as a rule writes them: `7d`, `3h`, `10m`, `30s`. A month has no length, so it is refused. */

const units: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}

export type Duration =
  | { readonly _tag: "Exact"; readonly milliseconds: number; readonly end: number }
  | { readonly _tag: "Vague"; readonly milliseconds: number; readonly message: string; readonly end: number }

// The machine makes patterns of Unicode letters slowly, several times per process: what is mostly written has patterns
// of its own, which match the same or nothing.
const plain = /(\d+(?:\.\d+)?)([smhdw])(?![\w\u0080-\uffff])/y
const exact = /(\d+(?:\.\d+)?)([smhdw])(?![\p{L}\p{N}_])/uy
const months = /(\d+(?:\.\d+)?)\s*(?:months?|mo|years?|y|месяц\p{L}*|мес|год\p{L}*|лет)(?![\p{L}\p{N}_])/iuy
const wordy =
  /(\d+(?:\.\d+)?)\s*(seconds?|sec|minutes?|min|hours?|days?|weeks?|[smhdw]|дн\p{L}*|день|д|час\p{L}*|ч|мин\p{L}*|недел\p{L}*)(?![\p{L}\p{N}_])/iuy

/** The duration that starts at an offset of a text, if one does. */
export const at = (text: string, offset: number): Duration | undefined => {
  const found = match(plain, text, offset) ?? match(exact, text, offset)
  if (found !== undefined) {
    const milliseconds = Math.round(Number(found[1]) * units[found[2]!]!)
    return { _tag: "Exact", milliseconds, end: offset + found[0].length }
  }
  const month = match(months, text, offset)
  if (month !== undefined) {
    const of = /^(?:y|год|лет)/i.test(month[0].replace(/^[\d.\s]+/, "")) ? 365 : 30
    const days = Math.round(Number(month[1]) * of)
    const message = `${of === 30 ? "Months" : "Years"} differ in length. Write ${days}d.`
    return { _tag: "Vague", milliseconds: days * units.d!, message, end: offset + month[0].length }
  }
  const long = match(wordy, text, offset)
  if (long === undefined) return undefined
  const unit = letter(long[2]!)
  const milliseconds = Math.round(Number(long[1]) * units[unit]!)
  return { _tag: "Vague", milliseconds, message: `Write ${long[1]}${unit}.`, end: offset + long[0].length }
}

/** A whole text that is one duration. */
export const parse = (text: string): Duration | undefined => {
  const trimmed = text.trim()
  const found = at(trimmed, 0)
  return found !== undefined && found.end === trimmed.length ? found : undefined
}

const match = (pattern: RegExp, text: string, offset: number): RegExpExecArray | undefined => {
  pattern.lastIndex = offset
  return pattern.exec(text) ?? undefined
}

const letter = (word: string): string => {
  const first = word.toLowerCase()
  if (first.startsWith("мин")) return "m"
  if (first.startsWith("ч")) return "h"
  if (first.startsWith("нед")) return "w"
  if (first.startsWith("д")) return "d"
  return first[0]!
}
