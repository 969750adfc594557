/** What is worked out once and kept as long as its world is: never for what may still change. */
import type * as World from "../market/World.js"

/** One value for each world. */
export const perWorld = <A extends object>(make: (world: World.World) => A): ((world: World.World) => A) =>
  per((world) => world, make)

/** One value for each item of a world. */
export const perItem = <A extends object>(make: (world: World.World, itemId: number) => A) =>
  byItem(
    perWorld(() => new Map<number, A>()),
    make
  )

/** One value for each item of all worlds with one past: never for what anything since the origin may change. */
export const perPastItem = <A extends object>(make: (world: World.World, itemId: number) => A) =>
  byItem(
    per(
      ({ past }) => past,
      () => new Map<number, A>()
    ),
    make
  )

const per = <A extends object>(
  whose: (world: World.World) => object,
  make: (world: World.World) => A
): ((world: World.World) => A) => {
  const kept = new WeakMap<object, A>()
  return (world) => {
    const known = kept.get(whose(world))
    if (known !== undefined) return known
    const made = make(world)
    kept.set(whose(world), made)
    return made
  }
}

const byItem =
  <A>(items: (world: World.World) => Map<number, A>, make: (world: World.World, itemId: number) => A) =>
  (world: World.World, itemId: number): A => {
    const all = items(world)
    const known = all.get(itemId)
    if (known !== undefined) return known
    const made = make(world, itemId)
    all.set(itemId, made)
    return made
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
