/** `hour >= 18:30`: what to write for a time of day. Each hour counts whole, so of minutes both hours are told. */
import { isQuestion, type Token } from "./Token.js"

/** What the hour is called; all else is compared with no time of day. */
const anHour = /(?:^|\.)(?:hours?|time|часы?|время)$/i

/** Of an hour, `isWhole` where it has no minutes, that stands behind tokens and in front of a text. */
export const advice = (
  hour: number,
  isWhole: boolean,
  tokens: ReadonlyArray<Token>,
  behind: string
): string => {
  const whole = `A time of day is no value here. The hour is a whole number${isWhole ? "" : ", without minutes"}`
  const hours = isWhole ? [hour] : [hour, hour + 1]
  const either = (said: (hour: number) => string) => hours.map(said).join(" or ")
  // Only an end may be said to be at 24:00: the last hour is 23.
  const ofDay = (said: (hour: number) => string) =>
    hours
      .filter((one) => one < 24)
      .map(said)
      .join(" or ")
  const before = tokens.at(-1)
  const isCompared = before?._tag === "Sign" && isQuestion(before)
  const [, turned, other] = /^\s*([<>]=?|!?==?)\s*([\p{L}_.]*)/u.exec(isCompared ? "" : behind) ?? []
  const field = other ?? tokens.findLast((token) => token._tag === "Word")?.name ?? ""
  if (field !== "" && !anHour.test(field)) return `A time of day is no value of ${field}. Only hour has one.`
  const joint = before?._tag === "Keyword" ? before.word : undefined
  const opened = tokens.slice(0, -1).findLast((token) => token._tag === "Keyword")
  const isLast = joint === "and" && opened?.word === "between"
  if (hour > 24 || (hour === 24 && !isLast)) return `${whole} from 0 to 23.`
  if (isLast)
    return `${whole}, and the last counts whole: ${either((one) => `until ${one}:00 is between … and ${(one + 23) % 24}`)}`
  if (joint === "between") return `${whole}: ${ofDay((one) => `hour between ${one} and …`)}`
  const sign = isCompared ? before.sign : turned
  if (sign === undefined) return `${whole}: ${ofDay(String)}`
  if (!/[<>]/.test(sign)) return `${whole}: hour ${sign.replace("==", "=")} ${hour}`
  const isUntil = sign.startsWith("<") === isCompared
  return `${whole}: ${ofDay((one) => `hour ${isUntil ? "<" : ">="} ${one}`)}`
}
