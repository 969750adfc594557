/** Sets of texts: a few words, or every text but a few. */
export interface Words {
  readonly except: boolean
  readonly list: ReadonlySet<string>
}

export const only = (words: Iterable<string>): Words => ({ except: false, list: new Set(words) })
export const allBut = (words: Iterable<string>): Words => ({ except: true, list: new Set(words) })

export const intersect = (a: Words, b: Words): Words => {
  if (a.except && b.except) return allBut([...a.list, ...b.list])
  if (a.except) return only([...b.list].filter((word) => !a.list.has(word)))
  return only([...a.list].filter((word) => b.list.has(word) !== b.except))
}

export const isEmpty = (words: Words): boolean => !words.except && words.list.size === 0
export const holds = (words: Words, word: string): boolean => words.list.has(word) !== words.except
