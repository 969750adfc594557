/** What is worked out once and kept as long as its world is: never for what may still change. */
import type * as World from "../World.js"

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
export const perItem = <A extends object>(make: () => A): ((world: World.World, itemId: number) => A) => {
  const items = perWorld(() => new Map<number, A>())
  return (world, itemId) => {
    const all = items(world)
    const known = all.get(itemId)
    if (known !== undefined) return known
    const made = make()
    all.set(itemId, made)
    return made
  }
}
