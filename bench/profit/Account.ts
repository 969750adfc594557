/** The account that is measured: its days, and purses that never run dry, so that the daily limit is the only budget. */
import * as Moscow from "../../src/sandbox/Moscow.js"
import * as Purse from "../../src/sandbox/market/Purse.js"
import type * as World from "../../src/sandbox/market/World.js"
import * as Scenario from "../../test/scenario/Scenario.js"
import * as Truth from "../../test/simulation/Truth.js"

/** The rules begin on a Tuesday morning in Moscow; the day itself, with its sale, is not measured. */
export const startMs = Scenario.startMs
export const firstDay = Moscow.dayOf(startMs) + 1

/** Moscow days that are measured. */
export const daysOf = (days: number): ReadonlyArray<number> =>
  Array.from({ length: days }, (_, i) => firstDay + i)

/** From the start to the end of the last measured day, milliseconds. */
export const spanMs = (days: number): number => Moscow.startOf(firstDay + days) - startMs

const plentyKopecks = 1e12

/** What is spent is not counted any more either: nobody looks at it, and counting takes longer than all else. */
export const fillPurses = (world: World.World): void => {
  for (const campaign of Truth.campaigns(world)) {
    Purse.settle(world, campaign, startMs)
    const last = campaign.purse.dry.at(-1)
    if (last?.to === Number.POSITIVE_INFINITY) last.to = startMs
    campaign.purse.leftKopecks = plentyKopecks
    campaign.purse.settledTo = Number.POSITIVE_INFINITY
  }
}
