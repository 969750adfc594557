/** The earliest next move of a slot, in words. */
import * as Days from "../../domain/Days.js"
import type { NextMove } from "../../engine/decide/intents/Gate.js"
import * as Moments from "./Moments.js"

/** All given parts must have come to pass. `notBefore` is ISO 8601 in UTC. */
export interface Waiting {
  readonly text: string
  readonly notBefore?: string
  /** Complete statistics must reach this business day, and on `completeOn` they do. */
  readonly statisticsOf?: Days.Day
  readonly completeOn?: Days.Day
}

/** Undefined when everything has come to pass already: the slot may move in the next run. */
export const of = (move: NextMove, nowMs: number, zone: string): Waiting | undefined => {
  const { notBeforeMs, statisticsOf } = move
  const later = notBeforeMs !== undefined && notBeforeMs > nowMs ? notBeforeMs : undefined
  const complete = statisticsOf === undefined ? undefined : completeOn(statisticsOf)
  const open = complete !== undefined && complete > Days.ofMarket(nowMs) ? complete : undefined
  if (later === undefined && open === undefined) return undefined
  return {
    text: [
      ...(later === undefined ? [] : [`after ${Moments.clock(later, nowMs, zone)}`]),
      ...(open === undefined || statisticsOf === undefined
        ? []
        : [`once the statistics of ${Moments.day(statisticsOf.day)} are complete (${Moments.day(open)})`])
    ].join(", and "),
    ...(later === undefined ? {} : { notBefore: new Date(later).toISOString() }),
    ...(open === undefined || statisticsOf === undefined
      ? {}
      : { statisticsOf: statisticsOf.day, completeOn: open })
  }
}

/** A day is complete on the next one; a window that settles reaches it so many days later. */
const completeOn = ({ day, settleDays }: NonNullable<NextMove["statisticsOf"]>): Days.Day =>
  Days.shift(day, 1 + settleDays)
