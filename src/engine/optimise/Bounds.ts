/**
 * Which bids are open to a stream: within floor and cap and on the step in the long run; today also within the most a bid moves, and
 * outside the deadband, where a change would not be worth its turn. Design page, `optimise` (5).
 */
import type { Open } from "./Allocate.js"
import type { Settings, Stream } from "./Stream.js"

/** How long a bid's turns are remembered. */
export const turnDays = 30

/**
 * Deadbands that turning back takes, by how often the bid has turned already: noise moves an estimate both ways, and what has turned
 * three times in a month is most likely noise (assumed; by `npm run profit` the bids turn at most three times, for 0.6 points).
 */
const turnDeadbands = [2, 2, 4, 20] as const

/** Steps between floor and cap; the floor's own where the cap is below it. */
const steps = ({ floorKopecks, stepKopecks }: Stream, capKopecks: number) => {
  const from = Math.ceil(floorKopecks / stepKopecks - 1e-9)
  return { from, to: Math.max(from, Math.floor(capKopecks / stepKopecks + 1e-9)) }
}

/** All bids between floor and cap. `capKopecks`: the stream's own, or a tighter one. */
export const target = (o: Open, i: number, stream: Stream, capKopecks: number, canBeOff: boolean): void => {
  const { from, to } = steps(stream, capKopecks)
  o.canBeOff[i] = canBeOff ? 1 : 0
  o.step[i] = stream.stepKopecks
  o.lowFrom[i] = from
  o.lowTo[i] = to
}

/** The present bid alone. */
export const fixed = (o: Open, i: number, stream: Stream): void => {
  o.step[i] = stream.stepKopecks
  o.stays[i] = stream.bidKopecks
}

/** Nothing shown. */
export const off = (o: Open, i: number): void => {
  o.canBeOff[i] = 1
  o.step[i] = 1
}

/** True where the floor lies further above the bid than a day's move. */
export const isFloorOutOfReach = (stream: Stream, { move }: Settings): boolean => {
  const { from } = steps(stream, stream.capKopecks)
  return (
    from * stream.stepKopecks > Math.max(stream.bidKopecks, stream.firstBidTodayKopecks * (1 + move) + 1e-6)
  )
}

/** Bids of today. A bid above its cap comes down as far as it may move, even if that is not yet the cap. */
export const today = (o: Open, i: number, stream: Stream, capKopecks: number, settings: Settings): void => {
  const { bidKopecks: bid, firstBidTodayKopecks: first, stepKopecks: step } = stream
  const within = steps(stream, capKopecks)
  const lowest = Math.ceil((first * (1 - settings.move)) / step - 1e-9)
  const highest = Math.floor((first * (1 + settings.move)) / step + 1e-9)
  const from = Math.max(within.from, lowest)
  const to = Math.max(Math.min(within.to, highest), from)
  o.step[i] = step
  if (from > highest) {
    fixed(o, i, stream)
    return
  }
  const mustMove = bid > capKopecks || bid < stream.floorKopecks
  o.lowFrom[i] = from
  if (mustMove) {
    o.lowTo[i] = to
    return
  }
  o.stays[i] = bid
  o.lowTo[i] = Math.min(
    to,
    Math.ceil(bid / step) - 1,
    Math.floor((bid * (1 - band(stream, -1, settings))) / step + 1e-9)
  )
  o.highFrom[i] = Math.max(
    from,
    Math.floor(bid / step) + 1,
    Math.ceil((bid * (1 + band(stream, 1, settings))) / step - 1e-9)
  )
  o.highTo[i] = to
}

const band = ({ lastMove }: Stream, direction: 1 | -1, { deadband }: Settings): number => {
  if (lastMove === undefined || lastMove.direction === direction || lastMove.daysAgo > turnDays)
    return deadband
  const times = turnDeadbands[Math.min(turnDeadbands.length - 1, lastMove.turns)]!
  return Math.min(0.95, deadband * times)
}
