/** Questions about one text. All compare without case, and each costs at most text length × pattern length. */

/** Shell-like pattern over the whole text: `*` is any run of characters, `?` is exactly one. */
export const glob = (pattern: string): ((text: string) => boolean) => {
  const wanted = [...pattern.toLowerCase()]
  return (text) => matches(wanted, [...text.toLowerCase()])
}

/** Any of the words occurs in the text, whole or as part of a word. */
export const containsAny = (words: ReadonlyArray<string>): ((text: string) => boolean) => {
  const wanted = words.map((word) => word.toLowerCase())
  return (text) => {
    const lower = text.toLowerCase()
    return wanted.some((word) => lower.includes(word))
  }
}

/**
 * Labels as they are kept, from a cell that holds some: small letters, each once, sorted, joined by a comma and a space.
 * In the cell a comma, a semicolon or a bar stands between them.
 */
export const labels = (cell: string): string =>
  [...new Set(cell.split(/[,;|\r\n]/).map(label))]
    .filter((one) => one !== "")
    .sort()
    .join(", ")

/** One of the labels is a label of the set, whole. */
export const hasLabel = (wanted: ReadonlyArray<string>): ((set: string) => boolean) => {
  const any = new Set(wanted.map(label))
  return (set) => set.split(", ").some((one) => any.has(one))
}

/** A word of such a set, or a query, as they are compared: capitals and the number of spaces do not matter. */
export const label = (word: string): string => word.trim().replace(/\s+/g, " ").toLowerCase()

/** Only the latest `*` is ever widened, so the walk never branches. */
const matches = (pattern: ReadonlyArray<string>, text: ReadonlyArray<string>): boolean => {
  let p = 0
  let t = 0
  let star = -1
  let resume = 0
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++
      resume = t
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) {
      p++
      t++
    } else if (star >= 0) {
      p = star + 1
      t = ++resume
    } else return false
  }
  while (pattern[p] === "*") p++
  return p === pattern.length
}
