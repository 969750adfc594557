/** Counts with their nouns, for people: `1 file`, `2 files`, `0 policies`; and lists that stay one line however long they are. */

/** The number and the noun; `several` is the noun's plural where it is not made by an s. */
export const of = (count: number, noun: string, several = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : several}`

/** The first for one thing, the second for none or several: `is`, `are`. */
export const choose = (count: number, one: string, several: string): string => (count === 1 ? one : several)

/** `a, b, c and 7 more`: the first ones, and how many are not named. */
export const named = (names: ReadonlyArray<string | number>, most: number): string => {
  const more = names.length - most
  return `${names.slice(0, most).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}
