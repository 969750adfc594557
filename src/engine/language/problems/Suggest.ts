/** The nearest right word for a wrong one: look-alike letters first, then spelling. */
import * as Plural from "../../../domain/Plural.js"

/** Cyrillic letters that look like Latin ones, or nearly: what comes of them is held against the right words. */
const lookAlikes: Readonly<Record<string, string>> = {
  а: "a",
  в: "b",
  с: "c",
  е: "e",
  ё: "e",
  н: "h",
  і: "i",
  к: "k",
  м: "m",
  о: "o",
  р: "p",
  ѕ: "s",
  т: "t",
  и: "u",
  у: "y",
  х: "x"
}

/** The word with look-alike Cyrillic letters replaced, or undefined when it has none or others remain. */
export const latin = (word: string): string | undefined => {
  if (!/\p{Script=Cyrillic}/u.test(word)) return undefined
  const mapped = [...word].map((letter) => lookAlikes[letter.toLowerCase()] ?? letter).join("")
  return /\p{Script=Cyrillic}/u.test(mapped) ? undefined : mapped
}

/** Which letter of the word is Cyrillic: "The first letter", "Letter 3". */
export const cyrillicLetter = (word: string): string => letterOf(word, "Cyrillic")

const letterOf = (word: string, alphabet: Alphabet): string => {
  const at = [...word].findIndex((letter) => letters[alphabet].test(letter))
  return at === 0 ? "The first letter" : `Letter ${at + 1}`
}

/** Letters that look the same in both alphabets, in one order: only these, for no list of right words tells what a text may hold. */
const alike = { Cyrillic: "АВЕКМНОРСТУХаекорсух", Latin: "ABEKMHOPCTYXaekopcyx" } as const
type Alphabet = keyof typeof alike
const letters = { Cyrillic: /[\u0400-\u04ff]/, Latin: /[A-Za-z\u00c0-\u024f]/ } as const
const lettered = /[A-Za-z\u00c0-\u024f\u0400-\u04ff]+/g

/** A text in which letters that look alike are one, large or small. */
export const lookAlike = (text: string): string =>
  text
    .toUpperCase()
    .replace(/[A-Z]/g, (one) => alike.Cyrillic[alike.Latin.indexOf(one)] ?? one)
    .toLowerCase()

/**
 * A text where a word has letters of two alphabets and looks as if it had one: what to say of the first such word, and how
 * all are meant; undefined where one has as many letters of each.
 */
export const oneAlphabet = (
  text: string
): { readonly meant: string | undefined; readonly message: string } | undefined => {
  const said: Array<string> = []
  let isSure = true
  const meant = text.replace(lettered, (word) => {
    if (!letters.Cyrillic.test(word) || !letters.Latin.test(word)) return word
    const cyrillic = [...word].filter((letter) => letters.Cyrillic.test(letter)).length
    const most: Alphabet = cyrillic * 2 < word.length ? "Latin" : "Cyrillic"
    const found = [most, other[most]].flatMap((right) => {
      const mended = written(word, other[right], right)
      return letters[other[right]].test(mended) ? [] : [{ mended, wrong: other[right] }]
    })
    const [first, second] = found
    if (first === undefined) return word
    if (second !== undefined && cyrillic * 2 === word.length) {
      isSure = false
      said.push(
        `"${word}" is half Cyrillic, half Latin: write ${first.mended} in Cyrillic or ${second.mended} in Latin.`
      )
    } else said.push(`${letterOf(word, first.wrong)} of "${word}" is ${first.wrong}.`)
    return first.mended
  })
  return said[0] === undefined ? undefined : { meant: isSure ? meant : undefined, message: said[0] }
}

const other = { Cyrillic: "Latin", Latin: "Cyrillic" } as const

const written = (word: string, wrong: Alphabet, right: Alphabet): string =>
  [...word].map((letter) => alike[right][alike[wrong].indexOf(letter)] ?? letter).join("")

/**
 * The closest of the known words, if close enough to be meant: at most a third of the letters wrong. A word that
 * is the tail of a known one (`status` of `campaign.status`) is meant too. Ties go to the earlier word.
 */
export const nearest = (word: string, known: ReadonlyArray<string>): string | undefined => {
  if (known.includes(word)) return word
  const wanted = (latin(word) ?? word).toLowerCase().replaceAll("-", "_")
  if (wanted.length === 0 || wanted.length > 40) return undefined
  if (known.includes(wanted)) return wanted
  const tail = known.find((candidate) => candidate.endsWith(`.${wanted}`))
  if (tail !== undefined) return tail
  let best: string | undefined
  let bestDistance = slipsIn(wanted) + 1
  for (const candidate of known) {
    const far = distance(wanted, candidate, bestDistance)
    // A prefix that is right excuses no other word behind it: `campaign.tags` is not `campaign.name`.
    if (far < bestDistance && far <= slipsIn(behindPrefix(wanted, candidate))) {
      best = candidate
      bestDistance = far
    }
  }
  return best
}

const slipsIn = (word: string): number => Math.max(1, Math.floor(word.length / 3))

/** What follows the prefix that two dotted words share; the whole word where they share none. */
const behindPrefix = (word: string, other: string): string => {
  const prefix = word.slice(0, word.lastIndexOf(".") + 1)
  return prefix !== "" && other.startsWith(prefix) ? word.slice(prefix.length) : word
}

/** Names that a list of what is possible holds at most. */
const mostListed = 16

/** "Did you mean x?" or the list of what is possible, as a sentence; of many names the number, not the list. */
export const sentence = (word: string, known: ReadonlyArray<string>): string => {
  const near = nearest(word, known)
  if (near !== undefined) return `Did you mean ${near}?`
  return `Possible: ${Plural.named(known, mostListed)}.`
}

/** What to write, as words behind a message: a fix is copied as it stands, so it holds nothing that the author did not write. */
export const forExample = (written: string): string => ` For example ${written}, with values of your own.`

/**
 * True when a program may write `meant` for `word` without asking: one or two slips in a word long enough, and no
 * other known word anywhere near. Short words are never certain: `cto` may be `cpo`, `ctr` or `cpc`.
 */
export const certain = (word: string, meant: string, known: Iterable<string>): boolean => {
  const wanted = (latin(word) ?? word).toLowerCase().replaceAll("-", "_")
  // `CPC` is `cpc` wherever there is one: no other word that ends with it can have been meant.
  if (meant === wanted) return true
  const others = [...new Set(known)].filter((other) => other !== meant)
  if (others.includes(wanted)) return false
  if (meant.endsWith(`.${wanted}`)) return !others.some((other) => other.endsWith(`.${wanted}`))
  // What is right before a point says nothing of the word behind it, and a number is never a slip: `orders7d` is not `orders`.
  const [written, right] = [behindPrefix(wanted, meant), behindPrefix(meant, wanted)]
  const digits = (text: string) => text.replace(/\D+/g, " ").trim()
  const slips = distance(written, right, 3)
  if (digits(written) !== digits(right) || written.length < 4 || written.length > 40) return false
  if (slips > (written.length < 8 ? 1 : 2)) return false
  // One slip away from one word only; two slips only where nothing else is within three.
  return others.every((other) => distance(wanted, other, 5) > slips * 2 - 1)
}

/** Edits between two words (a swap of neighbours counts once); at least `bound` where their lengths differ by it. */
export const distance = (a: string, b: string, bound: number): number => {
  if (Math.abs(a.length - b.length) >= bound) return bound
  let beforeLast: Array<number> = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let edits = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, beforeLast[j - 2]! + 1)
      }
      row.push(edits)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}
