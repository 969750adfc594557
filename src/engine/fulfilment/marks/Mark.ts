/**
 * A mark of an order: one of the six label identifiers (seed 000 "Label identifiers"). Marking codes, UINs and IMEIs can be
 * resold, so a mark holds its text where nothing prints it: strings, JSON and inspection show it masked, and only `whole`
 * gives it back.
 */

/** As the marketplace spells them, in the order people are told of them. */
export const kinds = ["sgtin", "uin", "imei", "gtin", "expiration", "customsDeclaration"] as const
export type MarkKind = (typeof kinds)[number]

export const isKind = (text: string): text is MarkKind => kinds.some((kind) => kind === text)

/** Marks of which every unit of goods has its own; the others are alike for many orders. */
const ownOfUnit: ReadonlySet<MarkKind> = new Set(["sgtin", "uin", "imei"])
export const isUnique = (kind: MarkKind): boolean => ownOfUnit.has(kind)

/** GS1 group separator, one control character (field note O15). */
export const separator = "\u001d"

/** A text that passed its checks (`ReadMark.read`) or that the marketplace keeps; equal in meaning by `identity`. */
export class Mark {
  readonly #text: string

  private constructor(
    readonly kind: MarkKind,
    text: string
  ) {
    this.#text = text
  }

  /** Of a text that was checked, or that the marketplace answered. */
  static of(kind: MarkKind, text: string): Mark {
    return new Mark(kind, text)
  }

  /** The whole text, for what is sent to the marketplace and for the store's own column of it; nothing else asks. */
  static whole(mark: Mark): string {
    return mark.#text
  }

  toString(): string {
    return masked(this.kind, this.#text)
  }

  toJSON(): string {
    return this.toString()
  }

  [Symbol.for("nodejs.util.inspect.custom")](): string {
    return `${this.kind} ${this.toString()}`
  }
}

/**
 * Equal for two marks of one unit of goods: the full and the short form of a marking code are the same, since what follows
 * the serial number proves the code and names nothing. It is as secret as the mark.
 */
export const identity = (mark: Mark): string => {
  const text = Mark.whole(mark)
  const named = mark.kind === "sgtin" ? (text.split(separator, 1)[0] ?? text) : text
  return `${mark.kind} ${named}`
}

/** The marks of a label's value: several codes of one order are answered as one text, parted by commas, which may also stand within a code. */
export const ofLabel = (key: string, value: string | undefined): ReadonlyArray<Mark> => {
  if (!isKind(key) || value === undefined) return []
  return (key === "sgtin" ? value.split(/,(?=01\d{14}21)/) : [value]).map((one) => Mark.of(key, one))
}

/** The 14 digits of the goods in a marking code, which is no secret; undefined in other marks. */
export const gtinOf = (mark: Mark): string | undefined =>
  mark.kind === "sgtin" ? /^01(\d{14})/.exec(Mark.whole(mark))?.[1] : undefined

/** First and last signs of what is no proof, so that a person finds it: `010460…9xQ2`. The authenticity tail never shows. */
const masked = (kind: MarkKind, text: string): string => {
  if (!isUnique(kind)) return text
  const [named = ""] = text.split(separator, 1)
  const [head, tail] = kind === "sgtin" ? [6, 4] : [4, 2]
  // A third of what is left is shown at most, whatever the length.
  const shown = Math.max(0, Math.min(tail, Math.floor((named.length - head) / 3)))
  return `${named.slice(0, head)}…${named.slice(named.length - shown)}`
}

/** Of marks of a kind as the marketplace spells it what they are told apart by; none of a kind that several goods may have alike. */
export const identitiesOf = (key: string, texts: ReadonlyArray<string>): ReadonlyArray<string> =>
  isKind(key) && isUnique(key) ? texts.map((text) => identity(Mark.of(key, text))) : []
