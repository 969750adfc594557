/** Worlds that began alike share what was worked out of their past; two that are compared must each work it out. */
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"

/** A world that shares nothing. */
export const world = (origin: World.Origin): World.World => ({
  ...World.make(origin),
  past: { market: new Map() }
})

/** The next world of any seed that tests use shares nothing with those before. */
export const forget = (): void => {
  for (let seed = -1; seed >= -World.keptPasts; seed--)
    World.make({ seller: "seller", seed, scale: Scale.demo, originMs: 0, firstId: 1 })
}
