/** Half of a plan by `optimise` makes nothing dearer than its budget has room for, whatever half it is. */
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as BudgetRoom from "../../src/engine/kinds/BudgetRoom.js"
import type { Change } from "../../src/engine/kinds/Change.js"
import { onlyChange, plan, policy, raiseBid } from "./Example.js"

const [dailyKopecks, budget] = [60_000, "1000001"]
const ordinary = onlyChange(plan({ policies: [policy("01", raiseBid())] }))

const outlook = (spendKopecks: number) => ({ views: 0, orders: 0, spendKopecks, profitKopecks: 0 })

/** A change that adds so much to what its budget spends as it stands. */
const change = (moreKopecks: number, id: number, spendKopecks: number): Change =>
  ({
    ...ordinary,
    id: `change ${id}`,
    details: {
      optimised: {
        before: outlook(1_000_000),
        after: outlook(1_000_000 + moreKopecks),
        budget: { of: budget, dailyKopecks, spendKopecks }
      }
    }
  }) as unknown as Change

const parts = fc
  .record({
    spendKopecks: fc.integer({ min: 0, max: 2 * dailyKopecks }),
    changes: fc.array(
      fc.record({
        more: fc.integer({ min: -20_000, max: 20_000 }),
        part: fc.constantFrom("open", "gone", "lost")
      }),
      { maxLength: 12 }
    )
  })
  .map(({ changes, spendKopecks }) => {
    const made = changes.map(({ more, part }, i) => ({ part, change: change(more, i, spendKopecks) }))
    const of = (wanted: string) => made.flatMap((one) => (one.part === wanted ? [one.change] : []))
    return { spendKopecks, open: of("open"), gone: of("gone"), lost: of("lost") }
  })

const more = (changes: ReadonlyArray<Change>): number =>
  changes.reduce((sum, one) => sum + (BudgetRoom.shareOf(one)?.moreKopecks ?? 0), 0)

describe("the room of a budget", () => {
  it("is what its budget has, or the whole plan would have spent, once something is lost that was to make room", () =>
    fc.assert(
      fc.property(parts, ({ gone, lost, open, spendKopecks }) => {
        const all = [...open, ...gone, ...lost]
        const none = BudgetRoom.without({ open, gone, all })
        const goes = open.filter((one) => !none.has(one))
        const most = Math.max(dailyKopecks, spendKopecks + more(all))
        if (!lost.some((one) => more([one]) < 0)) expect(none.size).toBe(0)
        else if (goes.some(BudgetRoom.isDearer))
          expect(spendKopecks + more(gone) + more(goes)).toBeLessThanOrEqual(most)
        for (const [one, { moreKopecks, spendKopecks: spent }] of none) {
          expect(BudgetRoom.isDearer(one)).toBe(true)
          expect(spent + moreKopecks).toBeGreaterThan(most)
        }
      })
    ))

  it("is the same whether what does not go is in the plan, or no change of it", () =>
    fc.assert(
      fc.property(parts, ({ gone, lost, open }) => {
        const sum = (sign: 1 | -1) => lost.reduce((total, one) => total + Math.max(0, sign * more([one])), 0)
        const policy = ordinary.origin.name
        const absent = [{ policy, budget, savesKopecks: sum(-1), addsKopecks: sum(1) }]
        const all = [...open, ...gone]
        expect(BudgetRoom.without({ open, gone, all, absent })).toEqual(
          BudgetRoom.without({ open, gone, all: [...all, ...lost] })
        )
      })
    ))

  it("is nobody's whose budget no change tells, and not another policy's", () => {
    const dearer = change(5000, 1, dailyKopecks)
    const cheaper = change(-5000, 2, dailyKopecks)
    const { optimised } = dearer.details as { optimised: object }
    const untold = {
      ...dearer,
      details: { optimised: { ...optimised, budget: undefined } }
    } as unknown as Change
    const elsewhere = { ...dearer, origin: { ...dearer.origin, name: "another" } } as Change
    const open = [dearer, untold, elsewhere]
    expect(BudgetRoom.without({ open, all: [...open, cheaper] })).toEqual(
      new Map([[dearer, { budget, dailyKopecks, spendKopecks: dailyKopecks, moreKopecks: 5000 }]])
    )
  })
})
