/**
 * What the clock of a city says when a run begins to read: `hour` and `weekday`. The id of such a fact says the city
 * (`account.hour:Europe/Moscow`), because the policies of an account may name different ones.
 */

import { week } from "../../domain/Schedule.js"
import * as LocalTime from "../schedule/LocalTime.js"
import * as Cells from "./Cell.js"
import type { Fact } from "./FactType.js"
import * as FactType from "./FactType.js"

const fact = (word: string, type: FactType.FactType, unit: string, about: string): Fact => ({
  id: `account.${word}`,
  level: "account",
  word,
  type,
  unit,
  source: "clock",
  windowed: false,
  about
})

const hour = fact(
  "hour",
  FactType.count,
  "hours, 0 to 23",
  "Hour of the day when the run begins, in the city of the schedule's tz."
)
const weekday = fact(
  "weekday",
  FactType.oneOf("day of the week", week),
  "",
  "Day of the week when the run begins, in the city of the schedule's tz."
)

/** As the vocabulary lists them, without a city. */
export const facts: ReadonlyArray<Fact> = [hour, weekday]

/** True of the hour, in whatever city. */
export const isHour = (id: string): boolean => id === hour.id || id.startsWith(`${hour.id}:`)

/** The hour and the day as the clock of a city tells them; `zone` is an IANA name. */
export const idIn = (id: string, zone: string): string => `${id}:${zone}`

const known = new Map<string, Fact>()

/** The fact of such an id; undefined for ids of any other form. */
export const byId = (id: string): Fact | undefined => {
  const remembered = known.get(id)
  if (remembered !== undefined) return remembered
  const base = facts.find((one) => id.startsWith(`${one.id}:`))
  if (base === undefined) return undefined
  const made = { ...base, id }
  known.set(id, made)
  return made
}

/** What some facts that are asked for say, those of the clock: by id, each once. */
export const readings = (
  refs: ReadonlyArray<{ readonly id: string }>,
  nowMs: number
): ReadonlyMap<string, Cells.Cell> => {
  const found = new Map<string, Cells.Cell>()
  for (const { id } of refs) {
    const word = byId(id)?.word
    if (word === undefined || found.has(id)) continue
    const { day, minute } = LocalTime.at(nowMs, id.slice(id.indexOf(":") + 1))
    found.set(id, Cells.known(word === hour.word ? Math.floor(minute / 60) : week[LocalTime.weekdayOf(day)]!))
  }
  return found
}
