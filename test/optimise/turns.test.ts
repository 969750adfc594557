/** Which moves a plan makes, of more than a run may send. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as Turns from "../../src/engine/decide/optimise/Turns.js"
import type { Stake } from "../../src/engine/optimise/Optimise.js"
import * as Depth from "../Depth.js"

interface Move extends Stake {
  readonly id: number
  readonly isHeld: boolean
  readonly isShared: boolean
  readonly goes: boolean
}

const move = (id: number): fc.Arbitrary<Move> =>
  fc.record({
    id: fc.constant(id),
    verb: fc.constantFrom("bid", "bid", "bid", "minus", "park", "unpark"),
    spendKopecks: fc.integer({ min: 0, max: 20 }),
    moreKopecks: fc.integer({ min: -3, max: 3 }),
    isHeld: fc.boolean(),
    isShared: fc.boolean(),
    goes: fc.boolean()
  })
const moves = fc
  .integer({ min: 0, max: 60 })
  .chain((size) => fc.tuple(...Array.from({ length: size }, (_, i) => move(i))))

/** With `spare` taken away, so that a few moves are many. */
const later = (all: ReadonlyArray<Move>, room: number, share = 1_000): ReadonlyArray<Move> => {
  const flags = Turns.later(
    {
      size: all.length,
      stake: (i) => all[i],
      compareIds: (a, b) => all[a]!.id - all[b]!.id,
      isHeld: (i) => all[i]!.isHeld,
      sharesOf: (i) => (all[i]!.isShared ? [{ where: "some", most: share - Turns.spare }] : []),
      goes: (i) => all[i]!.goes
    },
    room - Turns.spare
  )
  return all.filter((_, i) => flags[i] === 1)
}

describe("the moves of a run", () => {
  const holds = (property: (all: ReadonlyArray<Move>, room: number) => void) =>
    fc.assert(fc.property(moves, fc.integer({ min: 1, max: 20 }), property), {
      numRuns: Depth.cases(1000, 1 / 4)
    })

  it("are all of them where there is room, and no more than there is room for otherwise, bids and minus phrases together", () =>
    holds((all, room) => {
      const left = new Set(later(all, room))
      const made = all.filter((one) => !left.has(one))
      if (all.length <= room) expect(made).toEqual(all)
      else expect(made.filter(({ goes }) => goes).length).toBeLessThanOrEqual(room)
      // Nothing waits while there is room for what goes.
      if (made.length < all.length) expect(made.filter(({ goes }) => goes).length).toBe(room)
    }))

  it("save before they add, and begin where most money is; what is held anyway takes no turn of the others", () =>
    holds((all, room) => {
      const left = later(all, room)
      const waits = new Set(left)
      for (const made of all.filter((one) => !waits.has(one)))
        for (const one of left) {
          expect(Number(made.isHeld)).toBeLessThanOrEqual(Number(one.isHeld))
          if (made.isHeld !== one.isHeld) continue
          const [adds, wouldAdd] = [made.moreKopecks > 0, one.moreKopecks > 0]
          expect(Number(adds)).toBeLessThanOrEqual(Number(wouldAdd))
          if (adds === wouldAdd) expect(made.spendKopecks).toBeGreaterThanOrEqual(one.spendKopecks)
        }
    }))

  it("leave room to the others where only so many of some may go", () =>
    holds((all, room) => {
      const share = Math.ceil(room / 3)
      const left = new Set(later(all, room, share))
      const made = all.filter((one) => !left.has(one))
      // While one of the others waits, no more of them were made than their share.
      if (all.some((one) => !one.isShared && left.has(one)))
        expect(made.filter(({ isShared }) => isShared).length).toBeLessThanOrEqual(share)
    }))

  it("are the same ones in whatever order they come", () =>
    holds((all, room) => {
      const ids = (some: ReadonlyArray<Move>) => some.map(({ id }) => id).sort((a, b) => a - b)
      expect(ids(later(all.toReversed(), room))).toEqual(ids(later(all, room)))
    }))
})
