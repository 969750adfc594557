/** Money times money divided by money, against whole numbers of any size: nothing of a kopeck is lost on the way. */
import * as fc from "fast-check"
import { assert, describe, it } from "vitest"
import * as Cells from "../../src/engine/facts/Cell.js"
import * as Evaluate from "../../src/engine/facts/Evaluate.js"
import * as Kleene from "../../src/engine/facts/Kleene.js"
import * as Table from "../../src/engine/facts/Table.js"
import { compare, rub, target } from "../decide/Example.js"
import { condition } from "../language/Rules.js"
import * as Cases from "./Cases.js"

const million = 1_000_000n

const left = (text: string) => {
  const made = condition(`${text} > 1 ₽`)
  if (made._tag !== "Compare") throw new Error("no comparison")
  return made.left
}

/** Up to 1,000,000 ₽. */
const kopecks = fc.integer({ min: 1, max: 100_000_000 })

describe("money times money, divided by money", () => {
  const share = fc.integer({ min: 1, max: 20_000 })
  const written = fc.constantFrom(
    (percent: string) => `cpm * ${percent} * item.price / bid`,
    (percent: string) => `cpm * item.price * ${percent} / bid`,
    (percent: string) => `cpm * (item.price * ${percent}) / bid`,
    (percent: string) => `item.price * cpm / bid * ${percent}`
  )

  it(
    "is what whole numbers say, to a millionth of a kopeck, and whole where they are",
    async () => {
      await Cases.check(
        fc.property(kopecks, kopecks, kopecks, share, written, (cpm, price, bid, basisPoints, formula) => {
          const percent = `${(basisPoints / 100).toFixed(2)}%`
          const table = Table.make("cluster")
          const row = table.add(target(1, 1, "кеды"))
          table.set(row, "cluster.cpm@7d", Cells.known(cpm))
          table.set(row, "item.price", Cells.known(price))
          table.set(row, "cluster.bid", Cells.known(bid))
          const expr = left(formula(percent))
          assert.strictEqual(expr.type._tag, "Money")
          const found = Evaluate.value(expr, table, row)
          assert.strictEqual(found._tag, "Known")
          const [above, below] = [BigInt(cpm) * BigInt(price) * BigInt(basisPoints), BigInt(bid) * 10_000n]
          const exact = (above * million) / below
          const value = found._tag === "Known" ? Number(found.value) : Number.NaN
          // What is beyond 90 billion roubles is no bid and no budget; a millionth cannot be asked of it.
          fc.pre(value < 9e12 / 1000)
          const difference = BigInt(Math.round(value * 1e6)) - exact
          assert.isTrue(difference >= -4n && difference <= 4n, `${value} for ${exact}`)
          if (above % below === 0n) assert.strictEqual(value, Number(above / below))
          // The columns agree.
          for (const [op, holds] of [
            [">=", Kleene.True],
            [">", Kleene.False]
          ] as const) {
            const amount = { ...rub(1), value } as ReturnType<typeof rub>
            const { truth } = Evaluate.condition(compare(expr, op, amount), table, [row])
            assert.strictEqual(truth[0], holds)
          }
        }),
        500
      )
    },
    Cases.timeoutMs
  )
})
