/** Texts from outside that no database gives back as they were: half of a pair of signs, where a name was cut, or a zero. */

export const isStorable = (text: string): boolean => !unusual.test(text) || !unstorable.test(text)

/** The same with a replacement sign for what cannot be stored. */
export const storable = (text: string): string =>
  isStorable(text) ? text : text.replace(unstorables, "\ufffd")

/** Seen without putting signs together, for there are millions of texts: only what has one of these is looked at closely. */
const unusual = /[\0\ud800-\udfff]/
const unstorable = /[\p{Cs}\0]/u
const unstorables = /[\p{Cs}\0]/gu
