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
