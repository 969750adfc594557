/** Counts with their nouns, for people: `1 file`, `2 files`, `0 policies`. */

/** The number and the noun; `several` is the noun's plural where it is not made by an s. */
export const of = (count: number, noun: string, several = `${noun}s`): string =>
  `${count} ${count === 1 ? noun : several}`

/** The first for one thing, the second for none or several: `is`, `are`. */
export const choose = (count: number, one: string, several: string): string => (count === 1 ? one : several)
