/** Worlds that began alike share what was worked out of their past; two that are compared must each work it out. */
import * as Scale from "../../src/sandbox/market/Scale.js"
import * as World from "../../src/sandbox/market/World.js"

/** A world that shares nothing. */
export const world = (origin: World.Origin): World.World => ({
  ...World.make(origin),
  past: { market: new Map() }
})

/** From now on an item has other least bids per thousand impressions in this world alone, kopecks. */
export const setFloors = (
  world: World.World,
  itemId: number,
  cpm: Partial<Record<"search" | "recommendations", number>>
): void => {
  const item = World.item(world, itemId)
  const raised = { ...item, floors: { ...item.floors, cpm: { ...item.floors.cpm, ...cpm } } }
  Object.assign(world, { past: { market: new Map([...world.past.market, [itemId, raised]]) } })
}

/** The next world of any seed that tests use shares nothing with those before. */
export const forget = (): void => {
  for (let seed = -1; seed >= -World.keptPasts; seed--)
    World.make({ seller: "seller", seed, scale: Scale.demo, originMs: 0, firstId: 1 })
}
