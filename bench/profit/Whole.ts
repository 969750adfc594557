/** The same weeks by the whole program in virtual time: client with its limits, store, journal, door. Minutes instead of seconds. */
import * as Simulation from "../../test/simulation/Simulation.js"
import * as Account from "./Account.js"
import type { Asked, Lived } from "./Lived.js"

export const run = async ({ dailyKopecks, days, files, market, scale, seed }: Asked): Promise<Lived> => {
  const { cycles, failed, held, world, writes } = await Simulation.run({
    seed,
    days: Account.spanMs(days) / 86_400_000,
    rules: files,
    scale,
    market,
    stopKopecks: dailyKopecks,
    prepared: Account.fillPurses
  })
  return { world, entries: writes, cycles, held, failed }
}
