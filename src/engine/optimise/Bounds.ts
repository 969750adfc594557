/**
 * Which bids are open to a stream: within floor and cap and on the step in the long run; today also within the most a bid moves, and
 * outside the deadband, where a change would not be worth its turn. Design page, `optimise` (5).
 */
import type { Open } from "./Allocate.js"
import type { Settings, Stream } from "./Stream.js"

/** How long a bid's turns are remembered. */
export const turnDays = 30

/**
 * How far off the bid aimed at must be before a bid turns back, in deadbands, by how often it has turned already: noise moves an estimate
 * both ways, and what has turned three times in a month is most likely noise (assumed; measured in `docs/profit.md`).
 */
const turnDeadbands = [4, 6, 10, 16] as const

/** A narrower deadband lets a bid go on in small steps, but makes no noise a reason to turn. */
const leastTurnDeadband = 0.05

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

/**
 * Bids of today, on the way to `targetKopecks`. A bid above its cap comes down as far as it may move, even if that is not yet the cap.
 */
export const today = (
  o: Open,
  i: number,
  stream: Stream,
  capKopecks: number,
  targetKopecks: number,
  settings: Settings
): void => {
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
  const { deadband } = settings
  o.stays[i] = bid
  if (mayGo(stream, -1, targetKopecks, deadband))
    o.lowTo[i] = Math.min(to, Math.ceil(bid / step) - 1, Math.floor((bid * (1 - deadband)) / step + 1e-9))
  if (!mayGo(stream, 1, targetKopecks, deadband)) return
  o.highFrom[i] = Math.max(from, Math.floor(bid / step) + 1, Math.ceil((bid * (1 + deadband)) / step - 1e-9))
  o.highTo[i] = to
}

/** Whether a bid may go this way: on as it went last, or back where what it aims at lies far enough off. */
const mayGo = (
  { bidKopecks, lastMove }: Stream,
  direction: 1 | -1,
  targetKopecks: number,
  deadband: number
): boolean => {
  if (lastMove === undefined || lastMove.direction === direction || lastMove.daysAgo > turnDays) return true
  const far =
    1 +
    Math.max(leastTurnDeadband, deadband) * turnDeadbands[Math.min(turnDeadbands.length - 1, lastMove.turns)]!
  return direction === 1 ? targetKopecks >= bidKopecks * far : targetKopecks * far <= bidKopecks
}
