/** What buyers type: plausible shopping queries of a subject, unique within an item. */
import * as Dice from "../Dice.js"

export interface Subject {
  readonly id: number
  readonly name: string
  /** Plural noun every query of the subject begins with. */
  readonly noun: string
}

const nouns: ReadonlyArray<readonly [name: string, noun: string]> = [
  ["Кеды", "кеды"],
  ["Кроссовки", "кроссовки"],
  ["Платья", "платья"],
  ["Футболки", "футболки"],
  ["Джинсы", "джинсы"],
  ["Куртки", "куртки"],
  ["Толстовки", "толстовки"],
  ["Сапоги", "сапоги"],
  ["Рюкзаки", "рюкзаки"],
  ["Шапки", "шапки"],
  ["Пижамы", "пижамы"],
  ["Перчатки", "перчатки"]
]

export const subjects: ReadonlyArray<Subject> = nouns.map(([name, noun], i) => ({
  id: 101 + i * 7,
  name,
  noun
}))

const kinds = [
  "женские",
  "мужские",
  "детские",
  "для девочки",
  "для мальчика",
  "летние",
  "осенние",
  "зимние",
  "модные",
  "недорогие",
  "школьные",
  "домашние",
  "спортивные"
]
const colours = [
  "белые",
  "чёрные",
  "красные",
  "синие",
  "бежевые",
  "серые",
  "розовые",
  "зелёные",
  "больших размеров",
  "на каждый день",
  ""
]

/** Thirteen by eleven; both prime, so any stride below them walks over every pair once. */
const pairs = kinds.length * colours.length

/** The text of an item's cluster by its index; different indexes never give the same text. */
export const query = (seed: number, subject: Subject, index: number): string => {
  const hash = Dice.mix(seed, 17)
  const at = (Dice.uint(hash) + (index % pairs) * 7) % pairs
  const kind = kinds[at % kinds.length] as string
  const colour = colours[Math.floor(at / kinds.length)] as string
  const series = Math.floor(index / pairs)
  return [subject.noun, kind, colour, series === 0 ? "" : `${series + 1} шт`]
    .filter((w) => w !== "")
    .join(" ")
}

/** A plausible title of an item. */
export const title = (seed: number, subject: Subject): string =>
  [subject.name, Dice.pick(Dice.mix(seed, 3), kinds), Dice.pick(Dice.mix(seed, 5), colours)]
    .filter((w) => w !== "")
    .join(" ")
