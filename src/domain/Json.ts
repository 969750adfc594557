/**
 * JSON from outside: answers, files, sockets, arguments. The one place that reads it, so that no text of brackets costs a
 * gigabyte and no walk over what was read overflows (decision 0051).
 */
import * as Either from "effect/Either"

/** Levels of objects and lists that are read. The deepest thing that is meant for this program, a plan, has nine. */
export const mostLevels = 64

/** The value of a JSON text. Left: what is wrong with it, behind "it is". Looks at the levels before it builds anything. */
export const read = (text: string): Either.Either<unknown, string> =>
  isTooDeep(text) ? Either.left(tooDeep) : readShallow(text)

/** As `read`, of a text whose levels were looked at before. */
export const readShallow = (text: string): Either.Either<unknown, string> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: () => (text.trim() === "" ? "empty" : "not JSON, or only the beginning of it")
  })

/** What is wrong with a text that `isTooDeep`, behind "it is". */
export const tooDeep = `nested more than ${mostLevels} levels deep`

/** For texts that a library reads as JSON. Looks at every sign once and keeps none. */
export const isTooDeep = (text: string): boolean => {
  let levels = 0
  for (let i = 0; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case quote: {
        const end = closing(text, i)
        if (end < 0) return false
        i = end
        break
      }
      case openList:
      case openObject:
        if (++levels > mostLevels) return true
        break
      case closeList:
      case closeObject:
        levels--
    }
  }
  return false
}

/** Where the string that begins at `from` ends; -1 when it does not. */
const closing = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1
    while (text.charCodeAt(before) === backslash) before--
    if ((end - before) % 2 === 1) return end
  }
  return -1
}

const quote = 0x22
const backslash = 0x5c
const openList = 0x5b
const closeList = 0x5d
const openObject = 0x7b
const closeObject = 0x7d
