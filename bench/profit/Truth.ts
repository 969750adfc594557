/** What a campaign's settings were expected to bring on a day that is over, whatever was drawn. */
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import * as Traffic from "../../src/sandbox/market/Traffic.js"
import type * as World from "../../src/sandbox/market/World.js"
import * as Streams from "./Streams.js"

/** Each stream of a campaign on a Moscow day, by the bids that stood in its hours. */
export const ofDay = (
  world: World.World,
  campaign: World.Campaign,
  day: number,
  margin: number
): ReadonlyArray<{ readonly day: Streams.Day; readonly expected: Streams.Expected }> => {
  const [from, to] = [Moscow.startOf(day), Moscow.startOf(day + 1)]
  Purse.settle(world, campaign, to)
  return Streams.ofCampaign(world, campaign).map((stream) => {
    const on = Streams.onDay(stream, day, margin)
    const pieces = Traffic.pieces(world, campaign, stream.item.id, stream.traffic, from, to)
    const expected = pieces.reduce(
      (sum, piece) =>
        Streams.add(
          sum,
          Streams.expected(
            on,
            piece.bidKopecks,
            Moscow.passed(piece.to, day) - Moscow.passed(piece.from, day)
          )
        ),
      Streams.nothing
    )
    return { day: on, expected }
  })
}
