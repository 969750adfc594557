import * as Effect from "effect/Effect"
import { expect, it } from "vitest"
import * as CallPages from "../../../src/cli/call/CallPages.js"
import * as Catalogue from "../../../src/services/Catalogue.js"

it("a walk of a snapshot stops where no answer names it: another page would be of other rows", async () => {
  const { paging } = Catalogue.find("getOrderFeed")!
  const walk = (snapshotTime: string | undefined) => {
    const [, rows] = paging!.rows.split(".")
    const page = { data: { [rows!]: [1, 2], snapshotTime } }
    let asked = 0
    const ask = () => Effect.sync(() => ({ answer: ++asked < 3 ? page : {}, odd: [] }))
    const request = { payload: { pagination: { limit: 2, offset: 0 } } }
    return Effect.runPromise(CallPages.all(paging!, request, ask))
  }
  expect(await walk(undefined)).toMatchObject({ pages: 1, cutShort: true })
  expect(await walk("2026-09-01T00:00:00Z")).toMatchObject({ pages: 3, cutShort: false })
})
