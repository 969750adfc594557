/** What is worked out once and kept as long as its world is: never for what may still change. */
import type * as World from "../market/World.js"

/** One value for each world. */
export const perWorld = <A extends object>(make: (world: World.World) => A): ((world: World.World) => A) => {
  const kept = new WeakMap<World.World, A>()
  return (world) => {
    const known = kept.get(world)
    if (known !== undefined) return known
    const made = make(world)
    kept.set(world, made)
    return made
  }
}

/** One value for each item of a world. */
export const perItem = <A extends object>(
  make: (world: World.World, itemId: number) => A
): ((world: World.World, itemId: number) => A) => {
  const items = perWorld(() => new Map<number, A>())
  return (world, itemId) => {
    const all = items(world)
    const known = all.get(itemId)
    if (known !== undefined) return known
    const made = make(world, itemId)
    all.set(itemId, made)
    return made
  }
}

/** Days of an item that are kept: more than the longest report asks for. */
const keptDays = 500

/**
 * Lets the days go that were worked out first when there are too many, so that a server may run for months; they are
 * worked out again when somebody asks. To be called before days are added, never between adding and reading.
 */
export const shorten = (days: Map<number, unknown>): void => {
  for (const day of days.keys()) {
    if (days.size <= keptDays) return
    days.delete(day)
  }
}
