/** Which row of a run a way back belongs to, whatever else the run holds. */
import * as fc from "fast-check"
import { expect, it } from "vitest"
import type * as Inverse from "../../src/engine/decide/Inverse.js"
import * as Undo from "../../src/engine/planning/Undo.js"
import * as Example from "../decide/Example.js"

it("a way back belongs to the first row of its id, as a search through all of them finds it", () => {
  const change = Example.onlyChange(
    Example.plan({ policies: [Example.policy("01", Example.raiseBid())], rows: Example.oneRow })
  )
  const verdicts = fc.array(
    fc.oneof(
      fc.constant<Inverse.Verdict>({ _tag: "Done", because: { code: "there_already" } }),
      fc
        .integer({ min: 0, max: 30 })
        .map((id): Inverse.Verdict => ({ _tag: "Possible", change: { ...change, id: `${id}` } }))
    ),
    { maxLength: 60 }
  )
  fc.assert(
    fc.property(verdicts, (found) => {
      const places = Undo.placesOf(found)
      for (let id = 0; id <= 31; id++)
        expect(places.get(`${id}`) ?? -1).toBe(
          found.findIndex((one) => one._tag === "Possible" && one.change.id === `${id}`)
        )
    })
  )
})
